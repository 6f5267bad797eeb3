package weir_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// at makes a tick of n bytes of the kind at so many milliseconds.
func at(n float64, k weir.TickKind, bytes int32) weir.Tick {
	return weir.Tick{At: ms(n), Lo: ms(n), Kind: k, Bytes: bytes}
}

func used(completion, reasoning int) weir.Usage {
	u := weir.Usage{Completion: weir.Some(completion)}
	if reasoning > 0 {
		u.Reasoning = weir.Some(reasoning)
	}
	return u
}

func tpot(t *testing.T, tr *weir.Trace) float64 {
	t.Helper()
	v, ok := tr.TPOT().Get()
	if !ok {
		return math.NaN()
	}
	return v.MS()
}

// own is a tick that says how many tokens it has.
func own(n float64, tokens, bytes int32) weir.Tick {
	t := at(n, weir.TickText, bytes)
	t.Tokens = tokens
	return t
}

// burst is n equal events that arrive in groups, at so many milliseconds.
func burst(n int, times ...float64) (ticks weir.Ticks) {
	for i := range n {
		ticks = append(ticks, at(100+times[i*len(times)/n], weir.TickText, 4))
	}
	return ticks
}

func every(n int, gap float64) (times []float64) {
	for i := range n {
		times = append(times, gap*float64(i))
	}
	return times
}

// METRICS.md, "Special streams".
func TestSpecialStreams(t *testing.T) {
	text, thought, summary := weir.TickText, weir.TickReasoning, weir.TickSummary
	even := func(k weir.TickKind, n int) (ticks weir.Ticks) {
		for i := range n {
			ticks = append(ticks, at(100+10*float64(i), k, 4))
		}
		return ticks
	}
	for _, c := range []struct {
		name     string
		trace    weir.Trace
		tpot     float64 // NaN: none
		buffered bool
		hidden   bool
		nSeen    int
	}{
		{"plain", weir.Trace{Ticks: even(text, 20), Usage: used(20, 0)}, 10, false, false, 20},
		{"hidden reasoning", weir.Trace{Ticks: even(text, 20), Usage: used(520, 500)}, 10, false, true, 20},
		{"streamed reasoning", weir.Trace{Ticks: append(even(thought, 10), at(200, text, 4), at(210, text, 4)), Usage: used(12, 10)}, 10, false, false, 12},
		{
			"only a summary came: the answer's speed", weir.Trace{
				Ticks: append(weir.Ticks{at(10, summary, 400), at(20, summary, 400)}, even(text, 20)...), Usage: used(520, 500),
			}, 10, false, false, 520,
		},
		{"one token", weir.Trace{Ticks: even(text, 1), Usage: used(1, 0)}, math.NaN(), false, false, 1},
		{"one event of many tokens", weir.Trace{Ticks: even(text, 1), Usage: used(40, 0)}, math.NaN(), true, false, 40},
		{"one instant", weir.Trace{Ticks: weir.Ticks{at(5, text, 4), at(5, text, 4)}, Usage: used(2, 0)}, math.NaN(), true, false, 2},
		{"most of it at once", weir.Trace{Ticks: weir.Ticks{at(5, text, 4), at(50, text, 80), at(60, text, 4)}, Usage: used(22, 0)}, math.NaN(), true, false, 22},
		{"short, most of it at once", weir.Trace{Ticks: weir.Ticks{at(5, text, 4), at(50, text, 40), at(60, text, 4)}, Usage: used(12, 0)}, 5, false, false, 12},
		{"within 20 stamp errors", weir.Trace{Ticks: weir.Ticks{at(5, text, 4), at(5.5, text, 4)}, Usage: used(2, 0), StampError: weir.Dur(50 * time.Microsecond)}, math.NaN(), true, false, 2},
		{"a burst read in three pieces", weir.Trace{Ticks: burst(128, 0, 0.7, 1.3), Usage: used(128, 0), StampError: weir.Dur(50 * time.Microsecond)}, math.NaN(), true, false, 128},
		{"a burst read in pieces by a client that was held up", weir.Trace{Ticks: burst(128, 0, 2, 5), Usage: used(128, 0), StampError: weir.Dur(50 * time.Microsecond)}, math.NaN(), true, false, 128},
		{"a slow start and a burst", weir.Trace{Ticks: burst(100, 0, 90, 90.1, 90.2), Usage: used(100, 0), StampError: weir.Dur(50 * time.Microsecond)}, math.NaN(), true, false, 100},
		{"very fast, and real", weir.Trace{Ticks: burst(64, every(64, 0.4)...), Usage: used(64, 0), StampError: weir.Dur(50 * time.Microsecond)}, 0.4, false, false, 64},
		{"a summary, and how much was thought is unknown", weir.Trace{Ticks: append(weir.Ticks{at(10, summary, 40)}, even(text, 20)...), Usage: used(520, 0)}, math.NaN(), false, false, 520},
		{"most of the tokens at once, by their own counts", weir.Trace{Ticks: weir.Ticks{own(5, 2, 10), own(50, 15, 10), own(60, 3, 10)}, Usage: used(20, 0)}, math.NaN(), true, false, 20},
		{"most of the bytes at once, not of the tokens", weir.Trace{Ticks: weir.Ticks{own(5, 7, 4), own(50, 7, 90), own(63, 6, 4)}, Usage: used(20, 0)}, 58.0 / 13, false, false, 20},
		{"no output", weir.Trace{Ticks: weir.Ticks{at(5, weir.TickRole, 0)}, Usage: used(1, 0)}, math.NaN(), false, false, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := tpot(t, &c.trace)
			if !(math.IsNaN(got) && math.IsNaN(c.tpot)) && math.Abs(got-c.tpot) > 1e-6 {
				t.Errorf("tpot %v ms, want %v", got, c.tpot)
			}
			if c.trace.Buffered() != c.buffered || c.trace.HiddenReasoning() != c.hidden || c.trace.NSeen() != weir.Some(c.nSeen) {
				t.Errorf("buffered %v, hidden %v, n_seen %v; want %v, %v, %d", c.trace.Buffered(), c.trace.HiddenReasoning(), c.trace.NSeen(), c.buffered, c.hidden, c.nSeen)
			}
			if math.IsNaN(c.tpot) && (c.trace.OutputSpeed().Known() || c.trace.E2EAt(10).Known()) {
				t.Error("a speed without a tpot")
			}
		})
	}
}

