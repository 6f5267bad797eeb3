package validate

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"weir.dev/weir"
)

var update = flag.Bool("update", false, "write the tables of docs/physics.md anew")

// Any change of the model's parameters is held to these. PHYSICS.md, F.
func TestPublishedFiguresAreMet(t *testing.T) {
	if raceDetector {
		t.Skip("too slow under the race detector; tools/test.sh runs it without")
	}
	report := runTable(t, "engine_published.csv")
	var load []Result
	for _, c := range report.Cells {
		limit := 0.0
		switch {
		case c.metric.kind == throughput && (c.GPU != "A100" || c.TP != 8): // PHYSICS.md: all-reduces of 2024 on A100
			load = append(load, c)
		case c.metric.kind == tokenGap:
			limit = 0.08
		case c.metric.kind == firstToken, c.metric.kind == firstTokenAt:
			limit = 0.15
		}
		if limit > 0 && math.Abs(c.Error.Or(9)) > limit {
			t.Errorf("line %d: %s %s %s is off by %.1f %%, at most %.0f", c.Line, c.Model, c.GPU, c.Metric, 100*c.Error.Or(9), 100*limit)
		}
	}
	if s, _ := Summarize(load); s.N != 90 || s.Median > 0.08 || s.P90 > 0.20 {
		t.Errorf("throughput of %d cells: median error %.1f %%, p90 %.1f %%; at most 8 and 20", s.N, 100*s.Median, 100*s.P90)
	}
	documents(t, "published", groups(report))
}

// Published figures by which no parameter was chosen.
func TestFiguresThatWereNotUsed(t *testing.T) {
	report := runTable(t, "testdata/not_used.csv")
	for _, c := range report.Cells {
		limit := map[kind]float64{tokenGap: 0.08, firstToken: 0.25, latency: 0.16}[c.metric.kind]
		if math.Abs(c.Error.Or(9)) > limit {
			t.Errorf("line %d: %s %s %s is off by %.1f %%, at most %.0f", c.Line, c.Model, c.GPU, c.Metric, 100*c.Error.Or(9), 100*limit)
		}
	}
	documents(t, "not used", groups(report))
}

func runTable(t *testing.T, name string) Report {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cells, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), cells)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// groups is a table of the errors by what was measured.
func groups(r Report) string {
	var order []string
	of := map[string][]Result{}
	for _, c := range r.Cells {
		metric := map[kind]string{throughput: "throughput", latency: "latency, batch", firstToken: "ttft, batch", firstTokenAt: "ttft, concurrency", tokenGap: "itl, concurrency"}[c.metric.kind]
		key := fmt.Sprintf("%s | %d x %s | %s | %s", c.Model, c.TP, c.GPU, c.Weights, metric)
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], c)
	}
	var b strings.Builder
	b.WriteString("| model | on | weights | figure | cells | mean error | median size | largest |\n|---|---|---|---|---|---|---|---|\n")
	for _, key := range order {
		mean := 0.0
		for _, c := range of[key] {
			mean += c.Error.Or(9) / float64(len(of[key]))
		}
		s, _ := Summarize(of[key])
		fmt.Fprintf(&b, "| %s | %d | %+.1f %% | %.1f %% | %.1f %% |\n", key, s.N, 100*mean, 100*s.Median, 100*s.Max)
	}
	fmt.Fprintf(&b, "\nAll %d: median error %.1f %%, p90 %.1f %%, max %.1f %%.\n", r.Summary.N, 100*r.Summary.Median, 100*r.Summary.P90, 100*r.Summary.Max)
	return b.String()
}

// documents holds a table of docs/physics.md, between its marks, against what
// comes out now, or writes it there with -update.
func documents(t *testing.T, name, table string) {
	t.Helper()
	const page = "../../../docs/physics.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	switch {
	case !ok || !ends:
		t.Fatalf("%s has no marks of %q", page, name)
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	case shown != table:
		t.Errorf("%s shows other errors than there are now: go test ./internal/engine/validate -update", page)
	}
}

func TestEngineThatASourceNames(t *testing.T) {
	for source, want := range map[string]string{
		"TensorRT-LLM v0.17 perf-overview":                 "trtllm",
		"TensorRT-LLM v0.5x nightly":                       "trtllm",
		"TensorRT-LLM 0.5 performance.md (commit 138f96d)": "eager-2023",
		"lmdeploy A100 FP16 static table":                  "eager-2023",
		"vLLM CI build 9515":                               "vllm-v1",
		"ROCm/vllm dev-docker README":                      "vllm-v1",
		"NVIDIA NIM 1.8.0 performance page":                "trtllm",
	} {
		if got := engineOf(source); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

// Worked by hand from TensorRT-LLM's rule.
func TestEnginesAreBuiltForTheirLengths(t *testing.T) {
	for _, c := range []struct{ capacity, input, output, seqs, tokens int }{
		{440_000, 5000, 500, 96, 2048},      // 80 fit
		{440_000, 128, 2048, 224, 2048},     // 202.2
		{1_800_000, 500, 2000, 768, 2048},   // 720
		{1_800_000, 2048, 128, 896, 14336},  // 827.2, 14063 tokens
		{9_000_000, 128, 128, 4096, 8192},   // no more than 4096
		{100_000, 20000, 2000, 64, 2048},    // at least 64
		{1_800_000, 2048, 2048, 512, 2048},  // 439.5
		{4_000_000, 2048, 128, 2048, 31744}, // 1838.2, 31250
	} {
		if seqs, tokens := builtFor(c.capacity, c.input, c.output); seqs != c.seqs || tokens != c.tokens {
			t.Errorf("%+v: %d requests, %d tokens", c, seqs, tokens)
		}
	}
}

func TestRunSaysWhatCannotBeSimulated(t *testing.T) {
	cells, err := Read(strings.NewReader(header + good + strings.Replace(good, "l3-8b", "l3-405b", 1)))
	if err != nil {
		t.Fatal(err)
	}
	cells[0].Requests = weir.Some(1)
	const why = "l3-405b in fp8 does not fit on 1 H100"
	report, err := Run(t.Context(), cells)
	if err != nil || report.Summary.N != 1 || report.Cells[1].Error.Known() || !strings.Contains(report.Cells[1].Problem.Or(""), why) {
		t.Errorf("%+v, %v", report, err)
	}
	_, err = Run(t.Context(), cells[1:])
	if we, ok := errors.AsType[*weir.Error](err); !ok || we.Code != "cannot_simulate" || !strings.Contains(err.Error(), "line 3: "+why) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, cells[:1]); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestSummarize(t *testing.T) {
	results := []Result{{Problem: weir.Some("no")}}
	for i := range 10 {
		results = append(results, Result{Error: weir.Some(float64(i+1) * float64(1-2*(i%2)) / 100)})
	}
	if got, ok := Summarize(results); !ok || got != (Summary{N: 10, Median: 0.05, P90: 0.09, Max: 0.10}) {
		t.Errorf("%+v, %v", got, ok)
	}
	if got, ok := Summarize(results[:1]); ok {
		t.Errorf("a summary of nothing: %+v", got)
	}
}
