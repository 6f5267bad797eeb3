package engine

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The step that PHYSICS.md works out by hand (A9, V3 at one stream): 16.4 ms of
// layers, 0.36 of LM head, 0.7 of host.
func TestStepByHand(t *testing.T) {
	p := physicsOf(t, deployed(t, "l3-70b", "H100", 2, FP8, FP8, "trtllm"))
	var b Batch
	b.Decode(1, 5250)
	b.Sampled = 1
	c := p.Cost(b)
	for name, part := range map[string][2]float64{
		"linear": {c.Linear, 80 * 180e-6}, "attention": {c.Attention, 80 * 10e-6}, "collective": {c.Collective, 80 * 9e-6},
		"head": {c.Head, 0.36e-3}, "host": {c.Host, 0.7e-3}, "step": {c.Time().Seconds(), 17.5e-3},
	} {
		if math.Abs(part[0]/part[1]-1) > 0.05 {
			t.Errorf("%s takes %.3f ms, want %.3f", name, 1e3*part[0], 1e3*part[1])
		}
	}
}

// Worked from the formulas of docs/physics.md.
func TestAttentionByHand(t *testing.T) {
	p := physicsOf(t, deployed(t, "l3-70b", "H100", 2, FP8, BF16, "trtllm"))
	const kv = 2 * 4 * 128 * 2.0 // bytes of a token: K and V, 4 heads, BF16
	var b Batch
	b.Decode(1, 3000)
	b.Decode(1, 5000)
	if got, want := p.Cost(b).Attention, 80*(8e-6+8000*kv/(0.82*3.35e12)); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("decode: %v s, want %v", got, want)
	}
	b = Batch{}
	b.Prefill(1000, 30000)
	want := 80 * (14e-6 + 4*32*128*1000*30500.0/(0.48*989e12) + 30000*kv/(0.82*3.35e12))
	if got := p.Cost(b).Attention; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("prefill: %v s, want %v", got, want)
	}
	p = physicsOf(t, deployed(t, "l3-70b", "H100", 2, FP8, FP8, "trtllm"))
	want = 80 * (14e-6 + 4*32*128*1000*30500.0/(1.6*0.48*989e12) + 30000*kv/2/(0.82*3.35e12))
	if got := p.Cost(b).Attention; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("prefill in FP8: %v s, want %v", got, want)
	}
}

// Half of gpt-oss's layers see 128 tokens, whatever the context.
func TestWindowedLayers(t *testing.T) {
	p := physicsOf(t, deployed(t, "gpt-oss-120b", "H100", 2, MXFP4, BF16, "vllm-v1"))
	b := Batch{Window: p.Model.Window}
	b.Decode(1, 100_000)
	const kv = 2 * 4 * 64 * 2.0
	want := 36*8e-6 + 18*(100_000+128)*kv/(0.82*3.35e12)
	if got := p.Cost(b).Attention; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%v s, want %v", got, want)
	}
}

// drawDeployment takes anything from the tables that fits together.
func drawDeployment(t *rapid.T) *Physics {
	d := Deployment{
		Model: rapid.SampledFrom(Models()).Draw(t, "model"), GPU: rapid.SampledFrom(GPUs()).Draw(t, "gpu"),
		TP:      rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "tp"),
		Weights: rapid.SampledFrom([]Precision{BF16, FP8, FP4}).Draw(t, "weights"),
		KV:      rapid.SampledFrom([]Precision{BF16, FP8}).Draw(t, "kv"),
		Profile: rapid.SampledFrom(Profiles()).Draw(t, "profile"),
	}
	d.GPU.Memory *= 100 // whether it fits is not the question
	d.TP = min(d.TP, d.Model.QueryHeads)
	return physicsOf(t, d)
}

func drawBatch(t *rapid.T, p *Physics) Batch {
	b := Batch{Window: p.Model.Window}
	for range rapid.IntRange(0, 300).Draw(t, "decoding") {
		b.Decode(1, rapid.IntRange(1, 9000).Draw(t, "context"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "prompts") {
		b.Prefill(rapid.IntRange(1, 8192).Draw(t, "chunk"), rapid.IntRange(0, 40000).Draw(t, "start"))
	}
	b.Sampled = b.Decoding + b.Prompts
	return b
}

func TestMoreNeverTakesLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawDeployment(t)
		b := drawBatch(t, p)
		step := p.Cost(b).Time()
		noLess := func(what string, more Batch) {
			if got := p.Cost(more).Time(); got < step {
				t.Fatalf("%s: %v, without it %v", what, got, step)
			}
		}
		more := b
		more.Decode(1, 1)
		more.Sampled++
		noLess("one more sequence", more)
		more = b
		more.Prefill(1, 0)
		noLess("one more prompt token", more)
		if b.Decoding > 0 {
			more = b
			more.Context += 1000
			more.WindowContext = min(more.Context, float64(b.Window*b.Decoding))
			noLess("1000 more tokens of context", more)
		}
	})
}

func TestFasterPartsNeverSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawDeployment(t)
		b := drawBatch(t, p)
		step := p.Cost(b)
		d := p.Deployment
		d.GPU.Bandwidth *= 2
		if got := physicsOf(t, d).Cost(b); got.Time() > step.Time() {
			t.Fatalf("twice the bandwidth: %v, before %v", got.Time(), step.Time())
		}
		if p.TP < min(8, p.Model.QueryHeads) {
			d = p.Deployment
			d.TP *= 2
			if got := physicsOf(t, d).Cost(b); got.Linear > step.Linear || got.Attention > step.Attention {
				t.Fatalf("twice the devices compute longer: %+v, before %+v", got, step)
			}
		}
	})
}

// Where a rank's matrices are small, launching FP8 GEMMs costs more than their
// bytes save, so this holds for weights that fill the devices.
func TestFP8IsNoSlowerOnHopper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gpu := rapid.SampledFrom([]string{"H100", "H200"}).Draw(t, "gpu")
		tp := rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "tp")
		bf16 := deployed(t, "l3-70b", gpu, tp, BF16, BF16, "vllm-v1")
		bf16.GPU.Memory *= 100
		p := physicsOf(t, bf16)
		b := drawBatch(t, p)
		fp8 := bf16
		fp8.Weights, fp8.KV = FP8, FP8
		if got, want := physicsOf(t, fp8).Cost(b).Time(), p.Cost(b).Time(); got > want {
			t.Fatalf("FP8 takes %v, BF16 %v", got, want)
		}
	})
}

// Over PCIe more devices can be slower: NVIDIA publishes 1464 tokens/s of 70B on
// 8 L40S, 1524 on 4 (128 in, 128 out). Over NVLink they are not.
func TestMoreDevicesOverPCIe(t *testing.T) {
	var b Batch
	for range 512 {
		b.Decode(1, 192)
	}
	b.Prefill(512, 0)
	b.Sampled = 516
	at := func(gpu string, tp int) time.Duration {
		return physicsOf(t, deployed(t, "l3-70b", gpu, tp, FP8, FP8, "trtllm")).Cost(b).Time()
	}
	if four, eight := at("L40S", 4), at("L40S", 8); eight < four*95/100 {
		t.Errorf("8 L40S take %v, 4 take %v", eight, four)
	}
	if four, eight := at("H100", 4), at("H100", 8); eight > four*80/100 {
		t.Errorf("8 H100 take %v, 4 take %v", eight, four)
	}
}

func TestStepsWithPromptsWaitForLaunches(t *testing.T) {
	p := physicsOf(t, deployed(t, "l2-7b", "H100", 1, FP8, BF16, "eager-2023"))
	var b Batch
	b.Prefill(128, 0)
	b.Sampled = 1
	c := p.Cost(b)
	if gpu := c.Time().Seconds() - c.Host; math.Abs(gpu-32*200e-6) > 1e-9 {
		t.Errorf("32 layers launched in 200 us each take %v s", gpu)
	}
}

func TestAllReduce(t *testing.T) {
	for _, c := range []struct {
		profile string
		message float64
		want    float64
	}{
		{"trtllm", 16 << 10, 4.8e-6 + (16<<10)/65e9},
		{"trtllm", 8 << 20, 37e-6 + 1.75*(8<<20)/366e9},
		{"eager-2023", 16 << 10, 30e-6},
	} {
		p := physicsOf(t, deployed(t, "l3-70b", "H100", 8, FP8, FP8, c.profile))
		if got := p.allReduce(c.message); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("%s, %v bytes: %v s, want %v", c.profile, c.message, got, c.want)
		}
	}
}

func TestExpertsThatAreRead(t *testing.T) {
	x := &Experts{Routed: 8, TopK: 2}
	for tokens, want := range map[float64]float64{1: 2, 4: (1 - 0.4/3) * 8 * (1 - math.Pow(0.75, 4)), 8: 0.8 * 8 * (1 - math.Pow(0.75, 8)), 64: 6.4, 1024: 8} {
		if got := x.hit(tokens); math.Abs(got-want) > 0.01 {
			t.Errorf("%v tokens read %v experts, want %v", tokens, got, want)
		}
	}
}

func TestSpeculationExpected(t *testing.T) {
	for _, c := range []struct {
		s    Speculation
		want float64
	}{{Speculation{Drafts: 4, Acceptance: 0.8}, 3.36}, {Speculation{Drafts: 2, Acceptance: 0.5}, 1.75}, {Speculation{}, 1}} {
		if got := c.s.Expected(); math.Abs(got-c.want) > 0.005 {
			t.Errorf("%+v brings %v tokens, want %v", c.s, got, c.want)
		}
	}
}

// Nothing of it is validated; it must cost something, and grow with the message.
func TestLinkBetweenNodes(t *testing.T) {
	d := deployed(t, "l3-405b", "H100", 16, FP8, FP8, "vllm-v1")
	if _, err := NewPhysics(d); err == nil {
		t.Fatal("16 H100 without a link")
	}
	d.Link, _ = LinkNamed("infiniband-ndr")
	p := physicsOf(t, d)
	one, many := p.allReduce(32<<10), p.allReduce(64<<20)
	if one < d.Link.Latency || many < one+float64(64<<20)/8/d.Link.Rate {
		t.Errorf("all-reduce over two nodes: %v s, large %v s", one, many)
	}
}
