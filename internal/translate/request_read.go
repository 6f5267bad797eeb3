package translate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir.dev/weir"
)

// trouble holds the first thing that is wrong; what is read or written after it
// does not matter.
type trouble struct{ err error }

func (t *trouble) fail(code, path, what, hint string) {
	if t.err == nil {
		t.err = &weir.Error{Code: code, Message: path + ": " + what, Hint: hint}
	}
}

// refuse is for what the target's dialect has no place for.
func (t *trouble) refuse(path, what, hint string) { t.fail(CannotTranslate, path, what, hint) }

// bad is for what no dialect takes.
func (t *trouble) bad(path, what, hint string) { t.fail(InvalidRequest, path, what, hint) }

// decoding reads a caller's request into c.
type decoding struct {
	trouble
	c conversation
}

// object is a JSON object that is taken apart member by member, so that what
// nobody took is known in the end. A null member is as good as absent. A nil
// object has no members.
type object struct {
	d       *decoding
	path    string
	members map[string]json.RawMessage
}

func (d *decoding) object(path string, raw json.RawMessage) *object {
	o := &object{d: d, path: path}
	if json.Unmarshal(raw, &o.members) != nil || o.members == nil {
		d.bad(at(path, ""), "it is not an object", "{...}")
	}
	maps.DeleteFunc(o.members, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	return o
}

// at is the path of a member; the body itself is "the body".
func at(path, name string) string {
	switch {
	case path == "" && name == "":
		return "the body"
	case path == "" || name == "":
		return path + name
	}
	return path + "." + name
}

func index(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

func (o *object) at(name string) string {
	if o == nil {
		return name
	}
	return at(o.path, name)
}

func (o *object) take(name string) (json.RawMessage, bool) {
	if o == nil {
		return nil, false
	}
	raw, ok := o.members[name]
	delete(o.members, name)
	return raw, ok
}

// read takes a member of the type of T.
func read[T any](o *object, name, want string) (T, bool) {
	var v T
	raw, ok := o.take(name)
	if ok && json.Unmarshal(raw, &v) != nil {
		o.d.bad(o.at(name), "it has the wrong type", want)
		return *new(T), false
	}
	return v, ok
}

func (o *object) text(name string) string {
	s, _ := read[string](o, name, "a string")
	return s
}

// needText is a member that has to be there.
func (o *object) needText(name string) string {
	s := o.text(name)
	if s == "" && o != nil {
		o.d.bad(o.at(name), "it is missing", "a string")
	}
	return s
}

func (o *object) bool(name string) bool {
	b, _ := read[bool](o, name, "true or false")
	return b
}

func (o *object) list(name string) []json.RawMessage {
	l, _ := read[[]json.RawMessage](o, name, "a list")
	return l
}

func (o *object) texts(name string) []string {
	l, _ := read[[]string](o, name, "a list of strings")
	return l
}

// object takes a member that is one; nil where there is none.
func (o *object) object(name string) *object {
	raw, ok := o.take(name)
	if !ok {
		return nil
	}
	return o.d.object(o.at(name), raw)
}

// schema takes a JSON schema, which is passed on as it was written.
func (o *object) schema(name string) json.RawMessage {
	raw, ok := o.take(name)
	if ok && raw[0] != '{' {
		o.d.bad(o.at(name), "it is not an object", "a JSON schema")
	}
	return raw
}

func (o *object) number(name string) setting {
	v, ok := read[json.Number](o, name, "a number")
	if !ok || v == "" {
		return setting{}
	}
	return setting{path: o.at(name), value: json.RawMessage(v)}
}

// limit takes a number of tokens; the smaller one counts where there are two.
func (o *object) limit(name string) {
	n, ok := read[int](o, name, "an integer")
	if !ok {
		return
	}
	if n < 1 {
		o.d.bad(o.at(name), fmt.Sprintf("it is %d", n), "1 or more")
	}
	if c := &o.d.c; n < c.maxTokens.Or(n+1) {
		c.maxTokens, c.limitPath = weir.Some(n), o.at(name)
	}
}

// drop leaves out members that change no answer, and notes them.
func (o *object) drop(names ...string) {
	for _, name := range names {
		if _, ok := o.take(name); ok {
			o.d.c.dropped = append(o.d.c.dropped, o.at(name))
		}
	}
}

// only takes a member that may be there with these values, as JSON, alone.
func (o *object) only(name string, values ...string) {
	if raw, ok := o.take(name); ok && !slices.Contains(values, string(raw)) {
		hint := "leave it out"
		if len(values) > 0 {
			hint += ", or send " + strings.Join(values, " or ")
		}
		o.d.refuse(o.at(name), "it is not carried to another dialect", hint)
	}
}

// close refuses what nobody took.
func (o *object) close() {
	if o == nil || len(o.members) == 0 {
		return
	}
	name := slices.Min(slices.Collect(maps.Keys(o.members)))
	o.d.refuse(o.at(name), "it is not known how to translate it", "leave it out, or route to a target of the caller's dialect")
}
