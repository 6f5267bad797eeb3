package splice

import (
	"fmt"
	"slices"
	"strconv"
)

// Bounds of what is taken. A text past one of them is refused.
const (
	MaxDepth = 512 // arrays and objects inside one another, the outermost counted
	maxFound = 64  // occurrences of wanted members, all names together
	maxName  = 64  // bytes of a wanted name
)

const usualFound = 8 // wanted members of most texts

// A scanMode is what one use of the scanner does differently.
type scanMode uint8

const (
	scanStrict  scanMode = iota
	scanRequest          // look for images too
	scanEvent            // let strings pass that are not UTF-8: events are forwarded as they come
)

// Scan validates body whole and notes where its wanted members are, in one
// pass. Body has to be one JSON object by RFC 8259, in UTF-8, at most MaxDepth
// deep. A fault is a *SyntaxError, and o is empty then. Keys are found also
// where they are spelled with escapes.
func Scan(body []byte, o *Object, want ...string) error {
	return o.scan(body, want, scanStrict)
}

func (o *Object) scan(body []byte, want []string, mode scanMode) error {
	o.Reset()
	for _, name := range want {
		if len(name) > maxName {
			return fmt.Errorf("splice: the name %.20q... is longer than %d bytes", name, maxName)
		}
	}
	o.body = body
	o.names = append(o.names, want...)
	o.found = slices.Grow(o.found, min(len(want), usualFound))
	s := scanner{b: body, mode: mode}
	if !s.document(o) {
		o.Reset()
		return syntaxError(body, s.at, s.what)
	}
	o.image = s.image
	return nil
}

// scanner walks over a JSON text. After a fault, at and what tell of it and
// every method has returned false.
type scanner struct {
	b       []byte
	i       int
	depth   int
	objects [MaxDepth / 64]uint64 // a bit for each open bracket: it is a brace
	last    span                  // inside of the last string
	escaped bool                  // it has escapes
	watch   bool                  // look for images
	image   bool                  // one was found
	mode    scanMode
	at      int
	what    string
}

func (s *scanner) fail(at int, what string) bool {
	s.at, s.what = at, what
	return false
}

// peek skips white space and is the byte after it; 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) && s.b[s.i] > ' ' {
		return s.b[s.i]
	}
	return s.peekFar()
}

func (s *scanner) peekFar() byte {
	for ; s.i < len(s.b); s.i++ {
		if c := s.b[s.i]; !isSpace(c) {
			return c
		}
	}
	return 0
}

// document consumes the outermost object, notes its wanted members in o, and
// sees that nothing follows it.
func (s *scanner) document(o *Object) bool {
	if s.peek() != '{' {
		return s.fail(s.i, "an object was due")
	}
	if !s.push(true) {
		return false
	}
	o.tail = s.i
	if s.peek() == '}' {
		s.i++
	} else if !s.members(o) {
		return false
	}
	if s.peek(); s.i < len(s.b) {
		return s.fail(s.i, "nothing was due after the object")
	}
	return true
}

// members consumes the outermost members and the brace that ends them.
func (s *scanner) members(o *Object) bool {
	for {
		s.peek()
		m := member{key: s.i}
		if !s.key() {
			return false
		}
		m.name, m.alike = o.match(s.b[s.last.from:s.last.to], s.escaped)
		s.watch = s.mode == scanRequest && m.name >= 0 && isPrompt(o.names[m.name])
		s.peek()
		m.from = s.i
		if !s.value() {
			return false
		}
		s.watch = false
		m.to = s.i
		o.count++
		o.tail = s.i
		if m.name >= 0 {
			if len(o.found) == maxFound {
				return s.fail(m.key, "fewer repeated members were due")
			}
			o.found = append(o.found, m)
		}
		switch s.peek() {
		case ',':
			s.i++
		case '}':
			s.i++
			return true
		default:
			return s.fail(s.i, "a comma or } was due")
		}
	}
}

// value consumes one value with all that is in it.
func (s *scanner) value() bool {
	floor := s.depth
	for s.begin() && s.proceed(floor) {
		if s.depth == floor {
			return true
		}
	}
	return false
}

// begin enters arrays and objects up to a value that has nothing in it, and
// consumes that one.
func (s *scanner) begin() bool {
	for {
		switch s.peek() {
		case '"':
			return s.text()
		case '{':
			if !s.push(true) {
				return false
			}
			if s.peek() == '}' {
				return s.pop()
			}
			if !s.key() {
				return false
			}
		case '[':
			if !s.push(false) {
				return false
			}
			if s.peek() == ']' {
				return s.pop()
			}
		case 't':
			return s.literal("true")
		case 'f':
			return s.literal("false")
		case 'n':
			return s.literal("null")
		default:
			return s.number()
		}
	}
}

// proceed goes on after a value: to the next one, over the key before it, or
// out of what ends here, at most down to floor.
func (s *scanner) proceed(floor int) bool {
	for s.depth > floor {
		c, inObject := s.peek(), s.inObject()
		switch {
		case c == ',' && inObject:
			s.i++
			s.peek()
			return s.key()
		case c == ',':
			s.i++
			return true
		case c == '}' && inObject, c == ']' && !inObject:
			s.pop()
		case inObject:
			return s.fail(s.i, "a comma or } was due")
		default:
			return s.fail(s.i, "a comma or ] was due")
		}
	}
	return true
}

// push enters the array or object whose bracket is next.
func (s *scanner) push(object bool) bool {
	if s.depth == MaxDepth {
		return s.fail(s.i, "at most "+strconv.Itoa(MaxDepth)+" levels were due")
	}
	word, bit := s.depth/64, uint64(1)<<(s.depth%64)
	if object {
		s.objects[word] |= bit
	} else {
		s.objects[word] &^= bit
	}
	s.depth++
	s.i++
	return true
}

// pop leaves the array or object whose closing bracket is next.
func (s *scanner) pop() bool {
	s.depth--
	s.i++
	return true
}

func (s *scanner) inObject() bool {
	top := s.depth - 1
	return s.objects[top/64]>>(top%64)&1 != 0
}
