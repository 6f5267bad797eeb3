package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

// busy adds the samples of slots that send one request after the other, n in
// all; every fifth is a little slower.
func busy(r *Run, target string, slots, n int, ttft, tpot time.Duration) {
	free := make([]time.Time, slots)
	for i := range n {
		s := sample(target, ttft, tpot)
		if i%5 == 0 {
			s = sample(target, ttft+ttft/10, tpot+tpot/50)
		}
		slot := i % slots
		if free[slot].IsZero() {
			free[slot] = s.Due.Add(time.Duration(slot) * time.Millisecond)
		}
		s.Due = free[slot]
		free[slot] = s.Due.Add(s.Lateness.Duration() + s.End.Or(0).Duration())
		r.Samples = append(r.Samples, s)
	}
}

// atConcurrency is a run of one point, started after those before it.
func atConcurrency(i, slots, n int) Run {
	r := handMade()
	r.Settings.Concurrency, r.Settings.Requests = slots, n
	r.Started = r.Started.Add(time.Duration(i) * time.Minute)
	r.Duration = 50 * time.Second
	if i > 0 {
		r.Settings.Warmup = 0
	}
	return r
}

const ms = time.Millisecond

// queueing is a sweep of two targets: one has room for four, and another grows
// with what it is asked.
func queueing() *Sweep {
	var runs []*Summary
	for i, c := range []int{1, 4, 8, 16} {
		r := atConcurrency(i, c, 64)
		waits := time.Duration(max(0, c/4-1)) * 1200 * ms
		busy(&r, "north", c, 64, 180*ms+waits, 8*ms)
		busy(&r, "a-longer-name", c, 60, 950*ms, 12*ms)
		for range c / 8 {
			r.Samples = append(r.Samples, failed("a-longer-name", weir.UpstreamError, 503, "overloaded", "try later"))
		}
		runs = append(runs, Summarise(r))
	}
	return NewSweep(OverConcurrency, []float64{1, 4, 8, 16}, runs)
}

// handMadeSweeps are the sweeps of the golden reports.
func handMadeSweeps() map[string]*Sweep {
	interrupted := queueing()
	interrupted.Points = interrupted.Points[:2]
	var begun []*Summary
	for _, p := range interrupted.Points {
		begun = append(begun, p.Summary)
	}
	begun[1].Interrupted = true
	begun[1].Targets[0].Unsent = 12
	priced := handMade()
	return map[string]*Sweep{
		"queueing":    queueing(),
		"interrupted": NewSweep(OverConcurrency, []float64{1, 4, 8}, begun),
		"nothing":     NewSweep(OverConcurrency, []float64{1, 4}, []*Summary{Summarise(priced)}),
		"rates":       rates(),
	}
}

func TestSweepGolden(t *testing.T) {
	for name, s := range handMadeSweeps() {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Terminal(&b, s); err != nil {
				t.Fatal(err)
			}
			if bytes.ContainsRune(b.Bytes(), 0x1b) {
				t.Error("escape codes where there is no terminal")
			}
			golden(t, "sweep_"+name+".txt", b.Bytes())
		})
	}
}

// rates is an open loop with equal gaps against a target that can serve ten
// requests per second, priced.
func rates() *Sweep {
	var runs []*Summary
	asked := []float64{2.5, 5, 10, 20}
	for i, rate := range asked {
		r := atConcurrency(i, 0, 200)
		r.Settings.Targets, r.Notes = r.Settings.Targets[:1], r.Notes[:1]
		r.Settings.Targets[0].Price = &weir.Price{Rates: weir.Rates{Input: weir.Some(1.0), Output: weir.Some(2.0)}, AsOf: "2026-11-01"}
		r.Settings.Load = PointName(OverRate, rate) + " per target"
		r.Notes[0].Asked, r.Notes[0].Achieved = weir.Some(rate), weir.Some(rate)
		for k := range 200 {
			at := time.Duration(float64(k) / rate * 1e9)
			late := max(0, time.Duration(k)*100*ms-at)
			s := sample("north", 180*ms+late, 8*ms)
			s.Due = s.Due.Add(at)
			r.Samples = append(r.Samples, s)
		}
		runs = append(runs, Summarise(r))
	}
	return NewSweep(OverRate, asked, runs)
}

