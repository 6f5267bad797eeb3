package work

import (
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func words(in, out int) Plan { return Plan{Lengths: OnePair(Fixed(in), Fixed(out))} }

func mustSource(t *testing.T, p Plan, seed uint64, salt string) Source {
	t.Helper()
	s, err := p.Source(seed, salt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// all is everything a request says, in the order it is sent.
func (r Request) all() string {
	parts := []string{r.System}
	for _, m := range r.Messages {
		parts = append(parts, m.Role+":"+m.Text)
	}
	return strings.Join(parts, "\n")
}

// tokenizer is an endpoint's way to count.
type tokenizer func(text string) int

// count is a prompt's tokens with a chat frame of 4 a message and 3 in all.
func (f tokenizer) count(r Request) int {
	n := 3
	if r.System != "" {
		n += 4 + f(r.System)
	}
	for _, m := range r.Messages {
		n += 4 + f(m.Text)
	}
	return n
}

func quarter(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// pairMerger is a byte pair encoder that learned its merges from a text. Rare
// words are several tokens.
func pairMerger(text string, merges int) tokenizer {
	rank := map[[2]string]int{}
	pieces := map[string][]string{}
	often := map[string]int{}
	cut := func(s string) (words []string) {
		for s != "" {
			n := word(s)
			words, s = append(words, s[:n]), s[n:]
		}
		return words
	}
	for _, w := range cut(text) {
		often[w]++
		pieces[w] = strings.Split(w, "")
	}
	for n := range merges {
		counts := map[[2]string]int{}
		for w, p := range pieces {
			for i := range len(p) - 1 {
				counts[[2]string{p[i], p[i+1]}] += often[w]
			}
		}
		var best [2]string
		for pair, c := range counts {
			if b := counts[best]; c > b || c == b && pair[0]+"\x00"+pair[1] < best[0]+"\x00"+best[1] {
				best = pair
			}
		}
		if counts[best] < 2 {
			break
		}
		rank[best] = n
		for w, p := range pieces {
			pieces[w] = merge(p, best)
		}
	}
	known := map[string]int{}
	return func(text string) int {
		total := 0
		for _, w := range cut(text) {
			n, ok := known[w]
			if !ok {
				n = encode(w, rank)
				known[w] = n
			}
			total += n
		}
		return total
	}
}

func merge(p []string, pair [2]string) []string {
	var out []string
	for i := 0; i < len(p); i++ {
		if i+1 < len(p) && p[i] == pair[0] && p[i+1] == pair[1] {
			out = append(out, p[i]+p[i+1])
			i++
		} else {
			out = append(out, p[i])
		}
	}
	return out
}

func encode(w string, rank map[[2]string]int) int {
	p := strings.Split(w, "")
	for {
		best, found := [2]string{}, false
		for i := range len(p) - 1 {
			pair := [2]string{p[i], p[i+1]}
			if r, ok := rank[pair]; ok && (!found || r < rank[best]) {
				best, found = pair, true
			}
		}
		if !found {
			return len(p)
		}
		p = merge(p, best)
	}
}
