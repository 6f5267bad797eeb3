package stored

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

func TestCompareRefuses(t *testing.T) {
	run := func() report.Run {
		r := handmade.Run()
		handmade.Good(&r, "north", 3, 180*ms, 8*ms)
		return r
	}
	a, b := run(), run()
	_, err := Compare([]report.Named{{Name: "a", Run: a}, {Name: "b", Run: b}})
	refused(t, err, "run_twice", "a and b hold the same request 01TEST")
	handmade.Apart(&a, &b)
	for want, change := range map[string]func(*report.Settings){
		"input_tokens 256 and 1000":               func(s *report.Settings) { s.InputTokens = 1000 },
		"load none and \"5 req/s\"":               func(s *report.Settings) { s.Load = "5 req/s" },
		"concurrency 2 and 3":                     func(s *report.Settings) { s.Concurrency, s.Stream = 3, false },
		"temperature 0 and null":                  func(s *report.Settings) { s.Temperature = weir.None[float64]() },
		"extra.top_p none and 0.9":                func(s *report.Settings) { s.Extra = map[string]json.RawMessage{"top_p": json.RawMessage("0.9")} },
		"workload_id 0123456789ab and other, in ": func(s *report.Settings) { s.Seed, s.Requests, s.Work.Salt = 1, 99, "pepper" },
	} {
		other := b
		other.Settings.WorkloadID = "other"
		change(&other.Settings)
		_, err := Compare([]report.Named{{Name: "a", Run: a}, {Name: "b", Run: other}})
		refused(t, err, "workloads_differ", "a and b are of different workloads: "+want)
	}
}

// TestCompareRefusesOtherLaps: several targets go in laps where one does not, and
// whoever compares them learns how to.
func TestCompareRefusesOtherLaps(t *testing.T) {
	a, b := handmade.Run(), handmade.Run()
	b.Settings.WorkloadID, b.Settings.Shape = "other", "laps, every 0s, ramp 0s, think 0s"
	_, err := Compare([]report.Named{{Name: "a", Run: a}, {Name: "b", Run: b}})
	refused(t, err, "workloads_differ", "load_shape none and \"laps, every 0s")
	refused(t, err, "workloads_differ", "bench both with --no-laps")
}

func TestMerge(t *testing.T) {
	a := handmade.Laps(10, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})
	b := handmade.Laps(12, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})
	a.Notes[0], b.Notes[0] = report.TargetNote{Unsent: 1, QuotaLimits: []string{"rpm"}}, report.TargetNote{Unsent: 2, QuotaLimits: []string{"rpm", "tpm"}}
	a.StampErrorP99 = weir.Some(0.5)
	handmade.Apart(&a, &b)
	all, err := Merge([]report.Named{{Name: "b", Run: b}, {Name: "a", Run: a}}) // whatever the order
	if err != nil {
		t.Fatal(err)
	}
	s := report.Summarise(all)
	if len(s.Requests) != 88 || s.Settings.Requests != 44 || s.Duration != weir.Dur(2*time.Minute) || s.Started != a.Started {
		t.Errorf("%d requests in %v from %v, asked for %d", len(s.Requests), s.Duration, s.Started, s.Settings.Requests)
	}
	if len(s.Merged) != 2 || s.Merged[0].Name != "a" || s.Targets[0].Unsent != 3 || len(s.Targets[0].Quota.Limits) != 2 || s.Client.GCPauses.Or(0).MS() != 3 {
		t.Errorf("%+v, %+v", s.Merged, s.Targets[0])
	}
	if v := s.Verdict; v.Blocks != 22 || !v.Laps || v.Why != "" || !v.Short || v.Span.Duration() > 2*time.Minute {
		t.Errorf("%+v", v)
	}
	if a.Samples[0].Block.Or(-1) != 0 || b.Samples[0].Block.Or(-1) != 0 {
		t.Error("Merge changed the runs")
	}
	var out bytes.Buffer
	if err := report.Terminal(&out, s); err != nil {
		t.Fatal(err)
	}
	golden(t, "merge.txt", out.Bytes())

	later := b
	for want, change := range map[string]func(r *report.Run){
		"overlap in time":      func(r *report.Run) { r.Started = a.Started.Add(30 * time.Second) },
		"have 2 and 1 targets": func(r *report.Run) { r.Settings.Targets = r.Settings.Targets[:1] },
		"differs in its model: llama": func(r *report.Run) {
			r.Settings.Targets = []weir.Target{r.Settings.Targets[0], r.Settings.Targets[1]}
			r.Settings.Targets[1].Model = "gpt"
		},
		"target 1 of a and b differs in its price: none and": func(r *report.Run) {
			r.Settings.Targets = []weir.Target{r.Settings.Targets[0], r.Settings.Targets[1]}
			r.Settings.Targets[0].Price = &weir.Price{}
		},
	} {
		b := later
		change(&b)
		_, err := Merge([]report.Named{{Name: "a", Run: a}, {Name: "b", Run: b}})
		refused(t, err, "runs_differ", want)
	}
}

// TestMergeSteady: the hour between two runs is in no rate.
func TestMergeSteady(t *testing.T) {
	point := func(n int) report.Run {
		r := handmade.AtConcurrency(0, 4, n)
		r.Settings.Targets, r.Notes = r.Settings.Targets[:1], r.Notes[:1]
		handmade.Busy(&r, "north", 4, n, 180*ms, 8*ms)
		return r
	}
	a, b := point(64), point(64)
	alone := report.Summarise(a).Targets[0].Steady
	handmade.Apart(&a, &b)
	all, err := Merge([]report.Named{{Name: "a", Run: a}, {Name: "b", Run: b}})
	if err != nil {
		t.Fatal(err)
	}
	both := report.Summarise(all).Targets[0].Steady
	near := func(what string, got, want weir.Opt[float64]) {
		if math.Abs(got.Or(-1)-want.Or(-2)) > 1e-6*want.Or(1) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("request rate", both.RequestRate, alone.RequestRate)
	near("output rate", both.OutputRate, alone.OutputRate)
	near("total token rate", both.TokenRate, alone.TokenRate)
	near("concurrency", both.Concurrency, alone.Concurrency)
	near("answers", both.Answers, weir.Some(2*alone.Answers.Or(0)))
	near("request rate's error", both.RequestError, weir.Some(alone.RequestError.Or(0)/math.Sqrt2))
	if both.Window.Or(0) != 2*alone.Window.Or(0) || both.Peak != alone.Peak {
		t.Errorf("window %v, peak %v", both.Window, both.Peak)
	}
}

// TestMergeSlices: without laps, each run has its own slices of time.
func TestMergeSlices(t *testing.T) {
	a := handmade.WithoutLaps(handmade.Laps(60, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}))
	b := handmade.WithoutLaps(handmade.Laps(60, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}))
	handmade.Apart(&a, &b)
	one := report.Summarise(a).Verdict
	all, err := Merge([]report.Named{{Name: "a", Run: a}, {Name: "b", Run: b}})
	if err != nil {
		t.Fatal(err)
	}
	if v := report.Summarise(all).Verdict; v.Blocks != 2*one.Blocks || v.Laps || v.Span != 2*one.Span {
		t.Errorf("%+v, one run has %d blocks over %v", v, one.Blocks, one.Span)
	}
}
