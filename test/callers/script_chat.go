package callers

import (
	"encoding/json"
	"fmt"
	"strings"
)

func readChat(_ string, body []byte) (scripted, error) {
	var r struct {
		Model         string
		Stream        bool
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Tools    []struct{ Function struct{ Name string } }
		Messages []struct {
			Role    string
			ID      string `json:"tool_call_id"`
			Content json.RawMessage
		}
	}
	err := json.Unmarshal(body, &r)
	s := scripted{model: r.Model, stream: r.Stream, usage: r.StreamOptions.IncludeUsage, tools: len(r.Tools), results: map[string]string{}}
	for _, m := range r.Messages {
		if m.Role == "tool" {
			s.results[strings.TrimPrefix(m.ID, "call_")] = textOf(m.Content)
		}
	}
	return s, err
}

func chatAnswer(asked scripted, a said) string {
	finish := `"stop"`
	if len(a.calls) > 0 {
		finish = `"tool_calls"`
	}
	usage := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}`,
		scriptInput, scriptOutput, scriptInput+scriptOutput, scriptCached)
	if !asked.stream {
		var calls []string
		for _, gauge := range a.calls {
			calls = append(calls, fmt.Sprintf(`{"id":"call_%s","type":"function","function":{"name":"level","arguments":%s}}`, gauge, quote(arguments(gauge))))
		}
		more := ""
		if len(calls) > 0 {
			more = `,"tool_calls":[` + strings.Join(calls, ",") + `]`
		}
		return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1764547200,"model":"script-1","choices":[{"index":0,"message":{"role":"assistant","content":%s,"refusal":null,"annotations":[]%s},"logprobs":null,"finish_reason":%s}],"usage":%s,"service_tier":"default"}`,
			quote(a.text), more, finish, usage)
	}
	var b strings.Builder
	event := func(choices string, usage string) {
		fmt.Fprintf(&b, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1764547200,\"model\":\"script-1\",\"service_tier\":\"default\",\"choices\":[%s]%s}\n\n", choices, usage)
	}
	null := ""
	if asked.usage {
		null = `,"usage":null`
	}
	delta := func(d, finish string) {
		event(`{"index":0,"delta":`+d+`,"logprobs":null,"finish_reason":`+finish+`}`, null)
	}
	delta(`{"role":"assistant","content":"","refusal":null}`, "null")
	for _, half := range halves(a.text) {
		delta(`{"content":`+quote(half)+`}`, "null")
	}
	for i, gauge := range a.calls {
		delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%s","type":"function","function":{"name":"level","arguments":""}}]}`, i, gauge), "null")
		for _, half := range halves(arguments(gauge)) {
			delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(half)), "null")
		}
	}
	delta(`{}`, finish)
	if asked.usage {
		event("", `,"usage":`+usage)
	}
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}
