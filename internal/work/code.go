package work

import (
	"math/rand/v2"
	"strings"
)

// code is functions in the manner of Go that never meant anything.
type code struct {
	grammar
	templates *deck
}

const (
	functions = `load store update remove merge split parse format count find sort filter reset apply check build
encode decode insert expand`
	things = `Item Node User Order Event Record Token Page Block Frame Table Queue Cache Index Route Label Group Field
Entry Point`
	variables = `item node user order event record token page block frame table queue cache index route label group
field entry point value total limit offset result size name key data list`
	types     = `int string bool float64 byte error uint64 rune`
	constants = `0 1 2 3 4 8 10 16 32 60 64 100 128 256 500 999`
	operators = `+ - * / % & |`
	compares  = `== != < > <= >=`
	comments  = `first last next empty full sorted valid unknown missing cached pending closed`
)

var chunks = strings.Split(`// %f%h returns the %m %1 of the %2.
func %f%h(%1 %y, %2 []%y) (%y, error) {
	for i, %3 := range %2 {
		if %3 %q %1 {
			return %2[i], nil
		}
	}
	return %c, errNot%h
}

~type %h struct {
	%v %y
	%v []%y // %m
	%v map[string]%y
}

~func (s *%h) %f%h(%1 %y) bool {
	s.%v %o= %c
	if s.%v %q %c {
		return false
	}
	s.%1 = %f%h(s.%v, %1)
	return s.%1 %q s.%v
}

~	if %1 := %f%h(%2); %1 %q %c {
		%2 = append(%2, %1)
		%3++
	}

~// The %m %v is %m.
const (
	max%h = %c
	min%h = %c %o %c
)

~func Test%h(t *testing.T) {
	%1 := %f%h(%c, %c)
	if %1 %q %c {
		t.Errorf("%v is %m: %v %c")
	}
}

~func %f%h(%1, %2 int) int {
	switch {
	case %1 %q %c:
		return %2 %o %c
	case %2 %q %1:
		return %f%h(%1 %o %c, %2)
	}
	return %1 %o %2 %o %c
}

~	for %1 %q %c {
		%2[%3] = %1 %o %c
		%3 = %f%h(%3, %2[%c])
		if %3 %q len(%2) {
			break
		}
	}

`, "~")

func newCode(rnd *rand.Rand) *code {
	c := &code{grammar: grammar{rnd: rnd}, templates: deckOf(chunks)}
	for slot, list := range map[byte]string{
		'f': functions, 'h': things, 'v': variables, 'y': types,
		'c': constants, 'o': operators, 'q': compares, 'm': comments,
	} {
		c.decks[slot-'a'] = newDeck(list)
	}
	return c
}

func (c *code) chunk() string {
	for i := range 3 {
		c.names[i] = c.deal('v')
	}
	return c.fill(c.templates.deal(c.rnd))
}
