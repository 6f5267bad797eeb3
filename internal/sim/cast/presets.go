package cast

import (
	_ "embed"
	"fmt"
	"time"

	"weir.dev/weir/internal/engine"
)

//go:embed presets.yaml
var presetsFile []byte

// Presets are the providers that come with Weir, by name. None is a real one.
func Presets() []Personality {
	f := file{name: "presets.yaml", presets: func() []Personality { return nil }}
	all, err := f.parse(presetsFile)
	if err != nil {
		panic(fmt.Sprintf("the presets, which a test reads: %v", err))
	}
	return all
}

// defaults are what a personality has that says nothing: Llama-3.3-70B on four
// H100, for itself.
func defaults() Personality {
	return Personality{
		Model: "llama-3.3-70b", GPU: "h100-sxm", TP: 4, Precision: "fp8", KV: "bf16", Engine: "vllm-v1", Replicas: 1,
		Answer:     Answer{Tokens: 256},
		Cache:      Cache{Policy: "engine"},
		Background: Background{Input: 1000, Output: 250, Spread: 1, Period: 24 * time.Hour},
		Limits:     Limits{Headers: "openai"},
		Wire:       Wire{Usage: "end"},
	}
}

// What HTTP, authentication, template and tokeniser cost before a request can
// be scheduled (docs/physics.md).
const (
	frontend      = 3 * time.Millisecond
	frontendToken = time.Microsecond
)

// Deployment is what the engines of a personality run.
func (p Personality) Deployment() (engine.Deployment, error) {
	d, flaws := p.deployment()
	if len(flaws) > 0 {
		return d, fmt.Errorf("%s: %s", p.Name, flaws[0].what)
	}
	d.Profile.Frontend, d.Profile.FrontendToken = frontend, frontendToken
	d.Profile.PrefixCache = p.Cache.Policy != "off"
	return d, nil
}

// Window is the most tokens that prompt and answer may have, on an engine that
// holds the KV of capacity tokens.
func (p Personality) Window(m engine.Model, capacity int) int {
	if p.Context > 0 {
		return min(p.Context, capacity)
	}
	return min(m.Context, capacity)
}

// Models are the names of its model on the wire.
func (p Personality) Models() []string {
	if len(p.Serves) > 0 {
		return p.Serves
	}
	return []string{p.Model}
}
