package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim/cast"
	"weir.dev/weir/internal/sim/provider"
	"weir.dev/weir/internal/weirtest"
	"weir.dev/weir/meter"
)

// personality is a provider of the presets' file, in a few lines of YAML.
func personality(t *testing.T, yaml string) cast.Personality {
	t.Helper()
	all, err := cast.Parse("test.yaml", []byte("providers:\n  p: {"+yaml+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// stage is a simulated provider behind real HTTP in a bubble of virtual time,
// with the project's own meter in front.
type stage struct {
	*testing.T
	client *http.Client
	traces chan *weir.Trace // holds 64, more than any test makes at once
	start  time.Time
	speed  float64
}

func onStage(t *testing.T, yaml string, speed float64, f func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		sim, err := New(Config{Seed: 7, Speed: speed, Providers: []cast.Personality{personality(t, yaml)}})
		if err != nil {
			t.Fatal(err)
		}
		n := weirtest.NewNetwork()
		server := &http.Server{Handler: sim}
		served := make(chan error, 1)
		go func() { served <- server.Serve(n.Listen()) }()
		base := &http.Transport{DialContext: n.Dial, DisableCompression: true}
		s := &stage{T: t, traces: make(chan *weir.Trace, 64), start: start, speed: speed}
		s.client = &http.Client{Transport: &meter.Transport{Base: base, Sink: func(t *weir.Trace) { s.traces <- t }}}
		f(s)
		base.CloseIdleConnections()
		server.Close()
		<-served
		sim.Close()
		time.Sleep(time.Second) // net/http lingers for 500 ms after refusing a body
		synctest.Wait()
	})
}

// asking is a request of so many prompt tokens.
type asking struct {
	dialect weir.Dialect
	prompt  string
	tokens  int
	whole   bool // not streamed
	marked  bool
}

func (a asking) encode(t *testing.T) *request.Encoded {
	t.Helper()
	spec := request.Spec{Model: "llama-3.3-70b", MaxTokens: a.tokens, Stream: !a.whole, Messages: []request.Message{{Role: "user", Text: a.prompt, CacheAll: a.marked}}}
	e, err := request.Encode("http://sim/p", a.dialect, spec, nil)
	if err == nil && a.dialect != weir.Gemini && a.dialect != weir.Anthropic {
		e, err = request.Encode("http://sim/p/v1", a.dialect, spec, nil)
	} else if err == nil && a.dialect == weir.Gemini {
		e, err = request.Encode("http://sim/p/v1beta", a.dialect, spec, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// reply is what a client gets.
type reply struct {
	trace  *weir.Trace
	status int
	header http.Header
	truth  provider.Truth
	body   string
}

func (s *stage) ask(ctx context.Context, a asking) (got reply) {
	e := a.encode(s.T)
	ctx = meter.WithCall(ctx, meter.Call{Dialect: a.dialect})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(e.Body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header = e.Header
	resp, err := s.client.Do(req)
	if err != nil {
		return reply{trace: <-s.traces}
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	truth := resp.Trailer.Get(truthHeader) + resp.Header.Get(truthHeader)
	if truth != "" {
		if err := json.Unmarshal([]byte(truth), &got.truth); err != nil {
			s.Errorf("truth %s: %v", truth, err)
		}
	}
	got.trace, got.status, got.header, got.body = <-s.traces, resp.StatusCode, resp.Header, string(body)
	return got
}

// steps is when an engine of its own says that the tokens of requests come.
func steps(t *testing.T, p cast.Personality, requests ...engine.Request) [][]time.Duration {
	t.Helper()
	d, err := p.Deployment()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		if _, err := e.Submit(r); err != nil {
			t.Fatal(err)
		}
	}
	times := make([][]time.Duration, len(requests))
	for now, ok := time.Duration(0), true; ok; {
		var events []engine.Event
		events, now, ok = e.Step(now)
		for _, ev := range events {
			if ev.Kind == engine.Token {
				times[ev.Request] = append(times[ev.Request], ev.At)
			}
		}
	}
	return times
}

// outputs are the times of the events with output, after the start.
func (s *stage) outputs(t *weir.Trace) (at []time.Duration) {
	for _, k := range t.Ticks {
		if k.Kind.Output() {
			at = append(at, t.Sent.Add(k.At).Sub(s.start))
		}
	}
	return at
}

var allDialects = []weir.Dialect{weir.OpenAIChat, weir.OpenAICompletions, weir.OpenAIResponses, weir.Anthropic, weir.Gemini}

// What the project's meter reads off the wire is what the engine said, to the
// nanosecond, whatever the dialect and however many share the batch.
func TestMeterSeesTheEngine(t *testing.T) {
	for _, d := range allDialects {
		t.Run(string(d), func(t *testing.T) {
			const yaml = `network: {rtt: 20ms}, cache: {policy: "off"}`
			want := steps(t, personality(t, yaml),
				engine.Request{Arrival: 10 * time.Millisecond, Prompt: 1000, Output: 30},
				engine.Request{Arrival: 10*time.Millisecond + 100*time.Millisecond, Prompt: 3000, Output: 20})
			onStage(t, yaml, 1, func(s *stage) {
				replies := make(chan reply)
				go func() {
					replies <- s.ask(s.Context(), asking{dialect: d, prompt: strings.Repeat("a", 4000), tokens: 30})
				}()
				time.Sleep(100 * time.Millisecond)
				second := s.ask(s.Context(), asking{dialect: d, prompt: strings.Repeat("b", 12000), tokens: 20})
				first := <-replies
				if first.trace.Usage.Completion.Or(0) != 30 { // the traces changed hands
					first, second = second, first
				}
				for i, r := range []reply{first, second} {
					for k := range want[i] {
						want[i][k] += 10 * time.Millisecond
					}
					if diff := cmp.Diff(want[i], s.outputs(r.trace)); diff != "" {
						t.Errorf("request %d: %s", i, diff)
					}
					if r.trace.Outcome != weir.OK || r.trace.Finish == "" || len(r.trace.Warnings) > 0 {
						t.Errorf("request %d: %s %q %v", i, r.trace.Outcome, r.trace.Finish, r.trace.Warnings)
					}
				}
			})
		})
	}
}

func TestSpeedDividesAllTimes(t *testing.T) {
	const yaml = `network: {rtt: 20ms}, cache: {policy: "off"}`
	want := steps(t, personality(t, yaml), engine.Request{Arrival: 10 * time.Millisecond, Prompt: 1000, Output: 10})[0]
	onStage(t, yaml, 10, func(s *stage) {
		got := s.outputs(s.ask(s.Context(), asking{dialect: weir.OpenAIChat, prompt: strings.Repeat("a", 4000), tokens: 10}).trace)
		for i, at := range got {
			if due := (want[i] + 10*time.Millisecond + 9) / 10; at != due {
				t.Errorf("token %d at %v, want %v", i, at, due)
			}
		}
		if len(got) != 10 {
			t.Errorf("%d tokens", len(got))
		}
	})
}

// Usage, cached and reasoning tokens too, in all dialects, streamed and not,
// with the ground truth beside it.
func TestUsageAndTruth(t *testing.T) {
	for _, d := range allDialects {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprint(d, whole), func(t *testing.T) {
				onStage(t, "answer: {reasoning: 5}, region: here", 1, func(s *stage) {
					a := asking{dialect: d, prompt: strings.Repeat("word", 1000), tokens: 12, whole: whole}
					cold, warm := s.ask(s.Context(), a), s.ask(s.Context(), a)
					reasoning := weir.Some(5)
					cached := weir.Some(0)
					if d == weir.Gemini { // left out where there is nothing
						cached = weir.None[int]()
					}
					for _, c := range []struct {
						reply
						cached weir.Opt[int]
						found  int
					}{{cold, cached, 0}, {warm, weir.Some(992), 992}} {
						want := weir.Usage{Prompt: weir.Some(1000), Cached: c.cached, Completion: weir.Some(12), Reasoning: reasoning}
						if diff := cmp.Diff(want, c.trace.Usage, cmp.AllowUnexported(weir.Opt[int]{})); diff != "" {
							t.Errorf("%s: %s", diff, c.body)
						}
						if c.truth.CachedTokens != c.found || c.truth.Steps != 12 || c.truth.PrefillMS <= 0 || c.truth.QueueMS != 0 || c.truth.Region != "here" {
							t.Errorf("truth %+v", c.truth)
						}
						if c.trace.Outcome != weir.OK {
							t.Errorf("%s: %s", c.trace.Outcome, c.body)
						}
					}
					if warm.truth.PrefillMS > cold.truth.PrefillMS/2 {
						t.Errorf("warm prefill %v ms, cold %v ms", warm.truth.PrefillMS, cold.truth.PrefillMS)
					}
				})
			})
		}
	}
}

// A client that leaves frees its place: the next one does not queue behind it.
func TestCancelFreesTheSlot(t *testing.T) {
	const yaml = `engine: trtllm, gpu: h100, tp: 2, context: 200000, cache: {policy: "off"}` // holds 238848 tokens
	onStage(t, yaml, 1, func(s *stage) {
		ctx, leave := context.WithCancel(s.Context())
		gone := make(chan reply)
		go func() { gone <- s.ask(ctx, asking{dialect: weir.OpenAIChat, prompt: "a", tokens: 199_000}) }()
		time.Sleep(time.Second)
		waiting := make(chan reply)
		go func() {
			waiting <- s.ask(s.Context(), asking{dialect: weir.OpenAIChat, prompt: "b", tokens: 150_000, whole: true})
		}()
		time.Sleep(2 * time.Second) // it cannot be admitted beside the first
		leave()
		<-gone
		r := <-waiting
		if wait := r.truth.QueueMS; wait < 1990 || wait > 2050 {
			t.Errorf("queued %v ms, want a step over 2 s: %s", wait, r.body[max(0, len(r.body)-300):])
		}
	})
}

func TestLimits(t *testing.T) {
	onStage(t, "limits: {requests: 2, headers: openai}", 1, func(s *stage) {
		a := asking{dialect: weir.OpenAIChat, prompt: "hi", tokens: 1, whole: true}
		for i := range 2 {
			if r := s.ask(s.Context(), a); r.status != 200 || r.header.Get("X-Ratelimit-Remaining-Requests") != fmt.Sprint(1-i) {
				t.Errorf("%d %v", r.status, r.header)
			}
		}
		r := s.ask(s.Context(), a)
		retry := r.trace.RetryAfter
		if d, ok := retry.Get(); r.status != 429 || !ok || d <= 29*weir.Dur(time.Second) || d > 30*weir.Dur(time.Second) || r.trace.Outcome != weir.RateLimited {
			t.Errorf("%d, %v, %s", r.status, retry, r.trace.Outcome)
		}
		time.Sleep(30 * time.Second)
		if r := s.ask(s.Context(), a); r.status != 200 {
			t.Errorf("%d after the wait", r.status)
		}
	})
	onStage(t, "limits: {tokens: 1000, headers: anthropic}", 1, func(s *stage) {
		r := s.ask(s.Context(), asking{dialect: weir.Anthropic, prompt: "hi", tokens: 400, whole: true})
		if r.header.Get("Anthropic-Ratelimit-Tokens-Limit") != "1000" || r.header.Get("Anthropic-Ratelimit-Tokens-Remaining") != "599" {
			t.Errorf("%v", r.header)
		}
		if r := s.ask(s.Context(), asking{dialect: weir.Gemini, prompt: "hi", tokens: 700, whole: true}); r.status != 429 || !strings.Contains(r.body, `"retryDelay":"`) {
			t.Errorf("%d %s", r.status, r.body)
		}
		// What never fits says so, and names no time to come back.
		if r := s.ask(s.Context(), asking{dialect: weir.OpenAIChat, prompt: "hi", tokens: 1000, whole: true}); r.status != 429 || r.header.Get("Retry-After") != "" || !strings.Contains(r.body, "request too large: 1001 tokens, the limit is 1000 per minute") {
			t.Errorf("%d %v %s", r.status, r.header, r.body)
		}
	})
}

func TestTooLongForTheContext(t *testing.T) {
	onStage(t, "context: 100", 1, func(s *stage) {
		for d, want := range map[weir.Dialect]string{
			weir.OpenAIChat: "This model's maximum context length is 100 tokens. However, you requested 101 tokens (1 in the messages, 100 in the completion).",
			weir.Anthropic:  "input length and `max_tokens` exceed context limit: 1 + 100 > 100",
			weir.Gemini:     `it has a maxOutputTokens value of 100 but the supported range is from 1 (inclusive) to 100 (exclusive). Update the value and try again.","status":"INVALID_ARGUMENT"`,
		} {
			if r := s.ask(s.Context(), asking{dialect: d, prompt: "hi", tokens: 100}); r.status != 400 || !strings.Contains(r.body, want) {
				t.Errorf("%s: %d %s", d, r.status, r.body)
			}
		}
		long := asking{dialect: weir.Gemini, prompt: strings.Repeat("word", 200), tokens: 1}
		if r := s.ask(s.Context(), long); !strings.Contains(r.body, "The input token count (200) exceeds the maximum number of tokens allowed (100).") {
			t.Error(r.body)
		}
	})
}

// An answer that nothing cuts off is never only what was thought.
func TestThoughtIsFollowedByWords(t *testing.T) {
	onStage(t, "answer: {tokens: 12, spread: 2, reasoning: 10, hidden: true}", 1, func(s *stage) {
		for range 40 {
			r := s.ask(s.Context(), asking{dialect: weir.OpenAIChat, prompt: "hi", whole: true})
			if u := r.trace.Usage; u.Completion.Or(0) <= 10 || u.Reasoning.Or(0) != 10 || strings.Contains(r.body, `"content":""`) {
				t.Fatal(r.body)
			}
		}
	})
}

// Under DeepSeek's policy usage has its names too.
func TestDeepSeekUsage(t *testing.T) {
	onStage(t, "cache: {policy: deepseek}", 1, func(s *stage) {
		a := asking{dialect: weir.OpenAIChat, prompt: strings.Repeat("word", 500), tokens: 2, whole: true}
		s.ask(s.Context(), a)
		a.prompt += strings.Repeat("more", 100)
		if r := s.ask(s.Context(), a); !strings.Contains(r.body, `"prompt_cache_hit_tokens":500,"prompt_cache_miss_tokens":100}`) {
			t.Error(r.body)
		}
	})
}

// Marks, in a dialect that has them: what is written, then read.
func TestAnthropicCache(t *testing.T) {
	onStage(t, "cache: {policy: anthropic}", 1, func(s *stage) {
		a := asking{dialect: weir.Anthropic, prompt: strings.Repeat("word", 2000), tokens: 3, marked: true}
		cold, warm := s.ask(s.Context(), a).trace.Usage, s.ask(s.Context(), a).trace.Usage
		if cold.CacheWrite.Or(-1) != 2000 || cold.Cached.Or(-1) != 0 || warm.Cached.Or(-1) != 2000 || warm.CacheWrite.Or(-1) != 0 {
			t.Errorf("cold %+v, warm %+v", cold, warm)
		}
	})
}

func TestFaultSchedule(t *testing.T) {
	const yaml = `cache: {policy: "off"}, faults: [{from: 1m, to: 2m, slower: 3}, {from: 2m, to: 3m, status: 503, retry_after: 2s}, {from: 3m, to: 4m, cut: 5}, {from: 4m, to: 5m, delay: 1s}]`
	onStage(t, yaml, 1, func(s *stage) {
		a := asking{dialect: weir.OpenAIChat, prompt: strings.Repeat("a", 4000), tokens: 20}
		ttft := func(r reply) time.Duration { d, _ := r.trace.TTFT().Get(); return time.Duration(d) }
		healthy := ttft(s.ask(s.Context(), a))
		at := func(d time.Duration) reply {
			time.Sleep(time.Until(s.start.Add(d)))
			return s.ask(s.Context(), a)
		}
		if got := ttft(at(61 * time.Second)); got < 3*healthy-10 || got > 3*healthy+10 {
			t.Errorf("slowed: %v, healthy %v", got, healthy)
		}
		if r := at(125 * time.Second); r.status != 503 || r.header.Get("Retry-After") != "2" {
			t.Errorf("%d %v", r.status, r.header)
		}
		if r := at(185 * time.Second); r.trace.Outcome != weir.Truncated || len(s.outputs(r.trace)) != 5 {
			t.Errorf("cut: %s after %d", r.trace.Outcome, len(s.outputs(r.trace)))
		}
		if got := ttft(at(245 * time.Second)); got != healthy+time.Second {
			t.Errorf("delayed: %v, healthy %v", got, healthy)
		}
		if got := ttft(at(305 * time.Second)); got != healthy {
			t.Errorf("after all: %v, healthy %v", got, healthy)
		}
	})
}

func TestWireQuirks(t *testing.T) {
	for _, c := range []struct {
		yaml, want, without string
		events              int // with output
	}{
		{"wire: {no_done: true}", `"finish_reason":"length"`, "[DONE]", 6},
		{"wire: {no_role: true}", `{"role":"assistant","content":" `, `"content":""`, 6},
		{"wire: {usage: finish}", `"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":6`, `"choices":[]`, 6},
		{"wire: {usage: none}", "[DONE]", `"usage":{`, 6},
		{"coalesce: {tokens: 4}", "[DONE]", "x-", 2},
		{"wire: {heartbeat: 5ms}", ": keep-alive\n\n", "x-", 6},
		{"answer: {reasoning: 4, hidden: true}", `"reasoning_tokens":4`, "reasoning_content", 2},
		{"answer: {reasoning: 4}", `"reasoning_content":" `, "x-", 6},
	} {
		t.Run(c.yaml, func(t *testing.T) {
			onStage(t, c.yaml, 1, func(s *stage) {
				r := s.ask(s.Context(), asking{dialect: weir.OpenAIChat, prompt: "hi", tokens: 6})
				if !strings.Contains(r.body, c.want) || strings.Contains(r.body, c.without) || len(s.outputs(r.trace)) != c.events {
					t.Errorf("%d events: %s", len(s.outputs(r.trace)), r.body)
				}
			})
		})
	}
}

// A proxy that flushes at fixed times: all events come at multiples of it.
func TestCoalescedInTime(t *testing.T) {
	onStage(t, "network: {rtt: 10ms, jitter: 1ms}, coalesce: {every: 50ms}", 1, func(s *stage) {
		r := s.ask(s.Context(), asking{dialect: weir.OpenAIChat, prompt: "hi", tokens: 40})
		at := s.outputs(r.trace)
		for _, d := range at {
			if d%(50*time.Millisecond) != 0 {
				t.Errorf("an event at %v", d)
			}
		}
		if len(at) != 40 {
			t.Errorf("%d events", len(at))
		}
	})
}

func TestModelsAndMetrics(t *testing.T) {
	onStage(t, "price: {input: 0.8, output: 1.2}, serves: [llama-3.3-70b]", 1, func(s *stage) {
		s.ask(s.Context(), asking{dialect: weir.OpenAIChat, prompt: "hi", tokens: 6})
		get := func(path string) string {
			resp, err := s.client.Get("http://sim" + path)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			b, _ := io.ReadAll(resp.Body)
			<-s.traces
			return string(b)
		}
		if got, want := get("/p/v1/models"), `{"object":"list","data":[{"id":"llama-3.3-70b","object":"model","created":0,"owned_by":"p","max_model_len":131072,"pricing":{"prompt":"0.0000008","completion":"0.0000012"}}]}`; got != want {
			t.Errorf("models:\n got %s\nwant %s", got, want)
		}
		if got := get("/p/v1/models/llama-3.3-70b"); !strings.HasPrefix(got, `{"id":"llama-3.3-70b","object":"model","created":0,"owned_by":"p","max_model_len":131072`) {
			t.Error(got)
		}
		metrics := get("/metrics")
		const labels = `{engine="0",model_name="llama-3.3-70b",provider="p"}`
		for _, want := range []string{
			"vllm:num_requests_running" + labels + " 0\n",
			"vllm:num_requests_waiting" + labels + " 0\n",
			"vllm:kv_cache_usage_perc" + labels + " 0\n",
			"vllm:time_to_first_token_seconds_count" + labels + " 1\n",
			"vllm:inter_token_latency_seconds_count" + labels + " 5\n",
			"vllm:time_per_output_token_seconds_count" + labels + " 5\n",
			"vllm:generation_tokens_total" + labels + " 6\n",
			`vllm:request_success_total{engine="0",finished_reason="length",model_name="llama-3.3-70b",provider="p"} 1` + "\n",
		} {
			if !strings.Contains(metrics, want) {
				t.Errorf("no %s", want)
			}
		}
	})
}

// The same seed and the same requests at the same times give the same times,
// background and jitter included.
func TestASeedRepeats(t *testing.T) {
	var runs [2][]time.Duration
	for i := range runs {
		onStage(t, "background: {rate: 4, bursts: {every: 3s, length: 1s, factor: 3}}, network: {rtt: 10ms, jitter: 2ms}, answer: {spread: 0.5}", 1, func(s *stage) {
			for range 5 {
				r := s.ask(s.Context(), asking{dialect: weir.OpenAIChat, prompt: strings.Repeat("a", 2000), tokens: 300})
				runs[i] = append(runs[i], s.outputs(r.trace)...)
				time.Sleep(time.Second)
			}
		})
	}
	if diff := cmp.Diff(runs[0], runs[1]); diff != "" || len(runs[0]) < 100 {
		t.Errorf("%d tokens: %s", len(runs[0]), diff)
	}
}
