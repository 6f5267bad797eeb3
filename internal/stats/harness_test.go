package stats

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The full table of docs/statistics.md, in about ten minutes of an idle machine, is
//
//	go test ./internal/stats -v -run Simulation -replications 2000
//
// Without the flag a simulation runs as often as it costs little, and what
// promises nothing is left out.
var replications = flag.Int("replications", 0, "replications of each simulation, with the table printed; 0 is a quick run")

const (
	cheap = 300 // replications of a quick run
	dear  = 60
)

var (
	tableLock sync.Mutex
	table     []string
)

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if *replications > 0 {
		slices.Sort(table)
		fmt.Printf("| what | seed | replications | found | promised |\n|---|---|---|---|---|\n%s", strings.Join(table, ""))
	}
	os.Exit(code)
}

// simulate is how often once is true. Each replication has its own generator, so
// that the result depends on the seed and the number alone.
func simulate(seed uint64, n int, once func(*rand.Rand) bool) (hits int) {
	found := make([]bool, n)
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				found[i] = once(rand.New(rand.NewPCG(seed, uint64(i))))
			}
		})
	}
	wg.Wait()
	for _, f := range found {
		if f {
			hits++
		}
	}
	return hits
}

// expect notes the share, and fails where it is outside [lo, hi] by more than
// three standard errors of a share at the bound in a quick run, and at all in a
// full one.
func expect(t *testing.T, name string, seed uint64, quick int, lo, hi float64, once func(*rand.Rand) bool) {
	t.Helper()
	n := cmp.Or(*replications, quick)
	got := float64(simulate(seed, n, once)) / float64(n)
	slack := func(bound float64) float64 {
		if *replications > 0 {
			return 0
		}
		return 3 * math.Sqrt(bound*(1-bound)/float64(n))
	}
	if got < lo-slack(lo) || got > hi+slack(hi) {
		t.Errorf("%s: %.1f %%, promised %s (seed %d, %d replications)", name, 100*got, promise(lo, hi), seed, n)
	}
	note(name, seed, n, got, promise(lo, hi))
}

// contrast notes what another method would have done, or how much a method
// finds; it promises nothing.
func contrast(name string, seed uint64, once func(*rand.Rand) bool) {
	if n := *replications; n > 0 {
		note(name, seed, n, float64(simulate(seed, n, once))/float64(n), "-")
	}
}

func note(name string, seed uint64, n int, found float64, promised string) {
	tableLock.Lock()
	defer tableLock.Unlock()
	table = append(table, fmt.Sprintf("| %s | %d | %d | %.1f %% | %s |\n", name, seed, n, 100*found, promised))
}

func promise(lo, hi float64) string {
	switch {
	case lo <= 0:
		return fmt.Sprintf("<= %.4g %%", 100*hi)
	case hi >= 1:
		return fmt.Sprintf(">= %.4g %%", 100*lo)
	}
	return fmt.Sprintf("%.4g to %.4g %%", 100*lo, 100*hi)
}

func lognormal(r *rand.Rand, sigma float64) float64 { return math.Exp(sigma * r.NormFloat64()) }

// load is the log of a target's load over time: an Ornstein-Uhlenbeck process of
// this correlation time in seconds and standard deviation, read in 5 s steps.
type load struct {
	r          *rand.Rand
	tau, sigma float64
	at, value  float64
}

func newLoad(r *rand.Rand, tau, sigma float64) *load {
	return &load{r: r, tau: tau, sigma: sigma, value: r.NormFloat64()}
}

// to moves on to the instant, in seconds, and reads.
func (l *load) to(at float64) float64 {
	keep := math.Exp((l.at - at) / l.tau)
	l.value = keep*l.value + math.Sqrt(1-keep*keep)*l.r.NormFloat64()
	l.at = at
	return l.sigma * l.value
}

// world is how targets behave over a run: each has its own load, and all share
// one more.
type world struct {
	blocks          int
	every           float64 // seconds from one block to the next
	lasts           float64 // seconds over which a block's requests are spread
	tau, own, share float64
	noise           float64 // of one request, log scale
	slots           int
}

func anHour() world {
	return world{blocks: 20, every: 180, lasts: 180, tau: 60, own: 0.2, share: 0.3, noise: 0.35, slots: 8}
}

// run measures k targets, each speed[i] as slow as the first, and returns the
// medians by target and block, and all requests by target.
func (w world) run(r *rand.Rand, speed ...float64) (medians, requests [][]float64) {
	shared := newLoad(r, w.tau, w.share)
	own := make([]*load, len(speed))
	for i := range own {
		own[i] = newLoad(r, w.tau, w.own)
	}
	medians, requests = make([][]float64, len(speed)), make([][]float64, len(speed))
	for b := range w.blocks {
		of := make([][]float64, len(speed))
		for s := range w.slots {
			at := float64(b)*w.every + w.lasts*(float64(s)+0.5)/float64(w.slots)
			common := shared.to(at)
			for i := range speed {
				v := speed[i] * math.Exp(common+own[i].to(at)+w.noise*r.NormFloat64())
				of[i] = append(of[i], v)
			}
		}
		for i := range speed {
			requests[i] = append(requests[i], of[i]...)
			medians[i] = append(medians[i], median(of[i]))
		}
	}
	return medians, requests
}

// pairs measures two targets.
func (w world) pairs(r *rand.Rand, ratio float64) (pairs []Pair, a, b []float64) {
	medians, requests := w.run(r, 1, ratio)
	for i := range w.blocks {
		pairs = append(pairs, Pair{medians[0][i], medians[1][i]})
	}
	return pairs, requests[0], requests[1]
}

// mannWhitney is the two-sided p of the usual test on pooled requests, for
// contrast: it takes all requests as independent.
func mannWhitney(a, b []float64) float64 {
	type one struct {
		v   float64
		ofA bool
	}
	var all []one
	for _, v := range a {
		all = append(all, one{v, true})
	}
	for _, v := range b {
		all = append(all, one{v, false})
	}
	slices.SortFunc(all, func(x, y one) int {
		if x.v < y.v {
			return -1
		}
		return 1
	})
	sum := 0.0
	for i, x := range all {
		if x.ofA {
			sum += float64(i + 1)
		}
	}
	n, m := float64(len(a)), float64(len(b))
	z := (sum - n*(n+m+1)/2) / math.Sqrt(n*m*(n+m+1)/12)
	return 2 * normalCDF(-math.Abs(z))
}
