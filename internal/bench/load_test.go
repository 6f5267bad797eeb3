package bench

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

// TestRamp: the slots of a closed loop start one after the other, and nothing
// is late.
func TestRamp(t *testing.T) {
	bubble(t, answers{stream(100*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Concurrency, c.Requests, c.Warmup, c.Load.Ramp = 4, 12, 0, 40*ms
		res := mustRun(t, c)
		want := []time.Duration{0, 10 * ms, 20 * ms, 30 * ms, 100 * ms, 110 * ms, 120 * ms, 130 * ms, 200 * ms, 210 * ms, 220 * ms, 230 * ms}
		if got := offsets(res, 0, "host-a"); !slices.Equal(got, want) {
			t.Errorf("due at %v", got)
		}
		for _, s := range res.Samples {
			if s.Lateness != 0 {
				t.Errorf("late by %v", s.Lateness.Duration())
			}
		}
	})
	bubble(t, answers{stream(5*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Concurrency, c.Requests, c.Warmup, c.Load.Ramp = 4, 6, 0, time.Hour // over before the ramp is
		if res := mustRun(t, c); res.Duration != 30*ms || count(res, "host-a", false, weir.OK) != 6 || res.Targets[0].Unsent != 0 {
			t.Errorf("%+v", res.Targets[0])
		}
	})
}

func TestThink(t *testing.T) {
	bubble(t, answers{stream(100*ms, 0)}, func(t *testing.T, c Config, _ []*endpoint) {
		c.Requests, c.Warmup, c.Load.Think = 3, 1, 400*ms
		res := mustRun(t, c)
		if got := offsets(res, 0, "host-a"); !slices.Equal(got, []time.Duration{0, 500 * ms, time.Second}) || res.Duration != 1200*ms {
			t.Errorf("due at %v, took %v", got, res.Duration)
		}
	})
}

// TestDuration: no request starts after it; what is under way ends, or is cut
// when the grace is over, and both are said.
func TestDuration(t *testing.T) {
	for _, c := range []struct {
		requests int
		grace    time.Duration
		ok, cut  int
		took     time.Duration
	}{
		{0, 0, 9, 0, 1200 * ms}, // 3 slots, 3 rounds of 400 ms
		{0, 50 * ms, 6, 3, 1050 * ms},
		{0, 200*ms + 1, 9, 0, 1200 * ms},
		{5, 0, 5, 0, 800 * ms}, // whichever is first
		{100, 0, 9, 0, 1200 * ms},
	} {
		bubble(t, answers{stream(400*ms, 0)}, func(t *testing.T, cfg Config, es []*endpoint) {
			cfg.Concurrency, cfg.Requests, cfg.Warmup = 3, c.requests, 0
			cfg.Load.Duration, cfg.Load.Grace = time.Second, c.grace
			res := mustRun(t, cfg)
			r := res.Targets[0]
			if ok, cut := count(res, "host-a", false, weir.OK), count(res, "host-a", false, weir.Abandoned); ok != c.ok || cut != c.cut || r.Cut != c.cut || res.Duration != c.took {
				t.Errorf("%+v: %d ok, %d cut, %+v, took %v", c, ok, cut, r, res.Duration)
			}
			if r.Planned != c.ok+c.cut || r.Unsent != 0 || r.Missed != 0 || r.Asked.Known() {
				t.Errorf("%+v: %+v", c, r)
			}
		})
	}
}

// TestSpend: when the budget is spent nothing more starts, and what is under
// way ends.
func TestSpend(t *testing.T) {
	for _, open := range []bool{false, true} {
		bubble(t, answers{stream(95*ms, 0), stream(95*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
			c.Concurrency, c.Requests, c.Warmup = 2, 100, 2
			if open {
				c.Load.Shape = Constant(20)
			}
			paid := 0
			c.Spend = func(s weir.Sample) bool {
				paid++
				return paid >= 14
			}
			res := mustRun(t, c)
			if !res.BudgetReached || res.Interrupted || paid != len(res.Samples) || paid < 14 || paid > 20 || es[0].count()+es[1].count() != paid {
				t.Errorf("open %v: %d paid, reached %v, %d samples", open, paid, res.BudgetReached, len(res.Samples))
			}
			for i, r := range res.Targets {
				if r.Planned != 100 || r.Unsent != 100-(es[i].count()-2) || r.Missed != 0 || r.GaveUp {
					t.Errorf("open %v: %+v", open, r)
				}
			}
			for _, s := range res.Samples {
				if s.Outcome != weir.OK {
					t.Errorf("open %v: %s", open, s.Outcome)
				}
			}
		})
	}
	bubble(t, answers{stream(50*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Spend = func(weir.Sample) bool { return true } // the warm-up was too dear
		if res := mustRun(t, c); !res.BudgetReached || es[0].count() > 2 {
			t.Errorf("%+v after %d requests", res.Targets, es[0].count())
		}
	})
}

// TestItems: each request asks for its own lengths.
func TestItems(t *testing.T) {
	bubble(t, answers{stream(ms, ms)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Items = []Item{{InputTokens: 30, OutputTokens: 5}, {InputTokens: 200}}
		c.Requests, c.Warmup = 5, 0
		mustRun(t, c)
		for i, body := range es[0].asked {
			want, words := []float64{5, 3}[i%2], []int{30, 200}[i%2]-20
			if n := len(strings.Fields(es[0].prompts()[i])); body["max_tokens"] != want || n < words || n > words+10 {
				t.Errorf("request %d: %v tokens, %d words", i, body["max_tokens"], n)
			}
		}
	})
}

// TestSweep: the same work at each point on the same connections, warmed up
// once, what an endpoint taught kept, prompts never twice.
func TestSweep(t *testing.T) {
	picky := func(w http.ResponseWriter, n int, body map[string]any) {
		if _, old := body["max_tokens"]; old {
			refuse(w, 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}`)
			return
		}
		stream(20*ms, ms)(w, n, body)
	}
	bubble(t, answers{picky}, func(t *testing.T, c Config, es []*endpoint) {
		c.Requests, c.Warmup = 8, 8
		var began []int
		traces := make([]int, 3)
		results, err := Sweep(t.Context(), c, []Point{{Concurrency: 1}, {Concurrency: 4}, {Concurrency: 8}}, func(i int, c *Config) func(*Result) {
			began = append(began, c.Concurrency)
			c.OnTrace = func(tr *weir.Trace) { traces[i]++; tr.Release() }
			return func(*Result) { began = append(began, -c.Concurrency) }
		})
		if err != nil || len(results) != 3 || !slices.Equal(began, []int{1, -1, 4, -4, 8, -8}) || !slices.Equal(traces, []int{traces[0], 8, 8}) {
			t.Fatalf("%v, %d results, %v, %v", err, len(results), began, traces)
		}
		ids := map[string]bool{}
		for i, res := range results {
			if want := []string{"concurrency=1", "concurrency=4", "concurrency=8"}[i]; res.Label != want || count(res, "host-a", false, weir.OK) != 8 {
				t.Errorf("%s: %+v", res.Label, res.Targets)
			}
			for _, s := range res.Samples {
				ids[s.WorkloadID] = true
				if !s.Warmup && !s.ConnReused.Or(false) {
					t.Errorf("%s: a new connection", res.Label)
				}
			}
		}
		if len(ids) != 3 || es[0].most() != 8 {
			t.Errorf("%d workloads, %d at once", len(ids), es[0].most())
		}
		var prompts []string // those that were refused were asked again
		for i, body := range es[0].asked {
			if _, old := body["max_tokens"]; !old {
				prompts = append(prompts, es[0].prompts()[i])
			}
		}
		slices.Sort(prompts)
		if n := len(slices.Compact(prompts)); n != 32 {
			t.Errorf("%d prompts in 32 requests", n)
		}
	})
	bubble(t, answers{stream(20*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Load.Shape, c.Concurrency, c.Requests = Poisson(1), 0, 50
		results, err := Sweep(t.Context(), c, []Point{{Rate: 5}, {Rate: 50}}, nil)
		if err != nil || len(results) != 2 || results[1].Label != "rate=50" || results[1].Targets[0].Asked.Or(0) != 50 {
			t.Fatal(results, err)
		}
		paid := 0
		c.Spend = func(weir.Sample) bool { paid++; return paid > 60 }
		if results, _ = Sweep(t.Context(), c, []Point{{Rate: 5}, {Rate: 50}, {Rate: 60}}, nil); len(results) != 2 || !results[1].BudgetReached {
			t.Errorf("%d results", len(results))
		}
		c.Spend = nil
		if results, _ = Sweep(t.Context(), c, []Point{{Rate: 5, Requests: 9}, {Rate: 6}}, nil); len(results[0].Samples) != 10 || len(results[1].Samples) != 50 {
			t.Errorf("%d and %d samples", len(results[0].Samples), len(results[1].Samples))
		}
		for _, points := range [][]Point{nil, {{Concurrency: -1}}, {{Rate: -1}}} {
			if _, err := Sweep(t.Context(), c, points, nil); err == nil {
				t.Errorf("%v was taken", points)
			}
		}
		c.Load.Shape = nil
		if _, err := Sweep(t.Context(), c, []Point{{Rate: 5}}, nil); err == nil {
			t.Error("a rate without an open loop was taken")
		}
	})
}

// TestSweepEndsEarly: what was measured before stays, and everybody who waits
// for a point's end hears of it.
func TestSweepEndsEarly(t *testing.T) {
	points := []Point{{Concurrency: 1}, {Concurrency: 2}, {Concurrency: 4}}
	var stop context.CancelFunc
	bubble(t, answers{func(w http.ResponseWriter, n int, body map[string]any) {
		if n == 14 { // the fourth of the second point
			stop()
			time.Sleep(100 * ms)
		}
		stream(20*ms, ms)(w, n, body)
	}}, func(t *testing.T, c Config, es []*endpoint) {
		var ctx context.Context
		ctx, stop = context.WithCancel(t.Context())
		var ended []bool
		results, err := Sweep(ctx, c, points, func(int, *Config) func(*Result) {
			return func(r *Result) { ended = append(ended, r.Interrupted) }
		})
		if err != nil || !slices.Equal(ended, []bool{false, true}) || len(results) != 2 {
			t.Fatal(results, ended, err)
		}
		if whole, part := count(results[0], "host-a", false, weir.OK), count(results[1], "host-a", false, weir.OK); whole != 10 || part < 2 || part > 3 {
			t.Errorf("%d and %d answers", whole, part)
		}
	})
	bubble(t, answers{func(w http.ResponseWriter, _ int, _ map[string]any) { refuse(w, 401, "{}") }}, func(t *testing.T, c Config, es []*endpoint) {
		results, err := Sweep(t.Context(), c, points, nil)
		if err != nil || len(results) != 1 || !results[0].Targets[0].GaveUp || es[0].count() != 1 {
			t.Error(results, es[0].count(), err)
		}
	})
}

func TestLoadID(t *testing.T) {
	if id := (&Config{Concurrency: 4, Requests: 9, Load: Load{Duration: time.Minute, Grace: 1}}).LoadID(); id != "" {
		t.Errorf("%q for a plain closed loop", id)
	}
	seen := map[string]bool{"": true}
	for _, c := range []Config{
		{Load: Load{Shape: Poisson(5)}},
		{Load: Load{Shape: Poisson(6)}},
		{Load: Load{Shape: Constant(5)}},
		{Load: Load{Ramp: 1}},
		{Load: Load{Think: 1}},
		{Items: []Item{{0, 1, 2}}},
		{Items: []Item{{0, 1, 3}}},
		{Load: Load{Shape: Replay([]Item{{At: 5}})}},
		{Load: Load{Shape: Replay([]Item{{At: 6}})}},
	} {
		if id := c.LoadID(); seen[id] {
			t.Errorf("%q is not its own", id)
		} else {
			seen[id] = true
		}
	}
}

func TestBadLoads(t *testing.T) {
	good := Config{Targets: make([]weir.Target, 1), Concurrency: 1, Requests: 1, Work: Work{Plan: tokens(1, 1)}}
	for name, change := range map[string]func(*Config){
		"give a duration":       func(c *Config) { c.Requests = 0 },
		"at most 10000000":      func(c *Config) { c.Requests = 1e9 },
		"negative duration":     func(c *Config) { c.Load.Duration = -1 },
		"a duration of 100000h": func(c *Config) { c.Load.Think = 100_000 * time.Hour },
		"shorter":               func(c *Config) { c.Load.Duration, c.Load.Ramp = time.Second, time.Second },
		"a grace without":       func(c *Config) { c.Load.Grace = time.Second },
		"they are for slots":    func(c *Config) { c.Load.Shape, c.Load.Think = Poisson(1), 1 },
		"without a rate":        func(c *Config) { c.Load.Shape = &Shape{} },
		"burstiness":            func(c *Config) { c.Load.Shape = Gamma(1, -2) },
		"about 60000000":        func(c *Config) { c.Load.Shape, c.Requests, c.Load.Duration = Poisson(1e5), 0, 10*time.Minute },
		"concurrency -1":        func(c *Config) { c.Load.Shape, c.Concurrency = Poisson(1), -1 },
		"in request 2":          func(c *Config) { c.Items = []Item{{}, {InputTokens: -4}} },
		"10000001 input":        func(c *Config) { c.Items = []Item{{InputTokens: 10_000_001}} },
	} {
		c := good
		change(&c)
		_, err := Run(t.Context(), c)
		var e *weir.Error
		if !errors.As(err, &e) || e.Hint == "" || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, change := range []func(*Config){
		func(c *Config) {
			c.Load.Shape, c.Concurrency, c.Requests, c.Load.Duration = Poisson(5), 0, 0, time.Minute
		},
		func(c *Config) { c.Load.Shape, c.Concurrency, c.Requests = Replay([]Item{{}}), 0, 0 },
		func(c *Config) { c.Requests, c.Load.Duration = 0, time.Minute },
		func(c *Config) { c.Work = Work{}; c.Items = []Item{{0, 1, 1}} },
	} {
		c := good
		if change(&c); c.Check() != nil {
			t.Error(c.Check())
		}
	}
}
