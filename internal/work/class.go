package work

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Class is the kind of synthetic text. It is part of a workload's identity:
// engines that guess tokens ahead guess code better than prose, and prose
// better than random words.
type Class string

// The classes. The zero value is RandomWords.
const (
	RandomWords Class = "words"
	Prose       Class = "prose"
	Code        Class = "code"
)

// Classes are all classes.
func Classes() []Class { return []Class{RandomWords, Prose, Code} }

// ParseClass reads the name of a class.
func ParseClass(s string) (Class, error) {
	if c := Class(s); slices.Contains(Classes(), c) {
		return c, nil
	}
	return "", bad(fmt.Sprintf("content class %q", s), fmt.Sprintf("one of %q", Classes()))
}

// text is n words of the class. A shorter text is the beginning of a longer one
// of the same chance.
func (c Class) text(rnd *rand.Rand, n int) string {
	if n < 1 {
		return ""
	}
	w := &writer{left: n}
	w.b.Grow(5 * n)
	next := (&grammar{rnd: rnd}).words
	switch c {
	case Prose:
		next = newProse(rnd).sentence
	case Code:
		next = newCode(rnd).chunk
	}
	for w.left > 0 {
		w.put(next())
	}
	return strings.TrimPrefix(w.b.String(), " ")
}

// task is what is asked to be done with the text.
func (c Class) task() string {
	switch c {
	case Prose:
		return "\n\nGo on with this story."
	case Code:
		return "\n\nGo on with this code."
	}
	return "\n\nGo on with this list of words."
}

// writer takes so many words and drops the rest.
type writer struct {
	b    strings.Builder
	left int
}

func (w *writer) put(s string) {
	end := 0
	for end < len(s) && w.left > 0 {
		end += word(s[end:])
		w.left--
	}
	w.b.WriteString(s[:end])
}

// Words counts the words of a text as this package does, which is how the
// tokenizers of GPT-4, Llama 3 and Qwen cut a text before they look for tokens
// in the pieces. So a word is about a token in any class.
func Words(s string) int {
	n := 0
	for s != "" {
		s = s[word(s):]
		n++
	}
	return n
}

// word is the length of the first word of s, which is not empty: letters with
// up to one blank or sign before them; up to three digits; signs with a blank
// before and ends of line after them; or white space.
func word(s string) int {
	switch first := kind(s[0]); {
	case first == letter:
		return run(s, 0, letter)
	case first == digit:
		return min(run(s, 0, digit), 3)
	case first != newline && len(s) > 1 && kind(s[1]) == letter:
		return run(s, 1, letter)
	case first == sign:
		return run(s, run(s, 0, sign), newline)
	case s[0] == ' ' && len(s) > 1 && kind(s[1]) == sign:
		return run(s, run(s, 1, sign), newline)
	}
	return space(s)
}

// space is the length of the white space in front of s, up to its last end of
// line; without one, less the blank that goes to the word after it.
func space(s string) int {
	n, lines := 0, 0
	for n < len(s) && (kind(s[n]) == blank || kind(s[n]) == newline) {
		if n++; kind(s[n-1]) == newline {
			lines = n
		}
	}
	switch {
	case lines > 0:
		return lines
	case n < len(s) && n > 1:
		return n - 1
	}
	return n
}

// run is where the bytes of a kind that begin at i end.
func run(s string, i int, k byteKind) int {
	for i < len(s) && kind(s[i]) == k {
		i++
	}
	return i
}

type byteKind uint8

const (
	sign byteKind = iota
	letter
	digit
	blank
	newline
)

func kind(c byte) byteKind {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c >= 0x80:
		return letter
	case '0' <= c && c <= '9':
		return digit
	case c == ' ', c == '\t':
		return blank
	case c == '\n', c == '\r':
		return newline
	}
	return sign
}

// deck deals a list in a new order again and again. Drawn so, and not at
// random, texts of the same number of words take nearly the same number of
// tokens, whatever the tokenizer makes of each word.
type deck struct {
	cards []string
	left  int
}

func newDeck(cards string) *deck { return deckOf(strings.Fields(cards)) }

func deckOf(cards []string) *deck { return &deck{slices.Clone(cards), len(cards)} }

func (d *deck) deal(rnd *rand.Rand) string {
	if d.left == 0 {
		d.left = len(d.cards)
	}
	i := rnd.IntN(d.left)
	d.left--
	d.cards[i], d.cards[d.left] = d.cards[d.left], d.cards[i]
	return d.cards[d.left]
}

// grammar fills templates: %a to %z deal from a deck; %1 to %9 are the names of
// the passage under way.
type grammar struct {
	rnd   *rand.Rand
	decks [26]*deck
	names [9]string
}

func (g *grammar) deal(slot byte) string {
	d := g.decks[slot-'a']
	return d.deal(g.rnd)
}

func (g *grammar) fill(template string) string {
	var b strings.Builder
	for {
		text, rest, more := strings.Cut(template, "%")
		b.WriteString(text)
		if !more {
			return b.String()
		}
		if slot := rest[0]; slot <= '9' {
			b.WriteString(g.names[slot-'1'])
		} else {
			b.WriteString(g.deal(slot))
		}
		template = rest[1:]
	}
}

// words is the next of the random words.
func (g *grammar) words() string {
	if g.decks[0] == nil {
		g.decks[0] = newDeck(common)
	}
	return " " + g.deal('a')
}

// common are short and frequent: each is one token in the tokenizers in use,
// and about four bytes with its blank, so that an estimate by bytes agrees.
const common = `the and you that was for are with his they this have from one had word but not what all
were when your can said use each which she how their will other about out many then them these some her would make
like him into time has look two more see way day man new now old off our put say sun top try war why win yes boy cat
dog eye far few fly get got hot ice job key law let low map may men net oil own pay red run sea set six sky son ten
tie tip toy van wet who air arm art ask bad bag bar bed big bit box bus buy car cup cut dry due ear eat egg end fat`
