package dialect

import (
	"encoding/binary"
	"math/bits"
)

// cursor walks over one JSON value without decoding it, strictly: what
// encoding/json refuses it refuses, except invalid UTF-8, which both let pass.
// After any fault bad is set and every method ends at once, so callers check
// once, at the end.
type cursor struct {
	b     []byte
	i     int
	name  []byte // the current member's key, raw
	depth int
	fresh bool // right after an opening bracket
	bad   bool
}

// maxDepth bounds recursion into what the other side sends.
const maxDepth = 256

func (c *cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\n', '\r', '\t':
			c.i++
		default:
			return
		}
	}
}

// peek is the first byte of the next value; 0 at the end.
func (c *cursor) peek() byte {
	if c.i < len(c.b) && c.b[c.i] > ' ' {
		return c.b[c.i]
	}
	c.space()
	if c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

func (c *cursor) fail() bool {
	c.bad, c.i = true, len(c.b)
	return false
}

// whole tells whether the value was sound and nothing but space follows it.
func (c *cursor) whole() bool { return !c.bad && c.peek() == 0 && c.i >= len(c.b) }

// object enters an object. On any other value it skips it and returns false.
func (c *cursor) object() bool { return c.enter('{') }

// array enters an array. On any other value it skips it and returns false.
func (c *cursor) array() bool { return c.enter('[') }

func (c *cursor) enter(open byte) bool {
	if c.peek() != open {
		c.skip()
		return false
	}
	if c.depth++; c.depth > maxDepth {
		return c.fail()
	}
	c.i++
	c.fresh = true
	return true
}

// field moves to the next member of the object and sets name; false at its
// end. The caller must consume the member's value.
func (c *cursor) field() bool {
	if !c.next('}') {
		return false
	}
	if c.peek() != '"' {
		return c.fail()
	}
	name, esc := c.rawString()
	if esc { // nobody escapes the keys we know
		name = nil
	}
	if c.peek() != ':' {
		return c.fail()
	}
	c.i++
	c.name = name
	return !c.bad
}

// elem moves to the next element of the array; false at its end.
func (c *cursor) elem() bool { return c.next(']') }

func (c *cursor) next(closing byte) bool {
	if c.bad {
		return false
	}
	ch := c.peek()
	switch {
	case ch == closing:
		c.i++
		c.depth--
		c.fresh = false
		return false
	case c.fresh:
		c.fresh = false
	case ch == ',':
		c.i++
		if c.peek() == closing {
			return c.fail()
		}
	default:
		return c.fail()
	}
	return true
}

// str reads a string's raw inside. On any other value it skips it; ok is false.
func (c *cursor) str() (raw []byte, esc, ok bool) {
	if c.peek() != '"' {
		c.skip()
		return nil, false, false
	}
	raw, esc = c.rawString()
	return raw, esc, !c.bad
}

// raw consumes any value and returns its bytes.
func (c *cursor) raw() []byte {
	c.peek()
	from := c.i
	c.skip()
	if c.bad {
		return nil
	}
	return c.b[from:c.i]
}

// count reads a whole number that is not negative, also when written as 12.0.
// On any other value it skips it; ok is false.
func (c *cursor) count() (n int, ok bool) {
	raw := c.raw()
	digits := 0
	for digits < len(raw) && raw[digits] >= '0' && raw[digits] <= '9' && digits < 15 {
		n = n*10 + int(raw[digits]-'0')
		digits++
	}
	if digits == 0 {
		return 0, false
	}
	for _, ch := range raw[digits:] {
		if ch != '.' && ch != '0' {
			return 0, false
		}
	}
	return n, raw[0] != '.' && (digits == len(raw) || raw[digits] == '.')
}

// null consumes a null; false, with nothing consumed, on any other value.
func (c *cursor) null() bool {
	if c.peek() != 'n' {
		return false
	}
	c.literal("null")
	return !c.bad
}

// skip consumes any value.
func (c *cursor) skip() {
	switch ch := c.peek(); {
	case ch == '"':
		c.rawString()
	case ch == '{':
		c.enter('{')
		for c.field() {
			c.skip()
		}
	case ch == '[':
		c.enter('[')
		for c.elem() {
			c.skip()
		}
	case ch == 't':
		c.literal("true")
	case ch == 'f':
		c.literal("false")
	case ch == 'n':
		c.literal("null")
	default:
		c.number()
	}
}

func (c *cursor) literal(s string) {
	if c.bad || len(c.b)-c.i < len(s) || string(c.b[c.i:c.i+len(s)]) != s {
		c.fail()
		return
	}
	c.i += len(s)
}

// number follows RFC 8259, section 6.
func (c *cursor) number() {
	if c.i < len(c.b) && c.b[c.i] == '-' {
		c.i++
	}
	if c.i < len(c.b) && c.b[c.i] == '0' {
		c.i++
	} else if !c.digits() {
		return
	}
	if c.i < len(c.b) && c.b[c.i] == '.' {
		c.i++
		if !c.digits() {
			return
		}
	}
	if c.i < len(c.b) && c.b[c.i]|0x20 == 'e' {
		c.i++
		if c.i < len(c.b) && (c.b[c.i] == '+' || c.b[c.i] == '-') {
			c.i++
		}
		c.digits()
	}
}

func (c *cursor) digits() bool {
	from := c.i
	for c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9' {
		c.i++
	}
	if c.i == from {
		return c.fail()
	}
	return true
}

const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = '"' * ones
	slash  = '\\' * ones
	blanks = ' ' * ones
)

// rawString consumes a string, eight bytes at a time, and returns its inside
// and whether that has escapes. The lowest mark of each zero-byte test below is
// exact (Hacker's Delight, 6-1), so the lowest of all three is too.
func (c *cursor) rawString() (inside []byte, esc bool) {
	b, i := c.b, c.i+1
	from := i
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			q, s := w^quotes, w^slash
			marks := ((q-ones)&^q | (s-ones)&^s | (w-blanks)&^w) & highs
			if marks != 0 {
				i += bits.TrailingZeros64(marks) >> 3
				break
			}
			i += 8
		}
		if i >= len(b) {
			c.fail()
			return nil, false
		}
		switch ch := b[i]; {
		case ch == '"':
			c.i = i + 1
			return b[from:i], esc
		case ch == '\\':
			esc = true
			n := escapeLen(b[i:])
			if n == 0 {
				c.fail()
				return nil, false
			}
			i += n
		case ch < ' ':
			c.fail()
			return nil, false
		default: // in the last seven bytes
			i++
		}
	}
}

// escapeLen is the length of the escape that b begins with; 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b[2:]); ok {
			return 6
		}
	}
	return 0
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, ch := range b[:4] {
		switch {
		case ch >= '0' && ch <= '9':
			ch -= '0'
		case ch|0x20 >= 'a' && ch|0x20 <= 'f':
			ch = ch | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(ch)
	}
	return r, true
}
