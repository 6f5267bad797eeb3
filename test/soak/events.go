//go:build linux

package soak

import (
	"encoding/json"
	"fmt"
	"strings"
)

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string
	return string(b)
}

// wholeBody is the answer in one piece.
func (s *serving) wholeBody() string {
	o, said := s.order, quoted(s.order.text())
	if s.wire == messages {
		return fmt.Sprintf(`{"id":"msg_%s","type":"message","role":"assistant","model":"served","content":[{"type":"text","text":%s}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":%d}}`,
			o.id, said, o.promptTokens(), o.words)
	}
	return fmt.Sprintf(`{"id":"chatcmpl-%s-%s","object":"chat.completion","created":1700000000,"model":"served","choices":[{"index":0,"message":{"role":"assistant","content":%s},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`,
		o.id, s.place.name, said, o.promptTokens(), o.words, o.promptTokens()+o.words)
}

// events are those of the stream, and which of them are output.
func (s *serving) events() (all []string, outputs []int) {
	add := func(event string) { all = append(all, event) }
	pieces := s.pieces()
	if s.wire == messages {
		return s.messageEvents(pieces)
	}
	chunk := func(delta, finish string) string {
		return fmt.Sprintf(`data: {"id":"chatcmpl-%s-%s","object":"chat.completion.chunk","created":1700000000,"model":"served","choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}]}`+"\n\n",
			s.order.id, s.place.name, delta, finish)
	}
	add(chunk(`{"role":"assistant","content":""}`, "null"))
	for _, piece := range pieces {
		if s.rand.IntN(10) == 0 {
			add(": keep-alive\n\n")
		}
		outputs = append(outputs, len(all))
		add(chunk(`{"content":`+quoted(piece)+`}`, "null"))
	}
	add(chunk(`{}`, `"stop"`))
	if s.usage {
		add(fmt.Sprintf(`data: {"id":"chatcmpl-%s-%s","object":"chat.completion.chunk","created":1700000000,"model":"served","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`+"\n\n",
			s.order.id, s.place.name, s.order.promptTokens(), s.order.words, s.order.promptTokens()+s.order.words))
	}
	if s.fault != noDone {
		add("data: [DONE]\n\n")
	}
	return all, outputs
}

func (s *serving) messageEvents(pieces []string) (all []string, outputs []int) {
	add := func(kind, rest string) {
		all = append(all, "event: "+kind+"\ndata: {\"type\":\""+kind+"\""+rest+"}\n\n")
	}
	add("message_start", fmt.Sprintf(`,"message":{"id":"msg_%s_%s","type":"message","role":"assistant","model":"served","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":1}}`,
		s.order.id, s.place.name, s.order.promptTokens()))
	add("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
	add("ping", "")
	for _, piece := range pieces {
		outputs = append(outputs, len(all))
		add("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":`+quoted(piece)+`}`)
	}
	add("content_block_stop", `,"index":0`)
	add("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":%d}`, s.order.words))
	if s.fault != noDone {
		add("message_stop", "")
	}
	return all, outputs
}

// pieces are the text as this place cuts it: no other cuts it so.
func (s *serving) pieces() (out []string) {
	for all := text(s.order.prompt, s.order.words); len(all) > 0; {
		n := min(1+s.rand.IntN(3), len(all))
		out, all = append(out, strings.Join(all[:n], "")), all[n:]
	}
	return out
}
