package engine

import (
	"math"
	"testing"
)

// The counts are the authors'; KV bytes per token are those of PHYSICS.md, A8.
func TestModelsHaveTheirPublishedSize(t *testing.T) {
	for _, c := range []struct {
		name          string
		total, active float64 // billions
		kv            float64 // bytes per token, BF16
	}{
		{"l2-7b", 6.74, 6.74, 524288},
		{"l2-70b", 68.98, 68.98, 327680},
		{"l3-8b", 8.03, 8.03, 131072},
		{"l3-70b", 70.55, 70.55, 327680},
		{"l3-405b", 405.85, 405.85, 516096},
		{"mistral-small-24b", 23.6, 23.6, 163840},
		{"qwen3-32b", 32.8, 32.8, 262144},
		{"mixtral", 46.7, 12.9, 131072},
		{"qwen3-30b-a3b", 30.5, 3.35, 98304},
		{"qwen3-235b-a22b", 235.1, 22.2, 192512},
		{"gpt-oss-120b", 116.8, 5.7, 73728},
		{"deepseek-v3", 671.0, 37.6, 70272},
		{"kimi-k2", 1026, 32.9, 70272},
	} {
		m, ok := ModelNamed(c.name)
		if !ok {
			t.Errorf("%s is not in the table", c.name)
			continue
		}
		total, active := m.Params()
		if math.Abs(total/1e9/c.total-1) > 0.004 || math.Abs(active/1e9/c.active-1) > 0.02 {
			t.Errorf("%s has %.2f B params, %.2f B active; want %v, %v", c.name, total/1e9, active/1e9, c.total, c.active)
		}
		if got := m.KVBytesPerToken(BF16, 1); got != c.kv {
			t.Errorf("%s: %v bytes of KV per token, want %v", c.name, got, c.kv)
		}
	}
}

func TestTablesAreComplete(t *testing.T) {
	names := map[string]bool{}
	unique := func(name, source string) {
		if names[name] || name == "" || source == "" {
			t.Errorf("%q: there twice, without a name, or without a source (%q)", name, source)
		}
		names[name] = true
	}
	for _, m := range Models() {
		unique(m.Name, m.Source)
	}
	for _, l := range Links() {
		unique(l.Name, l.Source)
	}
	for _, p := range Profiles() {
		unique(p.Name, p.Source)
		if err := p.check(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	for _, g := range GPUs() {
		unique(g.Name, g.Source)
		for _, tp := range []int{1, 2, 4, 8} {
			for _, w := range []Precision{BF16, FP8, INT8, FP4, MXFP4, INT4} {
				physicsOf(t, deployed(t, "l3-8b", g.Name, tp, w, BF16, "vllm-v1"))
			}
		}
	}
}

// More ranks than KV heads hold copies; a latent cache is whole on each.
func TestKVOfARank(t *testing.T) {
	m, _ := ModelNamed("l3-70b")
	if got, want := m.KVBytesPerToken(BF16, 16), m.KVBytesPerToken(BF16, 8); got != want {
		t.Errorf("16 ranks hold %v bytes each, 8 ranks %v: there are 8 heads", got, want)
	}
	m, _ = ModelNamed("deepseek-v3")
	if got, want := m.KVBytesPerToken(BF16, 8), m.KVBytesPerToken(BF16, 1); got != want {
		t.Errorf("8 ranks hold %v bytes each, want %v", got, want)
	}
}
