package route_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/route"
)

// world is a toy of two targets: requests come at fixed times, first outputs
// are drawn, and answers end after them.
type world struct {
	*rig
	rng     *rand.Rand
	every   time.Duration
	tokens  func(i int) int
	ttft    func(target string, tokens int, at time.Duration) time.Duration
	pending []ending
	firsts  []string // by request, the target that was asked
	flags   []bool   // and whether it was to explore
}

type ending struct {
	at     time.Time
	ticket *route.Ticket
	report route.Report
}

// run sends requests up to an instant from the start.
func (w *world) run(until time.Duration) {
	for ; w.now.Sub(start) < until; w.pass(w.every) {
		w.pending = slices.DeleteFunc(w.pending, func(e ending) bool {
			if e.at.After(w.now) {
				return false
			}
			e.ticket.End(e.report, e.at)
			return true
		})
		w.ask.InputTokens = w.tokens(len(w.firsts))
		name := w.order()[0]
		w.firsts, w.flags = append(w.firsts, name), append(w.flags, w.plan.Candidates[0].Explore)
		ticket, ok := w.fleet.Begin(&w.plan.Candidates[0], w.now)
		if !ok {
			w.Fatal("refused")
		}
		d := w.ttft(name, w.ask.InputTokens, w.now.Sub(start))
		report := came(w.ask.InputTokens, d)
		w.pending = append(w.pending, ending{w.now.Add(d + 200*time.Millisecond), ticket, report})
	}
}

// share is how many of the requests [from, to) went to a target.
func (w *world) share(target string, from, to int) float64 {
	n := 0
	for _, name := range w.firsts[from:to] {
		if name == target {
			n++
		}
	}
	return float64(n) / float64(to-from)
}

func newWorld(t *testing.T, seed uint64, objectives string, every time.Duration) *world {
	r := newRig(t, &route.Route{Policy: route.SLO, SLO: slo(t, objectives), Targets: targets("A", "B")})
	r.fleet = route.NewFleet(seed)
	w := &world{rig: r, rng: rand.New(rand.NewPCG(seed, 9)), every: every}
	w.tokens = func(int) int { return 200 + w.rng.IntN(2000) }
	return w
}

// noisy is a time with log-normal noise.
func (w *world) noisy(d time.Duration, sigma float64) time.Duration {
	return time.Duration(float64(d) * math.Exp(sigma*w.rng.NormFloat64()))
}

// lag is the number of requests from one on until the target has had none, or
// all but exploration, of the next 20.
func (w *world) lag(from int, leaves bool) int {
	for i := from; i+20 <= len(w.firsts); i++ {
		hit := 0
		for j := i; j < i+20; j++ {
			if w.firsts[j] == "A" && (!leaves || !w.flags[j]) {
				hit++
			}
		}
		if leaves && hit == 0 || !leaves && hit == 20 {
			return i - from
		}
	}
	return -1
}

// A is three times slower from the second minute to the third: the policy
// leaves it within a few requests, and is back soon after it heals.
func TestSLOLeavesABrownOutAndComesBack(t *testing.T) {
	for _, every := range []time.Duration{time.Second, 200 * time.Millisecond, 50 * time.Millisecond} {
		var left, back []int
		for seed := range uint64(20) {
			w := newWorld(t, seed, "ttft<=500ms", every)
			w.ttft = func(target string, tokens int, at time.Duration) time.Duration {
				d := 200*time.Millisecond + time.Duration(tokens)*50*time.Microsecond
				if target == "A" && at >= time.Minute && at < 2*time.Minute {
					d *= 3
				}
				return w.noisy(d, 0.15)
			}
			end := 4 * time.Minute
			if every == time.Second {
				end *= 2
			}
			w.run(end)
			minute := int(time.Minute / every)
			if got := w.share("A", 0, minute); got < 0.97 {
				t.Errorf("seed %d, every %v: A is well and gets %.3f", seed, every, got)
			}
			left, back = append(left, w.lag(minute, true)), append(back, w.lag(2*minute, false))
			if got := w.share("A", len(w.firsts)-minute, len(w.firsts)); got < 0.97 {
				t.Errorf("seed %d, every %v: A has long healed and gets %.3f", seed, every, got)
			}
		}
		slices.Sort(left)
		slices.Sort(back)
		inFlight := int(1200 * time.Millisecond / every) // asked before the first slow answer is in
		t.Logf("a request each %v: left after %d requests (median; most %d, of which up to %d were under way), back after %d (most %d, %v)",
			every, left[10], left[19], inFlight, back[10], back[19], time.Duration(back[19])*every)
		if left[0] < 0 || left[19] > 20+2*inFlight {
			t.Errorf("left after %v requests", left)
		}
		if back[0] < 0 || time.Duration(back[10])*every > 5*time.Minute {
			t.Errorf("back after %v requests", back)
		}
	}
}

