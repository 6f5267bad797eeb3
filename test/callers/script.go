package callers

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"weir.dev/weir"
)

// What a script's provider plays.
const (
	playTools   = "tools"   // calls of `level` for two gauges, then what the tool gave
	playReading = "reading" // a reading
	playBusy    = "busy"    // first a 429 with a Retry-After of a second, then a text
)

// The answers, and what is counted for each.
const (
	preface     = "Let me look."
	readingJSON = `{"gauge":"north","level":42}`
	afterBusy   = "It stands at the mark."

	scriptInput, scriptCached, scriptOutput = 31, 8, 17
)

// script is a provider that plays what weir sim does not, with the events of
// real APIs written out by hand: nothing of ours makes them.
type script struct {
	mu    sync.Mutex
	plays map[string]string // by model
	asked map[string]int
}

// said is what a provider answers in one turn.
type said struct {
	text  string
	calls []string // gauges
}

// scripted is one request as far as a script is about it.
type scripted struct {
	model   string
	stream  bool
	usage   bool              // in a stream of chat
	tools   int               // how many are offered
	results map[string]string // of tools, by the id of the call; Gemini: by its place
}

var scriptWriters = map[weir.Dialect]func(scripted, said) string{
	weir.OpenAIChat: chatAnswer, weir.Anthropic: anthropicAnswer, weir.Gemini: geminiAnswer,
}

func (s *script) answer(d weir.Dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		asked, err := scriptReaders[d](r.URL.Path, body)
		if err != nil {
			http.Error(w, `{"error":{"message":"the script cannot read this: `+err.Error()+`"}}`, http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		play, n := s.plays[asked.model], s.asked[asked.model]
		s.asked[asked.model]++
		s.mu.Unlock()
		if play == playBusy && n == 0 {
			w.Header().Set("Retry-After", "1")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`)
			return
		}
		kind := "application/json"
		if asked.stream {
			kind = "text/event-stream"
		}
		w.Header().Set("Content-Type", kind)
		io.WriteString(w, scriptWriters[d](asked, turn(play, asked)))
	}
}

func turn(play string, asked scripted) said {
	switch {
	case play == playReading:
		return said{text: readingJSON}
	case play == playBusy:
		return said{text: afterBusy}
	case asked.tools != 1:
		return said{text: fmt.Sprintf("%d tools were offered", asked.tools)}
	case len(asked.results) == 0:
		return said{text: preface, calls: []string{"north", "south"}}
	}
	return said{text: fmt.Sprintf("North: %s; south: %s.", asked.results["north"], asked.results["south"])}
}

// toolsText is all that a caller of playTools gets who does what it is asked.
const toolsText = preface + "North: 42 cm; south: 17 cm."

// quote is a JSON string.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string always can be
	return string(b)
}

// halves cuts a text in two, as streams do.
func halves(s string) []string { return []string{s[:len(s)/2], s[len(s)/2:]} }

func arguments(gauge string) string { return `{"gauge":` + quote(gauge) + `}` }

// textOf is what content says that is a text or a list of parts.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return "(" + string(raw) + ")"
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
