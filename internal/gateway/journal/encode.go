package journal

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"

	"weir.dev/weir"
)

// encoder writes a record as JSON, as encoding/json would by its tags (a test
// holds them together), without the reflection: a tenth of a small request's
// cost would be its line in the log.
type encoder struct {
	b   []byte
	err error
}

// errFigure is for what JSON cannot say: an infinite cost, a year of five digits.
var errFigure = errors.New("a figure that JSON cannot say")

// appendRecord appends r to dst.
func (e *encoder) appendRecord(dst []byte, r *Record) ([]byte, error) {
	e.b, e.err = dst, nil
	e.open()
	e.text("schema", r.Schema)
	e.text("request_id", r.ID)
	e.time("at", r.At)
	e.text("route", r.Route)
	e.text("key", r.Key)
	e.text("model_asked", r.Asked)
	e.text("operation", string(r.Operation))
	e.text("dialect", string(r.Dialect))
	e.flag("stream", r.Stream)
	e.count("input_tokens_estimated", r.InputTokens)
	e.text("policy", r.Policy)
	list(e, "candidates", r.Candidates, (*encoder).candidate)
	list(e, "skipped", r.Skipped, (*encoder).skip)
	list(e, "attempts", r.Attempts, (*encoder).attempt)
	e.text("outcome", string(r.Outcome))
	e.text("error_type", r.ErrorType)
	e.text("error_message", r.ErrorMessage)
	e.text("refused", r.Refused)
	e.count("status", r.Status)
	e.text("target", r.Target)
	e.span("held_ms", r.Held)
	e.flag("early", r.Early)
	e.span("ttft_ms", r.TTFT)
	e.span("tpot_ms", r.TPOT)
	e.span("end_ms", r.End)
	e.span("gateway_ms", r.Gateway)
	e.span("backpressure_ms", r.Backpressure)
	e.usage("usage", r.Usage)
	e.flag("usage_estimated", r.UsageEstimated)
	e.cost("cost_usd", r.Cost)
	e.number("duplicate_risk", r.DuplicateRisk)
	e.flag("retry_budget_spent", r.RetryBudgetSpent)
	e.seam("rescue", r.Rescue)
	e.shut()
	return e.b, e.err
}

func (e *encoder) candidate(c *Candidate) {
	e.text("target", c.Target)
	e.span("first_output_limit_ms", c.FirstOutput)
	e.span("stall_limit_ms", c.Stall)
	e.flag("probe", c.Probe)
}

func (e *encoder) skip(s *Skip) {
	e.text("target", s.Target)
	e.text("why", s.Why)
	if at, ok := s.Until.Get(); ok {
		e.time("until", at)
	} else {
		e.null("until")
	}
}

func (e *encoder) attempt(a *Attempt) {
	e.text("target", a.Target)
	e.text("model", a.Model)
	e.text("dialect", string(a.Dialect))
	e.text("why", string(a.Why))
	e.span("started_ms", weir.Some(a.Started))
	e.span("header_ms", a.Header)
	e.span("first_event_ms", a.FirstEvent)
	e.span("first_output_ms", a.FirstOutput)
	e.span("end_ms", a.End)
	e.text("outcome", string(a.Outcome))
	e.count("status", a.Status)
	e.text("error_type", a.ErrorType)
	e.text("error_message", a.ErrorMessage)
	e.text("clock", string(a.Clock))
	e.span("retry_after_ms", a.RetryAfter)
	e.flag("committed", a.Committed)
	e.number("broken_events", a.Broken)
	e.text("provider_request_id", a.RequestID)
	e.usage("usage", a.Usage)
	e.cost("cost_usd", a.Cost)
}

func (e *encoder) usage(name string, u weir.Usage) {
	e.name(name)
	e.open()
	e.count("prompt_tokens", u.Prompt)
	e.count("cached_tokens", u.Cached)
	e.count("cache_write_tokens", u.CacheWrite)
	e.count("completion_tokens", u.Completion)
	e.count("reasoning_tokens", u.Reasoning)
	e.shut()
}

func (e *encoder) seam(name string, s *Seam) {
	if s == nil {
		e.null(name)
		return
	}
	e.name(name)
	e.open()
	e.text("how", s.How)
	e.text("from", s.From)
	e.text("to", s.To)
	e.span("at_ms", s.At)
	e.number("sent_bytes", s.Sent)
	e.number("same_bytes", s.Same)
	e.flag("ok", s.OK)
	e.shut()
}

// list writes objects whose members one writes.
func list[T any](e *encoder, name string, all []T, one func(*encoder, *T)) {
	if all == nil {
		e.null(name)
		return
	}
	e.name(name)
	e.b = append(e.b, '[')
	for i := range all {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.open()
		one(e, &all[i])
		e.shut()
	}
	e.b = append(e.b, ']')
}

func (e *encoder) open() { e.b = append(e.b, '{') }
func (e *encoder) shut() { e.b = append(e.b, '}') }

func (e *encoder) name(name string) {
	if e.b[len(e.b)-1] != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(append(append(e.b, '"'), name...), `":`...)
}

func (e *encoder) null(name string) {
	e.name(name)
	e.b = append(e.b, "null"...)
}

func (e *encoder) text(name, s string) {
	e.name(name)
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, err := json.Marshal(s)
			e.b, e.err = append(e.b, quoted...), errors.Join(e.err, err)
			return
		}
	}
	e.b = append(append(append(e.b, '"'), s...), '"')
}

func (e *encoder) time(name string, at time.Time) {
	e.name(name)
	b, err := at.AppendText(append(e.b, '"'))
	if err != nil {
		e.err = errors.Join(e.err, errFigure)
		return
	}
	e.b = append(b, '"')
}

func (e *encoder) flag(name string, v bool) {
	e.name(name)
	e.b = strconv.AppendBool(e.b, v)
}

func (e *encoder) number(name string, v int) {
	e.name(name)
	e.b = strconv.AppendInt(e.b, int64(v), 10)
}

func (e *encoder) count(name string, v weir.Opt[int]) {
	if n, ok := v.Get(); ok {
		e.number(name, n)
	} else {
		e.null(name)
	}
}

func (e *encoder) span(name string, v weir.Span) {
	if d, ok := v.Get(); ok {
		e.float(name, d.MS())
	} else {
		e.null(name)
	}
}

func (e *encoder) cost(name string, v weir.Opt[float64]) {
	if f, ok := v.Get(); ok {
		e.float(name, f)
	} else {
		e.null(name)
	}
}

func (e *encoder) float(name string, v float64) {
	e.name(name)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		e.err = errors.Join(e.err, errFigure)
		return
	}
	e.b = strconv.AppendFloat(e.b, v, 'g', -1, 64)
}
