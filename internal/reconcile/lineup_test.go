package reconcile

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/imports"
)

func opened(t *testing.T, name string) *imports.Run {
	t.Helper()
	runs, err := imports.Open(filepath.Join("..", "imports", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return runs[0]
}

// What a tool reported follows from its own requests by the rule we have for
// it: the rules are theirs, on files that they wrote. AIPerf's gaps go through
// a sketch.
func TestRulesOnRealFiles(t *testing.T) {
	for name, tool := range map[string]Tool{"vllm-0.33.json": VLLM, "vllm-0.32.json": VLLM032, "guidellm.json": GuideLLM, "aiperf": AIPerf} {
		run := opened(t, name)
		checked := 0
		for _, reported := range run.Reported {
			i := slices.IndexFunc(definitions(tool), func(d definition) bool { return d.name == reported.Figure })
			if i < 0 || reported.Figure == "inter_chunk_latency" && reported.Stat != "mean" {
				continue
			}
			d := definitions(tool)[i]
			values, _ := imported(d.name, run)
			got, ok := d.rule.of(Stat(reported.Stat), values).Get()
			if !ok || math.Abs(got.In(d.unit)-reported.Value) > 1e-5 {
				t.Errorf("%s %s %s: %v by our rule, they reported %v", name, reported.Figure, reported.Stat, got.In(d.unit), reported.Value)
			}
			checked++
		}
		if checked < 12 {
			t.Errorf("%s: only %d statistics checked", name, checked)
		}
	}
}

func besides(t *testing.T, c *Comparison, figure string, s Stat) Beside {
	t.Helper()
	i := slices.IndexFunc(c.Rows, func(b Beside) bool { return b.Figure == figure && b.Stat == s })
	if i < 0 {
		t.Fatalf("no row %s %s: %+v", figure, s, c.Apart)
	}
	return c.Rows[i]
}

// 0.32 and 0.33 differ on a stream with a role chunk, and the file does not say
// which it is of.
func TestLineUpVersionUnknown(t *testing.T) {
	theirs, ours := opened(t, "vllm-0.33.json"), []*weir.Trace{plain()}
	c, err := LineUp("", theirs, ours)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 0 || len(c.Apart) != 4 || !strings.Contains(c.Apart[0].Why, "name one") {
		t.Errorf("%+v, apart %+v", c.Rows, c.Apart)
	}
	if c, err = LineUp(VLLM, theirs, ours); err != nil {
		t.Fatal(err)
	}
	b := besides(t, c, "ttft", P50)
	if b.OurRun != 50e6 || b.Own != weir.Some(Amount(52e6)) || b.N != 5 || b.OurN != 1 || b.Same || math.Abs(b.Theirs.In(Millis)-66.272292) > 1e-6 {
		t.Errorf("%+v", b)
	}
	ours[0].Ticks = ours[0].Ticks[1:5] // no chunk that they differ on
	if c, err = LineUp("", theirs, ours); err != nil || len(c.Rows) != 12 {
		t.Errorf("%d rows, %v", len(c.Rows), err)
	}
}

func TestCandidates(t *testing.T) {
	for version, want := range map[string][]Tool{
		"0.7.4": {GuideLLM080}, "0.8.0": {GuideLLM080}, "0.8.1": {GuideLLM}, "1.0.0": {GuideLLM}, "": {GuideLLM, GuideLLM080}, "main": {GuideLLM, GuideLLM080},
	} {
		run := &imports.Run{Tool: imports.GuideLLM, Version: weir.Some(version)}
		if got := Candidates(run); !slices.Equal(got, want) {
			t.Errorf("guidellm %q: %q, want %q", version, got, want)
		}
	}
}

func TestLineUp(t *testing.T) {
	same := plain()
	same.Due = same.Sent
	c, err := LineUp("", opened(t, "aiperf"), []*weir.Trace{same})
	if err != nil {
		t.Fatal(err)
	}
	if !besides(t, c, "time_to_first_token", P50).Same || besides(t, c, "inter_token_latency", P50).Same {
		t.Errorf("%+v", c.Rows)
	}
	want := []Condition{{"model", "sim-model", "m"}, {"mean output tokens", "12", "8"}}
	if !slices.Equal(c.Unlike, want) {
		t.Errorf("unlike %+v", c.Unlike)
	}
	golden(t, "lineup.txt", printed(t, func(b *bytes.Buffer) error { return c.Terminal(b) }))

	if c, err = LineUp("", opened(t, "guidellm.json"), []*weir.Trace{uncounted(), failed()}); err != nil {
		t.Fatal(err)
	}
	if b := besides(t, c, "time_per_output_token_ms", Mean); b.OurRun != 26.25e6 || b.Own.Known() || b.Same {
		t.Errorf("%+v", b)
	}
	var e *weir.Error
	if _, err = LineUp(GuideLLM, opened(t, "aiperf"), nil); !errors.As(err, &e) || e.Code != "reconcile_tool" {
		t.Errorf("%v", err)
	}
}

// Nothing of theirs is in the file: it is said, never shown as 0.
func TestLineUpLacks(t *testing.T) {
	theirs := &imports.Run{Tool: imports.AIPerf, Requests: []imports.Request{{TTFT: weir.SpanOf(ms(5))}}}
	c, err := LineUp("", theirs, []*weir.Trace{plain()})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 3 || !slices.Contains(c.Apart, Apart{"request_latency", "their file has no value of it"}) {
		t.Errorf("%+v, apart %+v", c.Rows, c.Apart)
	}
}
