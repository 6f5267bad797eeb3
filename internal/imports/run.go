package imports

import (
	"time"

	"weir.dev/weir"
)

// The tools whose files are read.
const (
	VLLM     = "vllm"
	GuideLLM = "guidellm"
	AIPerf   = "aiperf"
)

// Run is a run of another tool.
type Run struct {
	File     string            `json:"file"`
	Tool     string            `json:"tool"`
	Version  weir.Opt[string]  `json:"version"` // of the tool
	Model    weir.Opt[string]  `json:"model"`
	Target   weir.Opt[string]  `json:"target"` // URL, or the kind of backend
	Load     Load              `json:"load"`
	Started  weir.Opt[string]  `json:"started"` // as the file has it
	Duration weir.Span         `json:"duration_ms"`
	Requests []Request         `json:"requests"` // warm-up left out
	Warmup   int               `json:"warmup"`
	Defined  map[string]string `json:"definitions"` // what each figure is, by its name in the file
	Reported []Reported        `json:"reported"`    // statistics as the tool wrote them
	Notes    []string          `json:"notes,omitempty"`
}

// Load is the shape of the load.
type Load struct {
	Kind        string            `json:"kind,omitempty"` // as the tool calls it
	Concurrency weir.Opt[int]     `json:"concurrency"`
	Rate        weir.Opt[float64] `json:"rate_per_s"`
}

// Request is one request of theirs. Figures that came from one that failed are
// dropped: the tools write 0 there.
type Request struct {
	Failed bool   `json:"failed"`
	Error  string `json:"error,omitempty"`

	TTFT  weir.Span         `json:"ttft_ms"`
	TTFAT weir.Span         `json:"ttfat_ms"` // to the first token that is not reasoning
	E2E   weir.Span         `json:"e2e_ms"`
	TPOT  weir.Span         `json:"tpot_ms"`
	ITL   weir.Span         `json:"itl_ms"`  // the mean, where the tool has one a request
	Gaps  []weir.Dur        `json:"gaps_ms"` // between chunks; null: not in the file
	Speed weir.Opt[float64] `json:"output_speed"`

	Prompt weir.Opt[int] `json:"prompt_tokens"`
	Output weir.Opt[int] `json:"output_tokens"`
}

// Reported is a statistic as the tool wrote it.
type Reported struct {
	Figure string  `json:"figure"`
	Stat   string  `json:"stat"` // mean, p50, p99
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"` // ms, tok/s
}

// OK is the number of requests that did not fail.
func (r *Run) OK() (n int) {
	for i := range r.Requests {
		if !r.Requests[i].Failed {
			n++
		}
	}
	return n
}

// maxDuration is the longest time that is believed.
const maxDuration = 30 * 24 * time.Hour
