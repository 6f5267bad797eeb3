package work

import (
	"math/rand/v2"
	"strings"
)

// prose is plain sentences about a small town, in paragraphs.
type prose struct {
	grammar
	templates *deck
	told      int // sentences
}

const (
	nouns = `man woman child teacher farmer doctor driver river bridge road house garden window door table letter
book train station market street field forest hill boat harbor lamp clock tower kitchen horse dog bird storm winter
summer morning evening village city school church shop island`
	adjectives = `old young small large quiet loud bright dark cold warm heavy light narrow wide empty full strange
simple early late green grey broken clean deep slow quick proud tired happy`
	verbs = `watched found followed opened carried left crossed reached painted moved closed forgot remembered
needed loved feared visited built lost touched`
	adverbs = `slowly quickly quietly often never always soon again alone together suddenly carefully`
	places  = `near behind beside beyond under over across around below above`
	people  = `Anna Peter Maria Thomas Clara Henry Alice Martin Laura Simon Julia Oscar`
	times   = `spring autumn March April May June July August Monday Friday Sunday noon`
)

var sentences = strings.Split(` The %a %n %v the %n.
 %p %v the %a %n and %d went home.
 In %t the %n stood %l the %n, and no one %v it.
 It was a %a %n, as %a as the %n %l the %n.
 When the %n came, %p %d %v the %n.
 "I have %d seen such a %n," said %p, "so %a and so %a."
 Nobody knew why the %n %l the %n was so %a.
 After the %n, the %n seemed %a, but %p still %v it.
 By %t, the %a %n had become a %n.
 %p and %p %v each other %l the %n.
 There was a %n in the %n, and a %a %n %l it.
 She %v the %n; he %v the %n.
 Every %n has its %n, and every %n its %a %n.
 What the %n wanted was a %n, a %n and a %a %n.
 The %n was %a in %t and %a in %t.
 If the %n is %a, the %n must be %a too, thought %p.`, "\n")

func newProse(rnd *rand.Rand) *prose {
	p := &prose{grammar: grammar{rnd: rnd}, templates: deckOf(sentences)}
	for slot, list := range map[byte]string{'n': nouns, 'a': adjectives, 'v': verbs, 'd': adverbs, 'l': places, 'p': people, 't': times} {
		p.decks[slot-'a'] = newDeck(list)
	}
	return p
}

func (p *prose) sentence() string {
	s := p.fill(p.templates.deal(p.rnd))
	if p.told++; p.told%6 == 1 && p.told > 1 {
		s = "\n\n" + s[1:]
	}
	return s
}
