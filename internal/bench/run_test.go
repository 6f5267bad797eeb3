package bench

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/meter"
)

const ms = time.Millisecond

func TestRequestsAreCounted(t *testing.T) {
	for _, c := range []struct{ slots, requests, warmup int }{
		{1, 10, 1}, {1, 1, 0}, {4, 10, 1}, {4, 3, 0}, {4, 3, 6}, {16, 10, 2}, {3, 30, 3},
	} {
		bubble(t, answers{stream(20*ms, ms), stream(50*ms, 3*ms)}, func(t *testing.T, cfg Config, es []*endpoint) {
			cfg.Concurrency, cfg.Requests, cfg.Warmup = c.slots, c.requests, c.warmup
			flying, events := 0, 0
			cfg.OnEvent = func(e Event) {
				events++
				if e.Started {
					flying++
				} else {
					flying--
				}
			}
			traces := 0
			cfg.OnTrace = func(tr *weir.Trace) { traces++; tr.Release() }
			cfg.Targets = cfg.Targets[:1]
			res := mustRun(t, cfg)
			all := c.requests + c.warmup
			if n := es[0].count(); n != all || len(res.Samples) != all || traces != all || events != 2*all || flying != 0 {
				t.Errorf("%+v: %d requests, %d samples, %d traces, %d events, %d left", c, n, len(res.Samples), traces, events, flying)
			}
			if n := count(res, "host-a", false, weir.OK); n != c.requests {
				t.Errorf("%+v: %d measured", c, n)
			}
			if es[0].most() > c.slots {
				t.Errorf("%+v: %d at once", c, es[0].most())
			}
			if c.requests >= c.slots && es[0].most() != c.slots {
				t.Errorf("%+v: never more than %d at once", c, es[0].most())
			}
			if r := res.Targets[0]; r.Unsent != 0 || r.GaveUp || res.Interrupted || len(r.Learned) != 0 {
				t.Errorf("%+v: %+v", c, r)
			}
			if es[1].count() != 0 {
				t.Error("an endpoint was asked that is no target")
			}
		})
	}
}

