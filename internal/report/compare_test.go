package report_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

func renamed(r report.Run, from, to string) report.Run {
	r.Settings.Targets = []weir.Target{{Name: to, URL: "https://" + to + ".example/v1", Model: "llama-3.3-70b"}}
	r.Notes = r.Notes[:1]
	var mine []weir.Sample
	for _, s := range r.Samples {
		if s.Target == from {
			s.Target = to
			mine = append(mine, s)
		}
	}
	r.Samples = mine
	return r
}

func TestCompareGolden(t *testing.T) {
	before := renamed(handmade.Laps(30, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}), "north", "north")
	after := renamed(handmade.Laps(30, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms}), "a-longer-name", "north")
	after.Settings.Seed, after.Version, after.Lost = 43, "v0.0.1-test", []string{"the last line of traces.jsonl, which was cut while it was written"}
	handmade.Apart(&before, &after)
	one := renamed(handmade.WithoutLaps(handmade.Laps(120, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})), "north", "north")
	other := renamed(handmade.WithoutLaps(handmade.Laps(120, 2*time.Minute, [2]time.Duration{300 * ms, 212 * ms}, [2]time.Duration{12 * ms, 8 * ms})), "a-longer-name", "south")
	handmade.Apart(&one)
	for i := range other.Samples {
		other.Samples[i].ID = fmt.Sprintf("other-%d", i)
	}
	for name, runs := range map[string][]report.Named{
		"apart":    {{Name: "before", Run: before}, {Name: "after", Run: after}},
		"together": {{Name: "one", Run: one}, {Name: "other", Run: other}},
	} {
		t.Run(name, func(t *testing.T) {
			c := report.NewComparison(runs)
			if (c.Verdict != nil) != (name == "together") {
				t.Errorf("verdict %+v", c.Verdict)
			}
			var b bytes.Buffer
			if err := report.Terminal(&b, c); err != nil {
				t.Fatal(err)
			}
			golden(t, "compare_"+name+".txt", b.Bytes())
			b.Reset()
			if err := report.Markdown(&b, c); err != nil {
				t.Fatal(err)
			}
			golden(t, "compare_"+name+".md", b.Bytes())
		})
	}
}
