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
	if !isMapping(n) {
		r.wrongForm(n, s, a)
		return nil
	}
	if s.kind == object {
		r.walkObject(n, s, a, v)
		return v
	}
	for _, e := range r.entries(n, a.path) {
		if f := s.name.fault(e.name); f != nil {
			r.bad(e.pos, join(a.path, e.name), f.hint, "%s", f.msg)
		}
		if f := r.walk(e.value, s.elem, a.into(e.name, e.pos)); f != nil {
			v.names, v.fields[e.name] = append(v.names, e.name), f
		}
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
			r.add(NotYet, e.pos, e.name, fmt.Sprintf("this version does not know %s yet: it %s", e.name, k.doc), "take it out until then; a config may hold providers and models")
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
		v.num, f = s.parse(sc)
	case sc.text == "":
		f = &fault{a.name + " is empty", s.doc}
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
// variable as a whole.
func (r *reader) scalar(n ast.Node, s *spec, a at) (*scalar, bool) {
	sc := &scalar{name: a.name, secret: s.secret}
	plain := false
	switch n := n.(type) {
	case *ast.StringNode:
		sc.raw, plain = n.Value, n.Token.Type == token.StringType
	case *ast.LiteralNode:
		sc.raw = n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode:
		sc.raw = n.GetToken().Value
		if s.kind == text && s.number == "" && !s.digits {
			r.wrongForm(n, s, a)
			return nil, false
		}
		plain = true
	default:
		r.wrongForm(n, s, a)
		return nil, false
	}
	var refs bool
	var ok bool
	if sc.text, refs, ok = r.expand(sc, start(n), a); !ok {
		return nil, false
	}
	if s.kind != text && !plain && !refs {
		r.wrongForm(n, s, a)
		return nil, false
	}
	return sc, true
}

// wrongForm notes that a node has not the form of its spec.
func (r *reader) wrongForm(n ast.Node, s *spec, a at) {
	got, hint := describe(n), s.doc
	p := start(n)
	switch {
	case got == "nothing" && !a.item:
		p = a.key
	case s.kind == text && (got == "a number" || got == "true or false"):
		hint = "put it in quotes"
	case s.kind == list && strings.HasSuffix(got, "text") && s.one != "":
		hint = s.one
	case s.kind == list && got == "a mapping":
		hint = "begin each item with a dash"
	case got == "quoted text" && (s.kind == number || s.kind == price || s.kind == count):
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
