package faults

import (
	"os"
	"strings"
	"testing"
)

// docs/faults.md has the catalogue as it is, and the plain proxy's scorecard as
// the tests hold it.
func TestDocumentation(t *testing.T) {
	raw, err := os.ReadFile("../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	want := withoutGateway()
	want["W05"] = Fail // TestOverTCP
	for _, f := range catalogue() {
		if row := "| " + f.id + " | " + f.what + " | " + f.want + " | "; !strings.Contains(string(raw), row) {
			t.Errorf("no row %q", row)
		}
		if row := "| " + f.id + " | " + string(want[f.id]) + " | "; !strings.Contains(string(raw), row) {
			t.Errorf("no row %q", row)
		}
	}
}
