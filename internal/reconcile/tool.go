package reconcile

import "slices"

// Tool names whose definitions are applied.
type Tool string

// The tools. A number is the last release that had other definitions than the
// one after it.
const (
	Article     Tool = "article"        // the script many articles measure with
	VLLM        Tool = "vllm"           // vllm bench serve 0.33, --backend openai-chat
	VLLM032     Tool = "vllm-0.32"      // the same up to 0.32, where a role-only chunk is a token
	GuideLLM    Tool = "guidellm"       // since 0.8.1
	GuideLLM080 Tool = "guidellm-0.8.0" // from 0.7.0 to 0.8.0, where connection set-up counts
	AIPerf      Tool = "aiperf"
	LLMPerf     Tool = "llmperf"
)

// Tools lists them in the order help texts show.
func Tools() []Tool { return []Tool{Article, VLLM, VLLM032, GuideLLM, GuideLLM080, AIPerf, LLMPerf} }

// ParseTool is the tool of that name.
func ParseTool(s string) (Tool, bool) {
	t := Tool(s)
	return t, slices.Contains(Tools(), t)
}
