package report

import (
	"slices"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// Steady is what a target carried in the run's steady window, all its slots
// together (stats.SteadySlots, SteadyArrivals and SteadyLaps say how). Tokens are
// those of the usage, reasoning that was not streamed included. An error is two
// standard errors as a share of its rate.
type Steady struct {
	Laps         bool              `json:"laps"`      // slots waited for each other between laps, off the clock
	Window       weir.Span         `json:"window_ms"` // null in laps, and where the run was too short for one
	Answers      weir.Opt[float64] `json:"answers"`   // good ones in the window, with shares of those at its edges
	RequestRate  weir.Opt[float64] `json:"request_rate"`
	RequestError weir.Opt[float64] `json:"request_rate_error"`
	OutputRate   weir.Opt[float64] `json:"output_rate"`
	OutputError  weir.Opt[float64] `json:"output_rate_error"`
	TokenRate    weir.Opt[float64] `json:"total_token_rate"` // prompts included, by the mean prompt of good answers
	Concurrency  weir.Opt[float64] `json:"concurrency_mean"` // sent and not ended, in the window, weighted by time; waiting for a slot is not under way
	Peak         weir.Opt[int]     `json:"concurrency_peak"`
}

func steady(mine []weir.Sample, c Settings, prompt weir.Opt[float64]) Steady {
	if len(mine) == 0 {
		return Steady{}
	}
	open := c.Load != ""
	laps := slices.ContainsFunc(mine, func(s weir.Sample) bool { return s.Block.Known() })
	calls, sent := make([]stats.Call, len(mine)), make([]stats.Call, len(mine))
	for i := range mine {
		calls[i], sent[i] = callOf(&mine[i], mine[0].Due, open), callOf(&mine[i], mine[0].Due, false)
	}
	var s stats.Steady
	switch {
	case laps:
		s = stats.SteadyLaps(calls, c.Concurrency)
	case open:
		s = stats.SteadyArrivals(calls)
	default:
		s = stats.SteadySlots(calls, c.Concurrency)
	}
	if !s.Requests.PerSecond.Known() && !(s.To > s.From) {
		return Steady{Laps: laps}
	}
	out := Steady{
		Laps: laps, Answers: weir.Some(s.Answers),
		RequestRate: s.Requests.PerSecond, RequestError: s.Requests.Error,
		OutputRate: s.Tokens.PerSecond, OutputError: s.Tokens.Error,
	}
	if tokens, ok := s.Tokens.PerSecond.Get(); ok && prompt.Known() {
		out.TokenRate = weir.Some(tokens + s.Requests.PerSecond.Or(0)*prompt.Or(0))
	}
	if !laps {
		out.Window = weir.SpanOf(time.Duration((s.To - s.From) * float64(time.Second)))
		out.Concurrency, out.Peak = stats.UnderWay(sent, s.From, s.To)
	}
	return out
}

func callOf(s *weir.Sample, zero time.Time, open bool) stats.Call {
	seconds := func(after weir.Dur) float64 { return (s.Due.Sub(zero) + after.Duration()).Seconds() }
	c := stats.Call{Start: seconds(s.Lateness), End: seconds(s.Lateness + s.End.Or(0)), OK: s.Outcome == weir.OK}
	if open {
		c.Start = seconds(0)
	}
	first, ok := s.TTFT.Get()
	last, ended := s.E2E.Get()
	if ok && ended && !s.Buffered && !s.Unstamped {
		c.First, c.Last = seconds(first), seconds(last)
	}
	if s.TokenSource != weir.TokensFromEstimate && !s.Implausible {
		c.Tokens = s.Completion
	}
	return c
}
