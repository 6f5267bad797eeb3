package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// evenly are lengths between two bounds each, all alike.
type evenly struct{ prompt, output [2]int }

var _ Lengths = evenly{}

func (e evenly) Draw(rnd *rand.Rand) (prompt, output int) {
	return e.prompt[0] + rnd.IntN(e.prompt[1]-e.prompt[0]+1), e.output[0] + rnd.IntN(e.output[1]-e.output[0]+1)
}

func (e evenly) Mean() (prompt, output float64) {
	return float64(e.prompt[0]+e.prompt[1]) / 2, float64(e.output[0]+e.output[1]) / 2
}

func (e evenly) Most() (prompt, output int) { return e.prompt[1], e.output[1] }

func fixed(prompt, output int) evenly {
	return evenly{[2]int{prompt, prompt}, [2]int{output, output}}
}

// eight is an 8B model on one H100, whose steps are quick to simulate.
func eight(lengths Lengths) Setup {
	s := Setup{Lengths: lengths}
	d := &s.Deployment
	d.Model, _ = engine.ModelNamed("llama-3.1-8b")
	d.GPU, _ = engine.GPUNamed("h100-sxm")
	d.Profile, _ = engine.ProfileNamed("vllm-v1")
	d.TP, d.Weights, d.KV = 1, engine.BF16, engine.BF16
	return s
}

func on(s Setup, gpu string, tp int, w engine.Precision) Setup {
	s.Deployment.GPU, _ = engine.GPUNamed(gpu)
	s.Deployment.TP, s.Deployment.Weights = tp, w
	return s
}

var little = Effort{Seeds: 3, Requests: 60, Seed: 1}

func simulated(t *testing.T, s Setup, l Load, e Effort) *Outcome {
	t.Helper()
	o, err := Simulate(t.Context(), s, l, e)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= tolerance) {
		t.Errorf("%s: %g, want %g to %g %%", what, got, want, 100*tolerance)
	}
}

func slo(t *testing.T, text string) weir.SLO {
	t.Helper()
	s, err := weir.ParseSLO(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
