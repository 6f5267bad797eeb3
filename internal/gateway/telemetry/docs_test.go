package telemetry_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/telemetry"
)

var update = flag.Bool("update", false, "write the tables of docs/gateway-metrics.md")

// TestDocs: the tables of docs/gateway-metrics.md are what a gateway serves that
// has seen everything.
func TestDocs(t *testing.T) {
	m := telemetry.New("v1", every())
	m.Configure(config(t))
	m.Observe(failedOver())
	m.Observe(&journal.Record{Outcome: weir.RateLimited, Refused: "rpm"})
	families := scrape(t, m)
	path := filepath.Join("..", "..", "..", "docs", "gateway-metrics.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(b)
	for _, prefix := range []string{"weir_", "gen_ai_"} {
		begin, end := fmt.Sprintf("<!-- %s: made by the test -->\n", prefix), "<!-- end -->\n"
		before, rest, found := strings.Cut(want, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s has no place for the table of %s", path, prefix)
		}
		want = before + begin + table(families, prefix) + end + after
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, string(b)); d != "" {
		t.Errorf("%s (-served +written; go test ./internal/gateway/telemetry -update writes it):\n%s", path, d)
	}
}

func table(families map[string]*dto.MetricFamily, prefix string) string {
	var s strings.Builder
	s.WriteString("| name | type | unit | labels | meaning |\n|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(families)) {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		f := families[name]
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		fmt.Fprintf(&s, "| `%s` | %s | %s | %s | %s |\n", name, strings.ToLower(f.GetType().String()), unit(name), strings.Join(labels, " "), f.GetHelp())
	}
	return s.String()
}

func unit(name string) string {
	for _, u := range [][2]string{{"_seconds", "s"}, {"_usd", "USD"}, {"_tokens", "tokens"}, {"token_usage", "tokens"}} {
		if strings.Contains(name, u[0]) {
			return u[1]
		}
	}
	return "1"
}
