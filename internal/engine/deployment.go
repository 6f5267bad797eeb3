package engine

import (
	"fmt"
	"time"

	"weir.dev/weir"
)

// Deployment is a model on devices under an engine.
type Deployment struct {
	Model   Model
	GPU     GPU
	TP      int // devices that share each layer; 1, 2, 4, 8 on a node, multiples of a node's over Link
	Weights Precision
	KV      Precision
	Profile Profile

	Link        Link    // between nodes; needed where TP is more than a node has
	Offload     Offload // the zero value keeps nothing
	Speculation Speculation
}

// Speculation has a small model draft tokens that the model then verifies at
// once. The zero value drafts nothing.
type Speculation struct {
	Drafts      int     // per step
	Acceptance  float64 // chance that a draft is right, given that those before it were
	DraftLayers float64 // cost of one draft in layers of the model, beside one LM head
}

// Expected is how many tokens a step brings on average:
// (1 - a^(k+1)) / (1 - a) (Leviathan et al., arXiv:2211.17192, eq. 1).
func (s Speculation) Expected() float64 {
	tokens, chance := 0.0, 1.0
	for range s.Drafts + 1 {
		tokens += chance
		chance *= s.Acceptance
	}
	return tokens
}

// Limits that keep a configuration within what the arithmetic holds for.
const (
	maxTP     = 64
	maxBudget = 1 << 20
	maxSeqs   = 1 << 16
	maxBlock  = 1 << 10
	maxDrafts = 64
	maxHost   = time.Minute
)

func bad(hint, format string, args ...any) error {
	return &weir.Error{Code: "engine_config", Message: fmt.Sprintf(format, args...), Hint: hint}
}

// check finds the first thing that is wrong with a deployment.
func (d Deployment) check() error {
	switch _, known := d.Weights.Bytes(); {
	case d.Model.Layers < 1 || d.Model.Hidden < 1:
		return bad("take one of Models()", "the deployment has no model")
	case d.GPU.Bandwidth <= 0 || d.GPU.Math[BF16].Peak <= 0:
		return bad("take one of GPUs()", "the deployment has no GPU")
	case !known:
		return bad("bf16, fp8, int8, fp4, mxfp4 or int4", "weights %q are not known", d.Weights)
	case d.GPU.KVRead[d.KV] <= 0:
		return bad("bf16 or fp8", "KV cache in %q is not known on %s", d.KV, d.GPU.Name)
	}
	for _, err := range []error{d.checkRanks(), d.Profile.check(), d.Speculation.check()} {
		if err != nil {
			return err
		}
	}
	if d.Offload.Bytes < 0 || d.Offload.Bytes > 0 && d.Offload.Rate <= 0 {
		return bad("bytes per device and bytes/s", "offload of %g bytes at %g bytes/s", d.Offload.Bytes, d.Offload.Rate)
	}
	return nil
}

func (d Deployment) checkRanks() error {
	local := min(d.TP, d.GPU.DevicesOnNode)
	_, known := d.GPU.AllReduce[local]
	switch {
	case d.TP < 1 || d.TP > maxTP || d.TP != 1 && !known || d.TP%local != 0:
		return bad("1, 2, 4, 8, or a multiple of 8 over a link", "tensor parallel over %d %s is not known", d.TP, d.GPU.Name)
	case d.Model.QueryHeads%d.TP != 0:
		return bad("a divisor of the query heads", "%s has %d query heads, which %d ranks cannot share", d.Model.Name, d.Model.QueryHeads, d.TP)
	case d.TP > local && d.Link.Rate <= 0:
		return bad("take one of Links()", "%d %s are more than one node has, and there is no link", d.TP, d.GPU.Name)
	}
	return nil
}

func (p Profile) check() error {
	switch {
	case p.Policy != Continuous && p.Policy != NoEvict && p.Policy != PrefillFirst && p.Policy != Static:
		return bad("continuous, no-evict, prefill-first or static", "scheduler policy %q is not known", p.Policy)
	case p.Layout != Paged && p.Layout != Contiguous:
		return bad("paged or contiguous", "kv layout %q is not known", p.Layout)
	case p.TokenBudget < 1 || p.TokenBudget > maxBudget:
		return bad(fmt.Sprintf("1 to %d", maxBudget), "a token budget of %d", p.TokenBudget)
	case p.MaxSeqs < 1 || p.MaxSeqs > maxSeqs:
		return bad(fmt.Sprintf("1 to %d", maxSeqs), "at most %d running requests", p.MaxSeqs)
	case p.BlockTokens < 1 || p.BlockTokens > maxBlock:
		return bad(fmt.Sprintf("1 to %d", maxBlock), "KV blocks of %d tokens", p.BlockTokens)
	case !(p.MemoryShare > 0 && p.MemoryShare <= 1) || !(p.Reserve >= 0):
		return bad("a share over 0 and up to 1, and bytes", "memory share %g less %g bytes", p.MemoryShare, p.Reserve)
	}
	for _, d := range []time.Duration{p.HostStep, p.HostToken, p.PrefillLaunch, p.CollectiveFloor, p.Frontend, p.FrontendToken} {
		if d < 0 || d > maxHost {
			return bad("0 to 1m", "profile %s has a cost of %v", p.Name, d)
		}
	}
	return nil
}

func (s Speculation) check() error {
	if s.Drafts < 0 || s.Drafts > maxDrafts || !(s.Acceptance >= 0 && s.Acceptance <= 1) || !(s.DraftLayers >= 0) {
		return bad(fmt.Sprintf("0 to %d drafts, a share, a cost in layers", maxDrafts), "speculation %+v", s)
	}
	return nil
}
