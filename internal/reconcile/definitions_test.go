package reconcile

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

const null = -1

// Each value is worked out by hand from the formulas in the tool's source
// (docs/reconciling.md), on the plans of rig_test.go. Milliseconds and tokens
// per second.
func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		name  string
		tool  Tool
		trace *weir.Trace
		want  map[string]float64
	}{
		{"plain", VLLM032, plain(), map[string]float64{
			"ttft": 20,                            // the role chunk
			"tpot": (111.0 - 20) / 7,              // to the finish chunk, N - 1
			"itl":  (30.0 + 20 + 20 + 20 + 1) / 5, // its six chunks with choices
			"e2el": 111,
		}},
		{"plain", VLLM, plain(), map[string]float64{"ttft": 50, "tpot": 60.0 / 7, "itl": 20, "e2el": 110}},
		{"plain", GuideLLM, plain(), map[string]float64{
			"time_to_first_token_ms": 45, "time_to_first_output_token_ms": 45,
			"time_per_output_token_ms": (110.0 - 5) / 8, "inter_token_latency_ms": 60.0 / 7,
			"request_latency": 112 - 5, // to [DONE]
		}},
		{"plain", GuideLLM080, plain(), map[string]float64{
			"time_to_first_token_ms": 50, "time_to_first_output_token_ms": 50,
			"time_per_output_token_ms": 110.0 / 8, "inter_token_latency_ms": 60.0 / 7, "request_latency": 112,
		}},
		{"plain", AIPerf, plain(), map[string]float64{
			"time_to_first_token": 50, "time_to_first_output_token": 50, "inter_token_latency": 60.0 / 7,
			"output_token_throughput_per_user": 7 / 0.060, "inter_chunk_latency": 20, "request_latency": 110,
		}},
		{"plain", LLMPerf, plain(), map[string]float64{
			"ttft_s": 50, "inter_token_latency_s": 110.0 / 8, "request_output_throughput_token_per_s": 8 / 0.115, "end_to_end_latency_s": 115,
		}},
		{"plain", Article, plain(), map[string]float64{"speed": 8 / 0.065}},

		{"reasoning", VLLM032, thinker(), map[string]float64{"ttft": 20, "tpot": (110.0 - 20) / 5, "itl": 90.0 / 7, "e2el": 110}},
		{"reasoning", VLLM, thinker(), map[string]float64{"ttft": 50, "tpot": 60.0 / 5, "itl": 12, "e2el": 110}},
		{"reasoning", GuideLLM, thinker(), map[string]float64{
			"time_to_first_token_ms": 45, "time_to_first_output_token_ms": 85,
			"time_per_output_token_ms": 105.0 / 6, "inter_token_latency_ms": 12, "request_latency": 107,
		}},
		{"reasoning", AIPerf, thinker(), map[string]float64{
			"time_to_first_token": 50, "time_to_first_output_token": 90, "inter_token_latency": 12,
			"output_token_throughput_per_user": 5 / 0.060, "inter_chunk_latency": 12, "request_latency": 110,
		}},
		{"reasoning", LLMPerf, thinker(), map[string]float64{
			"ttft_s": 90, "inter_token_latency_s": 110.0 / 2, "request_output_throughput_token_per_s": 2 / 0.115, "end_to_end_latency_s": 115,
		}},
		{"reasoning", Article, thinker(), map[string]float64{"speed": 6 / 0.065}},

		{"hidden reasoning", VLLM, hider(), map[string]float64{"ttft": 50, "tpot": 60.0 / 13, "itl": 20, "e2el": 110}},
		{"hidden reasoning", GuideLLM, hider(), map[string]float64{
			"time_to_first_token_ms": 45, "time_to_first_output_token_ms": 45,
			"time_per_output_token_ms": 105.0 / 14, "inter_token_latency_ms": 60.0 / 13, "request_latency": 107,
		}},
		{"hidden reasoning", AIPerf, hider(), map[string]float64{ // their tokenizer sees 4 tokens
			"time_to_first_token": 50, "time_to_first_output_token": 50, "inter_token_latency": 20,
			"output_token_throughput_per_user": 50, "inter_chunk_latency": 20, "request_latency": 110,
		}},
		{"hidden reasoning", Article, hider(), map[string]float64{"speed": 14 / 0.065}},

		{"no usage", Article, uncounted(), map[string]float64{"speed": 4 / 0.065}}, // chunks
		{"no usage", GuideLLM, uncounted(), map[string]float64{
			"time_to_first_token_ms": 45, "time_to_first_output_token_ms": 45,
			"time_per_output_token_ms": 105.0 / 4, "inter_token_latency_ms": 20, "request_latency": 107,
		}},
		{"no usage", VLLM, uncounted(), map[string]float64{"ttft": 50, "tpot": null, "itl": 20, "e2el": 110}},
		{"no usage", AIPerf, uncounted(), map[string]float64{
			"time_to_first_token": 50, "time_to_first_output_token": 50, "inter_token_latency": null,
			"output_token_throughput_per_user": null, "inter_chunk_latency": 20, "request_latency": 110,
		}},
		{"no usage", LLMPerf, uncounted(), map[string]float64{
			"ttft_s": 50, "inter_token_latency_s": null, "request_output_throughput_token_per_s": null, "end_to_end_latency_s": 115,
		}},
	} {
		got := map[string]float64{}
		for _, f := range OfTrace(c.tool, c.trace).Figures {
			got[f.Name] = null
			if v, ok := f.Theirs.Get(); ok {
				got[f.Name] = v.In(f.Unit)
			}
		}
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-6 }) // a nanosecond
		if d := cmp.Diff(c.want, got, near); d != "" {
			t.Errorf("%s as %s (-want +got):\n%s", c.name, c.tool, d)
		}
	}
}

