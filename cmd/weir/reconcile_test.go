package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestReportAs shows a run under other tools' definitions, and beside a result
// of theirs.
func TestReportAs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	url := simulator(t, map[string]string{"a": "ttft=20ms,gap=2ms", "b": "ttft=30ms,gap=3ms"})
	if o := runWeir(t, "bench", url, url, "--model", "a", "--model", "b", "-n", "6", "--output-tokens", "8", "--save", dir); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	for _, tool := range []string{"article", "vllm", "vllm-0.32", "guidellm", "guidellm-0.8.0", "aiperf", "llmperf"} {
		o := runWeir(t, "report", dir, "--as", tool)
		if o.code != 0 || strings.Count(o.out, "as "+tool) != 2 || !strings.Contains(o.out, "theirs") {
			t.Errorf("%s: %+v", tool, o)
		}
	}
	if o := runWeir(t, "report", dir, "--as", "guidellm", "-o", "json"); o.code != 0 || !strings.Contains(o.out, `"time_per_output_token_ms`) {
		t.Errorf("%+v", o)
	}
	theirs := filepath.Join("..", "..", "internal", "imports", "testdata")
	files, err := filepath.Glob(filepath.Join(theirs, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: %v", files, err)
	}
	for _, file := range files {
		if o := runWeir(t, "report", file, dir, "--target", "a"); o.code != 0 || !strings.Contains(o.out, "our run, their way") || !strings.Contains(o.out, "the runs differ in") {
			t.Errorf("%s: %+v", file, o)
		}
	}
	for args, want := range map[string]string{
		dir + " --as nothing":                      "guidellm",
		dir + " " + dir + " --as vllm":             "name one run",
		files[0] + " " + dir:                       "--target",
		files[0] + " " + dir + " --target c":       "a, b",
		files[0]:                                   "0 folders of ours",
		files[0] + " " + files[0] + " " + dir:      "2 results",
		dir + " --as vllm -o csv":                  "-o csv",
		"reconcile_test.go " + dir + " --target a": "reconcile_test.go",
		dir + " --as vllm --fail-if success<1":     "--fail-if",
	} {
		if o := runWeir(t, append([]string{"report"}, strings.Fields(args)...)...); o.code != 2 || !strings.Contains(o.err, want) {
			t.Errorf("%s: %+v", args, o)
		}
	}
}
