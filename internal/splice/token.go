package splice

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// key consumes a member's name and the colon after it.
func (s *scanner) key() bool {
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return s.fail(s.i, "a name in double quotes was due")
	}
	if !s.text() {
		return false
	}
	if s.peek() != ':' {
		return s.fail(s.i, "a colon was due")
	}
	s.i++
	if s.watch && string(s.b[s.last.from:s.last.to]) == "type" {
		s.peek()
		s.image = s.image || isImage(s.b[s.i:])
	}
	return true
}

// isImage tells whether b begins with the type of a part that is an image: of
// chat, responses and messages.
func isImage(b []byte) bool {
	return bytes.HasPrefix(b, []byte(`"image_url"`)) ||
		bytes.HasPrefix(b, []byte(`"input_image"`)) ||
		bytes.HasPrefix(b, []byte(`"image"`))
}

const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = '"' * ones
	slants = '\\' * ones
	blanks = ' ' * ones
)

// marks has the high bit set of the first byte of w that ends a run of plain
// text: a quote, a backslash or a control character. Bits above that one mean
// nothing (Hacker's Delight, 6-1: a borrow spreads only upwards). No such byte:
// 0.
func marks(w uint64) uint64 {
	quote, slant := w^quotes, w^slants
	return ((quote - ones) | (slant - ones) | (w - blanks)) &^ w & highs
}

// isEscape has the bytes that make an escape of two bytes with a backslash.
var isEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// text consumes a string, whose opening quote is next, and keeps in last where
// its inside is.
func (s *scanner) text() bool {
	b, i := s.b, s.i+1
	from := i
	wide, escaped := uint64(0), false
	for {
		for len(b)-i >= 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			wide |= w
			if m := marks(w); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(b) {
			return s.fail(i, "a closing quote was due")
		}
		switch c := b[i]; {
		case c == '"':
			s.last, s.i, s.escaped = span{from, i}, i+1, escaped
			return wide&highs == 0 || s.mode == scanEvent || s.utf8(from, i)
		case c == '\\':
			escaped = true
			if i+1 < len(b) && isEscape[b[i+1]] {
				i += 2
			} else if i+1 < len(b) && b[i+1] == 'u' && isHex4(b[i+2:]) {
				i += maxEscape
			} else {
				return s.badEscape(i)
			}
		case c < ' ':
			return s.fail(i, "an escape in place of a control character was due")
		default: // in the last seven bytes of the text
			wide |= uint64(c)
			i++
		}
	}
}

// utf8 tells whether b[from:to] is UTF-8.
func (s *scanner) utf8(from, to int) bool {
	if utf8.Valid(s.b[from:to]) {
		return true
	}
	for from < to {
		r, n := utf8.DecodeRune(s.b[from:to])
		if r == utf8.RuneError && n == 1 {
			break
		}
		from += n
	}
	return s.fail(from, "UTF-8 was due")
}

const maxEscape = 6 // bytes of the longest escape, \u0000

// badEscape places the fault of the escape at i.
func (s *scanner) badEscape(i int) bool {
	i++
	if i >= len(s.b) || s.b[i] != 'u' {
		return s.fail(i, "an escape that JSON has was due")
	}
	for i++; i < len(s.b) && isHex(s.b[i]); {
		i++
	}
	return s.fail(i, "a hexadecimal digit was due")
}

func isHex(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 6 }

func isHex4(b []byte) bool {
	return len(b) >= 4 && isHex(b[0]) && isHex(b[1]) && isHex(b[2]) && isHex(b[3])
}

func (s *scanner) literal(word string) bool {
	for i := range len(word) {
		if !s.is(word[i]) {
			return s.fail(s.i, word+" was due")
		}
		s.i++
	}
	return true
}

// number follows RFC 8259, section 6. Whatever is no other value ends here.
func (s *scanner) number() bool {
	from := s.i
	if s.is('-') {
		s.i++
	}
	switch {
	case s.is('0'):
		s.i++
	case s.digits():
	case s.i == from:
		return s.fail(s.i, "a value was due")
	default:
		return s.fail(s.i, "a digit was due")
	}
	if s.is('.') {
		s.i++
		if !s.digits() {
			return s.fail(s.i, "a digit was due")
		}
	}
	if s.is('e') || s.is('E') {
		s.i++
		if s.is('+') || s.is('-') {
			s.i++
		}
		if !s.digits() {
			return s.fail(s.i, "a digit was due")
		}
	}
	return true
}

func (s *scanner) is(c byte) bool { return s.i < len(s.b) && s.b[s.i] == c }

func (s *scanner) digits() bool {
	from := s.i
	for s.i < len(s.b) && s.b[s.i]-'0' < 10 {
		s.i++
	}
	return s.i > from
}
