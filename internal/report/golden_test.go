package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"weir.dev/weir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name, or writes it there with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/report -update writes it)", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// handMade is a run of two targets with figures that can be worked out by
// hand; the tests change what they need.
func handMade() Run {
	return Run{
		Version: "v0.0.0-test",
		Settings: Settings{
			Targets: []weir.Target{
				{Name: "north", URL: "https://north.example/v1", Dialect: weir.OpenAIChat, Model: "llama-3.3-70b"},
				{Name: "a-longer-name", URL: "https://south.example/v1", Dialect: weir.OpenAIChat, Model: "llama-3.3-70b"},
			},
			Concurrency: 2, Requests: 20, Warmup: 1, InputTokens: 256, OutputTokens: 128, Temperature: weir.Some(0.0), Stream: true, Work: WorkSettings{Content: "words", Lengths: "256/128", Cache: "auto"}, Seed: 42, WorkloadID: "0123456789ab",
			Limits: LimitSettings{Connect: weir.Dur(10 * time.Second), FirstOutput: weir.Dur(60 * time.Second), Stall: weir.Dur(30 * time.Second)},
		},
		Started: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Duration: 83 * time.Second, GCPauses: weir.SpanOf(1500 * time.Microsecond),
		Notes: make([]TargetNote, 2), WakeUps: []time.Duration{40 * time.Microsecond, 120 * time.Microsecond},
	}
}

// sample is a good answer: 128 tokens in 128 events, ttft and tpot as given.
func sample(target string, ttft, tpot time.Duration) weir.Sample {
	return weir.Sample{
		ID: "01TEST", Kind: weir.Bench, Target: target, Model: "llama-3.3-70b", WorkloadID: "0123456789ab",
		Due: time.Date(2026, 11, 30, 12, 0, 1, 0, time.UTC), Outcome: weir.OK, Status: weir.Some(200), Finish: "length",
		TTFT: weir.SpanOf(ttft), TTFTSent: weir.SpanOf(ttft), TTFAT: weir.SpanOf(ttft), TPOT: weir.SpanOf(tpot),
		Speed: weir.Some(1 / tpot.Seconds()), E2E: weir.SpanOf(ttft + 127*tpot), GapP50: weir.SpanOf(tpot), End: weir.SpanOf(ttft + 127*tpot),
		Lateness: weir.Dur(100 * time.Microsecond), ConnReused: weir.Some(true), StampError: weir.Dur(50 * time.Microsecond),
		Usage:       weir.Usage{Prompt: weir.Some(260), Completion: weir.Some(128)},
		TokenSource: weir.TokensFromUsage, OutputEvents: 128, LengthShare: weir.Some(1.0),
	}
}

// whole is a good answer that came in one piece, since no stream was asked for.
func whole(target string, took time.Duration, n int) weir.Sample {
	s := sample(target, time.Second, time.Millisecond)
	s.TTFT, s.TTFTSent, s.TTFAT, s.TPOT, s.Speed, s.GapP50, s.OutputEvents = weir.Span{}, weir.Span{}, weir.Span{}, weir.Span{}, weir.None[float64](), weir.Span{}, 0
	s.E2E, s.End, s.Completion, s.KernelStamps = weir.SpanOf(took), weir.SpanOf(took), weir.Some(n), true
	return s
}

// laps is a run of so many laps over a time, of two slots: ttft and tpot of
// the two targets, with a little noise that both share and some of their own.
func laps(n int, span time.Duration, ttft, tpot [2]time.Duration) Run {
	r := handMade()
	r.Settings.Requests, r.Duration = 2*n, span
	rng := rand.New(rand.NewPCG(1, 2))
	for lap := range n {
		both := 1 + 0.1*rng.NormFloat64()
		for i, name := range []string{"north", "a-longer-name"} {
			for range 2 {
				own := both * (1 + 0.02*rng.NormFloat64())
				s := sample(name, time.Duration(float64(ttft[i])*own), time.Duration(float64(tpot[i])*own))
				s.Block, s.Due = weir.Some(lap), r.Started.Add(time.Duration(lap)*span/time.Duration(n))
				r.Samples = append(r.Samples, s)
			}
		}
	}
	return r
}

// failed is a call that ended without output.
func failed(target string, o weir.Outcome, status int, errorType, text string) weir.Sample {
	s := weir.Sample{
		ID: "01TEST", Kind: weir.Bench, Target: target, Model: "llama-3.3-70b", Outcome: o, ErrorType: errorType, ErrorText: text,
		Due: time.Date(2026, 11, 30, 12, 0, 1, 0, time.UTC), Lateness: weir.Dur(100 * time.Microsecond), End: weir.SpanOf(time.Second),
	}
	if status != 0 {
		s.Status = weir.Some(status)
	}
	if o == weir.TimeoutFirstOutput {
		s.End, s.CensoredAt = weir.SpanOf(time.Minute), weir.SpanOf(time.Minute)
	}
	return s
}

