package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestBenchHTML: a run becomes one page, on standard output and in its folder.
func TestBenchHTML(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"a": "ttft=4ms,gap=300us", "b": "ttft=8ms,gap=500us,fail=20%:503"})
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"bench", url, url, "--model", "a", "--model", "b", "-n", "24", "--output-tokens", "16", "-o", "html"}
	for _, args := range [][]string{args, append(args, "--save", dir)} {
		o := runWeir(t, args...)
		if o.code != 0 || !strings.HasPrefix(o.out, "<!doctype html>") || !strings.HasSuffix(o.out, "</html>\n") {
			t.Fatalf("code %d: %.100s ... %s", o.code, o.out, o.err)
		}
		o.says(t, "<h1>", "longest gap", "queue + prefill", "upstream_error", "client-limited")
	}
	if page := string(readFile(t, filepath.Join(dir, "report.html"))); !strings.Contains(page, "longest gap") || !strings.Contains(page, "Time to first token") {
		t.Errorf("report.html: %.200s", page)
	}
}

func TestSweepHTML(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"a": "ttft=4ms,gap=300us"})
	dir := filepath.Join(t.TempDir(), "sweep")
	o := runWeir(t, "bench", url, "--model", "a", "-n", "12", "--output-tokens", "16", "--sweep", "concurrency=1,2,4", "-o", "html", "--save", dir)
	if o.code != 0 || !strings.HasPrefix(o.out, "<!doctype html>") {
		t.Fatalf("code %d: %.100s ... %s", o.code, o.out, o.err)
	}
	o.says(t, "Throughput", "concurrency")
	if string(readFile(t, filepath.Join(dir, "report.html"))) != o.out {
		t.Error("the folder's report is another one")
	}
	readFile(t, filepath.Join(dir, "01-concurrency-1", "report.html"))
}

// TestHTMLWithoutAnswers: the page is there, and says why.
func TestHTMLWithoutAnswers(t *testing.T) {
	t.Parallel()
	o := runWeir(t, "bench", "http://127.0.0.1:1/v1", "--model", "m", "-n", "2", "-o", "html")
	if o.code != 1 || !strings.Contains(o.err, "no request succeeded") {
		t.Errorf("code %d: %s", o.code, o.err)
	}
	o.says(t, "Nothing was answered", "connect_error", "nothing listens at 127.0.0.1:1")
}
