package sim

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// written are the steps that appear on the wire as one event each.
func written(events []Event) (wire []Event) {
	for _, e := range events {
		if e.Step != StepCut && e.Step != StepStatus && e.Step != StepWhole {
			wire = append(wire, e)
		}
	}
	return wire
}

// Whatever the plan, what a client sees is the schedule, to the nanosecond.
func TestClientSeesTheSchedule(t *testing.T) {
	for _, plan := range []string{
		"ttft=80ms,gap=10ms",
		"ttft=80ms,gap=10ms,jitter=30%,ttft_per_1k=1s",
		"ttft=80ms,gap=7ms,tokens_per_event=4,reasoning=3,usage=every",
		"ttft=1ms,gap=1ns,role=false,usage=zeros-first",
		"ttft=80ms,gap=10ms,cut=3",
		"ttft=80ms,gap=10ms,cut=0,role=false",
		"ttft=80ms,gap=10ms,cut=6",
		"ttft=80ms,gap=10ms,error=2",
		"ttft=80ms,gap=10ms,stall=2:90s",
		"ttft=80ms,gap=10ms,stall=6:2s,done=false",
		"ttft=80ms,gap=10ms,stall=3:2s,cut=3",
		"ttft=80ms,gap=10ms,buffer=true,jitter=10%",
		"ttft=80ms,gap=10ms,buffer=true,cut=2",
		"tail=50%:3s,gap=1ms",
	} {
		for _, d := range []weir.Dialect{weir.OpenAIChat, weir.Anthropic} {
			t.Run(plan+"/"+string(d), func(t *testing.T) {
				withRig(t, Config{Seed: 7}, func(t *testing.T, r *rig) {
					body, asked := ask(d, plan)
					for n := range 3 {
						want := r.sim.Schedule(plan, n, asked)
						start := time.Now()
						compare(t, start, want, r.post(t.Context(), d, body))
					}
				})
			})
		}
	}
}

func compare(t *testing.T, start time.Time, want []Event, got seen) {
	t.Helper()
	wire := written(want)
	if len(got.events) != len(wire) {
		t.Fatalf("%d events, want %d: %v, error %v", len(got.events), len(wire), got.events, got.err)
	}
	for i, e := range got.events {
		if e.at != wire[i].At {
			t.Errorf("event %d (%s) at %v, want %v", i, wire[i].Step, e.at, wire[i].At)
		}
		if e.data != "[DONE]" && e.ns(t) != start.Add(e.at).UnixNano() {
			t.Errorf("event %d: weir_ns is off by %d", i, e.ns(t)-start.Add(e.at).UnixNano())
		}
		text, _ := json.Marshal(wire[i].Text)
		if wire[i].Step.output() && !strings.Contains(e.data, string(text)) {
			t.Errorf("event %d: %s, want the text %s", i, e.data, text)
		}
	}
	last := want[len(want)-1]
	if cut := last.Step == StepCut; cut != (got.err != nil) || got.end != last.At {
		t.Errorf("ended with error %v at %v, want the end at %v, cut: %v", got.err, got.end, last.At, cut)
	}
}

func TestStatusAndFail(t *testing.T) {
	withRig(t, Config{}, func(t *testing.T, r *rig) {
		body, _ := ask(weir.OpenAIChat, "ttft=2s,status=429:1500ms")
		got := r.post(t.Context(), weir.OpenAIChat, body)
		if got.status != 429 || got.header.Get("Retry-After") != "2" || got.header.Get("Retry-After-Ms") != "1500" || got.end != 2*time.Second {
			t.Errorf("status %d, header %v at %v", got.status, got.header, got.end)
		}
		body, _ = ask(weir.Anthropic, "status=529")
		want := `{"type":"error","error":{"type":"overloaded_error","message":"simulated: this plan fails with status 529"}}`
		if got := r.post(t.Context(), weir.Anthropic, body); got.status != 529 || got.body != want {
			t.Errorf("status %d: %s", got.status, got.body)
		}
		body, _ = ask(weir.OpenAIChat, "fail=30%:503")
		failed := 0
		for range 200 {
			if r.post(t.Context(), weir.OpenAIChat, body).status == 503 {
				failed++
			}
		}
		if failed < 40 || failed > 80 {
			t.Errorf("%d of 200 failed, want about 60", failed)
		}
	})
}