func TestNothingIsZeroThatWasNotMeasured(t *testing.T) {
	var empty weir.Trace
	for name, known := range map[string]bool{
		"ttft": empty.TTFT().Known(), "ttfat": empty.TTFAT().Known(), "tpot": empty.TPOT().Known(), "e2e": empty.E2E().Known(),
		"speed": empty.OutputSpeed().Known(), "trailer": empty.Trailer().Known(), "stall": empty.Stall().Known(),
		"server_wait": empty.ServerWait().Known(), "cache_share": empty.CacheShare().Known(), "length_share": empty.LengthShare().Known(),
		"tokens_per_event": empty.TokensPerEvent().Known(), "e2e_speed": empty.E2ESpeed().Known(), "censored": empty.CensoredAt().Known(),
		"chars_per_second": empty.CharsPerSecond().Known(), "gap_p50": empty.GapP50().Known(), "first_event": empty.FirstEvent().Known(),
	} {
		if known {
			t.Errorf("%s of an empty trace is known", name)
		}
	}
	estimated := weir.Trace{Ticks: weir.Ticks{at(1, weir.TickText, 4), at(20, weir.TickText, 4)}, Usage: used(2, 0), TokenSource: weir.TokensFromEstimate}
	if estimated.TPOT().Known() || estimated.OutputSpeed().Known() {
		t.Error("a speed from estimated tokens")
	}
}

func TestLatencyCountsFromDue(t *testing.T) {
	sent := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	tr := weir.Trace{
		Due: sent.Add(-2 * time.Second), Sent: sent, End: weir.SpanOf(ms(130)), Wrote: weir.SpanOf(ms(1)), Header: weir.SpanOf(ms(40)),
		Ticks: weir.Ticks{at(50, weir.TickReasoning, 4), at(90, weir.TickText, 8), at(120, weir.TickText, 4)}, Usage: used(4, 0), Outcome: weir.TimeoutStall,
	}
	for name, c := range map[string]struct {
		got  weir.Span
		want float64
	}{
		"ttft": {tr.TTFT(), 2050}, "ttft_sent": {tr.TTFTSent(), 50}, "ttfat": {tr.TTFAT(), 2090}, "e2e": {tr.E2E(), 2120},
		"trailer": {tr.Trailer(), 10}, "server_wait": {tr.ServerWait(), 39}, "stall": {tr.Stall(), 40}, "censored": {tr.CensoredAt(), 2130},
		"gap_p50": {tr.GapP50(), 30},
	} {
		if c.got != weir.SpanOf(ms(c.want)) {
			t.Errorf("%s %v, want %v ms", name, c.got, c.want)
		}
	}
}

