package engine

import (
	"strings"
	"testing"
)

func TestNamesThatUsersKnow(t *testing.T) {
	for _, m := range Models() {
		for _, name := range append(m.Also, m.Name) {
			if got, ok := ModelNamed(strings.ToUpper(name)); !ok || got.Name != m.Name {
				t.Errorf("%s: %q, want %s", name, got.Name, m.Name)
			}
		}
	}
	for _, g := range GPUs() {
		for _, name := range append(g.Also, g.Name) {
			if got, ok := GPUNamed(strings.ToUpper(name)); !ok || got.Name != g.Name {
				t.Errorf("%s: %q, want %s", name, got.Name, g.Name)
			}
		}
	}
}

func TestUnknownNames(t *testing.T) {
	_, model := FindModel("llama-3.3-7b")
	_, gpu := FindGPU("h100-smx")
	_, profile := FindProfile("vllm")
	for _, c := range []struct {
		err  error
		want string
	}{
		{model, `there is no model "llama-3.3-7b" in the tables (did you mean llama-3.3-70b, `},
		{gpu, `there is no GPU "h100-smx" in the tables (did you mean h100-sxm`},
		{profile, `there is no engine "vllm" in the tables (did you mean vllm-v1? one of vllm-v1, trtllm, eager-2023)`},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
}