// A client that leaves ends the handler at once, in whatever it waits for.
func TestCancelEndsAtOnce(t *testing.T) {
	for _, plan := range []string{"ttft=1h", "gap=1h", "stall=2:1h", "ttft=1h,buffer=true", "ttft=1h,status=500"} {
		t.Run(plan, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sim, err := New(Config{})
				if err != nil {
					t.Fatal(err)
				}
				body, _ := ask(weir.OpenAIChat, plan)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
				sim.ServeHTTP(discard{http.Header{}}, req)
				if d := time.Since(start); d != time.Second {
					t.Errorf("ended after %v, want 1s", d)
				}
			})
		})
	}
	withRig(t, Config{}, func(t *testing.T, r *rig) {
		body, _ := ask(weir.OpenAIChat, "gap=1h")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := r.post(ctx, weir.OpenAIChat, body); !errors.Is(got.err, context.DeadlineExceeded) || got.end != time.Second {
			t.Errorf("error %v at %v", got.err, got.end)
		}
	})
}

// discard is a response that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}
func (d discard) Flush()                      {}

func TestSameSeedSameAnswers(t *testing.T) {
	_, asked := ask(weir.OpenAIChat, "sim")
	all := func(seed uint64, model string) (events [][]Event) {
		s, err := New(Config{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 5 {
			events = append(events, s.Schedule(model, n, asked))
		}
		return events
	}
	first := all(1, "sim")
	if d := cmp.Diff(first, all(1, "sim")); d != "" {
		t.Errorf("the same seed differs: %s", d)
	}
	if cmp.Equal(first[0], first[1]) || cmp.Equal(first, all(2, "sim")) {
		t.Error("requests or seeds do not differ")
	}
	if all(1, "none") != nil && all(1, "none")[0] != nil {
		t.Error("a schedule for a model that there is not")
	}
}

func TestUsageForms(t *testing.T) {
	asks := map[string]string{
		"asked":      `"stream_options":{"include_usage":true},`,
		"continuous": `"stream_options":{"include_usage":true,"continuous_usage_stats":true},`,
		"not asked":  ``,
	}
	for _, c := range []struct{ form, ask, want string }{
		{"end", "asked", "open- text- text- finish- usage2 done-"},
		{"end", "continuous", "open0 text1 text2 finish2 usage2 done-"},
		{"end", "not asked", "open- text- text- finish- done-"},
		{"every", "asked", "open0 text1 text2 finish2 usage2 done-"},
		{"every", "not asked", "open0 text1 text2 finish2 done-"},
		{"finish", "asked", "open- text- text- finish2 done-"},
		{"none", "continuous", "open- text- text- finish- done-"},
		{"zeros-first", "not asked", "open0 text- text- finish- usage2 done-"},
	} {
		withRig(t, Config{}, func(t *testing.T, r *rig) {
			model := "usage=" + c.form
			body := `{"model":"` + model + `",` + asks[c.ask] + `"messages":[{"role":"user","content":"x"}],"max_completion_tokens":2,"stream":true}`
			asked, err := request.Decode(weir.OpenAIChat, []byte(body))
			if err != nil {
				t.Fatal(err)
			}
			plan := r.sim.Schedule(model, 0, asked)
			var got []string
			for i, e := range r.post(t.Context(), weir.OpenAIChat, body).events {
				var v struct {
					Usage *struct {
						Tokens json.Number `json:"completion_tokens"`
					}
				}
				json.Unmarshal([]byte(e.data), &v)
				count := "-"
				if v.Usage != nil {
					count = v.Usage.Tokens.String()
				}
				got = append(got, plan[i].Step.String()+count)
				if (v.Usage != nil) != (plan[i].Kind&weir.TickUsage != 0) {
					t.Errorf("%s, %s: kind %v, want usage: %v", c.form, c.ask, plan[i].Kind, v.Usage != nil)
				}
			}
			if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
				t.Errorf("%s, %s: %s", c.form, c.ask, d)
			}
		})
	}
}

func TestLength(t *testing.T) {
	for _, c := range []struct {
		plan  string
		asked request.Asked
		n     int
		why   request.FinishReason
	}{
		{"", request.Asked{}, 128, request.FinishStop},
		{"tokens=9", request.Asked{}, 9, request.FinishStop},
		{"tokens=9", request.Asked{MaxTokens: 20}, 20, request.FinishLength},
		{"eos=5", request.Asked{MaxTokens: 20}, 5, request.FinishStop},
		{"eos=5", request.Asked{MaxTokens: 20, IgnoreEOS: true}, 20, request.FinishLength},
		{"eos=50", request.Asked{MaxTokens: 20}, 20, request.FinishLength},
		{"", request.Asked{MaxTokens: 1e9}, maxTokens, request.FinishLength},
	} {
		p, err := ParsePlan(c.plan)
		if err != nil {
			t.Fatal(err)
		}
		if n, why := length(p, c.asked); n != c.n || why != c.why {
			t.Errorf("%q, %+v: %d %s, want %d %s", c.plan, c.asked, n, why, c.n, c.why)
		}
	}
}

func TestWholeAnswers(t *testing.T) {
	withRig(t, Config{Seed: 3}, func(t *testing.T, r *rig) {
		for _, c := range []struct {
			d            weir.Dialect
			plan, stream string
			n            int // of the request to that model
		}{
			{weir.OpenAIChat, "ttft=1s,gap=1s,reasoning=2", "false", 0},
			{weir.OpenAIChat, "ttft=1s,gap=1s,reasoning=2,json=true", "true", 0},
			{weir.Anthropic, "ttft=1s,gap=1s,reasoning=2", "false", 1},
		} {
			body := `{"model":"` + c.plan + `","messages":[{"role":"user","content":"x"}],"max_tokens":4,"stream":` + c.stream + `}`
			asked, err := request.Decode(c.d, []byte(body))
			if err != nil {
				t.Fatal(err)
			}
			want := r.sim.Schedule(c.plan, c.n, asked)
			got := r.post(t.Context(), c.d, body)
			if len(want) != 1 || want[0].Step != StepWhole || want[0].At != 4*time.Second || want[0].Tokens != 4 {
				t.Errorf("schedule %+v", want)
			}
			if got.end != 4*time.Second || got.header.Get("Content-Type") != "application/json" || !json.Valid([]byte(got.body)) || !strings.Contains(got.body, want[0].Text) {
				t.Errorf("at %v: %v %s", got.end, got.header, got.body)
			}
		}
		for plan, status := range map[string]int{"error=2": 500, "status=503": 503, "cut=2": 0} {
			body := `{"model":"` + plan + `","messages":[{"role":"user","content":"x"}]}`
			if got := r.post(t.Context(), weir.OpenAIChat, body); got.status != status || (got.err != nil) != (status == 0) {
				t.Errorf("%s: status %d, error %v", plan, got.status, got.err)
			}
		}
	})
}

func TestResetReachesTheHandler(t *testing.T) {
	withRig(t, Config{}, func(t *testing.T, r *rig) {
		body, _ := ask(weir.OpenAIChat, "gap=1s")
		done := make(chan seen, 1)
		go func() { done <- r.post(t.Context(), weir.OpenAIChat, body) }()
		time.Sleep(1500 * time.Millisecond)
		r.net.Abort()
		if got := <-done; !errors.Is(got.err, syscall.ECONNRESET) || got.end != 1500*time.Millisecond {
			t.Errorf("error %v at %v", got.err, got.end)
		}
	})
}

func TestTextIsOneWordPerToken(t *testing.T) {
	c := newCorpus()
	for _, i := range []uint64{0, 1, corpusTokens - 1, 1 << 63} {
		for _, n := range []int{1, 3, maxTokensPerEvent} {
			text := c.tokens(i, n)
			if len(strings.Fields(text)) != n || text[0] != ' ' || strings.Count(text, " ") != n {
				t.Errorf("token %d, %d of them: %q", i, n, text)
			}
		}
	}
	if !slices.IsSorted(c.at) {
		t.Error("not in order")
	}
}

func TestFewAllocationsPerEvent(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	perRequest := func(tokens string) float64 {
		body := `{"model":"usage=every","messages":[{"role":"user","content":"x"}],"stream":true,"max_tokens":` + tokens + `}`
		return testing.AllocsPerRun(20, func() {
			req, _ := http.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
			s.ServeHTTP(discard{http.Header{}}, req)
		})
	}
	if per := (perRequest("1100") - perRequest("100")) / 1000; per > 0.01 {
		t.Errorf("%v allocations per event, want 0", per)
	}
}

func BenchmarkEvent(b *testing.B) {
	s, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	const events = 1000
	body := `{"model":"jitter=10%","messages":[{"role":"user","content":"x"}],"stream":true,"max_tokens":1000}`
	b.ReportAllocs()
	for b.Loop() {
		req, _ := http.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
		s.ServeHTTP(discard{http.Header{}}, req)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}