func TestSweepJSON(t *testing.T) {
	s := queueing()
	s.Points = s.Points[:1]
	for i := range s.Points {
		s.Points[i].Requests = nil
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sweep.json", append(b, '\n'))
	var back Sweep
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

// TestSaturation: what is told, and each reason not to.
func TestSaturation(t *testing.T) {
	type point struct {
		at, rate, off, answers, ttft float64
		partial, limited             bool
	}
	good := []point{
		{at: 1, rate: 100, off: 0.02, answers: 20, ttft: 100},
		{at: 2, rate: 196, off: 0.02, answers: 20, ttft: 110},
		{at: 4, rate: 380, off: 0.02, answers: 20, ttft: 150},
		{at: 8, rate: 390, off: 0.02, answers: 20, ttft: 300},
	}
	change := func(f func(p []point)) []point {
		p := append([]point(nil), good...)
		f(p)
		return p
	}
	for name, c := range map[string]struct {
		points []point
		want   float64
		ratio  float64
		why    string
	}{
		"told":                     {points: good, want: 4, ratio: 1.5},
		"not in order":             {points: []point{good[3], good[0], good[2], good[1]}, want: 4, ratio: 1.5},
		"the smallest":             {points: []point{{1, 400, 0.01, 20, 100, false, false}, good[2], good[3]}, want: 1},
		"falls after the best":     {points: change(func(p []point) { p[3].rate = 200 }), want: 4, ratio: 1.5},
		"it still grows":           {points: good[:3], why: "still grew at concurrency 4"},
		"two points":               {points: good[2:], why: "3 finished points, there are 2"},
		"a partial one":            {points: change(func(p []point) { p[3].partial = true }), why: "still grew at concurrency 4"},
		"a partial one below":      {points: append(change(func(p []point) { p[1].partial = true }), point{at: 9, rate: 391, off: 0.02, answers: 20, ttft: 300}), why: "not all sent at concurrency 2"},
		"few answers below":        {points: change(func(p []point) { p[1].answers = 5 }), why: "5 good answers in the steady window, fewer than 6, at concurrency 2"},
		"few answers above":        {points: append(change(func([]point) {}), point{at: 16, rate: 50, answers: 3}), want: 4, ratio: 1.5},
		"few answers at the end":   {points: append(change(func(p []point) { p[3].rate = 700 }), point{at: 16, answers: 3}), why: "still grew at concurrency 8, the largest point that counts; there were 3 good answers"},
		"the client below":         {points: change(func(p []point) { p[0].limited = true }), why: "the client was the limit at concurrency 1"},
		"steps lost in the errors": {points: change(func(p []point) { p[1].rate, p[1].off, p[3].off = 350, 0.06, 0.06 }), why: "concurrency 2 and concurrency 8 are too close"},
		"wide errors":              {points: change(func(p []point) { p[3].off = 0.2 }), why: "at concurrency 8 is only known to ±20 %"},
		"ttft that is open-ended":  {points: change(func(p []point) { p[0].ttft = 0 }), want: 4},
	} {
		var points []SweepPoint
		for _, p := range c.points {
			s := &Summary{Client: Client{Limited: p.limited}, Targets: []TargetSummary{{Name: "north"}}}
			st := &s.Targets[0].Steady
			st.Answers, st.RequestRate, st.RequestError = weir.Some(p.answers), weir.Some(p.rate/128), weir.Some(p.off)
			st.OutputRate, st.OutputError = weir.Some(p.rate), weir.Some(p.off)
			s.Targets[0].TTFT = Quantiles{P50: weir.Some(p.ttft)}
			if p.ttft == 0 {
				s.Targets[0].TTFT = Quantiles{P50: weir.Some(1.0), Open: []string{"p50"}}
			}
			points = append(points, SweepPoint{Point: p.at, Partial: p.partial, Summary: s})
		}
		got := saturation(OverConcurrency, points, 0)
		if got.Throughput != "output_rate" || got.Point.Or(0) != c.want || got.TTFTRatio.Or(0) != c.ratio || (c.why == "") != (got.Why == "") || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: %+v", name, got)
		}
		points[0].Targets[0].Steady.OutputRate = weir.None[float64]()
		if got = saturation(OverConcurrency, points, 0); got.Throughput != "request_rate" {
			t.Errorf("%s, without token counts: %+v", name, got)
		}
	}
}

// TestSweepFolder: at every moment the index says what is there.
func TestSweepFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	f, err := CreateSweepFolder(dir, "v0.0.0-test", OverRate, []float64{0.5, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	states := func(want ...string) {
		t.Helper()
		var index SweepIndex
		b, err := os.ReadFile(filepath.Join(dir, SweepFile))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &index); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range index.Points {
			got = append(got, p.Folder+" "+p.State)
		}
		if d := cmp.Diff(want, got); d != "" || index.Over != OverRate {
			t.Errorf("%s: %s", b, d)
		}
	}
	states("01-rate-0.5 waiting", "02-rate-1 waiting", "03-rate-2 waiting")
	f.Begin(0, handMade().Settings).Add(trace("1"))
	states("01-rate-0.5 running", "02-rate-1 waiting", "03-rate-2 waiting")
	f.End(Summarise(handMade()))
	states("01-rate-0.5 done", "02-rate-1 waiting", "03-rate-2 waiting")
	for _, name := range []string{SettingsFile, TracesFile, SummaryFile, PageFile} {
		if info, err := os.Stat(filepath.Join(dir, "01-rate-0.5", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.Begin(1, handMade().Settings)
	stopped := Summarise(handMade())
	stopped.Interrupted = true
	done := []*Summary{Summarise(handMade()), stopped}
	f.End(stopped)
	states("01-rate-0.5 done", "02-rate-1 partial", "03-rate-2 waiting")
	if err := f.Close(NewSweep(OverRate, []float64{0.5, 1, 2}, done)); err != nil {
		t.Error(err)
	}
	for _, page := range []string{PageFile, "01-rate-0.5/" + PageFile, "02-rate-1/" + PageFile} {
		if b, err := os.ReadFile(filepath.Join(dir, page)); err != nil || !bytes.HasSuffix(b, []byte("</html>\n")) {
			t.Errorf("%s: %v", page, err)
		}
	}
	if _, err := CreateSweepFolder(dir, "v0.0.0-test", OverRate, []float64{1}); err == nil {
		t.Error("a folder that is not empty was taken")
	}
}

// TestSweepFolderThatFails: the sweep goes on, Close says what was lost.
func TestSweepFolderThatFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	f, err := CreateSweepFolder(dir, "v0.0.0-test", OverRate, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "01-rate-1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if f.Begin(0, handMade().Settings) != nil {
		t.Error("a file was taken for a folder")
	}
	f.End(Summarise(handMade()))
	if err := f.Close(NewSweep(OverRate, []float64{1}, nil)); err == nil || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
}
