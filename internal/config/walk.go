package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// value is a part of the file that is what its spec says.
type value struct {
	pos    pos
	keyPos pos
	path   string
	text   string // of a text, variables replaced
	num    float64
	names  []string // of a mapping, in the order of the file
	fields map[string]*value
	items  []*value
}

// at is where the walk is: the path there, and the key that led there.
type at struct {
	path string
	name string // of the key; that of the list for its items
	key  pos
	item bool // of a list
}

func (a at) into(name string, key pos) at { return at{path: join(a.path, name), name: name, key: key} }

// walk turns a node into a value. What is not as the spec says is noted and
// left out; nil says that nothing is left.
func (r *reader) walk(n ast.Node, s *spec, a at) *value {
	if !r.spend() {
		return nil
	}
	given := start(n)
	n = r.resolve(n, a.path)
	if n == nil {
		return nil
	}
	v := &value{pos: given, keyPos: a.key, path: a.path}
	switch s.kind {
	case object, table:
		return r.walkMapping(n, s, a, v)
	case list:
		return r.walkList(n, s, a, v)
	default:
		return r.walkScalar(n, s, a, v)
	}
}

func (r *reader) walkMapping(n ast.Node, s *spec, a at, v *value) *value {
	v.fields = map[string]*value{}
	if _, null := n.(*ast.NullNode); null && s.empty {
		return v
	}
	if s.isShort(n) {
		return r.walkShort(n, s, a, v)
	}
	if !isMapping(n) {
		r.wrongForm(n, s, a)
		return nil
	}
	if s.kind == object {
		r.walkObject(n, s, a, v)
		return v
	}
	entries := r.entries(n, a.path)
	if s.some && len(entries) == 0 {
		r.bad(a.key, a.path, s.doc, "%s is empty", a.name)
	}
	for _, e := range entries {
		if f := s.name.fault(e.name); f != nil {
			r.bad(e.pos, join(a.path, e.name), f.hint, "%s", f.msg)
		}
		if f := r.walk(e.value, s.elem, a.into(e.name, e.pos)); f != nil {
			v.names, v.fields[e.name] = append(v.names, e.name), f
		}
	}
	return v
}

// isShort tells whether a node stands for some of the object's keys.
func (s *spec) isShort(n ast.Node) bool {
	if len(s.short) == 0 {
		return false
	}
	_, items := n.(*ast.SequenceNode)
	return isWord(n) || items && s.find(s.short[0]).kind == list
}

// walkShort reads a value that stands for some of an object's keys.
func (r *reader) walkShort(n ast.Node, s *spec, a at, v *value) *value {
	for _, name := range s.short {
		if f := r.walk(n, s.find(name).spec, a); f != nil {
			v.names, v.fields[name] = append(v.names, name), f
		}
	}
	if len(v.names) == 0 {
		return nil
	}
	return v
}

func (r *reader) walkObject(n ast.Node, s *spec, a at, v *value) {
	given := map[string]bool{}
	for _, e := range r.entries(n, a.path) {
		k := s.find(e.name)
		switch {
		case k == nil:
			r.unknownKey(e, s, a)
			continue
		case k.kind == later:
			r.add(NotYet, e.pos, join(a.path, e.name), fmt.Sprintf("this version does not know %s yet: it %s", e.name, k.doc), "take it out until then")
			continue
		}
		given[e.name] = true
		if f := r.walk(e.value, k.spec, a.into(e.name, e.pos)); f != nil {
			v.names, v.fields[e.name] = append(v.names, e.name), f
		}
	}
	for _, k := range s.keys {
		if k.required && !given[k.name] {
			p := v.pos
			if a.key != (pos{}) && !a.item {
				p = a.key
			}
			r.bad(p, a.path, k.doc, "%s is missing here", k.name)
		}
	}
}

func (r *reader) unknownKey(e entry, s *spec, a at) {
	hint := suggest(e.name, s.names())
	if hint == "" {
		hint = "known here: " + strings.Join(s.names(), ", ")
	}
	if strings.Contains(e.name, "${") {
		hint = "variables are replaced in values only"
	}
	r.bad(e.pos, join(a.path, e.name), hint, "unknown key %s", quote(e.name))
}

