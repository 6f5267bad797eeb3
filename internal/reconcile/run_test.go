package reconcile

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weir.dev/weir"
)

// later shifts a trace's events by d.
func later(t *weir.Trace, d time.Duration) *weir.Trace {
	for i := range t.Ticks {
		t.Ticks[i].At += d
		t.Ticks[i].Lo += d
	}
	t.End = weir.SpanOf(t.End.Or(0).Duration() + d)
	return t
}

func failed() *weir.Trace {
	return &weir.Trace{Outcome: weir.UpstreamError, Sent: started, Due: started, End: weir.SpanOf(ms(3))}
}

func row(t *testing.T, r Run, name string, s Stat) Row {
	t.Helper()
	i := slices.IndexFunc(r.Rows, func(r Row) bool { return r.Name == name && r.Stat == s })
	if i < 0 {
		t.Fatalf("no row %s %s", name, s)
	}
	return r.Rows[i]
}

// Two answers with ttft 52 and 62 ms for us, 20 and 30 ms for vllm 0.32.
func TestRunRows(t *testing.T) {
	warm := later(plain(), ms(500))
	warm.Warmup = true
	run := OfRun(VLLM032, []*weir.Trace{warm, plain(), later(plain(), ms(10))})
	for _, c := range []struct {
		stat         Stat
		theirs, ours float64
	}{{Mean, 25, 57}, {P50, 25, 52}, {P99, 29.9, 62}} { // numpy's: between the two; ours: the observed rank
		r := row(t, run, "ttft", c.stat)
		if r.Theirs != weir.Some(Amount(c.theirs*1e6)) || r.OurValue != weir.Some(Amount(c.ours*1e6)) || r.N != 2 || r.OurN != 2 {
			t.Errorf("ttft %s: theirs %v, ours %v, n %d and %d", c.stat, r.Theirs, r.OurValue, r.N, r.OurN)
		}
		exact(t, run.Tool, r.Figure)
	}
}

// With us a failed request keeps its rank; with them it is left out.
func TestRunFailures(t *testing.T) {
	run := OfRun(VLLM, []*weir.Trace{plain(), later(plain(), ms(10)), failed()})
	r := row(t, run, "ttft", P50)
	if r.OurValue != weir.Some(Amount(62e6)) || r.Theirs != weir.Some(Amount(55e6)) || r.N != 2 || r.OurN != 3 || r.Failed != 1 {
		t.Errorf("p50: %+v", r)
	}
	if d := parts(r.Figure); d[0] != (part{leftOut, -10}) {
		t.Errorf("%+v", d)
	}
	r = row(t, run, "ttft", P99)
	if r.OurValue.Known() || r.Difference.Known() || r.Why != "ours was never reached: that rank failed" {
		t.Errorf("p99: %+v", r)
	}
}

// Without a good answer there are no values, and it is said why.
func TestRunEmpty(t *testing.T) {
	for why, traces := range map[string][]*weir.Trace{"no request was measured": nil, "ours was never reached: that rank failed": {failed()}} {
		r := row(t, OfRun(AIPerf, traces), "request_latency", P50)
		if r.Theirs.Known() || r.OurValue.Known() || r.Why != why {
			t.Errorf("%+v", r)
		}
	}
}

// GuideLLM's mean tpot is over tokens, not over requests.
func TestRunWeights(t *testing.T) {
	long := answer(24, plain().Ticks...) // 105/24 ms a token, three times the weight of plain's 105/8
	run := OfRun(GuideLLM, []*weir.Trace{plain(), long})
	r := row(t, run, "time_per_output_token_ms", Mean)
	if want := weir.Some(Amount(6562500)); r.Theirs != want { // 2 * 105 ms / 32 tokens
		t.Errorf("theirs %v, want %v", r.Theirs, want)
	}
	if got := row(t, run, "time_per_output_token_ms", P50).Theirs; got != weir.Some(Amount(4375000)) {
		t.Errorf("p50 %v", got)
	}
	exact(t, run.Tool, r.Figure)
}

