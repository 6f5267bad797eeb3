package splice

import (
	"fmt"
	"slices"
)

// change makes the patches, in the order of the text, of the object o, whose
// text begins at base. It is the outermost one, or its member in.
func (e *Edits) change(o *Object, base int, in string) error {
	left := o.count
	e.cut = span{}
	for _, m := range o.found {
		name := o.names[m.name]
		d := e.find(in, name)
		switch {
		case d == nil && in == "" && e.holder(name) >= 0:
			if err := e.changeInside(o, m, name); err != nil {
				return err
			}
		case d == nil:
		case d.gone:
			left--
			e.remove(o, base, m)
		default:
			e.endCut(o, base)
			e.patch(base+m.from, base+m.to, d.value)
		}
	}
	e.endCut(o, base)
	return e.add(o, base, in, left > 0)
}

// holder is the first edit inside the member name, as an index; -1 if there is
// none.
func (e *Edits) holder(name string) int {
	return slices.IndexFunc(e.list, func(d edit) bool { return d.in == name })
}

// changeInside makes the patches inside one occurrence of an outermost member.
func (e *Edits) changeInside(o *Object, m member, name string) error {
	e.endCut(o, 0)
	raw := o.body[m.from:m.to]
	switch raw[0] {
	case 'n':
		if added := e.object(name); len(added) > 0 {
			e.patch(m.from, m.to, added)
		}
		return nil
	case '{':
		e.keys = e.keys[:0]
		for i := range e.list {
			if e.list[i].in == name {
				e.keys = append(e.keys, e.list[i].key)
			}
		}
		if err := e.inner.scan(raw, e.keys, scanEvent); err != nil {
			return err
		}
		return e.change(&e.inner, m.from, name)
	}
	return nil
}

// remove takes a member into the cut: the run of members without one between
// them that stays.
func (e *Edits) remove(o *Object, base int, m member) {
	if e.cut.to > 0 {
		if next, ok := o.next(e.cut.to); ok && next == m.key {
			e.cut.to = m.to
			return
		}
		e.endCut(o, base)
	}
	e.cut = span{m.key, m.to}
}

// endCut makes the patch of the cut, if there is one. It takes the comma after
// it, or the one before it if it is at the object's end.
func (e *Edits) endCut(o *Object, base int) {
	c := e.cut
	e.cut = span{}
	if c.to == 0 {
		return
	}
	if next, ok := o.next(c.to); ok {
		c.to = next
	} else {
		before := c.from - 1
		for isSpace(o.body[before]) {
			before--
		}
		if o.body[before] == ',' {
			c.from = before
		}
	}
	e.patch(base+c.from, base+c.to, nil)
}

// next is where the key begins that comes after the value that ends at to.
func (o *Object) next(to int) (key int, ok bool) {
	for isSpace(o.body[to]) {
		to++
	}
	if o.body[to] != ',' {
		return 0, false
	}
	for to++; isSpace(o.body[to]); {
		to++
	}
	return to, true
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (e *Edits) patch(from, to int, with []byte) {
	e.patches = append(e.patches, patch{from, to, with})
}

// add makes the patches with the members that are set and not there.
func (e *Edits) add(o *Object, base int, in string, comma bool) error {
	for i := range e.list {
		d := &e.list[i]
		name, value := d.key, d.value
		if d.in != in {
			if in != "" || e.find("", d.in) != nil {
				continue
			}
			name, value = d.in, nil
		}
		switch {
		case !slices.Contains(o.names, name):
			return fmt.Errorf("splice: an edit to the member %q, which was not looked for", name)
		case o.Count(name) > 0:
			continue
		case d.in == in && d.gone:
			continue
		case d.in == in:
		case e.holder(name) == i:
			value = e.object(name)
		}
		if len(value) == 0 {
			continue
		}
		e.patch(base+o.tail, base+o.tail, e.prefix(name, comma))
		e.patch(base+o.tail, base+o.tail, value)
		comma = true
	}
	return nil
}

// prefix is what stands before the value of an added member.
func (e *Edits) prefix(name string, comma bool) []byte {
	from := len(e.added)
	if comma {
		e.added = append(e.added, ',')
	}
	e.added = append(AppendString(e.added, name), ':')
	return e.added[from:]
}

// object is an object of the members that are set inside the member in; empty
// if none is.
func (e *Edits) object(in string) []byte {
	from := len(e.added)
	for i := range e.list {
		if d := &e.list[i]; d.in == in && !d.gone {
			e.prefix(d.key, true)
			e.added = append(e.added, d.value...)
		}
	}
	if len(e.added) == from {
		return nil
	}
	e.added[from] = '{' // in place of the first comma
	e.added = append(e.added, '}')
	return e.added[from:]
}