func good(r *Run, target string, n int, ttft, tpot time.Duration) {
	warm := sample(target, 9*ttft, tpot)
	warm.Warmup = true
	r.Samples = append(r.Samples, warm)
	for i := range n {
		r.Samples = append(r.Samples, sample(target, ttft+time.Duration(i)*time.Millisecond, tpot+time.Duration(i)*10*time.Microsecond))
	}
}

// handMadeRuns are the runs of the golden reports.
func handMadeRuns() map[string]func() Run {
	return map[string]func() Run{
		"normal": func() Run {
			r := handMade()
			good(&r, "north", 20, 180*ms, 8*ms)
			good(&r, "a-longer-name", 20, 950*ms, 12*ms)
			return r
		},
		"settled": func() Run { // enough requests for every percentile, and minutes
			r := handMade()
			r.Settings.Targets, r.Notes, r.Duration = r.Settings.Targets[:1], r.Notes[:1], 10*time.Minute
			r.Settings.Warmup, r.Settings.Work.Cache, r.Settings.Prompt, r.Settings.Requests = 0, "any", "Why?", 400
			good(&r, "north", 400, 180*ms, 8*ms)
			return r
		},
		"every_class": everyClass,
		"interrupted": func() Run {
			r := handMade()
			r.Interrupted, r.Duration = true, 4200*ms
			good(&r, "north", 7, 180*ms, 8*ms)
			r.Samples = append(r.Samples, failed("north", weir.Canceled, 200, "", "context canceled"), failed("a-longer-name", weir.Canceled, 0, "", "context canceled"))
			r.Notes = []TargetNote{{Unsent: 12}, {Unsent: 19}}
			return r
		},
		"gave_up": func() Run {
			r := handMade()
			good(&r, "north", 20, 180*ms, 8*ms)
			s := failed("a-longer-name", weir.Auth, 401, "invalid_key", "Incorrect API key provided: [key]")
			s.Warmup = true
			r.Samples = append(r.Samples, s)
			r.Notes[1] = TargetNote{Unsent: 20, GaveUp: true}
			return r
		},
		"never_reached": func() Run { // p95 and p99 of the one, all of the other
			r := handMade()
			good(&r, "north", 18, 180*ms, 8*ms)
			for range 2 {
				r.Samples = append(r.Samples, failed("north", weir.TimeoutFirstOutput, 200, "", "no output within 1m0s"))
			}
			for range 20 {
				r.Samples = append(r.Samples, failed("a-longer-name", weir.UpstreamError, 503, "overloaded", "try later"))
			}
			return r
		},
		"verdict": func() Run { // thirty laps of two that differ
			return laps(30, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8500 * time.Microsecond})
		},
		"slo": func() Run { // objectives of each request and of the run
			r := laps(30, 40*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})
			r.Settings.SLO = "ttft<=300ms,tpot<=15ms,ttft_p95<=260ms,success>=99%"
			r.Notes[0].Unsent = 3
			return r
		},
		"tie": func() Run { // and of two that do not, over an hour
			return laps(30, time.Hour, [2]time.Duration{300 * ms, 300 * ms}, [2]time.Duration{12 * ms, 12 * ms})
		},
		"few_blocks": func() Run {
			return laps(8, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 9 * ms})
		},
		"places": func() Run { // three: one is faster, two are alike
			r := laps(30, 40*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})
			r.Settings.Targets = append(r.Settings.Targets, weir.Target{Name: "west", URL: "https://west.example/v1", Dialect: weir.OpenAIChat, Model: "llama-3.3-70b"})
			r.Notes = make([]TargetNote, 3)
			for _, s := range laps(30, 40*time.Minute, [2]time.Duration{301 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}).Samples {
				if s.Target == "north" {
					s.Target = "west"
					r.Samples = append(r.Samples, s)
				}
			}
			return r
		},
		"cache": func() Run { // pairs: a cache that works, and one that does not say
			r := handMade()
			r.Settings.Work = WorkSettings{Content: "prose", Lengths: "70%:256/128,30%:4000/512", Cache: "compare"}
			r.Settings.Targets[0].Price = &weir.Price{Rates: weir.Rates{Input: weir.Some(0.9), CachedInput: weir.Some(0.45), Output: weir.Some(0.9)}, AsOf: "2026-09-23"}
			good(&r, "north", 20, 400*ms, 8*ms)
			good(&r, "a-longer-name", 20, 250*ms, 8*ms)
			for i := range r.Samples {
				s := &r.Samples[i]
				if s.Warmup {
					continue
				}
				s.Session, s.Turn, s.CacheRole = weir.Some(i/2), weir.Some(i%2), []string{"warm", "cold"}[i%2]
				if s.Target == "north" {
					s.Cached = weir.Some(0)
					if s.CacheRole == "warm" {
						s.TTFT, s.Cached = weir.SpanOf(200*ms), weir.Some(250)
					}
				}
			}
			r.Notes[1].Lengths = &LengthFit{Answers: 2, TokensPerWord: 1, OverheadTokens: 19, Implausible: true}
			return r
		},
		"odd": func() Run { // good answers with something to say about them
			r := handMade()
			r.Notes[0].Learned = []string{"stream_options", "temperature"}
			good(&r, "north", 20, 180*ms, 8*ms)
			for i := range r.Samples {
				s := &r.Samples[i]
				s.Usage, s.TPOT, s.Speed = weir.Usage{}, weir.Span{}, weir.None[float64]()
			}
			good(&r, "a-longer-name", 20, 250*ms, 8*ms)
			for i := 22; i < 32; i++ {
				s := &r.Samples[i]
				s.Usage.Completion, s.TPOT, s.Speed, s.Buffered = weir.Some(40), weir.Span{}, weir.None[float64](), true
				s.LengthShare = weir.Some(40.0 / 128)
				s.Warnings = []string{weir.WarnBuffered}
			}
			return r
		},
		"whole": func() Run { // no streams: a good target, one that fails and does not count, one that says little
			r := handMade()
			r.Settings.Stream, r.Settings.Targets, r.Notes = false, append(r.Settings.Targets, weir.Target{Name: "brief", Model: "llama-3.3-70b"}), make([]TargetNote, 3)
			for i := range 20 {
				r.Samples = append(r.Samples, whole("north", time.Duration(1200+i)*ms, 128), whole("brief", time.Duration(300+i)*ms, 40))
				s := whole("a-longer-name", 2*time.Second, 0)
				s.Usage = weir.Usage{}
				if i%10 == 0 {
					s = failed("a-longer-name", weir.UpstreamError, 503, "overloaded", "try later")
				}
				r.Samples = append(r.Samples, s)
			}
			r.Samples[0].ConnReused = weir.Some(false)
			return r
		},
		"nothing": handMade,
	}
}

