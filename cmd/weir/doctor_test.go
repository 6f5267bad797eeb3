package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"weir.dev/weir/internal/faults"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
)

func diagnosed(t *testing.T, o outcome) *diagnosis {
	t.Helper()
	d := new(diagnosis)
	dec := json.NewDecoder(strings.NewReader(o.out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(d); err != nil {
		t.Fatalf("%v\n%s%s", err, o.out, o.err)
	}
	return d
}

// TestDoctor: no fault is failed. The fast profile has waits of milliseconds, which
// a busy machine may miss, so the best of three runs counts; that all 28 pass is
// held in virtual time by internal/gateway.
func TestDoctor(t *testing.T) {
	for try := 1; ; try++ {
		o := runWeir(t, "doctor", "--profile", "fast", "-o", "json")
		d := diagnosed(t, o)
		for _, c := range d.Cells {
			if c.Verdict != faults.Pass {
				t.Logf("%s %s: %s", c.ID, c.Verdict, c.Why)
			}
			if c.Route != "wall" {
				t.Errorf("%+v", c)
			}
		}
		switch failed := d.Summary[faults.Fail]; {
		case len(d.Cells) != 28 || (o.code == 0) != (failed == 0):
			t.Fatalf("code %d, %v", o.code, d.Summary)
		case failed == 0 && d.Summary[faults.Pass] >= 24:
			return
		case try == 3:
			t.Fatalf("%v", d.Summary)
		}
	}
}

// The user's own routes count, without their keys: one that has nowhere to go
// fails what two targets pass.
func TestDoctorOfAConfig(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "weir.yaml")
	yaml := "providers: {own: {base_url: 'http://127.0.0.1:1/v1', api_key: '${NOPE}'}}\nroutes:\n  alone: own/m\n  pair: {model: [own/m, groq/n], policy: weighted}\n"
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runWeir(t, "doctor", "-c", file)
	if o.code != 1 || !strings.Contains(o.out, "id   alone  pair ") || !regexp.MustCompile(`\nS06  fail   +(pass|partial|safe) `).MatchString(o.out) {
		t.Errorf("%+v", o)
	}
	o.says(t, "alone has no fallback", "(profile fast, ")
	for _, c := range []struct {
		args  []string
		words []string
	}{
		{[]string{"-c", file, "--route", "par"}, []string{"no such route", "did you mean pair?", "known are alone, pair"}},
		{[]string{"-c", "none.yaml"}, []string{"none.yaml"}},
		{[]string{"--profile", "slow"}, []string{"--profile"}},
	} {
		runWeir(t, append([]string{"doctor"}, c.args...)...).oneClearLine(t, 2, c.words...)
	}
}

func TestHasten(t *testing.T) {
	h := gateway.Handling{Attempts: 3, Hold: 10 * time.Second, Deadline: 0, Write: 3}
	hasten(&h, faults.Fast)
	if h != (gateway.Handling{Attempts: 3, Hold: 500 * time.Millisecond, Write: 1}) {
		t.Errorf("%+v", h)
	}
	r := route.Route{
		Grace: -1, Limits: route.Limits{Stall: 20 * time.Second},
		Targets: []route.Target{{Health: route.HealthSettings{Failures: 5, OpenFor: time.Second}, Limits: route.Limits{FirstOutput: -1}}},
	}
	hasten(&r, faults.Fast)
	if r.Grace != -1 || r.Limits.Stall != time.Second || r.Targets[0].Health.OpenFor != 50*time.Millisecond || r.Targets[0].Limits.FirstOutput != -1 || r.Targets[0].Health.Failures != 5 {
		t.Errorf("%+v", &r)
	}
	hasten(&r, faults.Full)
	if r.Limits.Stall != time.Second {
		t.Errorf("%+v", &r)
	}
}