// TestWholeAnswersE2E: an answer without events ends with its last byte, where
// it is good and was asked for whole; nothing else has an e2e without output.
func TestWholeAnswersE2E(t *testing.T) {
	sent := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		outcome weir.Outcome
		chars   int
		want    weir.Span
	}{
		{weir.OK, 12, weir.SpanOf(ms(2130))},
		{weir.OK, 0, weir.Span{}},
		{weir.NotStreamed, 12, weir.Span{}},
		{weir.Truncated, 12, weir.Span{}},
	} {
		tr := weir.Trace{Due: sent.Add(-2 * time.Second), Sent: sent, End: weir.SpanOf(ms(130)), Outcome: c.outcome, OutputChars: c.chars, Usage: used(4, 0)}
		if got := tr.E2E(); got != c.want {
			t.Errorf("%s, %d characters: e2e %v, want %v", c.outcome, c.chars, got, c.want)
		}
		if tr.TTFT().Known() || tr.TPOT().Known() || tr.OutputSpeed().Known() || tr.E2ESpeed().Known() || tr.Stall().Known() || tr.Trailer().Known() {
			t.Errorf("%s, %d characters: %+v", c.outcome, c.chars, tr.Sample())
		}
	}
}

func TestITL(t *testing.T) {
	itl := func(tr weir.Trace) (out []float64) {
		for d := range tr.ITL() {
			out = append(out, weir.Dur(d).MS())
		}
		return out
	}
	ticks := weir.Ticks{at(100, weir.TickText, 4), at(130, weir.TickText, 12), at(140, weir.TickText, 4)}
	if got := itl(weir.Trace{Ticks: ticks, Usage: used(5, 0)}); !slices.Equal(got, []float64{10, 10}) {
		t.Errorf("by bytes: %v, want 10 and 10", got)
	}
	own := slices.Clone(ticks)
	own[0].Tokens, own[1].Tokens, own[2].Tokens = 1, 2, 1
	if got := itl(weir.Trace{Ticks: own, Usage: used(4, 0)}); !slices.Equal(got, []float64{15, 10}) {
		t.Errorf("by usage: %v, want 15 and 10", got)
	}
	if got := itl(weir.Trace{Ticks: ticks}); got != nil {
		t.Errorf("without tokens: %v", got)
	}
}

func TestTraceJSONRoundTrip(t *testing.T) {
	sent := time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)
	in := weir.Trace{
		ID: "01J", Kind: weir.Bench, Target: "a", Model: "m", Warmup: true, Due: sent, Sent: sent, ConnReused: weir.Some(false),
		Connect: weir.SpanOf(1234567), End: weir.SpanOf(987654321), Status: 200, Outcome: weir.OK, Finish: "stop", Usage: used(7, 0),
		Ticks:       weir.Ticks{{At: 1234567891, Lo: 1234567891, Kind: weir.TickText | weir.TickUsage, Tokens: 3, Bytes: 9}, {At: ms(2000), Lo: ms(1990), Kind: 0}},
		TokenSource: weir.TokensFromUsage, RateLimits: map[string]string{"x": "1"}, Provider: json.RawMessage(`{"timings":{"a":1}}`), Warnings: []string{"w"},
	}
	b, err := json.Marshal(&in)
	if err != nil {
		t.Fatal(err)
	}
	var out weir.Trace
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&out)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(b), string(again)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(in.Ticks, out.Ticks); d != "" {
		t.Error(d)
	}
	if a, b := in.Sample(), out.Sample(); a.TTFT != b.TTFT || a.E2E != b.E2E {
		t.Error("the metrics changed on the way")
	}
}

func FuzzTraceJSON(f *testing.F) {
	f.Add([]byte(`{"id":"x","outcome":"ok","ticks":[[1.5,"text",1,4],[2,"none",0,0,1.25]],"usage":{"completion_tokens":3},"ttft_ms":null}`))
	f.Add([]byte(`{"ticks":[[1,"what",0,0]]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var tr weir.Trace
		if json.Unmarshal(in, &tr) != nil {
			return
		}
		tr.Sample() // must not panic, whatever the file says
		for range tr.ITL() {
		}
		if _, err := json.Marshal(&tr); err != nil {
			return // numbers that JSON has no word for
		}
	})
}

func TestWords(t *testing.T) {
	for _, o := range weir.Outcomes() {
		if !o.Valid() {
			t.Errorf("%s is not valid", o)
		}
	}
	if weir.Outcome("fine").Valid() {
		t.Error("an outcome that is not on the list")
	}
	for k := range weir.TickKind(1 << 11) {
		if back, ok := weir.ParseTickKind(k.String()); !ok || back != k {
			t.Fatalf("kind %d: %q reads back as %d", k, k.String(), back)
		}
	}
	for _, d := range weir.Dialects() {
		if back, ok := weir.ParseDialect(string(d)); !ok || back != d {
			t.Errorf("dialect %s reads back as %s", d, back)
		}
	}
	err := &weir.Error{Code: "c", Message: "what", Hint: "do this"}
	if err.Error() != "what (do this)" {
		t.Errorf("%q", err.Error())
	}
}
