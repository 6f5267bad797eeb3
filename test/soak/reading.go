//go:build linux

package soak

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// reading is a stream as a strict caller reads it.
type reading struct {
	order  *order
	manner manner
	leave  func()

	text              strings.Builder
	id                string
	outputs           int
	starts, ends      int // messages: message_start; both: finish reasons
	last              bool
	failed            bool
	usages, prompt, n int
	problem           string
}

func (s *reading) wrong(format string, args ...any) {
	if s.problem == "" {
		s.problem = fmt.Sprintf(format, args...)
	}
}

// read reads events to the end, or until its caller leaves.
func (s *reading) read(from io.Reader) verdict {
	in := bufio.NewReaderSize(from, 64<<10)
	name, data := "", ""
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return s.over(err, line+name+data)
		}
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "":
			if data != "" {
				s.event(name, data)
			}
			name, data = "", ""
		case strings.HasPrefix(line, ":"):
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: ") && data == "":
			data = line[len("data: "):]
		default:
			s.wrong("line %.100q", line)
		}
		if s.goes() {
			s.leave()
			break
		}
	}
	return s.soFar()
}

// goes tells whether the caller leaves here.
func (s *reading) goes() bool {
	return s.manner.leaves == inAnswer && s.outputs > s.manner.pieces || s.manner.leaves == atTheEnd && s.ends > 0
}

// soFar judges what a caller has that does not wait for the end.
func (s *reading) soFar() verdict {
	if !strings.HasPrefix(s.order.text(), s.text.String()) {
		s.wrong("text before it left: %s", difference(s.text.String(), s.order.text()))
	}
	if s.problem != "" {
		return verdict{is: wrong, why: s.problem}
	}
	return verdict{is: left}
}

func (s *reading) event(name, data string) {
	switch {
	case s.failed:
		s.wrong("after the error: %.200q", data)
	case s.last:
		s.wrong("after the last event: %.200q", data)
	case s.order.wire == messages:
		s.message(name, data)
	case data == "[DONE]":
		s.last = true
	default:
		s.chunk(data)
	}
}

func (s *reading) chunk(data string) {
	var e struct {
		ID      string
		Error   json.RawMessage
		Choices []struct {
			Delta        struct{ Role, Content string }
			FinishReason string `json:"finish_reason"`
		}
		Usage *struct {
			PromptTokens     int `json:"prompt_tokens"`
			CompletionTokens int `json:"completion_tokens"`
			TotalTokens      int `json:"total_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		s.wrong("no JSON: %.200q", data)
		return
	}
	if e.Error != nil {
		s.failed = true
		return
	}
	if s.id == "" {
		s.id = e.ID
	}
	if e.ID != s.id || e.ID == "" {
		s.wrong("id %q after %q", e.ID, s.id)
	}
	for _, c := range e.Choices {
		if c.Delta.Role != "" {
			s.starts++
		}
		if c.Delta.Content != "" {
			s.says(c.Delta.Content)
		}
		if c.FinishReason != "" {
			s.finish(c.FinishReason == "stop", data)
		}
	}
	if u := e.Usage; u != nil {
		s.usages++
		s.prompt, s.n = u.PromptTokens, u.CompletionTokens
		if u.TotalTokens != s.prompt+s.n {
			s.wrong("usage: %.300q", data)
		}
	}
}

func (s *reading) says(text string) {
	if s.ends > 0 {
		s.wrong("text after the end: %.100q", text)
	}
	s.outputs++
	s.text.WriteString(text)
}

func (s *reading) finish(good bool, data string) {
	s.ends++
	if !good {
		s.wrong("the reason of its end: %.300q", data)
	}
}

func (s *reading) message(name, data string) {
	type usage struct {
		InputTokens  int `json:"input_tokens"`
		OutputTokens int `json:"output_tokens"`
	}
	var e struct {
		Type    string
		Message struct{ Usage usage }
		Delta   struct {
			Type, Text string
			StopReason string `json:"stop_reason"`
		}
		Usage *usage
	}
	if err := json.Unmarshal([]byte(data), &e); err != nil || e.Type != name {
		s.wrong("event %q with %.200q: %v", name, data, err)
		return
	}
	switch e.Type {
	case "error":
		s.failed = true
	case "message_start":
		s.starts++
		s.prompt = e.Message.Usage.InputTokens
	case "content_block_delta":
		s.says(e.Delta.Text)
	case "message_delta":
		s.finish(e.Delta.StopReason == "end_turn", data)
		if e.Usage != nil {
			s.usages++
			s.n = e.Usage.OutputTokens
			s.prompt = max(s.prompt, e.Usage.InputTokens)
		}
	case "message_stop":
		s.last = true
	}
}

// over judges a stream that has ended.
func (s *reading) over(err error, rest string) verdict {
	if s.manner.leaves != stays && !errors.Is(err, io.EOF) {
		return s.soFar()
	}
	if !errors.Is(err, io.EOF) {
		s.wrong("it ends with %v after %d bytes of text", err, s.text.Len())
	}
	if rest != "" {
		s.wrong("it ends within an event: %.200q", rest)
	}
	if s.failed {
		return s.brokenOff()
	}
	o, said := s.order, s.text.String()
	most := o.words
	if o.wire == messages {
		most += o.broken() // what each of them said it had begun
	}
	usages := 1
	if o.wire == chat && !o.usage {
		usages = 0
	}
	switch {
	case said != o.text():
		s.wrong("text: %s", difference(said, o.text()))
	case s.starts != 1, s.ends != 1, !s.last:
		s.wrong("%d beginnings, %d ends, last event %v", s.starts, s.ends, s.last)
	case s.usages != usages:
		s.wrong("%d usages, not %d", s.usages, usages)
	case usages > 0 && (s.prompt != o.promptTokens() || s.n < o.words || s.n > most):
		s.wrong("usage %d and %d for %d and %d", s.prompt, s.n, o.promptTokens(), o.words)
	}
	if s.problem != "" {
		return verdict{is: wrong, why: s.problem}
	}
	return verdict{is: whole}
}

// brokenOff judges a stream whose caller was told that it broke off.
func (s *reading) brokenOff() verdict {
	if !strings.HasPrefix(s.order.text(), s.text.String()) {
		s.wrong("text before the error: %s", difference(s.text.String(), s.order.text()))
	}
	if s.ends > 0 || s.last {
		s.wrong("an error after a good end, or the other way round")
	}
	if s.problem != "" {
		return verdict{is: wrong, why: s.problem}
	}
	return verdict{is: broken, why: fmt.Sprintf("an error event after %d of %d bytes", s.text.Len(), len(s.order.text()))}
}