// part is a cause in the unit of its figure.
type part struct {
	Cause  string
	Effect float64
}

func parts(f Figure) (out []part) {
	for _, c := range f.Causes {
		out = append(out, part{c.Name, c.Effect.In(f.Unit)})
	}
	return out
}

func figure(t *testing.T, fs Figures, name string) Figure {
	t.Helper()
	for _, f := range fs.Figures {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("%s has no %s", fs.Tool, name)
	return Figure{}
}

// ns rounds a hand-made number as an Amount is.
func ns(v float64) float64 { return math.Round(v*1e6) / 1e6 }

func TestCauses(t *testing.T) {
	measured := plain()
	measured.TokenSource = weir.TokensFromTokenizer // so nobody's usage said it
	for _, c := range []struct {
		tool   Tool
		trace  *weir.Trace
		figure string
		want   []part
	}{
		{VLLM032, plain(), "ttft", []part{{fromSent, -2}, {roleCounts, -30}}},
		{VLLM032, plain(), "tpot", []part{
			{nLessOne, ns(60.0/7 - 10)}, {roleCounts, ns(ns(90.0/7) - ns(60.0/7))}, {finishCounts, ns(13 - ns(90.0/7))},
		}},
		{VLLM032, plain(), "e2el", []part{{fromSent, -2}, {finishCounts, 1}}},
		{GuideLLM, plain(), "time_per_output_token_ms", []part{{nInstead, -2.5}, {ttftInside, 13.125 - 7.5}}},
		{GuideLLM, plain(), "request_latency", []part{{fromSent, -2}, {noConnection, -5}, {trailerInside, 2}}},
		{GuideLLM, measured, "time_per_output_token_ms", []part{{nInstead, -2.5}, {chunksForToken, 7.5}, {ttftInside, 26.25 - 15}}},
		{GuideLLM, hider(), "inter_token_latency_ms", []part{{hiddenCounts, ns(60.0/13 - 20)}}},
		{AIPerf, plain(), "inter_token_latency", []part{{nLessOne, ns(60.0/7 - 10)}}},
		{AIPerf, hider(), "inter_token_latency", nil},
		{LLMPerf, thinker(), "ttft_s", []part{{fromSent, -2}, {textOnly, 40}}},
		{LLMPerf, thinker(), "inter_token_latency_s", []part{{nInstead, -2}, {textOnly, 20}, {ttftInside, 25}}},
		{Article, plain(), "speed", []part{{nInstead, 100.0 / 3}, {trailerInside, 8/0.065 - 8/0.06}}},
		{Article, measured, "speed", []part{{nInstead, 100.0 / 3}, {chunksForToken, -200.0 / 3}, {trailerInside, 4/0.065 - 4/0.06}}},
	} {
		f := figure(t, OfTrace(c.tool, c.trace), c.figure)
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1.5e-6 })
		if d := cmp.Diff(c.want, parts(f), near); d != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.tool, c.figure, d)
		}
		exact(t, c.tool, f)
	}
}