// TestTargetsSideBySide: each has its own slots and its own pace.
func TestTargetsSideBySide(t *testing.T) {
	bubble(t, answers{stream(10*ms, 0), stream(100*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Concurrency, c.Warmup = 2, 0
		res := mustRun(t, c)
		if es[0].count() != 10 || es[1].count() != 10 || es[0].most() != 2 || es[1].most() != 2 {
			t.Errorf("%d and %d requests, %d and %d at once", es[0].count(), es[1].count(), es[0].most(), es[1].most())
		}
		if res.Duration != 5*100*ms {
			t.Errorf("took %v", res.Duration)
		}
	})
}

// TestTimes: in virtual time the figures are the plan, and nothing is late.
func TestTimes(t *testing.T) {
	bubble(t, answers{stream(250*ms, 40*ms)}, func(t *testing.T, c Config, _ []*endpoint) {
		c.Concurrency = 3
		res := mustRun(t, c)
		for _, s := range res.Samples {
			if s.TTFT != weir.SpanOf(250*ms) || s.TPOT != weir.SpanOf(40*ms) || s.E2E != weir.SpanOf(330*ms) || s.Lateness != 0 {
				t.Errorf("ttft %v, tpot %v, e2e %v, lateness %v", s.TTFT, s.TPOT, s.E2E, s.Lateness)
			}
			if s.Kind != weir.Bench || s.Model != "m" || s.WorkloadID != c.ID() {
				t.Errorf("%+v", s)
			}
		}
	})
}

// TestDueIsWhenTheSlotWasFree: in a closed loop a request is due at the moment
// the one before has ended.
func TestDueIsWhenTheSlotWasFree(t *testing.T) {
	bubble(t, answers{stream(100*ms, 10*ms)}, func(t *testing.T, c Config, _ []*endpoint) {
		c.Warmup = 0
		start := time.Now()
		res := mustRun(t, c)
		for i, s := range res.Samples {
			if want := start.Add(time.Duration(i) * 120 * ms); !s.Due.Equal(want) {
				t.Errorf("request %d is due at %v, want %v", i, s.Due.Sub(start), want.Sub(start))
			}
		}
	})
}

// TestLearnsFromARefusal: an endpoint that wants the limit under its new name
// says so; that is warm-up, and the figures have all requests.
func TestLearnsFromARefusal(t *testing.T) {
	for _, c := range []struct{ slots, warmup int }{{1, 1}, {4, 4}, {1, 0}, {4, 0}} {
		picky := func(w http.ResponseWriter, n int, body map[string]any) {
			if _, old := body["max_tokens"]; old {
				time.Sleep(5 * ms)
				refuse(w, 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}`)
				return
			}
			if body["max_completion_tokens"] != 3.0 {
				refuse(w, 400, `{"error":{"message":"no limit"}}`)
				return
			}
			stream(20*ms, ms)(w, n, body)
		}
		bubble(t, answers{picky}, func(t *testing.T, cfg Config, es []*endpoint) {
			cfg.Concurrency, cfg.Warmup = c.slots, c.warmup
			res := mustRun(t, cfg)
			refused := count(res, "host-a", true, weir.BadRequest)
			if refused < 1 || (c.warmup >= c.slots && refused > c.slots) || es[0].count() != 10+c.warmup+refused {
				t.Errorf("%+v: %d refusals in %d requests", c, refused, es[0].count())
			}
			good := measured(res, "host-a")
			if len(good) != 10 {
				t.Errorf("%+v: %d measured", c, len(good))
			}
			for _, s := range good {
				if s.Outcome != weir.OK || s.TTFT != weir.SpanOf(20*ms) {
					t.Errorf("%+v: %s, ttft %v", c, s.Outcome, s.TTFT)
				}
			}
			if r := res.Targets[0]; r.Unsent != 0 || r.GaveUp || len(r.Learned) != 0 {
				t.Errorf("%+v: %+v", c, r)
			}
		})
	}
}

// TestSaysWhatWasLeftOut: what an endpoint does not take is no longer asked,
// and that is told.
func TestSaysWhatWasLeftOut(t *testing.T) {
	picky := func(w http.ResponseWriter, n int, body map[string]any) {
		if _, has := body["temperature"]; has {
			refuse(w, 400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","param":"temperature"}}`)
			return
		}
		stream(ms, ms)(w, n, body)
	}
	bubble(t, answers{picky}, func(t *testing.T, c Config, _ []*endpoint) {
		res := mustRun(t, c)
		if l := res.Targets[0].Learned; len(l) != 1 || l[0] != "temperature" || count(res, "host-a", false, weir.OK) != 10 {
			t.Errorf("learned %v", l)
		}
	})
}

// TestGivingUp: what the next request cannot mend ends a target that has never
// answered, at once where it is plain, else at the second time.
func TestGivingUp(t *testing.T) {
	status := func(code int, text string) func(http.ResponseWriter, int, map[string]any) {
		return func(w http.ResponseWriter, _ int, _ map[string]any) { refuse(w, code, text) }
	}
	for _, c := range []struct {
		name    string
		answer  func(http.ResponseWriter, int, map[string]any)
		outcome weir.Outcome
		asked   int // of 11
	}{
		{"401", status(401, `{"error":{"message":"no key"}}`), weir.Auth, 1},
		{"403", status(403, `{"error":{"message":"no"}}`), weir.Auth, 1},
		{"404", status(404, "404 page not found"), weir.BadRequest, 1},
		{"400 without a lesson", status(400, `{"error":{"message":"the moon is full"}}`), weir.BadRequest, 1},
		{"400 that is no JSON", status(400, "<html>"), weir.BadRequest, 1},
		{"400 without a body", status(400, ""), weir.BadRequest, 1},
		{"HTML", status(200, "<!doctype html><html></html>"), weir.Malformed, 2},
		{"nothing", status(200, ""), weir.EmptyResponse, 2},
		{"silence", func(_ http.ResponseWriter, _ int, _ map[string]any) { time.Sleep(time.Hour) }, weir.TimeoutFirstOutput, 2},
		{"503", status(503, "try later"), weir.UpstreamError, 11},
		{"429", status(429, "slow down"), weir.RateLimited, 11},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, answers{c.answer, stream(ms, ms)}, func(t *testing.T, cfg Config, es []*endpoint) {
				res := mustRun(t, cfg)
				if n := es[0].count(); n != c.asked {
					t.Errorf("%d requests, want %d", n, c.asked)
				}
				r := res.Targets[0]
				if gaveUp := c.asked < 11; r.GaveUp != gaveUp || r.Unsent != min(11-c.asked, 10) {
					t.Errorf("%+v", r)
				}
				if n := count(res, "host-a", false, c.outcome) + count(res, "host-a", true, c.outcome); n != c.asked {
					t.Errorf("%d times %s", n, c.outcome)
				}
				if es[1].count() != 11 || count(res, "host-b", false, weir.OK) != 10 {
					t.Errorf("the other target has %d requests", es[1].count())
				}
				time.Sleep(2 * time.Hour) // let silence end
			})
		})
	}
}

