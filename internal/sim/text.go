package sim

import "strings"

// corpus is the text that answers are cut from. A token is one word with its
// leading space; any run of up to maxTokensPerEvent tokens is one substring, so
// that an event's text costs no allocation.
type corpus struct {
	text string
	at   []int // where each token begins, and the end
}

// corpusTokens is how many tokens there are before the text repeats.
const corpusTokens = 2048

const words = `the river runs over a low wall and falls into still water where it can be read by anyone ` +
	`who knows how high it stands above the crest each hour of day or night rain brings more than drought ` +
	`gates open close hold back let through what comes from hills far away toward sea salt wind stone reed ` +
	`heron mill wheel turning slow then fast as light moves`

func newCorpus() *corpus {
	list := strings.Fields(words)
	var b strings.Builder
	c := &corpus{}
	for i := range corpusTokens + maxTokensPerEvent {
		c.at = append(c.at, b.Len())
		b.WriteByte(' ')
		b.WriteString(list[mix(uint64(i%corpusTokens))%uint64(len(list))])
	}
	c.at = append(c.at, b.Len())
	c.text = b.String()
	return c
}

// tokens is the text of n tokens from the i-th on.
func (c *corpus) tokens(i uint64, n int) string {
	from := int(i % corpusTokens)
	return c.text[c.at[from]:c.at[from+n]]
}

// mix spreads a number over all 64 bits (the finalizer of SplitMix64), so that
// numbers in a row become seeds that have nothing in common.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
