package splice

import (
	"slices"
	"strconv"
)

// Object is where the wanted members of one scanned text are. The zero value is
// ready for Scan, and one that is used again allocates nothing. It refers to
// the scanned bytes, which must not change while it is in use. It is not safe
// for use by several goroutines at once while it is being scanned.
type Object struct {
	body  []byte
	names []string // the wanted ones
	found []member // in the order of the text
	count int      // members of the object, wanted or not
	tail  int      // behind its last value; behind its { if it has none
	image bool     // see Request.Images
}

// member is one occurrence of a wanted member. Its value is body[from:to].
type member struct {
	key      int // of the key's opening quote
	from, to int
	name     int  // index into names
	alike    bool // the key differs from the name in its case
}

// Reset lets go of the scanned bytes and keeps the space.
func (o *Object) Reset() {
	*o = Object{names: o.names[:0], found: o.found[:0]}
}

// Raw is the value of a wanted member as it stands in the text; false if there
// is none. Of several of that name it is the last.
func (o *Object) Raw(name string) ([]byte, bool) {
	for _, m := range slices.Backward(o.found) {
		if !m.alike && o.names[m.name] == name {
			return o.body[m.from:m.to:m.to], true
		}
	}
	return nil, false
}

// Count is how often a wanted member is there. More than once is legal, and
// worth a word in a log.
func (o *Object) Count(name string) int {
	n := 0
	for _, m := range o.found {
		if !m.alike && o.names[m.name] == name {
			n++
		}
	}
	return n
}

// Sole tells whether a wanted member is there once, and no other's name differs
// from it in case only: whether all readers see the same value. Where that
// matters and it is not so, setting the member makes it so.
func (o *Object) Sole(name string) bool {
	n := 0
	for _, m := range o.found {
		if o.names[m.name] == name {
			n++
		}
	}
	return n == 1 && o.Count(name) == 1
}

// Text is the value of a wanted member that is a string, its escapes decoded;
// false if it is anything else. Without escapes it is a part of the scanned
// text and must not be changed; with escapes it is allocated.
func (o *Object) Text(name string) ([]byte, bool) {
	raw, _ := o.Raw(name)
	return unquote(raw)
}

// String is Text as a string of its own.
func (o *Object) String(name string) (string, bool) {
	text, ok := o.Text(name)
	return string(text), ok
}

// Bool is the value of a wanted member that is true or false; ok is false if it
// is anything else.
func (o *Object) Bool(name string) (value, ok bool) {
	switch raw, _ := o.Raw(name); string(raw) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// exactInt is the largest whole number up to which a float64 is exact.
const exactInt = 1 << 53

// Int is the value of a wanted member that is a whole number, also where it is
// written as 12.0 or 1e3; false if it is anything else.
func (o *Object) Int(name string) (int, bool) {
	raw, _ := o.Raw(name)
	return wholeNumber(raw)
}

func wholeNumber(raw []byte) (int, bool) {
	if len(raw) == 0 || raw[0] != '-' && raw[0]-'0' > 9 {
		return 0, false
	}
	if n, err := strconv.Atoi(string(raw)); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != float64(int64(f)) || f > exactInt || f < -exactInt {
		return 0, false
	}
	return int(f), true
}

// match is the wanted name that a key has, as an index; -1 if it has none. raw
// is the inside of the key.
func (o *Object) match(raw []byte, escaped bool) (name int, alike bool) {
	var space [maxName]byte
	if escaped {
		if len(raw) > maxEscape*maxName {
			return -1, false
		}
		raw = appendText(space[:0], raw)
	}
	if len(raw) > maxName {
		return -1, false
	}
	name = -1
	for i, want := range o.names {
		if len(want) != len(raw) || !foldEqual(raw, want) {
			continue
		}
		if string(raw) == want {
			return i, false
		}
		if name < 0 {
			name, alike = i, true
		}
	}
	return name, alike
}

// foldEqual tells whether two texts of one length differ at most in the case of
// ASCII letters.
func foldEqual(a []byte, b string) bool {
	for i, c := range a {
		if d := b[i]; c != d && (c|0x20 != d|0x20 || c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}
