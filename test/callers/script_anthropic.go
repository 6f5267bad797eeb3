package callers

import (
	"encoding/json"
	"fmt"
	"strings"

	"weir.dev/weir"
)

// scriptReaders are the ways a script reads a request.
var scriptReaders = map[weir.Dialect]func(path string, body []byte) (scripted, error){
	weir.OpenAIChat: readChat, weir.Anthropic: readAnthropic, weir.Gemini: readGemini,
}

func readAnthropic(_ string, body []byte) (scripted, error) {
	var r struct {
		Model    string
		Stream   bool
		Tools    []struct{ Name string }
		Messages []struct{ Content json.RawMessage }
	}
	err := json.Unmarshal(body, &r)
	s := scripted{model: r.Model, stream: r.Stream, tools: len(r.Tools), results: map[string]string{}}
	for _, m := range r.Messages {
		var blocks []struct {
			Type    string
			ID      string `json:"tool_use_id"`
			Content json.RawMessage
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // a text
		}
		for _, block := range blocks {
			if block.Type == "tool_result" {
				s.results[strings.TrimPrefix(block.ID, "toolu_")] = textOf(block.Content)
			}
		}
	}
	return s, err
}

func anthropicAnswer(asked scripted, a said) string {
	stop := "end_turn"
	if len(a.calls) > 0 {
		stop = "tool_use"
	}
	input := fmt.Sprintf(`"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d`, scriptInput-scriptCached, scriptCached)
	if !asked.stream {
		blocks := []string{`{"type":"text","text":` + quote(a.text) + `}`}
		for _, gauge := range a.calls {
			blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%s","name":"level","input":%s}`, gauge, arguments(gauge)))
		}
		return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"script-1","content":[%s],"stop_reason":%q,"stop_sequence":null,"usage":{%s,"output_tokens":%d,"service_tier":"standard"}}`,
			strings.Join(blocks, ","), stop, input, scriptOutput)
	}
	var b strings.Builder
	event := func(name, more string, args ...any) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":\"%s\"%s}\n\n", name, name, fmt.Sprintf(more, args...))
	}
	block := func(i int, start string, deltas ...string) {
		event("content_block_start", `,"index":%d,"content_block":%s`, i, start)
		for _, d := range deltas {
			event("content_block_delta", `,"index":%d,"delta":%s`, i, d)
		}
		event("content_block_stop", `,"index":%d`, i)
	}
	event("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"script-1","content":[],"stop_reason":null,"stop_sequence":null,"usage":{%s,"output_tokens":1}}`, input)
	event("ping", "")
	var deltas []string
	for _, half := range halves(a.text) {
		deltas = append(deltas, `{"type":"text_delta","text":`+quote(half)+`}`)
	}
	block(0, `{"type":"text","text":""}`, deltas...)
	for i, gauge := range a.calls {
		deltas = []string{`{"type":"input_json_delta","partial_json":""}`}
		for _, half := range halves(arguments(gauge)) {
			deltas = append(deltas, `{"type":"input_json_delta","partial_json":`+quote(half)+`}`)
		}
		block(i+1, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%s","name":"level","input":{}}`, gauge), deltas...)
	}
	event("message_delta", `,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d}`, stop, scriptOutput)
	event("message_stop", "")
	return b.String()
}
