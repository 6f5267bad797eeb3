package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
)

// Result is what one answer was, apart from its ticks.
type Result struct {
	Outcome    weir.Outcome
	ErrorType  string
	ErrorText  string
	OwnType    string // the provider's own type and code of the error, as in Verdict
	OwnCode    string
	RetryAfter weir.Opt[time.Duration] // the wait the server asked for
	RetryAt    weir.Opt[time.Time]     // the same, where it named an instant and gave no clock of its own
	Finished   bool                    // the answer was whole
	Finish     string                  // choice 0's finish reason, as sent
	Usage      weir.Usage
	Chars      int // code points of all output
	ID         string
	Model      string
	Print      string          // system_fingerprint
	Provider   json.RawMessage // the provider's own timings under their own names; nil if none
	Warnings   []string

	choices []choice
}

// End says that the body has ended: cleanly (nil or io.EOF), or by an error of
// the transport. The reader must be Reset before it is fed again.
func (r *Reader) End(err error) Result {
	clean := err == nil || errors.Is(err, io.EOF)
	if r.mode == undecided && len(r.body) > 0 {
		r.body = r.body[:0] // blanks only
	}
	var res Result
	switch r.mode {
	case opaque:
		res = Result{Outcome: weir.OK}
		if !clean {
			res.Outcome = weir.Truncated
		}
	case failure:
		v := Classify(r.opts.Status, r.opts.Header, r.body)
		res = v.result()
	case whole:
		res = r.endWhole(clean)
	default:
		if clean && !r.final {
			r.pending()
		}
		res = r.endStream(clean)
	}
	return r.complete(res)
}

// pending dispatches what the end of a clean body cut short, if it is whole.
func (r *Reader) pending() {
	if r.mode == ndjson {
		switch line := trim(r.lines.Partial()); {
		case len(line) == 0:
		case json.Valid(line):
			r.feedLines([]byte("\n"), r.last)
		case len(r.Ticks) == 0: // a page, say
			r.broken++
			r.seen = true
		}
		return
	}
	ev, ok := r.sse.Pending()
	if !ok {
		return
	}
	if data := trim(ev.Data); string(data) == "[DONE]" || (len(data) > 0 && json.Valid(data)) {
		r.end = r.fed
		r.event(ev, r.last)
	}
}

func (r *Reader) endStream(clean bool) Result {
	finished := r.Finished()
	switch {
	case r.fail != nil:
		return r.inBand()
	case r.tooLong != "":
		return Result{Outcome: weir.Malformed, ErrorType: r.tooLong}
	case !r.seen && len(r.sse.JunkObject()) > 0: // after a comment or the like
		r.body = append(r.body[:0], r.sse.JunkObject()...)
		return r.endWhole(clean)
	case finished && r.broken > 0, clean && r.broken > 0, !r.seen && r.sse.Junk() > 0:
		return Result{Outcome: weir.Malformed, ErrorType: "not_json"}
	case finished && r.oneLine():
		r.Ticks = r.Ticks[:0]
		if r.opts.Stream {
			return Result{Outcome: weir.NotStreamed}
		}
		return r.ended(clean)
	case finished:
		return r.ended(clean)
	case r.seen:
		return Result{Outcome: weir.Truncated}
	case len(r.Ticks) > 0: // only events with nothing in them
		return Result{Outcome: weir.Truncated}
	}
	return Result{Outcome: weir.EmptyResponse}
}

// oneLine tells whether Ollama sent its answer as one JSON value: the same
// form as a stream of one line, so the request or the content type must tell.
func (r *Reader) oneLine() bool {
	if r.mode != ndjson || len(r.Ticks) != 1 {
		return false
	}
	return !r.opts.Stream || strings.HasPrefix(r.opts.Header.Get("Content-Type"), "application/json")
}

// ended is a whole answer's result.
func (r *Reader) ended(clean bool) Result {
	if !clean {
		r.warn(weir.WarnTransportLate)
	}
	if n := r.usage.completion; r.opts.IgnoreEOS && r.opts.AskedTokens > 0 && n >= 0 && n < r.opts.AskedTokens {
		return Result{Outcome: weir.Truncated, ErrorType: "short_output"}
	}
	return Result{Outcome: weir.OK}
}

