package route

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weir.dev/weir/internal/stats"
)

var epoch = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// The curve is the one of package stats, where weights are equal.
func TestCurveIsKaplanMeier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l stats.Latencies
		var pts []point
		for range rapid.IntRange(1, 80).Draw(t, "n") {
			v := float64(rapid.IntRange(1, 30).Draw(t, "v"))
			cut := rapid.Bool().Draw(t, "cut")
			pts = append(pts, point{ratio: v, weight: 0.25, cut: cut})
			if cut {
				l.Cut = append(l.Cut, v)
			} else {
				l.Reached = append(l.Reached, v)
			}
		}
		settle(pts)
		want := stats.NewSurvival(l)
		for _, p := range []float64{0.1, 0.5, 0.9, 0.95, 0.995} {
			v, ok := want.At(p).Get()
			if !ok {
				v = max(slices.Max(append(l.Cut, 0)), slices.Max(append(l.Reached, 0)))
			}
			if got := quantile(pts, p); got != v {
				t.Fatalf("p%v of %+v: %v, want %v (reached %v)", 100*p, l, got, v, ok)
			}
		}
	})
}

// law draws first outputs of a + b x, with log-normal noise and a share of odd
// ones, ten times as slow.
type law struct {
	base, perK, sigma, odd float64
	rng                    *rand.Rand
}

func (l *law) draw(k float64) float64 {
	v := (l.base + l.perK*k) * math.Exp(l.sigma*l.rng.NormFloat64())
	if l.rng.Float64() < l.odd {
		v *= 10
	}
	return v
}

func newTrack() *track { return &track{learns: true} }

func TestLineFindsTheSlope(t *testing.T) {
	for _, c := range []struct {
		name      string
		law       law
		n         int
		tolerance float64 // of the line at 1k and 16k tokens
	}{
		{"exact", law{base: 0.2, perK: 0.1}, 20, 0.1},
		{"exact, many", law{base: 0.2, perK: 0.1}, 200, 0.01},
		{"noise", law{base: 0.2, perK: 0.1, sigma: 0.15}, 200, 0.08},
		{"noise and odd ones", law{base: 0.2, perK: 0.1, sigma: 0.15, odd: 0.02}, 200, 0.2},
		{"flat", law{base: 0.3, sigma: 0.1}, 200, 0.1},
		{"milliseconds", law{base: 0.002, perK: 0.0005, sigma: 0.1}, 200, 0.2},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.law.rng = rand.New(rand.NewPCG(1, 2))
			tr, now := newTrack(), epoch
			for range c.n {
				k := math.Exp(c.law.rng.Float64()*math.Log(300)) / 10 // 100 to 30,000 tokens
				tr.add(sample{k: k, value: c.law.draw(k)}, time.Minute, now)
				now = now.Add(100 * time.Millisecond)
			}
			for _, k := range []float64{1, 16} {
				got, want := tr.fit.at(k), c.law.base+c.law.perK*k
				if math.Abs(got-want) > c.tolerance*want {
					t.Errorf("at %vk tokens: %.4f s, want %.4f within %v %%", k, got, want, 100*c.tolerance)
				}
			}
		})
	}
}

// Prompts of one length say nothing about the slope, and must not invent one.
func TestLineOfOneLength(t *testing.T) {
	l := law{base: 0.3, perK: 0.1, sigma: 0.3, rng: rand.New(rand.NewPCG(3, 4))}
	tr := newTrack()
	for range 100 {
		tr.add(sample{k: 0.5, value: l.draw(0.5)}, time.Minute, epoch)
	}
	if math.Abs(tr.fit.perK-priorK) > 0.02 || math.Abs(tr.fit.at(0.5)-0.35) > 0.05 {
		t.Errorf("%.3f + %.3f k, want the prior's slope through 0.35 at 0.5k", tr.fit.base, tr.fit.perK)
	}
}

