package ablate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/engine/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// byOrders is the definition: what a dimension changes when its turn comes, on
// average over all orders that only go through states that fit.
func byOrders(k int, fits func(int) bool, value func(int) float64) (shares []float64, orders int) {
	shares = make([]float64, k)
	var walk func(order []int)
	walk = func(order []int) {
		if len(order) < k {
			for d := range k {
				if !slices.Contains(order, d) {
					walk(append(slices.Clone(order), d))
				}
			}
			return
		}
		state, all := 0, fits(0)
		for _, d := range order {
			state |= 1 << d
			all = all && fits(state)
		}
		if !all {
			return
		}
		orders++
		state = 0
		for _, d := range order {
			shares[d] += value(state|1<<d) - value(state)
			state |= 1 << d
		}
	}
	walk(nil)
	for d := range shares {
		shares[d] /= float64(max(1, orders))
	}
	return shares, orders
}

func TestSharesAreThoseOfAllOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 5).Draw(t, "k")
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1<<k, 1<<k).Draw(t, "values")
		misfits := rapid.SliceOfN(rapid.IntRange(0, 5), 1<<k, 1<<k).Draw(t, "misfits")
		fits := func(i int) bool { return i == 0 || i == len(values)-1 || misfits[i] > 0 }
		value := func(i int) float64 { return values[i] }
		want, orders := byOrders(k, fits, value)
		l := newLattice(k, fits)
		if int(l.orders()) != orders {
			t.Fatalf("%g orders, want %d", l.orders(), orders)
		}
		if orders == 0 {
			return
		}
		sum := 0.0
		for d, got := range l.shares(value) {
			sum += got
			if math.Abs(got-want[d]) > 1e-6 {
				t.Fatalf("dimension %d makes %g, want %g", d, got, want[d])
			}
		}
		if whole := values[len(values)-1] - values[0]; math.Abs(sum-whole) > 1e-6 {
			t.Fatalf("the shares are %g in all, the difference is %g", sum, whole)
		}
	})
}

// evenly are prompts of 150 to 450 tokens and answers of 10 to 70.
type evenly struct{}

var _ plan.Lengths = evenly{}

func (evenly) Draw(rnd *rand.Rand) (prompt, output int) {
	return 150 + rnd.IntN(301), 10 + rnd.IntN(61)
}
func (evenly) Mean() (prompt, output float64) { return 300, 40 }
func (evenly) Most() (prompt, output int)     { return 450, 70 }

