package stored

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"weir.dev/weir"
)

// Content is a line of a target's content file: what one call asked and was
// answered. It may be personal, and it holds no header.
type Content struct {
	ID       string           `json:"id"`        // of the call's trace
	Request  json.RawMessage  `json:"request"`   // the body as it was sent
	Answer   *Answer          `json:"answer"`    // null: nothing of an answer came
	RawError weir.Opt[string] `json:"raw_error"` // what came in place of an answer, or the event that said an error
}

// Answer is what was generated, as far as it came: choice 0, and where there is
// more than one, all of them.
type Answer struct {
	ChoiceContent
	Finish  weir.Opt[string] `json:"finish_reason"` // of choice 0, as sent
	Choices []ChoiceContent  `json:"choices,omitempty"`
	Cut     bool             `json:"cut,omitempty"` // there was more than is kept
}

// ChoiceContent is one choice's output by channel.
type ChoiceContent struct {
	Index     int           `json:"index,omitempty"`
	Text      string        `json:"text"`
	Reasoning string        `json:"reasoning"`
	Refusal   string        `json:"refusal,omitempty"`
	ToolCalls []ToolContent `json:"tool_calls,omitempty"`
}

// ToolContent is one tool call. The arguments are what came, JSON or the
// beginning of it.
type ToolContent struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// contentFile is the file of the i-th target, counted from 0.
func contentFile(i int, target string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '-'
	}, target)
	return fmt.Sprintf("content-%d-%s.jsonl", i+1, safe[:min(len(safe), 80)])
}

// KeepContent begins a content file for each target, which nobody but the user
// may read. It is called at most once, before AddContent.
func (f *Writer) KeepContent(targets []weir.Target) error {
	for i, t := range targets {
		how := os.O_EXCL
		if f.goesOn {
			how = os.O_APPEND
		}
		file, err := os.OpenFile(filepath.Join(f.dir, contentFile(i, t.Name)), os.O_WRONLY|os.O_CREATE|how, 0o600)
		if err != nil {
			return fmt.Errorf("run folder: %w", err)
		}
		f.content = append(f.content, file)
	}
	return nil
}

// AddContent writes a line to a target's content file. An error is kept for
// Close, as Add's.
func (f *Writer) AddContent(target int, c *Content) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return
	}
	var line bytes.Buffer // not f's: it may be large
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c); err != nil {
		f.err = fmt.Errorf("content of %s: %w", c.ID, err)
		return
	}
	_, f.err = f.content[target].Write(line.Bytes())
}

func (f *Writer) closeContent() error {
	var errs []error
	for _, file := range f.content {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}
