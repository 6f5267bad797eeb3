package reconcile

import (
	"fmt"
	"slices"

	"weir.dev/weir"
)

func definitions(tool Tool) []definition {
	switch tool {
	case Article:
		return article()
	case VLLM:
		return vllm(false)
	case VLLM032:
		return vllm(true)
	case GuideLLM:
		return guidellm(false)
	case GuideLLM080:
		return guidellm(true)
	case AIPerf:
		return aiperf()
	case LLMPerf:
		return llmperf()
	}
	return nil
}

// About says which release a tool's definitions were read from.
func (t Tool) About() string {
	return map[Tool]string{
		Article:     "N / (end - first), as many articles measure",
		VLLM:        "vllm bench serve 0.33.0, openai-chat",
		VLLM032:     "vllm bench serve up to 0.32.0, openai-chat",
		GuideLLM:    "guidellm 0.8.1",
		GuideLLM080: "guidellm 0.7.0 to 0.8.0",
		AIPerf:      "aiperf 0.13.0",
		LLMPerf:     "ray-project/llmperf, last main",
	}[t]
}

// assumed says what the traces do not tell and the definitions need.
func assumed(tool Tool, traces []*weir.Trace) []string {
	some := func(of func(*weir.Trace) bool) bool { return slices.ContainsFunc(traces, of) }
	var out []string
	empty := 0
	for _, t := range traces {
		empty += count(t, func(k weir.TickKind) bool { return k == 0 })
	}
	if empty > 0 && tool == VLLM {
		out = append(out, fmt.Sprintf("%d events without anything in them are no tokens (an empty content string without a role would be one)", empty))
	}
	if empty > 0 && tool == VLLM032 {
		out = append(out, fmt.Sprintf("%d events without anything in them have choices", empty))
	}
	thought := some(func(t *weir.Trace) bool { return has(t, weir.TickReasoning|weir.TickSummary) })
	if thought && tool == VLLM {
		out = append(out, "reasoning came in the field reasoning (in reasoning_content it would not count)")
	}
	if tool == AIPerf || tool == LLMPerf {
		out = append(out, "their tokenizer counts as many tokens as the usage says")
	}
	return out
}
