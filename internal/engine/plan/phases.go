package plan

import "weir.dev/weir/internal/engine"

// prefill is the steps that a prompt alone takes: chunks of the token budget,
// where the scheduler splits prompts.
func prefill(p *engine.Physics, tokens int) []engine.Batch {
	chunk := tokens
	if p.Profile.Chunked && p.Profile.Policy != engine.PrefillFirst && p.Profile.Policy != engine.Static {
		chunk = min(chunk, p.Profile.TokenBudget)
	}
	var steps []engine.Batch
	for start := 0; start < tokens; start += chunk {
		b := engine.Batch{Window: p.Model.Window}
		b.Prefill(min(chunk, tokens-start), start)
		if start+chunk >= tokens {
			b.Sampled = 1
		}
		steps = append(steps, b)
	}
	return steps
}

// decoding is a step of so many sequences, each with a context.
func decoding(p *engine.Physics, sequences, context int) engine.Batch {
	b := engine.Batch{Window: p.Model.Window}
	for range sequences {
		b.Decode(1+p.Speculation.Drafts, context)
	}
	b.Sampled = b.DecodeTokens
	return b
}