// What was cut is "at least": it raises what is waited for, and never lowers it.
func TestCutsNeverLower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		with, without := newTrack(), newTrack()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		l := law{base: 0.2, perK: 0.1, sigma: 0.3, rng: rng}
		for range 40 {
			v := l.draw(1)
			with.add(sample{k: 1, value: v}, time.Minute, epoch)
			without.add(sample{k: 1, value: v}, time.Minute, epoch)
		}
		for range rapid.IntRange(1, 10).Draw(t, "cuts") {
			with.add(sample{k: 1, value: rapid.Float64Range(0.001, 5).Draw(t, "cut"), cut: true}, time.Minute, epoch)
		}
		if got, least := with.fit.at(1)*with.slowest, without.fit.at(1)*without.slowest; got < 0.999*least {
			t.Fatalf("the upper quantile fell from %v to %v", least, got)
		}
		if got, least := with.fit.at(1)*with.quantile(0.95), without.fit.at(1)*without.quantile(0.95); got < 0.999*least {
			t.Fatalf("p95 fell from %v to %v", least, got)
		}
	})
}

// A target that became so slow that every wait is cut gets more and more time.
func TestCutWaitsRaiseTheDeadline(t *testing.T) {
	f := NewFleet(1)
	s := f.state("A")
	c := clocks{min: 100 * time.Millisecond, max: 120 * time.Second, cold: 10 * time.Second, factor: 1.5}
	now, ask := epoch, &Ask{Stream: true, InputTokens: 1000}
	for range 50 {
		s.streams.add(sample{k: 1, value: 0.2}, time.Minute, now)
	}
	last := c.wait(s, ask, now)
	for range 8 {
		d := c.wait(s, ask, now)
		if d < last {
			t.Fatalf("the deadline fell from %v to %v", last, d)
		}
		last = d
		now = now.Add(d)
		s.streams.add(sample{k: 1, value: d.Seconds(), cut: true}, time.Minute, now)
	}
	if last < 2*time.Second {
		t.Errorf("eight cut waits later the deadline is %v", last)
	}
}

// A caller that leaves early, again and again, must not shorten the time of all,
// nor push out what is known.
func TestEarlyCutsPushOutNothing(t *testing.T) {
	s := NewFleet(1).state("A")
	c := clocks{min: time.Millisecond, max: 120 * time.Second, cold: 10 * time.Second, factor: 1.5}
	for i := range 50 {
		s.streams.add(sample{k: 1, value: 0.2 + 0.01*float64(i%10)}, time.Minute, epoch)
	}
	ask := &Ask{Stream: true, InputTokens: 1000}
	before := c.wait(s, ask, epoch)
	for _, v := range []float64{0.05, 0.201} {
		for range 300 {
			s.streams.add(sample{k: 1, value: v, cut: true}, time.Minute, epoch)
		}
		got := c.wait(s, ask, epoch)
		if got < before || v < 0.2 && got != before {
			t.Errorf("300 waits cut at %v s moved the deadline from %v to %v", v, before, got)
		}
	}
}

// The raw quantile holds for long prompts as for short ones: few healthy
// requests are cut, and no deadline is wild.
func TestDeadlinesCutFew(t *testing.T) {
	s := NewFleet(1).state("A")
	c := clocks{min: time.Millisecond, max: 120 * time.Second, cold: 10 * time.Second, factor: 1.5}
	l := law{base: 0.2, perK: 0.12, sigma: 0.25, odd: 0, rng: rand.New(rand.NewPCG(5, 6))}
	now := epoch
	var n, cut, long, longCut int
	var longest float64 // deadline over the mean
	for i := range 5000 {
		k := math.Exp(l.rng.Float64()*math.Log(300)) / 10
		v := l.draw(k)
		if d := c.wait(s, &Ask{Stream: true, InputTokens: int(1000 * k)}, now); i >= 200 {
			n++
			if v > d.Seconds() {
				cut++
			}
			if k > 4 {
				long++
				if v > d.Seconds() {
					longCut++
				}
			}
			longest = max(longest, d.Seconds()/(l.base+l.perK*k))
		}
		s.streams.add(sample{k: k, value: v}, time.Minute, now)
		now = now.Add(200 * time.Millisecond)
	}
	t.Logf("cut %d of %d, of long prompts %d of %d; longest deadline %.1f x the mean", cut, n, longCut, long, longest)
	if float64(cut) > 0.002*float64(n) || float64(longCut) > 0.004*float64(long) || longest > 6 {
		t.Error("want under 0.2 % cut, under 0.4 % of long prompts, and no deadline above 6 x the mean")
	}
}