// Requests that we give no figure for are a cause of their own.
func TestRunOnlyTheirs(t *testing.T) {
	burst := answer(20, at(50, text, 80), at(88, text, 4))
	run := OfRun(VLLM, []*weir.Trace{plain(), burst})
	r := row(t, run, "tpot", Mean)
	if d := parts(r.Figure); len(d) != 2 || d[1].Cause != onlyHad {
		t.Errorf("%+v", d)
	}
	exact(t, run.Tool, r.Figure)
}

func TestRunSpeedTail(t *testing.T) {
	slow := answer(8, at(50, text, 8), at(90, text, 8), at(130, text, 8), at(170, text, 8))
	run := OfRun(AIPerf, []*weir.Trace{plain(), slow})
	r := row(t, run, "output_token_throughput_per_user", P99)
	if r.OurValue != weir.Some(Amount(50e9)) || !slices.ContainsFunc(r.Causes, func(c Cause) bool { return c.Name == fastEnd }) {
		t.Errorf("%+v", r)
	}
	exact(t, run.Tool, r.Figure)
}

// Whatever the ticks: causes add up, nothing panics, JSON is whole.
func TestSumsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var traces []*weir.Trace
		for range 1 + rng.IntN(6) {
			traces = append(traces, random(rng))
		}
		for _, tool := range Tools() {
			for _, f := range OfTrace(tool, traces[0]).Figures {
				exact(t, tool, f)
			}
			run := OfRun(tool, traces)
			for _, r := range run.Rows {
				exact(t, tool, r.Figure)
			}
			if _, err := json.Marshal(run); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// random is an answer of any shape, with odd nanoseconds.
func random(rng *rand.Rand) *weir.Trace {
	kinds := []weir.TickKind{role, text, text, text, thought, weir.TickSummary, weir.TickTool, weir.TickRefusal, 0, finish, usage, text | usage, finish | usage, done}
	outcomes := []weir.Outcome{weir.OK, weir.OK, weir.OK, weir.Truncated, weir.RateLimited, weir.TimeoutStall}
	t := answer(rng.IntN(40))
	t.Outcome = outcomes[rng.IntN(len(outcomes))]
	now := time.Duration(0)
	for range rng.IntN(30) {
		now += time.Duration(rng.IntN(20_000_003))
		k := kinds[rng.IntN(len(kinds))]
		tick := weir.Tick{At: now, Lo: now, Kind: k}
		if k.Output() {
			tick.Bytes = int32(rng.IntN(12))
			tick.Tokens = int32(rng.IntN(2) * rng.IntN(4))
		}
		t.Ticks = append(t.Ticks, tick)
	}
	t.End = weir.SpanOf(now + time.Duration(rng.IntN(5_000_000)))
	for _, drop := range []func(){
		func() { t.Usage, t.TokenSource = weir.Usage{}, "" },
		func() { t.Usage.Reasoning = weir.Some(rng.IntN(20)) },
		func() { t.TokenSource = weir.TokensFromTokenizer },
		func() { t.TokenSource = weir.TokensFromEstimate },
		func() { t.GotConn = weir.Span{} },
		func() { t.End = weir.Span{} },
	} {
		if rng.IntN(4) == 0 {
			drop()
		}
	}
	return t
}

func TestGolden(t *testing.T) {
	trace := OfTrace(VLLM032, plain())
	golden(t, "trace.txt", printed(t, func(b *bytes.Buffer) error { return trace.Terminal(b) }))
	run := OfRun(GuideLLM, []*weir.Trace{plain(), later(plain(), ms(10)), uncounted(), failed()})
	golden(t, "run.txt", printed(t, func(b *bytes.Buffer) error { return run.Terminal(b) }))
	b, err := json.MarshalIndent(trace, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "trace.json", append(b, '\n'))
	if b, err = json.MarshalIndent(run.Rows[:1], "", "  "); err != nil {
		t.Fatal(err)
	}
	golden(t, "row.json", append(b, '\n'))
}
