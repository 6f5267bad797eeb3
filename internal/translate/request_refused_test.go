package translate

import (
	"errors"
	"strings"
	"testing"

	"weir.dev/weir"
)

// TestRefusals: what is refused names its path. TARGET-less rows hold for all.
func TestRefusals(t *testing.T) {
	const (
		chat      = `{"messages":[{"role":"user","content":"x"}],`
		responses = `{"input":"x",`
		anthropic = `{"max_tokens":9,"messages":[{"role":"user","content":"x"}],`
	)
	for _, c := range []struct {
		from, to weir.Dialect // to "": every one
		body     string
		code     string
		want     string // of the message
	}{
		{weir.OpenAIChat, "", chat + `"n":2}`, CannotTranslate, "n: it is not carried to another dialect"},
		{weir.OpenAIChat, "", chat + `"logprobs":true}`, CannotTranslate, "logprobs: it is not carried to another dialect"},
		{weir.OpenAIChat, "", chat + `"top_logprobs":3}`, CannotTranslate, "top_logprobs: it is not carried to another dialect"},
		{weir.OpenAIChat, "", chat + `"logit_bias":{"5":-100}}`, CannotTranslate, "logit_bias: it is not carried to another dialect"},
		{weir.OpenAIChat, "", chat + `"modalities":["text","audio"]}`, CannotTranslate, "modalities: it is not carried to another dialect"},
		{weir.OpenAIChat, "", chat + `"audio":{"voice":"alloy"}}`, CannotTranslate, "audio: it is not carried to another dialect"},
		{weir.OpenAIChat, "", chat + `"web_search_options":{}}`, CannotTranslate, "web_search_options: it is not carried to another dialect"},
		{weir.OpenAIChat, "", chat + `"functions":[{"name":"f"}]}`, CannotTranslate, "functions: it is not carried to another dialect"},
		{weir.OpenAIChat, "", chat + `"min_p":0.1}`, CannotTranslate, "min_p: it is not known how to translate it"},
		{weir.OpenAIChat, "", chat + `"guided_json":{},"chat_template_kwargs":{}}`, CannotTranslate, "chat_template_kwargs: it is not known how to translate it"},
		{weir.OpenAIChat, "", chat + `"verbosity":"low"}`, CannotTranslate, "verbosity: "},
		{weir.OpenAIChat, "", chat + `"reasoning_effort":"epic"}`, CannotTranslate, "reasoning_effort: the effort epic is not translated"},
		{weir.OpenAIChat, "", chat + `"tools":[{"type":"custom","custom":{"name":"f"}}]}`, CannotTranslate, "tools[0].type: a tool of the type custom is not translated"},
		{weir.OpenAIChat, "", chat + `"tool_choice":{"type":"allowed_tools"}}`, CannotTranslate, "tool_choice.type: a choice of the type allowed_tools is not translated"},
		{weir.OpenAIChat, "", chat + `"response_format":{"type":"grammar"}}`, CannotTranslate, "response_format.type: the format grammar is not translated"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":"x"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"input_audio","input_audio":{}}]}]}`, CannotTranslate, "messages[1].content[1].input_audio: parts of this type are not translated"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}]}`, CannotTranslate, "messages[0].content[0].file.file_id: it is not carried to another dialect"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:text/plain,x"}}]}]}`, CannotTranslate, "messages[0].content[0].image_url.url: the data URL holds no image in base64"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","name":"ann","content":"x"}]}`, CannotTranslate, "messages[0].name: no other dialect says who of several users speaks"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":"x","mood":1}]}`, CannotTranslate, "messages[0].mood: it is not known how to translate it"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","audio":{"id":"a"}}]}`, CannotTranslate, "messages[1].audio: it is not carried to another dialect"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, CannotTranslate, "messages[1]: the last message is the assistant's, and the target does not go on where it ends"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]},{"role":"user","content":"x"}]}`, CannotTranslate, "messages[1].tool_calls[0]: the arguments of this call are no JSON object"},
		{weir.OpenAIChat, weir.Anthropic, chat + `"temperature":1.5}`, CannotTranslate, "temperature: it is 1.5, and anthropic goes to 1"},
		{weir.OpenAIChat, weir.Anthropic, chat + `"presence_penalty":0.5}`, CannotTranslate, "presence_penalty: anthropic has none"},
		{weir.OpenAIChat, weir.Gemini, `{"messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}]}`, InvalidRequest, "messages[1]: no call before it has the id a"},

		{weir.OpenAIResponses, "", responses + `"previous_response_id":"r"}`, CannotTranslate, "previous_response_id: it is not carried to another dialect"},
		{weir.OpenAIResponses, "", responses + `"conversation":"c"}`, CannotTranslate, "conversation: it is not carried to another dialect"},
		{weir.OpenAIResponses, "", responses + `"background":true}`, CannotTranslate, "background: it is not carried to another dialect"},
		{weir.OpenAIResponses, "", responses + `"tools":[{"type":"web_search"}]}`, CannotTranslate, "tools[0].type: a tool of the type web_search is not translated"},
		{weir.OpenAIResponses, "", responses + `"include":["message.output_text.logprobs"]}`, CannotTranslate, "include[0]: no target of another dialect has logprobs"},
		{weir.OpenAIResponses, "", `{"input":[{"type":"item_reference","id":"x"}]}`, CannotTranslate, "input[0].item_reference: items of this type are not translated"},
		{weir.OpenAIResponses, "", `{"input":[{"role":"user","content":[{"type":"input_image","file_id":"f"}]}]}`, CannotTranslate, "input[0].content[0].file_id: it is not carried to another dialect"},

		{weir.Anthropic, "", anthropic + `"mcp_servers":[{}]}`, CannotTranslate, "mcp_servers: it is not carried to another dialect"},
		{weir.Anthropic, "", anthropic + `"tools":[{"type":"web_search_20250305","name":"web_search"}]}`, CannotTranslate, "tools[0].type: a tool of the type web_search_20250305 is not translated"},
		{weir.Anthropic, "", `{"max_tokens":9,"messages":[{"role":"user","content":[{"type":"search_result"}]}]}`, CannotTranslate, "messages[0].content[0].search_result: blocks of this type are not translated"},
		{weir.Anthropic, "", `{"max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"f"}}]}]}`, CannotTranslate, "messages[0].content[0].source.type: a source of the type file is not translated"},
		{weir.Anthropic, "", `{"max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_result"}]}]}]}`, CannotTranslate, "messages[0].content[0].content[0]: a tool's result of this type is not translated"},
		{weir.Anthropic, weir.OpenAIChat, anthropic + `"top_k":5}`, CannotTranslate, "top_k: openai-chat has none"},

		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":7}]}`, InvalidRequest, "messages[0].content: it has the wrong type"},
		{weir.OpenAIChat, "", chat + `"response_format":{"type":"json_schema"}}`, InvalidRequest, "the format: it has no schema"},
		{weir.OpenAIResponses, "", responses + `"text":{"format":{"type":"json_schema","name":"a","schema":true}}}`, InvalidRequest, "text.format.schema: it is not an object"},
		{weir.OpenAIResponses, "", `{"input":[{"role":"poet","content":"x"}]}`, CannotTranslate, "input[0].role: the role poet is not known"},
		{weir.OpenAIResponses, "", `{"input":[{"role":"user","content":[{"type":"input_file","filename":"a.txt","file_data":"data:text/plain;base64,eA=="}]}]}`, CannotTranslate, "input[0].content[0].file_data: only PDF files are translated"},
		{weir.Anthropic, "", `{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}}]}]}`, CannotTranslate, "messages[0].content[0].source.type: a source of the type text is not translated"},
		{weir.Anthropic, "", `{"messages":[{"role":"user","content":[{"type":"image"}]}]}`, InvalidRequest, "messages[0].content[0].source: it is missing"},
		{weir.Anthropic, "", anthropic + `"thinking":{"type":"deep"}}`, CannotTranslate, "thinking.type: thinking of the type deep is not translated"},
		{weir.OpenAIChat, "", `{"messages":["x"]}`, InvalidRequest, "messages[0]: it is not an object"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":[""]}]}`, InvalidRequest, "messages[0].content[0]: it is not an object"},
		{weir.OpenAIChat, "", `{"messages":[{"role":"user","content":""}]}`, InvalidRequest, "the conversation: has no message with content"},
		{weir.OpenAIChat, "", chat + `"max_tokens":0}`, InvalidRequest, "max_tokens: it is 0"},
		{weir.OpenAIChat, "", chat + `"temperature":"hot"}`, InvalidRequest, "temperature: it has the wrong type"},
		{weir.OpenAIChat, "", chat + `"tools":[{"type":"function"}]}`, InvalidRequest, "tools[0].function: it is missing"},
		{weir.OpenAIChat, "", `[]`, InvalidRequest, "the body: it is not an object"},
		{weir.OpenAIChat, "", chat + `"metadata":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}", "bad_json", "the body is not JSON"},
		{weir.OpenAIChat, "", `{`, "bad_json", "the body is not JSON"},
	} {
		for _, to := range requestTargets {
			if to == c.from || c.to != "" && c.to != to {
				continue
			}
			got, err := Request(c.from, to, []byte(c.body), RequestOptions{Model: "m"})
			var e *weir.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.HasPrefix(e.Message, c.want) {
				t.Errorf("%s to %s, %s:\n got %v, body %s\nwant %s %s", c.from, to, c.body, err, got.Body, c.code, c.want)
			}
		}
	}
}
