//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir.dev/weir"
)

// What the importers give of the tools' real files, in the places of the table.
func TestRead(t *testing.T) {
	files := "../../internal/imports/testdata/"
	for _, tool := range tools()[1:] {
		switch tool.key {
		case "AIPERF":
			tool.imported, tool.output = files+"aiperf/profile_export.jsonl", files+"aiperf/profile_export_aiperf.json"
		case "GUIDELLM":
			tool.imported, tool.output = files+"guidellm.json", files+"guidellm.json"
		default:
			tool.imported, tool.output = files+"vllm-0.33.json", files+"vllm-0.33.json"
		}
		f, err := tool.read(".")
		if err != nil {
			t.Errorf("%s: %v", tool.name, err)
			continue
		}
		for name, v := range map[string]weir.Opt[float64]{"ttft": f.TTFTMean, "p50": f.TTFTp50, "p99": f.TTFTp99, "itl": f.ITL, "ok": f.Good, "failed": f.Failed, "out": f.Out} {
			if !v.Known() {
				t.Errorf("%s: no %s", tool.name, name)
			}
		}
		if got := f.Out.Or(0); got != 12 {
			t.Errorf("%s: %v output tokens, want 12", tool.name, got)
		}
		if ms := f.TTFTMean.Or(0); ms < 60 || ms > 120 {
			t.Errorf("%s: ttft %v ms, of a plan of 60", tool.name, ms)
		}
	}
}

func TestRates(t *testing.T) {
	for _, c := range []struct {
		read func(string) (figures, error)
		file string
	}{
		{vllmRates, `{"request_throughput": 2, "output_throughput": 256}`},
		{aiperfRates, `{"request_throughput": {"avg": 2}, "output_token_throughput": {"avg": 256}}`},
		{guidellmRates, `{"benchmarks": [{"metrics": {"request_totals": {"successful": 44}, "requests_per_second": {"successful": {"mean": 2}}, "output_tokens_per_second": {"successful": {"mean": 256}}}}]}`},
	} {
		name := filepath.Join(t.TempDir(), "output.json")
		if err := os.WriteFile(name, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := c.read(name)
		if err != nil || f.RequestRate.Or(0) != 2 || f.TokenRate.Or(0) != 256 {
			t.Errorf("%s gives %v and %v, %v", c.file, f.RequestRate, f.TokenRate, err)
		}
		if good, ok := f.Good.Get(); ok && good != 44 {
			t.Errorf("%s gives %v requests", c.file, good)
		}
	}
}

// What a plan says, worked out by hand.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		plan            string
		tpot, gap, rate float64
	}{
		{"ttft=200ms,gap=10ms,role=false", 10, 10, 8 / 1.47},
		{"ttft=200ms,gap=10ms,stall=128:300ms", 10, 10, 8 / 1.77},
		{"ttft=200ms,gap=40ms,tokens_per_event=4", 10, 40, 8 / 1.44},
		{"ttft=200ms,gap=10ms,reasoning=64", 10, 10, 8 / 1.47},
	} {
		f, err := stream{model: "m", plan: c.plan}.truth(load{concurrency: 8, requests: 64, in: 256, out: 128})
		if err != nil {
			t.Errorf("%s: %v", c.plan, err)
			continue
		}
		near := func(name string, got weir.Opt[float64], want float64) {
			if v := got.Or(-1); v < want-1e-9 || v > want+1e-9 {
				t.Errorf("%s: %s is %v, want %v", c.plan, name, v, want)
			}
		}
		near("ttft", f.TTFTMean, 200)
		near("tpot", f.TPOT, c.tpot)
		near("gap", f.Gap, c.gap)
		near("req/s", f.RequestRate, c.rate)
		near("tok/s", f.TokenRate, 128*c.rate)
	}
}

func TestTableShowsWhatIsUnknown(t *testing.T) {
	var b strings.Builder
	writeTable(&b, "x", []row{{"a", figures{TTFTMean: weir.Some(1.0)}}})
	if want := "| a  |      1.00 |   – |"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, &b)
	}
}

func TestReplaced(t *testing.T) {
	got, err := replaced("above\n"+begins+"old\n"+ends+"below\n", "new\n")
	if want := "above\n" + begins + "new\n" + ends + "below\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if got, err := replaced("above\n"+begins+"old\n", "new\n"); err == nil {
		t.Errorf("a document whose place has no end became %q", got)
	}
}
