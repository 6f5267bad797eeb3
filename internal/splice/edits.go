package splice

import (
	"errors"
	"slices"
)

// Edits are changes to members of an object: outermost ones, or ones of an
// object that is an outermost member. The zero value changes nothing. Values
// are copied. A later change of the same member replaces the earlier one.
//
// Setting a member replaces its value wherever it stands, and the rest stays
// where it was; a member that is not there is added as the last. Removing one
// takes exactly one comma with it. An Edits may be applied again and again, but
// not by several goroutines at once.
type Edits struct {
	list    []edit
	values  []byte // holds the values of list
	inner   Object
	keys    []string
	patches []patch
	added   []byte // holds what patches add beside values
	cut     span   // see remove
}

// edit changes the member key of the outermost object, or of its member in.
type edit struct {
	in, key string
	value   []byte
	gone    bool // it is to be removed
}

// patch puts with in the place of the bytes from:to.
type patch struct {
	from, to int
	with     []byte
}

type span struct{ from, to int }

// Reset forgets all changes and keeps the space.
func (e *Edits) Reset() {
	e.list, e.values = e.list[:0], e.values[:0]
}

// Len is how many members are to be changed.
func (e *Edits) Len() int { return len(e.list) }

// Set gives a member a value: one JSON value, which is not checked.
func (e *Edits) Set(key string, value []byte) { e.SetIn("", key, value) }

// SetString gives a member a string, which is quoted here.
func (e *Edits) SetString(key, value string) { e.setStringIn("", key, value) }

// Remove takes a member out.
func (e *Edits) Remove(key string) { e.RemoveIn("", key) }

// SetIn gives the member key of the object that is the member in a value: one
// JSON value, which is not checked. If in is missing or null it becomes an
// object; any other value than an object is left alone. Changing the member in
// itself comes before changes inside it.
func (e *Edits) SetIn(in, key string, value []byte) {
	from := len(e.values)
	e.values = append(e.values, value...)
	e.put(edit{in: in, key: key, value: e.values[from:]})
}

// RemoveIn takes the member key out of the object that is the member in.
func (e *Edits) RemoveIn(in, key string) { e.put(edit{in: in, key: key, gone: true}) }

func (e *Edits) setStringIn(in, key, value string) {
	from := len(e.values)
	e.values = AppendString(e.values, value)
	e.put(edit{in: in, key: key, value: e.values[from:]})
}

func (e *Edits) put(d edit) {
	if old := e.find(d.in, d.key); old != nil {
		*old = d
		return
	}
	e.list = append(e.list, d)
}

func (e *Edits) find(in, key string) *edit {
	for i := range e.list {
		if d := &e.list[i]; d.key == key && d.in == in {
			return d
		}
	}
	return nil
}

// AppendTo appends the text that o was scanned from, changed. The names that
// are changed, and those that hold changes, have to be among those that o was
// scanned for; if one is not, or o is empty, or an inner object repeats what is
// changed in it too often to be taken, the error says so and dst comes back as
// it was. dst must not be a part of that text.
func (e *Edits) AppendTo(dst []byte, o *Object) ([]byte, error) {
	if o.body == nil {
		return dst, errors.New("splice: edits to an object that was not scanned")
	}
	e.patches, e.added = e.patches[:0], e.added[:0]
	if err := e.change(o, 0, ""); err != nil {
		return dst, err
	}
	size := len(o.body)
	for _, p := range e.patches {
		size += len(p.with)
	}
	dst = slices.Grow(dst, size)
	done := 0
	for _, p := range e.patches {
		dst = append(append(dst, o.body[done:p.from]...), p.with...)
		done = p.to
	}
	return append(dst, o.body[done:]...), nil
}
