package handmade

import (
	"maps"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

const ms = time.Millisecond

// Runs are those of the golden reports, by name.
func Runs() map[string]func() report.Run {
	all := common()
	maps.Copy(all, inLaps())
	maps.Copy(all, peculiar())
	return all
}

// common are runs as they end, well or not.
func common() map[string]func() report.Run {
	return map[string]func() report.Run{
		"normal": func() report.Run {
			r := Run()
			Good(&r, "north", 20, 180*ms, 8*ms)
			Good(&r, "a-longer-name", 20, 950*ms, 12*ms)
			return r
		},
		"settled": func() report.Run { // enough requests for every percentile, and minutes
			r := Run()
			r.Settings.Targets, r.Notes, r.Duration = r.Settings.Targets[:1], r.Notes[:1], 10*time.Minute
			r.Settings.Warmup, r.Settings.Work.Cache, r.Settings.Prompt, r.Settings.Requests = 0, "any", "Why?", 400
			Good(&r, "north", 400, 180*ms, 8*ms)
			return r
		},
		"every_class": EveryClass,
		"interrupted": func() report.Run {
			r := Run()
			r.Interrupted, r.Duration = true, 4200*ms
			Good(&r, "north", 7, 180*ms, 8*ms)
			r.Samples = append(r.Samples, Failed("north", weir.Canceled, 200, "", "context canceled"), Failed("a-longer-name", weir.Canceled, 0, "", "context canceled"))
			r.Notes = []report.TargetNote{{Unsent: 12}, {Unsent: 19}}
			return r
		},
		"gave_up": func() report.Run {
			r := Run()
			Good(&r, "north", 20, 180*ms, 8*ms)
			s := Failed("a-longer-name", weir.Auth, 401, "invalid_key", "Incorrect API key provided: [key]")
			s.Warmup = true
			r.Samples = append(r.Samples, s)
			r.Notes[1] = report.TargetNote{Unsent: 20, GaveUp: true}
			return r
		},
		"never_reached": func() report.Run { // p95 and p99 of the one, all of the other
			r := Run()
			Good(&r, "north", 18, 180*ms, 8*ms)
			for range 2 {
				r.Samples = append(r.Samples, Failed("north", weir.TimeoutFirstOutput, 200, "", "no output within 1m0s"))
			}
			for range 20 {
				r.Samples = append(r.Samples, Failed("a-longer-name", weir.UpstreamError, 503, "overloaded", "try later"))
			}
			return r
		},
		"nothing": Run,
	}
}

// inLaps are runs with a verdict, or with objectives.
func inLaps() map[string]func() report.Run {
	return map[string]func() report.Run{
		"verdict": func() report.Run { // thirty laps of two that differ
			return Laps(30, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8500 * time.Microsecond})
		},
		"slo": func() report.Run { // objectives of each request and of the run
			r := Laps(30, 40*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})
			r.Settings.SLO = "ttft<=300ms,tpot<=15ms,ttft_p95<=260ms,success>=99%"
			r.Notes[0].Unsent = 3
			return r
		},
		"tie": func() report.Run { // and of two that do not, over an hour
			return Laps(30, time.Hour, [2]time.Duration{300 * ms, 300 * ms}, [2]time.Duration{12 * ms, 12 * ms})
		},
		"few_blocks": func() report.Run {
			return Laps(8, time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 9 * ms})
		},
		"places": func() report.Run { // three: one is faster, two are alike
			r := Laps(30, 40*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})
			r.Settings.Targets = append(r.Settings.Targets, weir.Target{Name: "west", URL: "https://west.example/v1", Dialect: weir.OpenAIChat, Model: "llama-3.3-70b"})
			r.Notes = make([]report.TargetNote, 3)
			for _, s := range Laps(30, 40*time.Minute, [2]time.Duration{301 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}).Samples {
				if s.Target == "north" {
					s.Target = "west"
					r.Samples = append(r.Samples, s)
				}
			}
			return r
		},
	}
}

// peculiar are runs whose answers have something to say beside their figures.
func peculiar() map[string]func() report.Run {
	return map[string]func() report.Run{
		"cache": func() report.Run { // pairs: a cache that works, and one that does not say
			r := Run()
			r.Settings.Work = report.WorkSettings{Content: "prose", Lengths: "70%:256/128,30%:4000/512", Cache: "compare"}
			r.Settings.Targets[0].Price = &weir.Price{Rates: weir.Rates{Input: weir.Some(0.9), CachedInput: weir.Some(0.45), Output: weir.Some(0.9)}, AsOf: "2026-09-23"}
			Good(&r, "north", 20, 400*ms, 8*ms)
			Good(&r, "a-longer-name", 20, 250*ms, 8*ms)
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
			r.Notes[1].Lengths = &report.LengthFit{Answers: 2, TokensPerWord: 1, OverheadTokens: 19, Implausible: true}
			return r
		},
		"odd": func() report.Run { // good answers with something to say about them
			r := Run()
			r.Notes[0].Learned = []string{"stream_options", "temperature"}
			Good(&r, "north", 20, 180*ms, 8*ms)
			for i := range r.Samples {
				s := &r.Samples[i]
				s.Usage, s.TPOT, s.Speed = weir.Usage{}, weir.Span{}, weir.None[float64]()
			}
			Good(&r, "a-longer-name", 20, 250*ms, 8*ms)
			for i := 22; i < 32; i++ {
				s := &r.Samples[i]
				s.Usage.Completion, s.TPOT, s.Speed, s.Buffered = weir.Some(40), weir.Span{}, weir.None[float64](), true
				s.LengthShare = weir.Some(40.0 / 128)
				s.Warnings = []string{weir.WarnBuffered}
			}
			return r
		},
		"whole": func() report.Run { // no streams: a good target, one that fails and does not count, one that says little
			r := Run()
			r.Settings.Stream, r.Settings.Targets, r.Notes = false, append(r.Settings.Targets, weir.Target{Name: "brief", Model: "llama-3.3-70b"}), make([]report.TargetNote, 3)
			for i := range 20 {
				r.Samples = append(r.Samples, Whole("north", time.Duration(1200+i)*ms, 128), Whole("brief", time.Duration(300+i)*ms, 40))
				s := Whole("a-longer-name", 2*time.Second, 0)
				s.Usage = weir.Usage{}
				if i%10 == 0 {
					s = Failed("a-longer-name", weir.UpstreamError, 503, "overloaded", "try later")
				}
				r.Samples = append(r.Samples, s)
			}
			r.Samples[0].ConnReused = weir.Some(false)
			return r
		},
	}
}

// EveryClass has one failure of each outcome, and of each detail that has its own
// advice.
func EveryClass() report.Run {
	r := Run()
	r.Settings.Requests = 60
	Good(&r, "north", 40, 180*time.Millisecond, 8*time.Millisecond)
	add := func(o weir.Outcome, status int, errorType, text string) {
		r.Samples = append(r.Samples, Failed("north", o, status, errorType, text))
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
