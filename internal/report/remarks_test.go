package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

// crowd is a run of so many targets that are alike.
func crowd(n int) report.Run {
	r := handmade.Run()
	target := r.Settings.Targets[0]
	r.Settings.Targets, r.Notes = nil, make([]report.TargetNote, n)
	for i := range n {
		target.Name = fmt.Sprintf("target-%02d", i+1)
		r.Settings.Targets = append(r.Settings.Targets, target)
		handmade.Good(&r, target.Name, 20, 180*ms, 8*ms)
	}
	return r
}

func terminal(t *testing.T, d report.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Terminal(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAlikeIsSaidOnce: what holds of many targets is one line, of bounded length.
func TestAlikeIsSaidOnce(t *testing.T) {
	r := crowd(30)
	for i := range r.Samples {
		r.Samples[i].ConnReused = weir.Some(false)
	}
	for i := range 10 {
		r.Notes[i].Learned = []string{"temperature"}
	}
	text := terminal(t, report.Summarise(r))
	for _, want := range []string{
		"all 30 targets: 100 % of the requests paid for a new connection",
		"10 targets (target-01, target-02, target-03 and 7 more): does not take temperature",
		"fit: all 30 targets chat yes, batch yes",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 250 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	if n := strings.Count(text, "paid for a new connection"); n != 1 {
		t.Errorf("said %d times", n)
	}
}

// TestPlaces of many targets.
func TestPlaces(t *testing.T) {
	said := func(ranks ...report.RankResult) string {
		s := report.Summarise(crowd(len(ranks)))
		for i := range ranks {
			ranks[i].Target = s.Targets[i].Name
		}
		m := report.MetricResult{Metric: "output_speed", Duels: make([]report.DuelResult, 2), Ranks: ranks}
		m.Duels[0].Blocks = 30
		s.Verdict = &report.Verdict{Metrics: []report.MetricResult{m}, Span: weir.Dur(time.Hour)}
		return s.Sentences()[0]
	}
	var equal, apart, two []report.RankResult
	for i := range 30 {
		equal = append(equal, report.RankResult{Best: 1, Worst: 30})
		apart = append(apart, report.RankResult{Best: i + 1, Worst: i + 1})
		two = append(two, report.RankResult{Best: 1 + i/10*10, Worst: 10 + i/10*20})
	}
	for want, ranks := range map[string][]report.RankResult{
		"all 30 tie in output speed over 30 blocks in 60 minutes":                                                               equal,
		"12. target-12, 18 targets more over 30 blocks":                                                                         apart,
		"places in output speed: 1-10. 10 targets (target-01, target-02, target-03 and 7 more), 11-30. 10 targets (target-11, ": two,
		"places in output speed: 1. target-01, 2-3. target-02, 2-3. target-03 over":                                             {{Best: 1, Worst: 1}, {Best: 2, Worst: 3}, {Best: 2, Worst: 3}},
	} {
		if line := said(ranks...); !strings.Contains(line, want) {
			t.Errorf("%s\nwant %s", line, want)
		}
	}
}

// TestDoubtedUsage: who counts what cannot be true is told of, with the counts,
// and carries no tokens.
func TestDoubtedUsage(t *testing.T) {
	r := crowd(1)
	for i := range r.Samples {
		s := &r.Samples[i]
		s.Implausible, s.OutputEvents, s.OutputChars, s.Completion = true, 20, 96, weir.Some(1)
		s.Speed, s.TPOT, s.NSeen, s.LengthShare = weir.None[float64](), weir.Span{}, weir.None[int](), weir.None[float64]()
		s.Due = s.Due.Add(time.Duration(i) * 2 * time.Second)
	}
	r.Settings.Load = "1 req/s"
	s := report.Summarise(r)
	if d := s.Targets[0].Doubted; d == nil || *d != (report.Doubted{Answers: 20, Tokens: 1, Events: 20, Chars: 96}) {
		t.Errorf("%+v", d)
	}
	want := "target-01: usage says 1 token, 20 output events with 96 characters came: the speeds of 20 of 20 answers would rest on a count that cannot be true, and are left out\n"
	if text := terminal(t, s); !strings.Contains(text, want) {
		t.Error(text)
	}
	wantNone(t, "output_rate", s.Targets[0].Steady.OutputRate)
	if !s.Targets[0].Steady.RequestRate.Known() {
		t.Error("requests were counted all the same")
	}
}

// TestStopped: answers in one piece may be the fault of a process that slept.
func TestStopped(t *testing.T) {
	said := func(warning string, slept time.Duration) string {
		r := crowd(1)
		r.WakeUps = append(r.WakeUps, slept)
		for i := range 6 {
			r.Samples[i].Warnings = []string{warning}
		}
		return terminal(t, report.Summarise(r))
	}
	if text := said(weir.WarnBuffered, 2*ms); !strings.Contains(text, "5 of 20 answers came in one piece (buffered): no speed can be told from them\n") {
		t.Error(text)
	}
	if text := said(weir.WarnBuffered, 3*time.Second); !strings.Contains(text, "(buffered): no speed can be told from them; this process slept for up to 3.00 s, and may have met them late\n") {
		t.Error(text)
	}
	if text := said(weir.WarnUnstamped, 2*ms); !strings.Contains(text, "or in pieces that this client was too busy to stamp") {
		t.Error(text)
	}
}

// TestWhyCold: more warm-up is advised only where it helps.
func TestWhyCold(t *testing.T) {
	for want, change := range map[string]func(r *report.Run){
		"10 % of the requests paid for a new connection in their ttft; more --warmup makes them warm": func(r *report.Run) {
			r.Samples[1].ConnReused, r.Samples[2].ConnReused = weir.Some(false), weir.Some(false)
		},
		"the server keeps none open after an answer, and --warmup cannot change that": func(r *report.Run) {
			for i := range r.Samples {
				r.Samples[i].ConnReused = weir.Some(false)
			}
		},
		"what fails or is cut takes its connection along, and the next request opens one": func(r *report.Run) {
			for i := 1; i < 6; i++ {
				r.Samples[i].Outcome, r.Samples[i+6].ConnReused = weir.Truncated, weir.Some(false)
			}
		},
		"there were more of them than slots: the server, or failures, closed what was open": func(r *report.Run) {
			for i := 1; i < 6; i++ {
				r.Samples[i].ConnReused = weir.Some(false)
			}
		},
	} {
		r := crowd(1)
		change(&r)
		if text := terminal(t, report.Summarise(r)); !strings.Contains(text, want) {
			t.Errorf("nothing says %q:\n%s", want, text)
		}
	}
}

// TestConcurrencyIsOfWhatWasSent: a request of an open loop that waits for a slot
// is due and not under way.
func TestConcurrencyIsOfWhatWasSent(t *testing.T) {
	r := crowd(1)
	r.Settings.Load, r.Samples = "1 req/s, at most 1 under way", nil
	for i := range 20 { // due each second, each of two seconds: the queue grows
		s := handmade.Sample("target-01", 0, 10*ms)
		s.Due = s.Due.Add(time.Duration(i) * time.Second)
		s.Lateness, s.End = weir.Dur(time.Duration(i)*time.Second), weir.SpanOf(2*time.Second)
		r.Samples = append(r.Samples, s)
	}
	st := report.Summarise(r).Targets[0].Steady
	wantOpt(t, "concurrency_mean", st.Concurrency, 1)
	if st.Peak.Or(0) != 1 {
		t.Errorf("peak %v", st.Peak)
	}
}