func side(t *testing.T, text string) Side {
	t.Helper()
	s, err := ParseSide(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func question(t *testing.T, model, from, to string) Question {
	t.Helper()
	q := Question{From: side(t, from), To: side(t, to), Load: plan.Load{Users: 8}, Base: plan.Setup{Lengths: evenly{}, MaxTokens: 256}}
	d := &q.Base.Deployment
	d.Model, _ = engine.ModelNamed(model)
	d.GPU, _ = engine.GPUNamed("h100-sxm")
	d.Profile, _ = engine.ProfileNamed("vllm-v1")
	d.Weights, d.KV = engine.BF16, engine.BF16
	return q
}

var little = plan.Effort{Seeds: 3, Requests: 40, Seed: 1}

func TestWaterfallAddsUp(t *testing.T) {
	q := question(t, "llama-3.1-8b", "a100-sxm,static,no-prefix-cache", "h100-sxm,continuous,prefix-cache,fp8")
	runs := 0
	q.Total = func(n int) { runs = n }
	r, err := Run(t.Context(), q, little)
	if err != nil {
		t.Fatal(err)
	}
	if r.Simulated != 16 || runs != 48 || r.OrdersLeft != 0 || r.Orders != 24 {
		t.Errorf("%d deployments in %d runs, %g of %g orders left out", r.Simulated, runs, r.OrdersLeft, r.Orders)
	}
	for name, w := range map[string]Waterfall{"ttft": r.TTFT, "speed": r.Speed, "e2e": r.E2E} {
		if gap := w.Gap(); !(math.Abs(gap) <= 1e-9*math.Abs(w.To.Value.Or(0)-w.From.Value.Or(0))) {
			t.Errorf("%s: %g of the difference is unexplained", name, gap)
		}
		for _, c := range w.Culprits {
			changes := c.Value.Or(math.NaN()) != 0
			if changes == (c.Dimension == "prefix_cache") { // nothing is shared, so it cannot matter
				t.Errorf("%s: %s makes %g", name, c.Dimension, c.Value.Or(0))
			}
		}
	}
	if r.TTFT.Culprits[1].Dimension != "batching" || r.TTFT.Culprits[1].Value.Or(0) > -100 {
		t.Errorf("waiting for a batch to end: %+v", r.TTFT.Culprits[1])
	}
}

// 70B in BF16 does not fit on one device, and in FP8 it does: one device must
// become two before the weights grow.
func TestOrdersThatDoNotFitAreLeftOut(t *testing.T) {
	r, err := Run(t.Context(), question(t, "llama-3.3-70b", "tp1,fp8", "tp2,bf16"), little)
	if err != nil {
		t.Fatal(err)
	}
	if r.Orders != 2 || r.OrdersLeft != 1 || r.Simulated != 3 || math.Abs(r.TTFT.Gap()) > 1e-9 {
		t.Errorf("%+v", r)
	}
}

func TestWhatSidesMean(t *testing.T) {
	for _, c := range []struct{ from, to, wantFrom, wantTo, both string }{
		{"a100", "h100", "a100-sxm", "h100-sxm", "vllm-v1,tp1,continuous"},
		{"static", "tp2", "static", "continuous", "tp2"},                // one side's devices are both's
		{"eager-2023", "vllm-v1", "eager-2023", "vllm-v1", "tp1,paged"}, // an engine's own scheduler goes with it
		{"eager-2023", "vllm-v1,no-evict", "eager-2023", "vllm-v1", "no-evict"},
		{"eager-2023", "trtllm,static", "eager-2023,no-evict", "trtllm,static", "paged"},
		{"speculation", "tp=1", "speculation=4:0.7", "no-speculation", "tp1"},
	} {
		w, err := newWay(question(t, "llama-3.1-8b", c.from, c.to))
		if err != nil {
			t.Errorf("%s to %s: %v", c.from, c.to, err)
			continue
		}
		last := len(w.setups) - 1
		if w.describe(0) != c.wantFrom || w.describe(last) != c.wantTo || !strings.Contains(w.both(), c.both) {
			t.Errorf("%s to %s: %s to %s, both %s", c.from, c.to, w.describe(0), w.describe(last), w.both())
		}
	}
}

func TestSidesThatCannotBeCompared(t *testing.T) {
	for _, c := range []struct{ model, from, to, words string }{
		{"llama-3.1-8b", "h100", "h100-sxm", "the same"},
		{"llama-3.1-8b", "a100,fp8", "h100", "no arithmetic in fp8"},
		{"llama-3.1-8b", "tp3", "tp1", "tensor parallel over 3"},
		{"l3-405b", "static", "continuous", "each lacks"},
		{"llama-3.1-8b", "a100,trtllm,static,contiguous,whole-prompts,fp8-kv,int8,speculation,tp1", "h100,vllm-v1,continuous,paged,chunked,bf16-kv,bf16,no-speculation,tp2", "9 things"},
	} {
		if _, err := Run(t.Context(), question(t, c.model, c.from, c.to), little); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s to %s: %v, want %q", c.from, c.to, err, c.words)
		}
	}
	q := question(t, "llama-3.1-8b", "static", "continuous")
	q.Load = plan.Load{Rate: 500}
	if _, err := Run(t.Context(), q, little); err == nil || !strings.Contains(err.Error(), "does not keep up") {
		t.Errorf("a load that is not carried: %v", err)
	}
	for _, text := range []string{"", "a100,", "h101", "h100,a100", "tp0", "tp100", "speculation=0:0.5", "speculation=4:2", strings.Repeat("x", 501)} {
		if s, err := ParseSide(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
}

func FuzzParseSide(f *testing.F) {
	f.Add("a100-pcie,static,contiguous,bf16")
	f.Add("H100, tp=4 ,fp8-kv,speculation=4:0.75")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSide(text)
		if err != nil {
			return
		}
		d := s.over(engine.Deployment{})
		for _, dim := range dimensions() {
			if _, said := s[dim.name]; !said {
				continue
			}
			// What a side comes to is a word that means the same.
			again, err := ParseSide(dim.get(&d))
			if err != nil {
				t.Fatalf("%q: %s is %q, which is no word: %v", text, dim.name, dim.get(&d), err)
			}
			same := again.over(engine.Deployment{})
			if dim.get(&same) != dim.get(&d) {
				t.Fatalf("%q: %s is %q, and read again %q", text, dim.name, dim.get(&d), dim.get(&same))
			}
		}
	})
}