func (r *reader) walkList(n ast.Node, s *spec, a at, v *value) *value {
	if s.lone && isWord(n) {
		if f := r.walk(n, s.elem, a); f != nil {
			v.items = append(v.items, f)
		}
		return v
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.wrongForm(n, s, a)
		return nil
	}
	for i, item := range seq.Values {
		in := a
		in.item = true
		in.path = fmt.Sprintf("%s[%d]", a.path, i)
		if f := r.walk(item, s.elem, in); f != nil {
			v.items = append(v.items, f)
		}
	}
	if s.some && len(seq.Values) == 0 {
		r.bad(a.key, a.path, s.doc, "%s is empty", a.name)
	}
	return v
}

func (r *reader) walkScalar(n ast.Node, s *spec, a at, v *value) *value {
	sc, ok := r.scalar(n, s, a)
	if !ok {
		return nil
	}
	v.text = sc.text
	var f *fault
	switch {
	case s.kind != text:
		v.num, f = s.quantity(sc)
	case sc.text == "":
		f = &fault{a.name + " is empty", s.doc}
	case s.off && sc.text == "off":
	case len(s.enum) > 0:
		f = s.oneOf(sc)
	case s.check != nil:
		f = s.check(sc)
	}
	if f != nil {
		r.bad(v.pos, a.path, f.hint, "%s", f.msg)
		return nil
	}
	return v
}

// scalar is a word of the file.
type scalar struct {
	name   string // of its key
	raw    string
	text   string // variables replaced
	secret bool
}

// shown is how a message may name it: never with a variable's value.
func (s *scalar) shown() string {
	if s.secret {
		return hidden
	}
	return quote(s.raw)
}

// scalar reads a word as text. A number has to be a bare one, or come from a
// variable as a whole; so has true or false.
func (r *reader) scalar(n ast.Node, s *spec, a at) (*scalar, bool) {
	sc := &scalar{name: a.name, secret: s.secret}
	plain := false
	switch n := n.(type) {
	case *ast.StringNode:
		sc.raw, plain = n.Value, n.Token.Type == token.StringType
	case *ast.LiteralNode:
		sc.raw = n.Value.Value
	default:
		if !s.takes(n) {
			r.wrongForm(n, s, a)
			return nil, false
		}
		sc.raw, plain = n.GetToken().Value, true
	}
	var refs bool
	var ok bool
	if sc.text, refs, ok = r.expand(sc, start(n), a); !ok {
		return nil, false
	}
	if !s.worded() && !plain && !refs {
		r.wrongForm(n, s, a)
		return nil, false
	}
	return sc, true
}

// takes tells of a word that is no text whether it is of the spec's kind.
func (s *spec) takes(n ast.Node) bool {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return s.number != "" || s.digits || s.kind == number || s.kind == price || s.kind == count || s.kind == share
	case *ast.BoolNode:
		return s.kind == toggle
	}
	return false
}

// wrongForm notes that a node has not the form of its spec.
func (r *reader) wrongForm(n ast.Node, s *spec, a at) {
	got, hint := describe(n), s.doc
	p := start(n)
	switch {
	case got == "nothing" && !a.item:
		p = a.key
	case s.kind == text && len(s.enum) == 0 && s.says == "" && (got == "a number" || got == "true or false"):
		hint = "put it in quotes"
	case got == "a number" && s.kind == duration:
		hint = "a number needs its unit, as in 10s or 500ms"
	case got == "a number" && s.kind == size:
		hint = "a number needs its unit, as in 256KiB or 32MiB"
	case s.kind == list && strings.HasSuffix(got, "text") && s.one != "":
		hint = s.one
	case s.kind == list && got == "a mapping":
		hint = "begin each item with a dash"
	case got == "quoted text" && (s.kind == number || s.kind == price || s.kind == count || s.kind == toggle):
		hint = "take the quotes away"
	}
	what := a.name
	switch {
	case what == "":
		what = "the file"
	case a.item:
		what = "an item of " + what
	}
	r.bad(p, a.path, hint, "%s wants %s, not %s", what, s.what(), got)
}

func isWord(n ast.Node) bool {
	_, null := n.(*ast.NullNode)
	_, word := n.(ast.ScalarNode)
	return word && !null
}

// describe is the form of a node in words.
func describe(n ast.Node) string {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.IntegerNode, *ast.FloatNode:
		return "a number"
	case *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value
	case *ast.BoolNode:
		return "true or false"
	case *ast.StringNode:
		if n.Token.Type != token.StringType {
			return "quoted text"
		}
	}
	return "text"
}
