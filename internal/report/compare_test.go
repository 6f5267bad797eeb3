package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

// apart moves the second run an hour on and gives each request an id.
func apart(runs ...*Run) {
	for i, r := range runs {
		later := time.Duration(i) * time.Hour
		r.Started = r.Started.Add(later)
		for k := range r.Samples {
			s := &r.Samples[k]
			s.Due, s.ID = s.Due.Add(later), fmt.Sprintf("%d-%d", i, k)
		}
	}
}

func renamed(r Run, from, to string) Run {
	r.Settings.Targets = []weir.Target{{Name: to, URL: "https://" + to + ".example/v1", Model: "llama-3.3-70b"}}
	r.Notes = r.Notes[:1]
	var mine []weir.Sample
	for _, s := range r.Samples {
		if s.Target == from {
			s.Target = to
			mine = append(mine, s)
		}
	}
	r.Samples = mine
	return r
}

func TestCompareGolden(t *testing.T) {
	before := renamed(laps(30, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}), "north", "north")
	after := renamed(laps(30, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}), "a-longer-name", "north")
	after.Settings.Seed, after.Version, after.Lost = 43, "v0.0.1-test", []string{"the last line of traces.jsonl, which was cut while it was written"}
	apart(&before, &after)
	one := renamed(spread120(laps(120, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})), "north", "north")
	other := renamed(spread120(laps(120, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})), "a-longer-name", "south")
	apart(&one)
	for i := range other.Samples {
		other.Samples[i].ID = fmt.Sprintf("other-%d", i)
	}
	for name, runs := range map[string][]Named{
		"apart":    {{"before", before}, {"after", after}},
		"together": {{"one", one}, {"other", other}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Compare(runs)
			if err != nil {
				t.Fatal(err)
			}
			if (c.Verdict != nil) != (name == "together") {
				t.Errorf("verdict %+v", c.Verdict)
			}
			var b bytes.Buffer
			if err := Terminal(&b, c); err != nil {
				t.Fatal(err)
			}
			golden(t, "compare_"+name+".txt", b.Bytes())
			b.Reset()
			if err := Markdown(&b, c); err != nil {
				t.Fatal(err)
			}
			golden(t, "compare_"+name+".md", b.Bytes())
		})
	}
}

// spread120 sets a run's laps aside: two that run beside each other have laps of
// their own, and share nothing but the time.
func spread120(r Run) Run {
	for i := range r.Samples {
		r.Samples[i].Block = weir.None[int]()
	}
	return r
}

func TestCompareRefuses(t *testing.T) {
	run := func() Run {
		r := handMade()
		good(&r, "north", 3, 180*ms, 8*ms)
		return r
	}
	a, b := run(), run()
	if _, err := Compare([]Named{{"a", a}, {"b", b}}); !refused(err, "run_twice", "a and b hold the same request 01TEST") {
		t.Errorf("the same run under two names: %v", err)
	}
	apart(&a, &b)
	for want, change := range map[string]func(*Settings){
		"input_tokens 256 and 1000":               func(s *Settings) { s.InputTokens = 1000 },
		"load none and \"5 req/s\"":               func(s *Settings) { s.Load = "5 req/s" },
		"concurrency 2 and 3":                     func(s *Settings) { s.Concurrency, s.Stream = 3, false },
		"temperature 0 and null":                  func(s *Settings) { s.Temperature = weir.None[float64]() },
		"extra.top_p none and 0.9":                func(s *Settings) { s.Extra = map[string]json.RawMessage{"top_p": json.RawMessage("0.9")} },
		"workload_id 0123456789ab and other, in ": func(s *Settings) { s.Seed, s.Requests, s.Work.Salt = 1, 99, "pepper" },
	} {
		other := b
		other.Settings.WorkloadID = "other"
		change(&other.Settings)
		if _, err := Compare([]Named{{"a", a}, {"b", other}}); !refused(err, "workloads_differ", "a and b are of different workloads: "+want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func refused(err error, code, message string) bool {
	var e *weir.Error
	return errors.As(err, &e) && e.Code == code && strings.Contains(e.Message, message) && e.Hint != ""
}

func TestMerge(t *testing.T) {
	a := laps(10, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})
	b := laps(12, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})
	a.Notes[0], b.Notes[0] = TargetNote{Unsent: 1, QuotaLimits: []string{"rpm"}}, TargetNote{Unsent: 2, QuotaLimits: []string{"rpm", "tpm"}}
	a.StampErrorP99 = weir.Some(0.5)
	apart(&a, &b)
	all, err := Merge([]Named{{"b", b}, {"a", a}}) // whatever the order
	if err != nil {
		t.Fatal(err)
	}
	s := Summarise(all)
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
	if err := Terminal(&out, s); err != nil {
		t.Fatal(err)
	}
	golden(t, "merge.txt", out.Bytes())

	later := b
	for want, change := range map[string]func(r *Run){
		"overlap in time":      func(r *Run) { r.Started = a.Started.Add(30 * time.Second) },
		"have 2 and 1 targets": func(r *Run) { r.Settings.Targets = r.Settings.Targets[:1] },
		"differs in its model: llama": func(r *Run) {
			r.Settings.Targets = []weir.Target{r.Settings.Targets[0], r.Settings.Targets[1]}
			r.Settings.Targets[1].Model = "gpt"
		},
		"target 1 of a and b differs in its price: none and": func(r *Run) {
			r.Settings.Targets = []weir.Target{r.Settings.Targets[0], r.Settings.Targets[1]}
			r.Settings.Targets[0].Price = &weir.Price{}
		},
	} {
		b := later
		change(&b)
		if _, err := Merge([]Named{{"a", a}, {"b", b}}); !refused(err, "runs_differ", want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestMergeSteady: the hour between two runs is in no rate.
func TestMergeSteady(t *testing.T) {
	point := func(n int) Run {
		r := atConcurrency(0, 4, n)
		r.Settings.Targets, r.Notes = r.Settings.Targets[:1], r.Notes[:1]
		busy(&r, "north", 4, n, 180*ms, 8*ms)
		return r
	}
	a, b := point(64), point(64)
	alone := Summarise(a).Targets[0].Steady
	apart(&a, &b)
	all, err := Merge([]Named{{"a", a}, {"b", b}})
	if err != nil {
		t.Fatal(err)
	}
	both := Summarise(all).Targets[0].Steady
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
	a := spread120(laps(60, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}))
	b := spread120(laps(60, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}))
	apart(&a, &b)
	one := Summarise(a).Verdict
	all, err := Merge([]Named{{"a", a}, {"b", b}})
	if err != nil {
		t.Fatal(err)
	}
	if v := Summarise(all).Verdict; v.Blocks != 2*one.Blocks || v.Laps || v.Span != 2*one.Span {
		t.Errorf("%+v, one run has %d blocks over %v", v, one.Blocks, one.Span)
	}
}
