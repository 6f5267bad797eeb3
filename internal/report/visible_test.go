package report_test

import (
	"bytes"
	"strings"
	"testing"

	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"llama-3.3-70b":               "llama-3.3-70b",
		"שלום 模型 🦀":                   "שלום 模型 🦀",
		"gpt\u202eoof\u202c":          `gpt\u202eoof\u202c`,
		"a\x1b[2Jb\x07\r\n\x7f\u0085": `a\x1b[2Jb\a\r\n\x7f\u0085`,
		"\u2067x\u200f\u2028\u200b":   `\u2067x\u200f\u2028\u200b`,
		"👩\u200d👧 می\u200cخواهم":      "👩\u200d👧 می\u200cخواهم",
	} {
		if got := report.Visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestNamesAreVisible: whatever the form, a name moves no cursor and turns no
// direction.
func TestNamesAreVisible(t *testing.T) {
	const evil = "x\x1b[2J\u202egnirts\x07"
	r := handmade.EveryClass()
	r.Settings.Targets[0].Name, r.Settings.Targets[0].Model = evil, evil
	r.Settings.Prompt = evil
	r.Notes[0].Learned, r.Lost = []string{evil}, []string{evil}
	for i := range r.Samples {
		if r.Samples[i].Target == "north" {
			r.Samples[i].Target, r.Samples[i].Model, r.Samples[i].ErrorText = evil, evil, evil
		}
	}
	s := report.Summarise(r)
	sweep := report.NewSweep(report.OverConcurrency, []float64{1}, []*report.Summary{s})
	both := report.NewComparison([]report.Named{{Name: evil, Run: r}, {Name: "b", Run: handmade.Run()}})
	for name, d := range map[string]report.Document{"run": s, "sweep": sweep, "comparison": both} {
		var b bytes.Buffer
		for form, err := range map[string]error{
			"terminal": report.Terminal(&b, d), "markdown": report.Markdown(&b, d),
			"requests": report.CSV(&b, d, report.RowsRequests), "targets": report.CSV(&b, d, report.RowsTargets),
		} {
			if err != nil {
				t.Fatalf("%s, %s: %v", name, form, err)
			}
		}
		if strings.ContainsAny(b.String(), "\x1b\x07\u202e") {
			t.Errorf("%s: controls came through: %.500q", name, b.String())
		}
		if !strings.Contains(b.String(), `\u202egnirts\a`) {
			t.Errorf("%s: the name is not there: %.500q", name, b.String())
		}
	}
}
