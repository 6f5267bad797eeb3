package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir.dev/weir"
)

// Remarks are what is odd about a target's answers, a line each, without the
// target's name.
func (s *Summary) Remarks(t *TargetSummary) (lines []string) {
	lines = append(lines, s.sending(t)...)
	lines = append(lines, s.answering(t)...)
	if t.SLO != nil && len(t.SLO.Run) > 0 {
		lines = append(lines, t.SLO.objectives())
	}
	if t.Cache != nil {
		lines = append(lines, t.Cache.sentence(t))
	}
	if l := t.Lengths; l != nil && l.Implausible {
		lines = append(lines, "no tokenizer counts prompts as it does; their length is a guess")
	}
	return lines
}

// sending are the remarks on how the requests went out.
func (s *Summary) sending(t *TargetSummary) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if t.Router {
		add("a router: it picks a host for each request, so that its figures are of no one provider")
	}
	if t.Unsent > 0 && !t.GaveUp {
		line := Count(t.Unsent, "request") + " not sent"
		if len(s.Lost) > 0 {
			line += ", or lost"
		}
		add("%s", line)
	}
	if t.Missed > 0 {
		add("%s due and could not start before the end: the cap, the quota or this machine held them up", Count(t.Missed, "request"))
	}
	if asked, ok := t.Asked.Get(); ok {
		add("%.4g req/s asked for, %s drawn by the seed, %s sent; %s waited for a slot", asked, perSecond(t.Drawn), perSecond(t.Achieved), Count(t.SlotWaits, "start"))
	}
	if t.Quota.Waited > 0 {
		limits := ""
		if len(t.Quota.Limits) > 0 {
			limits = " (" + strings.Join(t.Quota.Limits, ", ") + ")"
		}
		add("limited by the provider's quota%s: refused %d times, held up for %s", limits, t.Quota.Refused, duration(t.Quota.Waited.Duration().Seconds()))
	}
	if limited, ok := t.Limited.Get(); ok && limited > 0 {
		add("%.1f %% of the requests were rate-limited; they are in no figure", 100*limited)
	}
	if reused, ok := t.Reused.Get(); ok && reused < 1 && t.Warnings[weir.WarnStaleConn] == 0 {
		add("%.0f %% of the requests paid for a new connection in their %s; %s", 100*(1-reused), first(s), s.whyCold(t))
	}
	return lines
}

// answering are the remarks on what came back.
func (s *Summary) answering(t *TargetSummary) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, w := range slices.Sorted(maps.Keys(t.Warnings)) {
		if said := oddAnswers[w]; said != "" {
			add("%d of %d %s%s", t.Warnings[w], t.Requests, said, s.stopped(w))
		}
	}
	if line := t.Doubted.sentence(t); line != "" {
		add("%s", line)
	}
	if len(t.Learned) > 0 {
		add("does not take %s; asked without", strings.Join(t.Learned, ", "))
	}
	if n, ok := t.Output.Get(); t.Outcomes[weir.OK] > 0 && !ok {
		add("reports no token counts, so its speed is unknown (events are not taken for tokens)")
	} else if share, known := t.Length.Get(); ok && known && t.Speed.Reached+t.WholeRate.Reached > 0 && share < 0.9 {
		add("answers were %.0f tokens long on average, %.0f %% of what was asked for; compare %s, not e2e", n, 100*share, lengthless(s))
	}
	return lines
}

// perSecond is a rate, or n/a where there is none: of a single request, say.
func perSecond(v weir.Opt[float64]) string {
	if rate, ok := v.Get(); ok {
		return fmt.Sprintf("%.4g", rate)
	}
	return "n/a"
}

var oddAnswers = map[string]string{
	weir.WarnBuffered:         "answers came in one piece (buffered): no speed can be told from them",
	weir.WarnUnstamped:        "answers came in one piece, or in pieces that this client was too busy to stamp: no speed can be told from them",
	weir.WarnHiddenReasoning:  "answers billed reasoning that was not streamed: ttft contains it",
	weir.WarnStaleConn:        "requests met a dead kept connection and went out again on a fresh one",
	weir.WarnReasoningOutside: "answers counted reasoning outside completion_tokens; it was added",
	weir.WarnCompressed:       "answers came compressed although identity was asked for",
}

// longSleep is how late a process wakes up that was stopped, or that others kept
// from running. Bytes that came meanwhile look as if they had come together.
const longSleep = 50.0 // ms

// stopped adds to a remark on answers in one piece that it may be this process's
// fault. Its own stamps cannot show that.
func (s *Summary) stopped(warning string) string {
	slept, ok := s.Client.StampErrorMax.Get()
	if !ok || slept < longSleep || warning != weir.WarnBuffered && warning != weir.WarnUnstamped {
		return ""
	}
	return fmt.Sprintf("; this process slept for up to %s, and may have met them late", Millis(slept))
}

// Doubted are answers whose count of output tokens cannot be true of what came
// (weir.Trace.UsageImplausible): no speed is told from them.
type Doubted struct {
	Answers int `json:"answers"`
	Tokens  int `json:"tokens"` // of the first, as its usage says
	Events  int `json:"events"` // output events that came of it
	Chars   int `json:"chars"`  // characters that came of it
}

// doubted counts them among a target's samples; nil where there is none.
func doubted(mine []weir.Sample) *Doubted {
	var out *Doubted
	for i := range mine {
		s := &mine[i]
		if !s.Implausible || s.Outcome != weir.OK {
			continue
		}
		if out == nil {
			out = &Doubted{Tokens: s.Completion.Or(0), Events: s.OutputEvents, Chars: s.OutputChars}
		}
		out.Answers++
	}
	return out
}

func (d *Doubted) sentence(t *TargetSummary) string {
	if d == nil {
		return ""
	}
	came := Count(d.Chars, "character")
	if d.Events > 0 {
		came = fmt.Sprintf("%s with %s", Count(d.Events, "output event"), came)
	}
	return fmt.Sprintf("usage says %s, %s came: the speeds of %d of %d answers would rest on a count that cannot be true, and are left out",
		Count(d.Tokens, "token"), came, d.Answers, t.Requests)
}

// whyCold is why requests had to open connections.
func (s *Summary) whyCold(t *TargetSummary) string {
	broke := 0
	for _, o := range []weir.Outcome{
		weir.ConnectError, weir.TimeoutConnect, weir.TimeoutFirstOutput, weir.TimeoutStall, weir.TimeoutTotal,
		weir.Truncated, weir.Malformed, weir.Canceled, weir.Abandoned,
	} {
		broke += t.Outcomes[o]
	}
	slots := s.Settings.Concurrency
	switch {
	case t.Reused.Or(0) == 0 && t.Opened > max(1, slots):
		return "the server keeps none open after an answer, and --warmup cannot change that"
	case broke > 0 && t.Opened <= slots+broke:
		return "what fails or is cut takes its connection along, and the next request opens one"
	case slots > 0 && t.Opened > slots:
		return "there were more of them than slots: the server, or failures, closed what was open"
	case slots == 0:
		return "more --warmup makes them warm, as far as no more are under way at once"
	}
	return "more --warmup makes them warm"
}