// Long prompts never make a target look slow for short ones.
func TestSLOIsJudgedForThisSize(t *testing.T) {
	w := newWorld(t, 1, "ttft<=1s", 100*time.Millisecond)
	w.tokens = func(i int) int { return []int{500, 20_000}[i%2] }
	w.ttft = func(target string, tokens int, _ time.Duration) time.Duration {
		if target == "A" { // slow prefill: 20k tokens take 2.2 s
			return w.noisy(200*time.Millisecond+time.Duration(tokens)*100*time.Microsecond, 0.1)
		}
		return w.noisy(700*time.Millisecond+time.Duration(tokens)*time.Microsecond, 0.1)
	}
	w.run(2 * time.Minute)
	var short, long int
	for i, name := range w.firsts[200:] {
		if name == "A" && i%2 == 0 {
			short++
		} else if name == "A" {
			long++
		}
	}
	n := len(w.firsts[200:]) / 2
	t.Logf("of %d short prompts %d go to A, of as many long ones %d", n, short, long)
	if float64(short) < 0.97*float64(n) || float64(long) > 0.05*float64(n) {
		t.Errorf("A got %d short and %d long of %d each", short, long, n)
	}
}

// A tail within the SLO is none of its business; one far beyond is, and stays so.
func TestSLODoesNotFlap(t *testing.T) {
	for _, c := range []struct {
		name     string
		tail     float64
		low, top float64 // share of A
	}{
		{"1 % slow", 0.01, 0.97, 1},
		{"2 % slow", 0.02, 0.9, 1},
		{"20 % slow", 0.2, 0, 0.25},
		{"half slow", 0.5, 0, 0.06},
	} {
		w := newWorld(t, 3, "ttft<=600ms", 50*time.Millisecond)
		w.ttft = func(target string, tokens int, _ time.Duration) time.Duration {
			if target == "A" && w.rng.Float64() < c.tail {
				return 3 * time.Second
			}
			return w.noisy(200*time.Millisecond, 0.1)
		}
		w.run(5 * time.Minute)
		switches := 0
		for i := range len(w.firsts) - 1 {
			if !w.flags[i] && !w.flags[i+1] && w.firsts[i] != w.firsts[i+1] {
				switches++
			}
		}
		got := w.share("A", 1000, len(w.firsts))
		t.Logf("%s: A gets %.3f, %d switches in %d requests", c.name, got, switches, len(w.firsts))
		if got < c.low || got > c.top {
			t.Errorf("%s: A gets %.3f, want %.2f to %.2f", c.name, got, c.low, c.top)
		}
		if switches > len(w.firsts)/50 {
			t.Errorf("%s: %d switches in %d requests", c.name, switches, len(w.firsts))
		}
	}
}

// A is slow for its first answers, B never: A gets most of the traffic in the end.
func TestG44SlowOnceIsNotSlowForEver(t *testing.T) {
	w := newWorld(t, 4, "ttft<=100ms", 20*time.Millisecond)
	asked := 0
	w.ttft = func(target string, _ int, _ time.Duration) time.Duration {
		if target == "B" {
			return 50 * time.Millisecond
		}
		if asked++; asked <= 60 { // at 50 requests a second that many are on their way before it shows
			return 500 * time.Millisecond
		}
		return 10 * time.Millisecond
	}
	w.run(40 * time.Second)
	n := len(w.firsts)
	t.Logf("A gets %.2f of requests 100 to 300, %.2f of the last 200", w.share("A", 100, 300), w.share("A", n-200, n))
	if w.share("A", 100, 300) > 0.2 || w.share("A", n-200, n) < 0.95 {
		t.Error("want A left at first, and preferred in the end")
	}
}

