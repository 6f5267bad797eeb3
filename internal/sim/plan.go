package sim

import (
	"fmt"
	"time"

	"weir.dev/weir"
)

// Plan is how one model behaves. The zero value answers at once with 128
// tokens, one per event, and everything a good provider sends. Where two of its
// faults meet, the first in this order wins: Status, FailShare, CutAfter,
// ErrorAfter.
type Plan struct {
	TTFT      time.Duration // arrival to first output
	TTFTPer1K time.Duration // added to it per 1000 prompt tokens
	Gap       time.Duration // between output events
	Jitter    float64       // spread of TTFT and each gap, lognormal: the standard deviation as a share, 0 to 1
	TailShare float64       // share of requests, 0 to 1, whose TTFT is longer by Tail
	Tail      time.Duration

	TokensPerEvent int // 0: 1
	Tokens         int // output tokens of a request that sets no limit; 0: 128
	EOS            int // the model ends by itself after so many tokens, unless the request ignores that; 0: never before the limit
	Reasoning      int // the first so many output tokens are reasoning

	Usage  UsageForm
	NoRole bool // nothing comes before the first output, which then says the role
	NoDone bool // no terminal event, [DONE] or message_stop

	Status     int           // every request is answered with this status, after TTFT; 0: none
	RetryAfter time.Duration // sent with Status; 0: not sent
	FailShare  float64       // share of requests, 0 to 1, that are answered with FailStatus
	FailStatus int
	ErrorAfter weir.Opt[int] // an error event comes in place of what follows so many output events
	CutAfter   weir.Opt[int] // the connection is aborted in place of what follows so many output events
	StallAfter int           // after so many output events everything else comes later by Stall
	Stall      time.Duration // 0: none
	Buffer     bool          // all events are held and written at once, when the last is due
	JSON       bool          // a request for a stream is answered with one JSON body
}

// UsageForm is where token counts stand in a stream. It is OpenAI's: Anthropic
// always has them in its first and last events.
type UsageForm string

// The forms; the empty one is UsageEnd.
const (
	UsageEnd        UsageForm = "end"         // in a chunk of their own at the end, if the request asks
	UsageEvery      UsageForm = "every"       // a running total in every chunk
	UsageFinish     UsageForm = "finish"      // in the chunk with the finish reason
	UsageNone       UsageForm = "none"        // nowhere, whatever the request asks
	UsageZerosFirst UsageForm = "zeros-first" // zeros in the first chunk, the truth in one of their own at the end
)

// What a plan can ask for at most.
const (
	maxDuration       = 24 * time.Hour
	maxTokens         = 200_000 // a request that asks for more gets so many
	maxTokensPerEvent = 1024
	defaultTokens     = 128
)

// check finds what ParsePlan would not have let pass, in a plan made by hand.
func (p Plan) check() error {
	back, err := ParsePlan(p.String())
	if err != nil {
		return err
	}
	if back != p.normal() {
		return &weir.Error{Code: badPlan, Message: fmt.Sprintf("plan %+v says the same as %q and more", p, p), Hint: "a share needs its duration or status, and the other way round"}
	}
	return nil
}

// normal writes defaults one way.
func (p Plan) normal() Plan {
	if p.TokensPerEvent == 1 {
		p.TokensPerEvent = 0
	}
	if p.Tokens == defaultTokens {
		p.Tokens = 0
	}
	if p.Usage == UsageEnd {
		p.Usage = ""
	}
	return p
}

// Presets are models that a simulator without a configuration serves.
func Presets() map[string]Plan {
	return map[string]Plan{
		"sim":     {TTFT: 50 * time.Millisecond, Gap: 10 * time.Millisecond, Jitter: 0.1},
		"fast":    {TTFT: 30 * time.Millisecond, Gap: 4 * time.Millisecond, Jitter: 0.1},
		"slow":    {TTFT: 400 * time.Millisecond, Gap: 30 * time.Millisecond, Jitter: 0.2},
		"spiky":   {TTFT: 60 * time.Millisecond, Gap: 10 * time.Millisecond, Jitter: 0.2, TailShare: 0.1, Tail: time.Second},
		"thinker": {TTFT: 80 * time.Millisecond, Gap: 8 * time.Millisecond, Jitter: 0.1, Reasoning: 64},
	}
}
