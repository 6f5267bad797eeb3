package faults

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
)

func TestCatalogue(t *testing.T) {
	var ids []string
	for _, f := range catalogue() {
		ids = append(ids, f.id)
		if f.what == "" || f.want == "" || f.serve == nil {
			t.Errorf("%s is not complete: %+v", f.id, f)
		}
	}
	want := "S01 S02 S03 S04 S05 S06 S07 S08 S09 S10 S11 S12 S13 S14 S15 S16 W01 W02 W03 W04 W05 W06 W07 W08 W09 W10 W11 W12"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("%s", got)
	}
}

func TestVerdictsAreOrdered(t *testing.T) {
	all := Verdicts()
	for i, v := range all[:4] {
		for k, other := range all[:4] {
			if v.Worse(other) != (i > k) {
				t.Errorf("%s worse than %s: %v", v, other, v.Worse(other))
			}
		}
		if !v.Worse(Skipped) || Skipped.Worse(v) {
			t.Errorf("%s and skipped", v)
		}
	}
	c := newCell(fault{id: "S08"}, []Part{{Verdict: Skipped, Why: "a"}, {Verdict: Pass, Why: "b"}, {Variant: "x", Verdict: Safe, Why: "c"}})
	if c.Verdict != Safe || c.Why != "x: c" {
		t.Errorf("%+v", c)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for name, c := range map[string]Config{
		"unknown_fault":   {Run: testRun, Only: []string{"S99"}},
		"unknown_profile": {Run: testRun, Profile: "slow"},
		"bad_run":         {Run: "no hex"},
	} {
		_, err := Run(t.Context(), c)
		if e, ok := errors.AsType[*weir.Error](err); !ok || e.Code != name || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWallMustAnswer(t *testing.T) {
	for _, answer := range []string{"<html>", `{"version":9}`, ""} {
		_, err := Run(t.Context(), Config{Run: testRun, Wall: "http://wall", Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(answer))}, nil
		})})
		if e, ok := errors.AsType[*weir.Error](err); !ok || e.Code != "no_wall" {
			t.Errorf("%q: %v", answer, err)
		}
	}
}

// A wall that accepts and says nothing is no wall.
func TestWallMustAnswerInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := Run(t.Context(), Config{Run: testRun, Wall: "http://wall", Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})})
		if e, ok := errors.AsType[*weir.Error](err); !ok || e.Code != "no_wall" || time.Since(began) != logTime {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// An endpoint that never answers is given up, not waited out 28 times.
func TestMuteEndpointIsGivenUp(t *testing.T) {
	mute := func(http.RoundTripper) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
	}
	inBubble(t, Config{}, mute, func(t *testing.T, card *Scorecard) {
		if n := card.Summary[Skipped]; n != len(Catalogue()) || card.Duration.Duration() > 5*time.Minute {
			t.Errorf("%d skipped after %v", n, card.Duration.Duration())
		}
		if last := card.Cells[len(card.Cells)-1]; !strings.HasPrefix(last.Why, "not played") {
			t.Error(last.Why)
		}
	})
}

// The scorecard's names are a promise.
func TestScorecardJSON(t *testing.T) {
	inBubble(t, Config{Only: []string{"S04"}}, plainProxy, func(t *testing.T, card *Scorecard) {
		raw, err := json.Marshal(card)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{
			`"version":1`, `"profile":"full"`, `"run":"` + testRun, `"interrupted":false`, `"cells":[{"id":"S04","fault":"always 503","want":`,
			`"verdict":"safe"`, `"why":"`, `"parts":[{"variant":""`, `"notes":[]`, `"caller":{"ended":"error","ended_ms":0,"first_output_ms":null,"status":503`,
			`"attempts":[{"n":1,"at":"`, `"summary":{"fail":0,"partial":0,"pass":0,"safe":1,"skipped":0}`,
		} {
			if !strings.Contains(string(raw), name) {
				t.Errorf("%s is not in %s", name, raw)
			}
		}
	})
}

func TestInterruptedRunKeepsWhatWasReady(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var seen []string
	card := onSockets(ctx, t, Config{Parallel: 1, Only: []string{"S03", "S13"}, OnCell: func(c Cell) {
		seen = append(seen, c.ID)
		stop()
	}}, nil)
	if !card.Interrupted || len(card.Cells) > 1 || len(card.Cells) != len(seen) {
		t.Errorf("interrupted %v, %d cells, told of %v", card.Interrupted, len(card.Cells), seen)
	}
}

// Secrets that an endpoint repeats are taken out of what is kept of it.
func TestRedact(t *testing.T) {
	r := &reading{redact: func(s string) string { return strings.ReplaceAll(s, "sk-canary", "[key]") }}
	if got := r.shown("bad key sk-canary " + strings.Repeat("x", 500)); strings.Contains(got, "canary") || len(got) > maxShown+3 {
		t.Error(got)
	}
}