// Without traffic to explore with, samples expire and it is tried again.
func TestSLOForgets(t *testing.T) {
	r := newRig(t, &route.Route{Policy: route.SLO, SLO: slo(t, "ttft<=600ms"), Explore: -1, Targets: targets("A", "B")})
	r.order()
	for range 10 {
		r.try("A", came(100, 2*time.Second))
	}
	if got := r.order(); !slices.Equal(got, []string{"B", "A"}) || !r.plan.Candidates[1].Slow {
		t.Fatalf("%q, want A last and slow", got)
	}
	r.pass(5*time.Minute + 1)
	if got := r.order(); !slices.Equal(got, []string{"A", "B"}) || r.plan.Candidates[0].Expect.Known() {
		t.Errorf("%q, want A, of which nothing is known", got)
	}
}

func TestSLOObjectives(t *testing.T) {
	answer := func(ttft, tpot time.Duration) route.Report {
		r := came(1000, ttft)
		r.TPOT = weir.SpanOf(tpot)
		return r
	}
	for _, c := range []struct {
		name   string
		slo    string
		report func(i int) route.Report
		slow   bool
	}{
		{"nothing known", "ttft<=600ms", nil, false},
		{"two are not enough", "ttft<=600ms", func(i int) route.Report {
			if i < 2 {
				return came(1000, 5*time.Second)
			}
			return came(1000, 100*time.Millisecond)
		}, false},
		{"p95 of each request's objective", "ttft<=600ms", func(i int) route.Report { return answer(time.Duration(100+600*(i%5/4))*time.Millisecond, 1) }, true},
		{"p50 of the same", "ttft_p50<=600ms", func(i int) route.Report { return answer(time.Duration(100+600*(i%5/4))*time.Millisecond, 1) }, false},
		{"speed", "output_speed>=50", func(int) route.Report { return answer(100*time.Millisecond, 25*time.Millisecond) }, true},
		{"speed kept", "output_speed>=30", func(int) route.Report { return answer(100*time.Millisecond, 25*time.Millisecond) }, false},
		{"tpot", "ttft<=1s, tpot<=20ms", func(int) route.Report { return answer(100*time.Millisecond, 25*time.Millisecond) }, true},
		{"success", "success>=99%", func(i int) route.Report {
			if i%8 == 0 {
				return bad
			}
			return good
		}, true},
		{"not for a router", "e2e<=1ms", func(int) route.Report { return answer(100*time.Millisecond, 25*time.Millisecond) }, false},
		{"cut waits count", "ttft<=600ms", func(int) route.Report {
			return route.Report{Outcome: weir.Canceled, Stream: true, InputTokens: 1000, Censored: weir.SpanOf(2 * time.Second)}
		}, true},
		{"short cut waits do not", "ttft<=600ms", func(int) route.Report {
			return route.Report{Outcome: weir.Canceled, Stream: true, InputTokens: 1000, Censored: weir.SpanOf(200 * time.Millisecond)}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, &route.Route{Policy: route.SLO, SLO: slo(t, c.slo), Targets: targets("A", "B")})
			r.ask.InputTokens = 1000
			r.order()
			for i := range 40 {
				if c.report != nil {
					r.begin("A").End(c.report(i), r.now)
				}
			}
			slow := false
			for range 3 { // less its exploration
				slow = r.order()[0] == "B" || slow
			}
			if slow != c.slow {
				t.Errorf("behind B: %v, want %v", slow, c.slow)
			}
		})
	}
}

func TestJudges(t *testing.T) {
	for text, want := range map[string]bool{
		"ttft<=1s": true, "ttft_p99<1s": true, "tpot<=20ms": true, "output_speed>=30": true, "success>=99%": true,
		"e2e<=1s": false, "ttft>=1s": false, "output_speed<=30": false, "cost_usd<=2": false,
	} {
		if got := route.Judges(slo(t, text)[0]); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
