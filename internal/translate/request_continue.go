package translate

import (
	"bytes"
	"encoding/json"
	"fmt"

	"weir.dev/weir"
)

// Continue gives a request in the dialect d, which is openai-chat, anthropic or
// gemini, the beginning of its answer as a last message, for a target that goes
// on from there. Where the last message is the assistant's already, the text is
// another one behind it. Everything else keeps its bytes, for the sake of prompt
// caches. Anthropic refuses a text that ends in white space.
func Continue(d weir.Dialect, body []byte, text string) ([]byte, error) {
	name, message := "messages", any(chatMessage{Role: assistant, Content: text})
	switch d {
	case weir.OpenAIChat, weir.Anthropic:
	case weir.Gemini:
		name, message = "contents", geminiContent{Role: "model", Parts: []geminiPart{{Text: &text}}}
	default:
		return nil, &weir.Error{Code: CannotTranslate, Message: fmt.Sprintf("requests of %s have no place for the beginning of an answer", d)}
	}
	if text == "" {
		return body, nil
	}
	added, err := marshal(message)
	if err != nil {
		return nil, err
	}
	end, empty, err := listEnd(body, name)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(body)+len(added)+1)
	out = append(out, body[:end]...)
	if !empty {
		out = append(out, ',')
	}
	return append(append(out, added...), body[end:]...), nil
}

// listEnd is where the list that is a member of the body ends; the last one
// counts, as everywhere.
func listEnd(body []byte, name string) (end int, empty bool, err error) {
	wrong := func(err error) error {
		return &weir.Error{Code: InvalidRequest, Message: name + ": it is not a list of messages in an object", Err: err}
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return 0, false, wrong(err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return 0, false, wrong(err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return 0, false, wrong(err)
		}
		if key != name {
			continue
		}
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil || list == nil {
			return 0, false, wrong(err)
		}
		end, empty = int(dec.InputOffset())-1, len(list) == 0
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('}') || end == 0 {
		return 0, false, wrong(err)
	}
	return end, empty, nil
}