// endWhole judges a body that is one JSON value, with whatever is glued to it.
func (r *Reader) endWhole(clean bool) Result {
	c := cursor{b: r.body}
	body := bytes.Clone(c.raw())
	switch {
	case r.tooLong != "":
		return Result{Outcome: weir.Malformed, ErrorType: r.tooLong}
	case c.bad && !clean:
		return Result{Outcome: weir.Truncated}
	case c.bad:
		return Result{Outcome: weir.Malformed, ErrorType: "not_json"}
	}
	known := false
	if body[0] == '[' { // Gemini without alt=sse sends its chunks as a list
		list := cursor{b: body}
		for ok := list.array(); ok && list.elem(); {
			known = r.takeWhole(list.raw()) || known
		}
	} else {
		known = r.takeWhole(body)
	}
	switch {
	case r.fail != nil:
		return r.inBand()
	case !known:
		return Result{Outcome: weir.Malformed, ErrorType: "unknown_json"}
	case r.opts.Stream:
		return Result{Outcome: weir.NotStreamed}
	}
	return r.ended(true)
}

// takeWhole applies a whole answer; it has no tick.
func (r *Reader) takeWhole(body []byte) (known bool) {
	r.parse(body, nil)
	if r.rec.broken {
		return false
	}
	r.rec.seed = false
	r.apply(new(weir.Tick))
	return r.rec.envelope || r.rec.fail != nil
}

// inBand classifies an error inside a 200.
func (r *Reader) inBand() Result {
	v := classifyInBand(r.fail, r.opts.Header)
	return v.result()
}

func (v Verdict) result() Result {
	return Result{Outcome: v.Outcome, ErrorType: v.ErrorType, ErrorText: v.Message, OwnType: v.Type, OwnCode: v.Code, RetryAfter: v.RetryAfter, RetryAt: v.RetryAt}
}

// complete adds what the answer said of itself, however it ended.
func (r *Reader) complete(res Result) Result {
	res.Finished = r.Finished()
	for _, c := range r.choices {
		if c.index == 0 {
			res.Finish = c.finish
		}
	}
	res.choices = slices.Clone(r.choices)
	res.Usage = r.reported()
	res.Chars, res.ID, res.Model, res.Print = r.chars, r.id, r.model, r.print
	res.Provider = r.providerJSON()
	res.Warnings = r.warnings
	return res
}

// reported turns the counters into usage.
func (r *Reader) reported() weir.Usage {
	u := r.usage
	if r.opts.Dialect == weir.Anthropic && u.input >= 0 {
		u.prompt = u.input + max(u.cached, 0) + max(u.cacheWrite, 0)
	}
	// xAI leaves reasoning out of completion_tokens; the total gives it away, or
	// that there is more reasoning than there are tokens.
	outside := u.reasoning > 0 && u.prompt >= 0 && u.total == u.prompt+u.completion+u.reasoning || u.reasoning > u.completion
	if u.completion >= 0 && outside && r.opts.Dialect != weir.Gemini {
		u.completion += u.reasoning
		r.warn(weir.WarnReasoningOutside)
	}
	return weir.Usage{
		Prompt: counted(u.prompt), Cached: counted(u.cached), CacheWrite: counted(u.cacheWrite),
		Completion: counted(u.completion), Reasoning: counted(u.reasoning),
	}
}

func counted(n int) weir.Opt[int] {
	if n < 0 {
		return weir.None[int]()
	}
	return weir.Some(n)
}

func (r *Reader) providerJSON() json.RawMessage {
	if len(r.provider) == 0 {
		return nil
	}
	m := make(map[string]json.RawMessage, len(r.provider))
	for _, n := range r.provider {
		m[n.name] = n.raw
	}
	b, err := json.Marshal(m)
	if err != nil { // cannot be: each value was scanned
		return nil
	}
	return b
}
