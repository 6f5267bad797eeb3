package engine_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"weir.dev/weir/internal/engine"
)

// handmade is a device of known rates, without what only GPUs have.
func handmade(peak, bandwidth float64, frontend time.Duration) engine.Deployment {
	m, _ := engine.ModelNamed("gemma-3-270m")
	p, _ := engine.ProfileNamed("vllm-v1")
	p.HostStep, p.HostToken, p.PrefillLaunch, p.Frontend = 0, 0, 0, frontend
	return engine.Deployment{Model: m, TP: 1, Weights: engine.INT4, KV: engine.BF16, Profile: p, GPU: engine.GPU{
		Name: "cpu", Memory: 16e9, Bandwidth: bandwidth, DevicesOnNode: 1, PrefillShare: 1,
		Math:   map[engine.Precision]engine.Math{engine.BF16: {Peak: peak, MemoryShare: 1, Share: 1}},
		KVRead: map[engine.Precision]float64{engine.BF16: 1},
	}}
}

// TestFitFindsTheDevice measures a device of known rates and fits another to
// the measurements: the same one comes out.
func TestFitFindsTheDevice(t *testing.T) {
	for _, peak := range []float64{20e9, 400e9} {
		for _, bandwidth := range []float64{5e9, 60e9} {
			real := handmade(peak, bandwidth, 12*time.Millisecond)
			p, err := engine.NewPhysics(real)
			if err != nil {
				t.Fatal(err)
			}
			ttft := func(n int) time.Duration {
				b := engine.Batch{Window: real.Model.Window, Sampled: 1}
				b.Prefill(n, 0)
				return 12*time.Millisecond + p.Cost(b).Time()
			}
			one := engine.Batch{Window: real.Model.Window, Sampled: 1}
			one.Decode(1, 160)
			got, err := engine.Fitted(handmade(1, 1, 0), engine.Measured{
				Short: 32, Long: 512, ShortTTFT: ttft(32), LongTTFT: ttft(512), TPOT: p.Cost(one).Time(), Context: 160,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range []struct {
				what      string
				got, want float64
			}{
				{"peak", got.GPU.Math[engine.BF16].Peak, peak},
				{"bandwidth", got.GPU.Bandwidth, bandwidth},
				{"frontend", got.Profile.Frontend.Seconds(), 0.012},
			} {
				if math.Abs(f.got/f.want-1) > 0.01 {
					t.Errorf("peak %g, bandwidth %g: %s came out as %g, is %g", peak, bandwidth, f.what, f.got, f.want)
				}
			}
		}
	}
}

func TestFitRefusesWhatIsNoMeasurement(t *testing.T) {
	good := engine.Measured{Short: 32, Long: 512, ShortTTFT: 100 * time.Millisecond, LongTTFT: time.Second, TPOT: 30 * time.Millisecond, Context: 64}
	for _, spoil := range []func(*engine.Measured){
		func(m *engine.Measured) { m.Long = m.Short },
		func(m *engine.Measured) { m.LongTTFT = m.ShortTTFT },
		func(m *engine.Measured) { m.TPOT = 0 },
		func(m *engine.Measured) { m.Context = 0 },
		func(m *engine.Measured) { m.TPOT = time.Nanosecond }, // the arithmetic alone takes longer
	} {
		m := good
		spoil(&m)
		if _, err := engine.Fitted(handmade(1, 1, 0), m); err == nil || !strings.Contains(err.Error(), "rate") {
			t.Errorf("%+v: %v", m, err)
		}
	}
}