func TestTerminalGolden(t *testing.T) {
	for name, make := range handMadeRuns() {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Terminal(&b, Summarise(make())); err != nil {
				t.Fatal(err)
			}
			if bytes.ContainsRune(b.Bytes(), 0x1b) {
				t.Error("escape codes where there is no terminal")
			}
			golden(t, "terminal_"+name+".txt", b.Bytes())
		})
	}
}

// everyClass has one failure of each outcome, and of each detail that has its
// own advice.
func everyClass() Run {
	r := handMade()
	r.Settings.Requests = 60
	good(&r, "north", 40, 180*time.Millisecond, 8*time.Millisecond)
	add := func(o weir.Outcome, status int, errorType, text string) {
		r.Samples = append(r.Samples, failed("north", o, status, errorType, text))
	}
	add(weir.RateLimited, 429, "rate_limit", "slow down")
	add(weir.UpstreamError, 503, "overloaded", "try later")
	add(weir.UpstreamError, 200, "server_error", "said in the stream")
	add(weir.UpstreamError, 302, "redirect", "moved")
	add(weir.Auth, 401, "invalid_key", "who are you?")
	add(weir.BadRequest, 404, "model_not_found", "no such model")
	add(weir.BadRequest, 400, "context_length", "too long")
	add(weir.BadRequest, 400, "", "no")
	add(weir.Truncated, 200, "closed", "")
	add(weir.Malformed, 200, "not_json", "")
	add(weir.NotStreamed, 200, "", "")
	add(weir.EmptyResponse, 200, "", "")
	add(weir.ConnectError, 0, "refused", "connection refused")
	add(weir.ConnectError, 0, "dns", "no such host")
	add(weir.ConnectError, 0, "tls", "bad certificate")
	add(weir.TimeoutConnect, 0, "", "no connection within 10s")
	add(weir.TimeoutFirstOutput, 200, "", "no output within 1m0s")
	add(weir.TimeoutStall, 200, "", "output stalled within 30s")
	add(weir.TimeoutTotal, 200, "", "the call took too long within 5m0s")
	add(weir.Canceled, 0, "", "context canceled")
	add(weir.Abandoned, 0, "", "the call was abandoned")
	return r
}

func TestSummaryJSONGolden(t *testing.T) {
	r := everyClass()
	r.Settings.Extra = map[string]json.RawMessage{"top_p": json.RawMessage("0.9")}
	r.Notes[0] = TargetNote{Learned: []string{"stream_options"}}
	s := Summarise(r)
	s.Requests = s.Requests[1:2] // one row shows their form
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.json", append(b, '\n'))
	var back Summary
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&back); err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(&back, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(b), string(again)); d != "" {
		t.Errorf("read and written again (-first +second):\n%s", d)
	}
}
