package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"weir.dev/weir/internal/report"

	"weir.dev/weir/internal/weirtest/handmade"
)

const ms = time.Millisecond

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name, or writes it there with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/report -update writes it)", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

func TestTerminalGolden(t *testing.T) {
	for name, make := range handmade.Runs() {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := report.Terminal(&b, report.Summarise(make())); err != nil {
				t.Fatal(err)
			}
			if bytes.ContainsRune(b.Bytes(), 0x1b) {
				t.Error("escape codes where there is no terminal")
			}
			golden(t, "terminal_"+name+".txt", b.Bytes())
		})
	}
}

func TestSummaryJSONGolden(t *testing.T) {
	r := handmade.EveryClass()
	r.Settings.Extra = map[string]json.RawMessage{"top_p": json.RawMessage("0.9")}
	r.Notes[0] = report.TargetNote{Learned: []string{"stream_options"}}
	s := report.Summarise(r)
	s.Requests = s.Requests[1:2] // one row shows their form
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.json", append(b, '\n'))
	var back report.Summary
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&back); err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(&back, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(b), string(again)); d != "" {
		t.Errorf("read and written again (-first +second):\n%s", d)
	}
}