// TestOneAnswerIsEnough: a target that has answered once is asked to the end.
func TestOneAnswerIsEnough(t *testing.T) {
	bubble(t, answers{func(w http.ResponseWriter, n int, body map[string]any) {
		if n == 0 {
			stream(ms, ms)(w, n, body)
			return
		}
		refuse(w, 401, "the key has just ended")
	}}, func(t *testing.T, c Config, es []*endpoint) {
		res := mustRun(t, c)
		if es[0].count() != 11 || count(res, "host-a", false, weir.Auth) != 10 || res.Targets[0].GaveUp {
			t.Errorf("%d requests, %+v", es[0].count(), res.Targets[0])
		}
	})
}

func TestNobodyListens(t *testing.T) {
	c := Config{
		Targets:     []weir.Target{{Name: "a", URL: "http://127.0.0.1:1/v1", Dialect: weir.OpenAIChat, Model: "m"}},
		Concurrency: 8, Requests: 1000, Work: Work{Plan: tokens(8, 8)}, Limits: DefaultLimits(), Base: meter.NewTransport(meter.Options{}),
	}
	res := mustRun(t, c)
	if r := res.Targets[0]; !r.GaveUp || len(res.Samples) > 8 || len(res.Samples)+r.Unsent != 1000 || res.Samples[0].Outcome != weir.ConnectError || res.Samples[0].ErrorType != "refused" {
		t.Errorf("%+v, %d samples", r, len(res.Samples))
	}
}

// TestInterrupted: the calls under way are cancelled at once, and what was
// measured is there.
func TestInterrupted(t *testing.T) {
	bubble(t, answers{stream(100*ms, 10*ms)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Concurrency, c.Requests, c.Warmup = 3, 100, 0
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		time.AfterFunc(300*ms, stop) // two rounds of 120 ms, and half of the third
		start := time.Now()
		res, err := Run(ctx, c)
		if err != nil || !res.Interrupted || time.Since(start) != 300*ms {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if ok, canceled := count(res, "host-a", false, weir.OK), count(res, "host-a", false, weir.Canceled); ok != 6 || canceled != 3 {
			t.Errorf("%d ok, %d canceled", ok, canceled)
		}
		if r := res.Targets[0]; r.Unsent != 91 || r.GaveUp || es[0].count() != 9 {
			t.Errorf("%+v after %d requests", r, es[0].count())
		}
		synctest.Wait()
	})
}

func TestRefusesWhatCannotBeRun(t *testing.T) {
	good := Config{Targets: make([]weir.Target, 1), Concurrency: 1, Requests: 1, Work: Work{Plan: tokens(1, 1)}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		"no target":         func(c *Config) { c.Targets = nil },
		"concurrency 0":     func(c *Config) { c.Concurrency = 0 },
		"concurrency 10001": func(c *Config) { c.Concurrency = 10_001 },
		"0 requests":        func(c *Config) { c.Requests = 0 },
		"warm-up -1":        func(c *Config) { c.Warmup = -1 },
		"length 0":          func(c *Config) { c.Work.Plan = tokens(0, 1) },
		"length 10000001":   func(c *Config) { c.Work.Plan = tokens(10_000_001, 1) },
		"length -1":         func(c *Config) { c.Work.Plan = tokens(1, -1) },
		"length -5":         func(c *Config) { c.Work.Plan = tokens(-5, 1) },
	} {
		c := good
		change(&c)
		_, err := Run(t.Context(), c)
		var e *weir.Error
		if !errors.As(err, &e) || e.Hint == "" || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
