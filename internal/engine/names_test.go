package engine

import (
	"strings"
	"testing"
)

func TestNamesThatUsersKnow(t *testing.T) {
	for alias, full := range aliases {
		m, isModel := ModelNamed(strings.ToUpper(alias))
		g, isGPU := GPUNamed(alias)
		if isModel == isGPU || m.Name+g.Name != full {
			t.Errorf("%s: %q %q, want %s", alias, m.Name, g.Name, full)
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