// exact holds that the causes add up to the difference, to the nanosecond.
func exact(t *testing.T, tool Tool, f Figure) {
	t.Helper()
	diff, ok := f.Difference.Get()
	if !ok {
		if f.Why == "" || len(f.Causes) > 0 {
			t.Errorf("%s %s: no difference, and why is %q with %d causes", tool, f.Name, f.Why, len(f.Causes))
		}
		return
	}
	theirs, _ := f.Theirs.Get()
	ours, _ := f.OurValue.Get()
	sum := Amount(0)
	for _, c := range f.Causes {
		sum += c.Effect
		if c.Name == "" || c.Effect == 0 {
			t.Errorf("%s %s: an empty cause %+v", tool, f.Name, c)
		}
	}
	if diff != theirs-ours || sum != diff {
		t.Errorf("%s %s: theirs %d - ours %d, difference %d, causes add up to %d", tool, f.Name, theirs, ours, diff, sum)
	}
}

// Where we give no figure, theirs stands alone and it is said why.
func TestNoDifference(t *testing.T) {
	burst := answer(20, at(50, text, 80), at(110, text, 4))
	bare := plain()
	bare.GotConn, bare.End, bare.Ticks = weir.Span{}, weir.Span{}, bare.Ticks[:5]
	for _, c := range []struct {
		tool   Tool
		trace  *weir.Trace
		figure string
		theirs weir.Opt[Amount]
		why    string
	}{
		{VLLM, burst, "tpot", weir.Some(Amount(math.Round(60e6 / 19))), "we give none: the answer came in one piece"},
		{Article, uncounted(), "speed", weir.Some(Amount(math.Round(4 / 0.065 * 1e9))), "we give none: its tokens are not known"},
		{GuideLLM, bare, "time_to_first_token_ms", weir.None[Amount](), "they count from when the connection was had, which the trace does not hold"},
		{LLMPerf, bare, "end_to_end_latency_s", weir.None[Amount](), "they count to the end of the body, which the trace does not hold"},
		{VLLM, answer(0, at(20, role, 0), at(30, done, 0)), "ttft", weir.None[Amount](), nothingCounted},
	} {
		f := figure(t, OfTrace(c.tool, c.trace), c.figure)
		if f.Theirs != c.theirs || f.Difference.Known() || f.Why != c.why {
			t.Errorf("%s %s: theirs %v, difference %v, why %q", c.tool, c.figure, f.Theirs, f.Difference, f.Why)
		}
	}
}

// vllm up to 0.32 reads usage only from a chunk without choices; elsewhere a
// tokenizer counts the text.
func TestUsageInAChunkWithChoices(t *testing.T) {
	tr := thinker()
	tr.Ticks[7].Kind, tr.Ticks[8].Kind = finish|usage, 0
	tr.Ticks = append(tr.Ticks[:8], tr.Ticks[9])
	old, now := figure(t, OfTrace(VLLM032, tr), "tpot"), figure(t, OfTrace(VLLM, tr), "tpot")
	if old.Theirs != weir.Some(Amount(90*time.Millisecond)) { // 2 tokens of text
		t.Errorf("0.32: %v", old.Theirs)
	}
	if now.Theirs != weir.Some(Amount(12*time.Millisecond)) {
		t.Errorf("0.33: %v", now.Theirs)
	}
}
