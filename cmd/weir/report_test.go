package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"weir.dev/weir/internal/stored"
)

// validates checks a document against what weir report --schema prints.
func validates(t *testing.T, doc string) {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(runWeir(t, "report", "--schema").out))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report.json", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(instance); err != nil {
		t.Error(err)
	}
}

// TestReportIsTheBench: a stored run shows what the bench had shown, to the
// last digit, in every form.
func TestReportIsTheBench(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{
		"a": "ttft=4ms,gap=300us,jitter=20%,fail=30%:503", "b": "ttft=8ms,gap=500us,tail=10%:20ms", "busy": "ttft=4ms,gap=300us,fail=100%:503",
	})
	for name, args := range map[string]string{
		"laps":        "-m a -m b -n 24 --concurrency 3 --price input=1,output=2 --slo ttft<=6ms,ttft_p95<=20ms",
		"open loop":   "-m a -m b -n 24 --rate 300 --concurrency 2",
		"one by time": "-m b --duration 300ms --concurrency 2 --warmup 0",
		"whole":       "-m a -m b -n 8 --no-stream",
		"pairs":       "-m b -n 12 --cache compare",
		"turns":       "-m a -n 9 --turns 3",
		"all failed":  "-m busy -n 4",
		"sweep":       "-m b --sweep concurrency=1,2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := strings.ReplaceAll(args, "-m ", "--model ")
			bench := []string{"bench"}
			for range strings.Count(line, "--model") {
				bench = append(bench, url)
			}
			bench = append(bench, strings.Fields(line)...)
			for _, form := range []string{"json", "table", "markdown", "csv"} {
				dir := filepath.Join(t.TempDir(), form)
				shown := runWeir(t, append(bench, "--output-tokens", "8", "--save", dir, "-o", form)...)
				again := runWeir(t, "report", dir, "-o", form)
				if again.code != shown.code || again.out != shown.out || shown.out == "" && form == "json" {
					t.Fatalf("%s: codes %d and %d; bench and report differ (-bench +report):\n%s%s", form, shown.code, again.code, cmp.Diff(shown.out, again.out), again.err)
				}
				if form == "json" {
					validates(t, again.out)
				}
			}
		})
	}
}

// TestReportSeveral: runs of one work beside each other, and as one.
func TestReportSeveral(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"a": "ttft=4ms,gap=300us", "b": "ttft=8ms,gap=500us"})
	dir := t.TempDir()
	for name, args := range map[string]string{"before": "-n 20", "after": "-n 12", "longer": "-n 3 --input-tokens 300"} {
		o := runWeir(t, append([]string{"bench", url, url, "--model", "a", "--model", "b", "--output-tokens", "8", "--save", filepath.Join(dir, name)}, strings.Fields(args)...)...)
		if o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	before, after, longer := filepath.Join(dir, "before"), filepath.Join(dir, "after"), filepath.Join(dir, "longer")

	o := runWeir(t, "report", before, after)
	if o.code != 0 || o.err != "" {
		t.Errorf("%+v", o)
	}
	o.says(t, "2 runs", "a (before)", "b (after)", "not side by side: load may differ; no verdict", "a: ttft p50")
	o = runWeir(t, "report", before, after, "-o", "json")
	validates(t, o.out)
	records, err := csv.NewReader(strings.NewReader(runWeir(t, "report", before, after, "-o", "csv").out)).ReadAll()
	if err != nil || len(records) != 1+2*(20+1)+2*(12+1) || records[0][0] != "run" || records[1][0] != "before" {
		t.Errorf("%d records, %v", len(records), err)
	}

	o = runWeir(t, "report", "--merge", after, before, "-o", "json", "--fail-if", "ttft_p50<1ms")
	s := o.summary(t)
	if o.code != 0 || len(s.Requests) != 2*(20+1)+2*(12+1) || len(s.Merged) != 2 || s.Verdict.Blocks != 32 || s.Targets[1].Requests != 32 {
		t.Errorf("%d: %d requests, %+v, %+v", o.code, len(s.Requests), s.Merged, s.Verdict)
	}
	validates(t, o.out)

	if err := os.CopyFS(filepath.Join(dir, "copy"), os.DirFS(before)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  string
		words []string
	}{
		{before + " " + longer, []string{"different workloads: input_tokens 256 and 300"}},
		{"--merge " + before + " " + filepath.Join(dir, "copy"), []string{"the same request"}},
		{before + " " + before + "/", []string{"named twice"}},
		{"--merge " + before, []string{"at least two"}},
		{before + " " + after + " --fail-if success<1", []string{"about one run", "--merge"}},
		{"", []string{"name the folder"}},
		{dir, []string{"no run folder", "there are runs in it"}},
		{before + " --slo quick", []string{"--slo"}},
	} {
		runWeir(t, append([]string{"report"}, strings.Fields(c.args)...)...).oneClearLine(t, 2, c.words...)
	}
}

// TestReportJudgesAgain: a stored run under other objectives.
func TestReportJudgesAgain(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"a": "ttft=20ms,gap=300us"})
	dir := filepath.Join(t.TempDir(), "run")
	if o := runWeir(t, "bench", url, "--model", "a", "-n", "6", "--output-tokens", "8", "--save", dir); o.code != 0 || strings.Contains(o.out, "slo:") {
		t.Fatalf("%+v", o)
	}
	o := runWeir(t, "report", dir, "--slo", "ttft<=1ms", "--fail-if", "ttft_p50>2ms", "--fail-if", "slo_attainment<50%")
	if o.code != 1 || strings.Count(o.err, "--fail-if") != 2 {
		t.Errorf("%+v", o)
	}
	o.says(t, "slo: ttft<=1ms", "0.0 %")

	if err := os.Remove(filepath.Join(dir, stored.TracesFile)); err != nil {
		t.Fatal(err)
	}
	runWeir(t, "report", dir).says(t, "lost: traces.jsonl is not there")
	runWeir(t, "report", dir, "--slo", "ttft<=1ms").oneClearLine(t, 2, "has lost its traces.jsonl")
	runWeir(t, "report", dir, "-o", "csv").oneClearLine(t, 2, "has lost its traces.jsonl")
	if o := runWeir(t, "report", dir, "-o", "csv", "--rows", "targets"); o.code != 0 || strings.Count(o.out, "\n") != 2 {
		t.Errorf("%+v", o)
	}
}

// TestReportOfAKilledRun: what had ended is shown, and what was lost is said.
func TestReportOfAKilledRun(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"a": "ttft=4ms,gap=300us"})
	dir := filepath.Join(t.TempDir(), "run")
	if o := runWeir(t, "bench", url, "--model", "a", "-n", "6", "--output-tokens", "8", "--save", dir); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	traces := filepath.Join(dir, stored.TracesFile)
	b := bytes.TrimSpace(readFile(t, traces))
	if err := os.WriteFile(traces, b[:len(b)-10], 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, stored.SummaryFile)); err != nil {
		t.Fatal(err)
	}
	o := runWeir(t, "report", dir)
	if o.code != 0 {
		t.Errorf("%+v", o)
	}
	o.says(t, "interrupted after", "lost: the last line of traces.jsonl, which was cut", "lost: summary.json is not there", "5 of 6")
	validates(t, runWeir(t, "report", dir, "-o", "json").out)
}
