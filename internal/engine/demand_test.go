package engine

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Worked from the shape: 70B in FP8 on 4 devices, one token at a context of 1000.
func TestDemandByHand(t *testing.T) {
	p := physicsOf(t, deployed(t, "l3-70b", "H100", 4, FP8, BF16, "vllm-v1"))
	total, _ := p.Model.Params()
	head := p.Model.embedding()
	b := Batch{}
	b.Decode(1, 1000)
	b.Sampled = 1
	d := p.Demand(b)
	if want := (2*(total-head) + 4*80*64*128*1000) / 4; math.Abs(d.FLOP/want-1) > 1e-9 {
		t.Errorf("%g FLOP, want %g", d.FLOP, want)
	}
	if want := (total-2*head+2*head)/4 + 1000*327_680/4; math.Abs(d.Bytes/want-1) > 1e-9 {
		t.Errorf("%g bytes, want %g", d.Bytes, want)
	}
}

// No step is done in less than its demand takes at the device's peaks.
func TestDemandIsALowerBound(t *testing.T) {
	for _, model := range []string{"l3-8b", "mixtral", "gpt-oss-120b", "deepseek-v3"} {
		p := physicsOf(t, deployed(t, model, "B200", 8, FP8, FP8, "vllm-v1"))
		for _, n := range []int{1, 64, 1024} {
			b := Batch{Window: p.Model.Window}
			b.Prefill(n, 500)
			for range n {
				b.Decode(1, 2000)
			}
			d, step := p.Demand(b), p.Cost(b).Time().Seconds()
			if least := max(d.FLOP/p.GPU.Math[FP8].Peak, d.Bytes/p.GPU.Bandwidth); !(step > least) || !(least > 0) {
				t.Errorf("%s, %d: %g s, and %g at the peaks", model, n, step, least)
			}
		}
	}
}

func TestMissingMemory(t *testing.T) {
	small := deployed(t, "l3-70b", "H100", 1, BF16, BF16, "vllm-v1")
	if m := small.Missing(0) / gb; m < 64 || m > 68 { // 141.1 + 1.5 - 0.9 * 85.5
		t.Errorf("%.1f GB are missing, want 65.6", m)
	}
	if _, err := NewPhysics(small); err == nil || !strings.Contains(err.Error(), "GB of it are missing") {
		t.Errorf("%v", err)
	}
	fits := seventy(t).holding(5000)
	if fits.Missing(5000) != 0 || fits.Missing(5001) == 0 {
		t.Errorf("room for 5000 tokens: %g missing, for 5001 %g", fits.Missing(5000), fits.Missing(5001))
	}
}

func TestNames(t *testing.T) {
	for _, names := range [][]string{ModelNames(), GPUNames()} {
		slices.Sort(names)
		if once := slices.Compact(slices.Clone(names)); len(once) != len(names) {
			t.Errorf("a name is there twice: %q", names)
		}
	}
	if m, ok := ModelNamed("meta-llama/llama-3.3-70b-instruct"); !ok || m.Name != "l3-70b" {
		t.Errorf("by its weights: %q", m.Name)
	}
	if g, ok := GPUNamed("H100-SXM"); !ok || g.Name != "H100" {
		t.Errorf("by its form: %q", g.Name)
	}
	if _, ok := GPUNamed(""); ok {
		t.Error("nothing is a GPU")
	}
}

func TestPrecisionsThatDevicesTake(t *testing.T) {
	for _, c := range []struct {
		gpu     string
		weights Precision
		takes   bool
	}{{"A100", FP8, false}, {"A100", INT4, true}, {"H100", FP8, true}, {"H100", FP4, false}, {"H100", MXFP4, true}, {"B200", FP4, true}} {
		if g, _ := GPUNamed(c.gpu); g.Takes(c.weights) != c.takes {
			t.Errorf("%s takes %s: %v", c.gpu, c.weights, !c.takes)
		}
	}
}
