package translate

import (
	"encoding/json"
	"fmt"
	"testing"

	"weir.dev/weir"
)

// TestEfforts: what a caller says about thinking, as each kind of target has it.
func TestEfforts(t *testing.T) {
	chat := func(effort string) string { return fmt.Sprintf(`"reasoning_effort":%q`, effort) }
	const adaptive = `{"type":"adaptive","display":"summarized"}`
	for _, c := range []struct {
		from     weir.Dialect
		asked    string
		to       weir.Dialect
		byBudget bool
		want     string
	}{
		{weir.OpenAIChat, chat("none"), weir.Anthropic, false, `{"type":"disabled"}`},
		{weir.OpenAIChat, chat("minimal"), weir.Anthropic, false, adaptive + ` {"effort":"low"}`},
		{weir.OpenAIChat, chat("xhigh"), weir.Anthropic, false, adaptive + ` {"effort":"xhigh"}`},
		{weir.OpenAIChat, chat("medium"), weir.Anthropic, true, `{"type":"enabled","budget_tokens":8192}`},
		{weir.OpenAIChat, chat("max"), weir.Anthropic, true, `{"type":"enabled","budget_tokens":24576}`},
		{weir.OpenAIChat, chat("none"), weir.Gemini, false, `{"thinkingBudget":0}`},
		{weir.OpenAIChat, chat("minimal"), weir.Gemini, false, `{"includeThoughts":true,"thinkingLevel":"minimal"}`},
		{weir.OpenAIChat, chat("max"), weir.Gemini, false, `{"includeThoughts":true,"thinkingLevel":"high"}`},
		{weir.OpenAIChat, chat("low"), weir.Gemini, true, `{"includeThoughts":true,"thinkingBudget":1024}`},
		{weir.OpenAIResponses, `"reasoning":{"effort":"low"}`, weir.Gemini, false, `{"thinkingLevel":"low"}`},
		{weir.OpenAIResponses, `"reasoning":{"summary":"auto"}`, weir.Gemini, true, `{"includeThoughts":true}`},
		{weir.OpenAIResponses, `"reasoning":{"summary":"auto"}`, weir.Anthropic, false, ``},
		{weir.Anthropic, `"thinking":{"type":"enabled","budget_tokens":1024}`, weir.OpenAIChat, false, `"low"`},
		{weir.Anthropic, `"thinking":{"type":"enabled","budget_tokens":31999}`, weir.OpenAIChat, false, `"high"`},
		{weir.Anthropic, `"thinking":{"type":"adaptive"}`, weir.OpenAIChat, false, ``},
		{weir.Anthropic, `"thinking":{"type":"adaptive","display":"omitted"},"output_config":{"effort":"max"}`, weir.Gemini, true, `{"thinkingBudget":24576}`},
		{weir.Anthropic, `"thinking":{"type":"disabled"},"output_config":{"effort":"max"}`, weir.OpenAIChat, false, ``},
	} {
		body := `{"messages":[{"role":"user","content":"x"}],` + c.asked + `}`
		if c.from == weir.OpenAIResponses {
			body = `{"input":"x",` + c.asked + `}`
		}
		got, err := Request(c.from, c.to, []byte(body), RequestOptions{Model: "m", ThinkingBudget: c.byBudget, MaxTokens: 60_000})
		if err != nil {
			t.Errorf("%s: %v", c.asked, err)
		}
		if said := thinkingOf(t, got.Body); said != c.want {
			t.Errorf("%s to %s, by budget %v: %s, want %s", c.asked, c.to, c.byBudget, said, c.want)
		}
	}
}

func thinkingOf(t *testing.T, body []byte) string {
	var b struct {
		Effort           json.RawMessage `json:"reasoning_effort"`
		Thinking         json.RawMessage `json:"thinking"`
		OutputConfig     json.RawMessage `json:"output_config"`
		GenerationConfig struct {
			ThinkingConfig json.RawMessage `json:"thinkingConfig"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	said := string(b.Effort) + string(b.Thinking) + string(b.GenerationConfig.ThinkingConfig)
	if b.OutputConfig != nil {
		said += " " + string(b.OutputConfig)
	}
	return said
}
