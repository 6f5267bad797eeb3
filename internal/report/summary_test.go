package report_test

import (
	"slices"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

// one makes a run of one target from samples.
func one(samples ...weir.Sample) *report.TargetSummary {
	r := handmade.Run()
	r.Settings.Targets, r.Notes = r.Settings.Targets[:1], r.Notes[:1]
	r.Samples = samples
	return &report.Summarise(r).Targets[0]
}

func wantOpt(t *testing.T, what string, got weir.Opt[float64], want float64) {
	t.Helper()
	if v, ok := got.Get(); !ok || v < want-1e-9 || v > want+1e-9 {
		t.Errorf("%s is %v (known %v), want %v", what, v, ok, want)
	}
}

func wantNone(t *testing.T, what string, got weir.Opt[float64]) {
	t.Helper()
	if v, ok := got.Get(); ok {
		t.Errorf("%s is %v, want null", what, v)
	}
}

// TestWholeAnswers: without streams e2e keeps failures in its ranks, whole speed
// is tokens over e2e where usage is known, and what needs events is null. With
// streams there is no whole speed.
func TestWholeAnswers(t *testing.T) {
	unknown := handmade.Whole("north", 4*time.Second, 0)
	unknown.Usage = weir.Usage{}
	r := handmade.Run()
	r.Settings.Stream, r.Settings.Targets = false, r.Settings.Targets[:1]
	r.Samples = []weir.Sample{
		handmade.Whole("north", time.Second, 50), handmade.Whole("north", 2*time.Second, 200), unknown, handmade.Failed("north", weir.UpstreamError, 503, "", ""),
	}
	s := report.Summarise(r).Targets[0]
	wantOpt(t, "e2e p50", s.E2E.P50, 2000)
	wantNone(t, "e2e p95", s.E2E.P95)
	if s.E2E.N != 4 || s.E2E.Reached != 3 || !slices.Equal(s.E2E.Open, []string{"p50", "p95", "p99"}) {
		t.Errorf("e2e %+v", s.E2E)
	}
	wantOpt(t, "whole speed p50", s.WholeRate.P50, 100)
	wantOpt(t, "whole speed p95", s.WholeRate.P95, 50)
	if s.WholeRate.N != 2 {
		t.Errorf("whole speed %+v", s.WholeRate)
	}
	for name, q := range map[string]report.Quantiles{"ttfat": s.TTFAT, "tpot": s.TPOT, "output speed": s.Speed, "e2e@N": s.E2EAtN, "ttft": s.TTFT} {
		wantNone(t, name, q.P50)
	}
	r.Settings.Stream = true
	wantNone(t, "whole speed of streams", report.Summarise(r).Targets[0].WholeRate.P50)
}

// TestQuantilesAreObservedRanks: type 1, whatever the order of the samples.
func TestQuantilesAreObservedRanks(t *testing.T) {
	var all []weir.Sample
	for _, ttft := range []int{90, 10, 50, 30, 70, 20, 100, 40, 80, 60} {
		all = append(all, handmade.Sample("north", time.Duration(ttft)*time.Millisecond, time.Duration(ttft)*100*time.Microsecond))
	}
	s := one(all...)
	wantOpt(t, "ttft p50", s.TTFT.P50, 50)
	wantOpt(t, "ttft p95", s.TTFT.P95, 100)
	wantOpt(t, "ttft p99", s.TTFT.P99, 100)
	wantOpt(t, "tpot p50", s.TPOT.P50, 5)
	wantOpt(t, "e2e@128 p50", s.E2EAtN.P50, 50+127*5)
	if !slices.Equal(s.TTFT.Open, []string{"p95", "p99"}) || s.TTFT.N != 10 || s.TTFT.Reached != 10 {
		t.Errorf("%+v", s.TTFT)
	}
	// More speed is better, so p95 is what 95 % reach: the slowest one's.
	wantOpt(t, "speed p95", s.Speed.P95, 1000/10.0)
	wantOpt(t, "speed p50", s.Speed.P50, 1000/5.0)
}

// TestFailuresStayInRanks: one in ten failed, so a tenth of the requests never
// had a first token, and the p95 is not that of the survivors.
func TestFailuresStayInRanks(t *testing.T) {
	for _, o := range []weir.Outcome{
		weir.UpstreamError, weir.Truncated, weir.Malformed, weir.EmptyResponse, weir.ConnectError,
		weir.TimeoutConnect, weir.TimeoutFirstOutput, weir.TimeoutTotal,
	} {
		var all []weir.Sample
		for i := range 18 {
			all = append(all, handmade.Sample("north", time.Duration(i+1)*time.Millisecond, time.Millisecond))
		}
		all = append(all, handmade.Failed("north", o, 0, "", ""), handmade.Failed("north", o, 0, "", ""))
		s := one(all...)
		if s.Requests != 20 || s.Eligible != 20 || s.TTFT.N != 20 || s.TTFT.Reached != 18 || s.Outcomes[o] != 2 {
			t.Errorf("%s: %+v", o, s)
		}
		wantOpt(t, string(o)+": success", s.Success, 0.9)
		wantOpt(t, string(o)+": ttft p50", s.TTFT.P50, 10)
		wantNone(t, string(o)+": ttft p95", s.TTFT.P95)
		wantNone(t, string(o)+": ttft p99", s.TTFT.P99)
		wantNone(t, string(o)+": e2e p95", s.E2E.P95)
		if s.TPOT.N != 18 || s.Speed.N != 18 {
			t.Errorf("%s: tpot %+v, speed %+v", o, s.TPOT, s.Speed)
		}
	}
}

// TestCutByUs: what we cut says nothing of success, and that the wait was at
// least so long: here for the fastest, of which half were cut.
func TestCutByUs(t *testing.T) {
	for _, o := range []weir.Outcome{weir.Canceled, weir.Abandoned} {
		cut := handmade.Failed("north", o, 0, "", "")
		cut.CensoredAt = weir.SpanOf(5 * time.Millisecond)
		begun := handmade.Sample("north", 30*time.Millisecond, time.Millisecond) // had output before it was cut
		begun.Outcome, begun.CensoredAt = o, weir.SpanOf(40*time.Millisecond)
		s := one(handmade.Sample("north", 10*time.Millisecond, time.Millisecond), handmade.Sample("north", 20*time.Millisecond, time.Millisecond), cut, begun)
		if s.Eligible != 2 || s.TTFT.N != 4 || s.TTFT.Reached != 3 || s.TTFT.Cut != 1 || s.E2E.Cut != 2 {
			t.Errorf("%s: %+v", o, s)
		}
		wantOpt(t, string(o)+": success", s.Success, 1)
		wantOpt(t, string(o)+": ttft p50", s.TTFT.P50, 20) // of the three that were not cut before
		wantOpt(t, string(o)+": ttft p99", s.TTFT.P99, 30)
	}
}

// TestNotEligible: what says nothing of the target is in no rank and no rate.
func TestNotEligible(t *testing.T) {
	for _, o := range []weir.Outcome{weir.Auth, weir.BadRequest, weir.RateLimited} {
		out := handmade.Failed("north", o, 0, "", "")
		out.TTFT = weir.SpanOf(time.Hour) // had output before it ended
		s := one(handmade.Sample("north", 10*time.Millisecond, time.Millisecond), handmade.Sample("north", 20*time.Millisecond, time.Millisecond), out, out)
		if s.Requests != 4 || s.Eligible != 2 || s.TTFT.N != 2 || s.TTFT.Reached != 2 || s.Outcomes[o] != 2 {
			t.Errorf("%s: %+v", o, s)
		}
		wantOpt(t, string(o)+": success", s.Success, 1)
		wantOpt(t, string(o)+": ttft p99", s.TTFT.P99, 20)
		limited := 0.0
		if o == weir.RateLimited {
			limited = 0.5
		}
		wantOpt(t, string(o)+": rate-limited share", s.Limited, limited)
	}
}

// TestPartialAnswersCount: an answer that broke after its first output had a
// first output; it never had an end, and no speed is told from it.
func TestPartialAnswersCount(t *testing.T) {
	cut := handmade.Sample("north", 5*time.Millisecond, time.Millisecond)
	cut.Outcome = weir.Truncated
	s := one(handmade.Sample("north", 10*time.Millisecond, 2*time.Millisecond), cut)
	wantOpt(t, "ttft p50", s.TTFT.P50, 5)
	wantOpt(t, "ttft p99", s.TTFT.P99, 10)
	wantOpt(t, "success", s.Success, 0.5)
	wantNone(t, "e2e p99", s.E2E.P99)
	wantOpt(t, "tpot p50", s.TPOT.P50, 2)
	if s.TPOT.N != 1 || s.E2E.N != 2 || s.E2E.Reached != 1 {
		t.Errorf("tpot %+v, e2e %+v", s.TPOT, s.E2E)
	}
}

// TestWarmupIsInNoFigure, and its failures are told only where there is
// nothing else.
func TestWarmupIsInNoFigure(t *testing.T) {
	warm := handmade.Sample("north", time.Hour, time.Second)
	warm.Warmup = true
	broken := handmade.Failed("north", weir.UpstreamError, 503, "", "")
	broken.Warmup = true
	s := one(warm, broken, handmade.Sample("north", 10*time.Millisecond, time.Millisecond))
	if s.Warmup != 2 || s.Requests != 1 || s.TTFT.N != 1 || len(s.Failures) != 0 || len(s.Outcomes) != 1 {
		t.Errorf("%+v", s)
	}
	wantOpt(t, "ttft p99", s.TTFT.P99, 10)
	s = one(broken)
	if s.Requests != 0 || len(s.Failures) != 1 || s.Failures[0].Status != 503 {
		t.Errorf("%+v", s)
	}
	wantNone(t, "success of nothing", s.Success)
	wantNone(t, "ttft of nothing", s.TTFT.P50)
}

// TestNoOutputIsNoFailure: a good answer without output has no ttft, which is
// neither 0 nor never.
func TestNoOutputIsNoFailure(t *testing.T) {
	empty := handmade.Failed("north", weir.OK, 200, "", "")
	s := one(handmade.Sample("north", 10*time.Millisecond, time.Millisecond), empty)
	wantOpt(t, "success", s.Success, 1)
	wantOpt(t, "ttft p99", s.TTFT.P99, 10)
	if s.TTFT.N != 1 {
		t.Errorf("%+v", s.TTFT)
	}
}

func TestFailuresAreClassed(t *testing.T) {
	s := one(
		handmade.Failed("north", weir.Truncated, 200, "closed", ""),
		handmade.Failed("north", weir.UpstreamError, 503, "overloaded", "first"),
		handmade.Failed("north", weir.UpstreamError, 500, "", "other"),
		handmade.Failed("north", weir.UpstreamError, 503, "overloaded", "second"),
		handmade.Failed("south", weir.UpstreamError, 503, "overloaded", "not ours"),
	)
	want := []report.Failure{
		{Outcome: weir.UpstreamError, Status: 503, ErrorType: "overloaded", Count: 2, Example: "first"},
		{Outcome: weir.Truncated, ErrorType: "closed", Count: 1},
		{Outcome: weir.UpstreamError, Status: 500, Count: 1, Example: "other"},
	}
	if !slices.Equal(s.Failures, want) {
		t.Errorf("%+v", s.Failures)
	}
}

func TestSpread(t *testing.T) {
	r := handmade.Run()
	handmade.Good(&r, "north", 1, time.Millisecond, 8*time.Millisecond)
	wantNone(t, "spread of one", report.Summarise(r).Spread)
	handmade.Good(&r, "a-longer-name", 1, time.Millisecond, 10*time.Millisecond)
	wantOpt(t, "spread of 125 and 100 tok/s", report.Summarise(r).Spread, 0.2)
}

func TestClientLimited(t *testing.T) {
	wakeUp := 20 * time.Microsecond
	run := func(change func(*weir.Sample)) report.Client {
		r := handmade.Run()
		r.WakeUps = []time.Duration{wakeUp}
		handmade.Good(&r, "north", 20, 50*time.Millisecond, 8*time.Millisecond)
		for i := range r.Samples {
			change(&r.Samples[i])
		}
		return report.Summarise(r).Client
	}
	if c := run(func(*weir.Sample) {}); c.Limited || c.Why != "" || c.Events != 20*128 {
		t.Errorf("%+v", c)
	}
	if c := run(func(s *weir.Sample) { s.Lateness = weir.Dur(2 * time.Millisecond) }); !c.Limited {
		t.Errorf("late: %+v", c)
	}
	if c := run(func(s *weir.Sample) { s.BoundedEvents = 1 }); !c.Limited {
		t.Errorf("bounded: %+v", c)
	}
	wakeUp = time.Millisecond
	if c := run(func(*weir.Sample) {}); !c.Limited || c.StampErrorP99.Or(0) != 1 {
		t.Errorf("stamps: %+v", c)
	}
}
