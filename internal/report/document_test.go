package report_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

func TestMarkdownGolden(t *testing.T) {
	odd := handmade.Run()
	odd.Settings.Targets[0].Name = "no|rth*"
	handmade.Good(&odd, "no|rth*", 3, 180*ms, 8*ms)
	odd.Samples = append(odd.Samples, handmade.Failed("no|rth*", weir.UpstreamError, 503, "", "a | pipe, <b>, `code`, [a link](https://x.example)\nand a second line"))
	for name, d := range map[string]report.Document{"odd": report.Summarise(odd), "every_class": report.Summarise(handmade.EveryClass()), "sweep": handmade.Queueing()} {
		var b bytes.Buffer
		if err := report.Markdown(&b, d); err != nil {
			t.Fatal(err)
		}
		golden(t, "markdown_"+name+".md", b.Bytes())
	}
}

// TestMarkdownKeepsItsTables: whatever a provider says, each row has as many
// cells as the head.
func TestMarkdownKeepsItsTables(t *testing.T) {
	r := handmade.Run()
	r.Settings.Targets[1].Name = "a|b \\| c\n|---|"
	var b bytes.Buffer
	if err := report.Markdown(&b, report.Summarise(r)); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		bare := strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, "")
		if n := strings.Count(bare, "|"); n != 12 {
			t.Errorf("%d lines between cells: %s", n, line)
		}
	}
	if rows != 4 {
		t.Errorf("%d rows:\n%s", rows, b.String())
	}
}

func csvOf(t *testing.T, d report.Document, rows string) [][]string {
	t.Helper()
	var b bytes.Buffer
	if err := report.CSV(&b, d, rows); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestCSV(t *testing.T) {
	r := handmade.Run()
	s := handmade.Sample("north", 180*ms, 8*ms)
	s.ErrorText, s.Warnings, s.Provider = "a \"quote\", a comma\nand a line", []string{"one", "two"}, []byte(`{"queue":1}`)
	s.TTFAT, s.Block = weir.Span{}, weir.Some(0)
	r.Samples = []weir.Sample{s}
	d := report.Summarise(r)
	records := csvOf(t, d, report.RowsRequests)
	if len(records) != 2 {
		t.Fatalf("%d records", len(records))
	}
	golden(t, "columns_requests.txt", []byte(strings.Join(records[0], "\n")+"\n"))
	for name, want := range map[string]string{
		"id": "01TEST", "due": "2026-11-30T12:00:01Z", "ttft_ms": "180", "tpot_ms": "8", "output_speed": "125", "ttfat_ms": "", "block": "0", "turn": "",
		"outcome": "ok", "http_status": "200", "warmup": "false", "prompt_tokens": "260", "cached_tokens": "", "conn_reused": "true",
		"error_message": "a \"quote\", a comma\nand a line", "warnings": "one; two", "provider": `{"queue":1}`, "lateness_ms": "0.1",
	} {
		if i := slices.Index(records[0], name); i < 0 || records[1][i] != want {
			t.Errorf("%s: column %d, want %q: %q", name, i, want, records[1])
		}
	}
	targets := csvOf(t, d, report.RowsTargets)
	golden(t, "columns_targets.txt", []byte(strings.Join(targets[0], "\n")+"\n"))
	if len(targets) != 3 {
		t.Fatalf("%d records", len(targets))
	}
	for name, want := range map[string]string{
		"name": "north", "ttft_ms.p50": "180", "ttft_ms.p50_interval.hi": "", "outcomes.ok": "1", "outcomes.timeout_stall": "0", "success": "1",
		"cache.pairs": "", "steady.window_ms": "", "ttft_ms.open_ended": "p50; p95; p99",
	} {
		if i := slices.Index(targets[0], name); i < 0 || targets[1][i] != want {
			t.Errorf("%s: column %d, want %q: %q", name, i, want, targets[1])
		}
	}
	if none := csvOf(t, report.Summarise(report.Run{}), report.RowsRequests); len(none) != 1 || !slices.Equal(none[0], records[0]) {
		t.Errorf("of nothing: %q", none)
	}
}

func TestCSVSaysWhichRun(t *testing.T) {
	sweep := csvOf(t, handmade.Queueing(), report.RowsTargets)
	if len(sweep) != 1+4*2 || sweep[0][0] != "point" || sweep[1][0] != "1" || sweep[8][0] != "16" {
		t.Errorf("%d records: %q", len(sweep), sweep[:2])
	}
	a, b := handmade.Run(), handmade.Run()
	handmade.Good(&a, "north", 3, 180*ms, 8*ms)
	handmade.Good(&b, "north", 2, 180*ms, 8*ms)
	handmade.Apart(&a, &b)
	records := csvOf(t, report.NewComparison([]report.Named{{Name: "a", Run: a}, {Name: "b", Run: b}}), report.RowsRequests)
	if len(records) != 1+4+3 || records[0][0] != "run" || records[1][0] != "a" || records[7][0] != "b" {
		t.Errorf("%q", records)
	}
}

func BenchmarkCSV(b *testing.B) {
	r := handmade.Run()
	for range 1000 {
		r.Samples = append(r.Samples, handmade.Sample("north", time.Second, time.Millisecond))
	}
	d := report.Summarise(r)
	for b.Loop() {
		var out bytes.Buffer
		if err := report.CSV(&out, d, report.RowsRequests); err != nil {
			b.Fatal(err)
		}
	}
}
