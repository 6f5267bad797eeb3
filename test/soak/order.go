//go:build linux

package soak

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
)

// fault is what a place does to a request.
type fault string

// The faults. After some output they are the provider's, and a caller can only
// be spared them where the rest comes from somewhere else.
const (
	healthy     fault = ""
	unavailable fault = "503"
	limited     fault = "429"         // with Retry-After
	once        fault = "500_once"    // a second request to the same place is served
	reset       fault = "reset"       // before the head of the answer
	cut         fault = "cut"         // after some output
	stall       fault = "stall"       // likewise, and the connection stays
	errorFirst  fault = "error_first" // an error event in a 200
	errorLater  fault = "error_later" // likewise, after some output
	slow        fault = "slow"        // longer to the first output than its deadline
	late        fault = "late"        // not so long
	garbage     fault = "garbage"     // an event that is no JSON, after some output
	noDone      fault = "no_done"     // the last event is missing
	html        fault = "html"
	empty       fault = "empty"
)

func faults() []fault {
	return []fault{unavailable, limited, once, reset, cut, stall, errorFirst, errorLater, slow, late, garbage, noDone, html, empty}
}

// breaks tells whether a stream ends in its middle.
func (f fault) breaks() bool { return f == cut || f == stall || f == errorLater }

// wire is how a caller or a place talks.
type wire string

const (
	chat     wire = "chat"
	messages wire = "messages"
)

// order is one request, and what is to become of it at each place.
type order struct {
	id     string
	wire   wire
	route  string
	stream bool
	usage  bool // chat: it asks for usage in the stream
	prompt string
	words  int
	faults map[string]fault // by the name of the place

	mu   sync.Mutex
	seen map[string]int // how often a place got it
}

// visit counts a request to a place and tells what it does to it.
func (o *order) visit(place string) fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == nil {
		o.seen = map[string]int{}
	}
	o.seen[place]++
	f := o.faults[place]
	if f == once && o.seen[place] > 1 {
		return healthy
	}
	return f
}

// mayBreak tells whether the caller may get a broken stream: one breaks, and
// nobody may go on with it.
func (o *order) mayBreak(rescued bool) bool { return o.stream && !rescued && o.broken() > 0 }

// broken is how many places break the stream.
func (o *order) broken() (n int) {
	for _, f := range o.faults {
		if f.breaks() {
			n++
		}
	}
	return n
}

// words are what texts are made of: some look like the frame that they are in.
var words = []string{
	"river", "sluice", "gate ", "é", "日本語", "\n", "\n\n", "data: ", "[DONE]", `"`, `\`, `\n`, "😀", "\u2028", "{", "}", "</html>",
	"event: error", `{"error":{"message":"no"}}`, "\t", " ", "the", "water", "stands", "at", "four", "metres", "finish_reason", "ünter",
}

// text is the answer to a prompt, the same from every place.
func text(prompt string, n int) []string {
	h := fnv.New64a()
	h.Write([]byte(prompt))
	r := rand.New(rand.NewPCG(h.Sum64(), uint64(n)))
	out := make([]string, n)
	for i := range out {
		out[i] = words[r.IntN(len(words))]
	}
	out[0] = "It " // no text begins with white space alone
	return out
}

func (o *order) text() string { return strings.Join(text(o.prompt, o.words), "") }

func (o *order) promptTokens() int { return len(o.prompt)/4 + 1 }

// orders are those under way, by their id.
type orders struct{ all sync.Map }

func (s *orders) put(o *order)  { s.all.Store(o.id, o) }
func (s *orders) drop(o *order) { s.all.Delete(o.id) }
func (s *orders) size() (n int) { s.all.Range(func(any, any) bool { n++; return true }); return n }
func (s *orders) of(prompt string) *order {
	id, _, _ := strings.Cut(prompt, " ")
	o, _ := s.all.Load(id)
	found, _ := o.(*order)
	return found
}
