package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// anchor is a node with a name, for aliases after it.
type anchor struct {
	pos  pos
	node ast.Node
}

const (
	maxVisits = 200_000 // of nodes; only aliases lead to one more than once
	maxHops   = 16      // of aliases and merges that lead to one another
)

// spend counts a visit, so that aliases to aliases cannot make a small file
// large. It tells whether there may be another.
func (r *reader) spend() bool {
	r.visits++
	if r.visits == maxVisits {
		r.bad(pos{}, "", "write fewer aliases", "aliases make this file too large")
	}
	return r.visits < maxVisits
}

// collect finds the anchors, in the order of the file.
func (r *reader) collect(body ast.Node) {
	ast.Walk(visitor(func(n ast.Node) {
		a, ok := n.(*ast.AnchorNode)
		if !ok || a.Name == nil {
			return
		}
		name := a.Name.GetToken().Value
		if first, twice := r.anchors[name]; twice {
			r.bad(start(a), "", "give it another name", "there is an anchor of this name on line %d already", first.pos.line)
			return
		}
		r.anchors[name] = anchor{start(a), a.Value}
		r.findLoops(name, a.Value)
	}), body)
}

// findLoops notes the aliases in an anchor's own value.
func (r *reader) findLoops(name string, value ast.Node) {
	ast.Walk(visitor(func(n ast.Node) {
		if x, ok := n.(*ast.AliasNode); ok && x.Value != nil && x.Value.GetToken().Value == name {
			r.loops[x] = true
			r.bad(start(x), "", "write it out", "this alias is inside what it stands for")
		}
	}), value)
}

type visitor func(ast.Node)

func (v visitor) Visit(n ast.Node) ast.Visitor {
	v(n)
	return v
}

// resolve goes from anchors and aliases to what they stand for; nil says that
// it is noted why there is nothing.
func (r *reader) resolve(n ast.Node, path string) ast.Node {
	for range maxHops {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.AliasNode:
			if r.loops[x] {
				return nil
			}
			a, ok := r.anchor(x)
			if !ok {
				r.bad(start(x), path, "an anchor (&name) stands above its aliases; a value that begins with * needs quotes", "there is no anchor of this name above")
				return nil
			}
			n = a.node
		case *ast.TagNode:
			r.bad(start(x), path, "take it away; a value that begins with ! needs quotes", "YAML tags are not supported")
			return nil
		case nil:
			return nil
		default:
			return n
		}
	}
	r.bad(start(n), path, "write it out", "this alias leads to itself, or through too many others")
	return nil
}

func (r *reader) anchor(x *ast.AliasNode) (anchor, bool) {
	if x.Value == nil {
		return anchor{}, false
	}
	a, ok := r.anchors[x.Value.GetToken().Value]
	p := start(x)
	return a, ok && (a.pos.line < p.line || a.pos.line == p.line && a.pos.col < p.col)
}

// entry is a key of a mapping and its value.
type entry struct {
	name  string
	pos   pos
	value ast.Node
}

// entries are those of a mapping, then those that are merged into it (<<) and
// that it does not have itself.
func (r *reader) entries(n ast.Node, path string) []entry {
	return r.merged(n, path, maxHops)
}

func (r *reader) merged(n ast.Node, path string, hops int) []entry {
	own, merges := r.own(n, path)
	has := map[string]bool{}
	for _, e := range own {
		has[e.name] = true
	}
	for _, m := range merges {
		if hops == 0 {
			r.bad(start(m), path, "write it out", "this alias leads to itself, or through too many others")
			return own
		}
		m = r.resolve(m, path)
		if m == nil {
			continue
		}
		if !isMapping(m) {
			r.bad(start(m), path, "as in <<: *name, where &name is before a mapping", "<< merges a mapping, not %s", describe(m))
			continue
		}
		for _, e := range r.merged(m, path, hops-1) {
			if !has[e.name] && r.spend() {
				has[e.name], own = true, append(own, e)
			}
		}
	}
	return own
}

// own are the entries that stand in a mapping, and what it merges.
func (r *reader) own(n ast.Node, path string) (own []entry, merges []ast.Node) {
	lines := map[string]int{}
	for _, v := range pairs(n) {
		p := start(v.Key)
		if !r.spend() {
			return own, merges
		}
		name, isMerge, ok := keyName(v.Key)
		switch {
		case !ok:
			r.bad(p, path, "a key is one word", "this cannot be a key")
			continue
		case isMerge:
			merges = append(merges, v.Value)
			if seq, ok := v.Value.(*ast.SequenceNode); ok {
				merges = append(merges[:len(merges)-1], seq.Values...)
			}
			continue
		}
		if first, twice := lines[name]; twice {
			r.bad(p, join(path, name), "keep one of them", "%s is on line %d already", scrub(name), first)
			continue
		}
		lines[name] = p.line
		own = append(own, entry{name, p, v.Value})
	}
	return own, merges
}

func keyName(k ast.Node) (name string, isMerge, ok bool) {
	switch k := k.(type) {
	case *ast.MergeKeyNode:
		return "", true, true
	case *ast.StringNode:
		return k.Value, false, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return k.GetToken().Value, false, true
	}
	return "", false, false
}

func isMapping(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

func pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return slices.DeleteFunc(slices.Clone(n.Values), func(v *ast.MappingValueNode) bool { return v == nil || v.Key == nil })
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// start is where a node begins. The parser puts a mapping at its first colon.
func start(n ast.Node) pos {
	switch n := n.(type) {
	case nil:
		return pos{}
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return start(n.Values[0])
		}
	case *ast.MappingValueNode:
		if n.Key != nil {
			return position(n.Key.GetToken())
		}
	}
	return position(n.GetToken())
}
