package promptcache

import "unicode/utf8"

// charsPerToken is the usual guess for English text.
const charsPerToken = 4

// Prompt is a text as a cache sees it: a name for each of its beginnings. The
// zero value is empty; Add fills it.
type Prompt struct {
	// Names holds, for each token, the name of all from the first one up to it.
	// Prompts share names as far as their texts and roles are the same. What does
	// not fill a last token has no name.
	Names []uint64
	// Ends are where the parts end, in order, each on a whole token.
	Ends []End

	chars int
	state uint64
}

// End is the end of a part.
type End struct {
	Tokens int // up to there
	Mark   Mark
}

// Mark is what a request wants of the cache at the end of a part.
type Mark uint8

// The marks.
const (
	NoMark Mark = iota
	Keep        // all up to there, as long as the rule says
	KeepHour
)

// Add appends a part of a prompt: whose it is, its text, and the mark at its end.
func (p *Prompt) Add(role, text string, mark Mark) {
	for i := range len(role) {
		p.fold(uint64(role[i]) | 1<<32) // unlike any character
	}
	if p.Names == nil {
		p.Names = make([]uint64, 0, len(text)/charsPerToken+1)
	}
	for _, c := range text {
		p.fold(uint64(c))
		if p.chars++; p.chars%charsPerToken == 0 {
			p.Names = append(p.Names, spread(p.state))
		}
	}
	p.Ends = append(p.Ends, End{Tokens: len(p.Names), Mark: mark})
}

// Tokens is how many tokens the prompt has, at least 1: four characters each,
// the last one maybe less.
func (p *Prompt) Tokens() int { return max(1, (p.chars+charsPerToken-1)/charsPerToken) }

// Beginning names the first tokens of the prompt, by which it is sent to a
// machine; ok is false for a prompt of less than a token.
func (p *Prompt) Beginning() (name uint64, ok bool) {
	if len(p.Names) == 0 {
		return 0, false
	}
	return p.Names[min(affinity, len(p.Names))-1], true
}

// fold takes a character into the running hash (FNV-1a over whole characters).
func (p *Prompt) fold(c uint64) {
	const offset, prime = 14695981039346656037, 1099511628211
	if p.state == 0 {
		p.state = offset
	}
	p.state = (p.state ^ c) * prime
}

// spread makes all bits of a name depend on all of the hash (the finalizer of
// SplitMix64).
func spread(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// name is that of the first n tokens, with what sets it apart from others of
// the same text.
func (p *Prompt) name(n int, salt uint64) uint64 { return spread(p.Names[n-1] ^ salt) }

func saltOf(s string) uint64 {
	var p Prompt
	for len(s) > 0 {
		c, size := utf8.DecodeRuneInString(s)
		p.fold(uint64(c))
		s = s[size:]
	}
	return p.state
}
