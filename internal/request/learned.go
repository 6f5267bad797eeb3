package request

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"weir.dev/weir"
)

// Learned is what one endpoint accepts, known beforehand or learned from its
// 400s. The zero value is ready: it sends what most endpoints take. It is safe for concurrent use.
type Learned struct {
	mu sync.Mutex
	k  knowledge
}

// MaxRetries is how often one request can usefully be sent again after a 400
// from which something was learned. Callers stop there.
const MaxRetries = 6

// knowledge is a value: one request is written from one state of it.
type knowledge struct {
	newTokensName bool // max_completion_tokens, not max_tokens
	swaps         int  // changes of that name so far
	drop          [lessons]bool
}

// maxSwaps lets the name of the limit change and change back, once.
const maxSwaps = 2

// lesson is a field that an endpoint may refuse and that can be left out.
type lesson int

const (
	lessonStreamOptions lesson = iota
	lessonTemperature
	lessonIgnoreEOS
	lessonReasoning
	lessons
)

const (
	oldTokensName = "max_tokens"
	newTokensName = "max_completion_tokens"
)

// names are the field's names over the dialects, as errors say them.
func (n lesson) names() []string {
	switch n {
	case lessonStreamOptions:
		return []string{"stream_options", "include_usage"}
	case lessonTemperature:
		return []string{"temperature"}
	case lessonIgnoreEOS:
		return []string{"ignore_eos"}
	default:
		return []string{"reasoning_effort", "reasoning.effort", "output_config", "thinkingConfig", "thinking_config", "thinkingLevel", "thinking_level", "reasoningEffort", "reasoning", "thinking", "think", "effort"}
	}
}

func (k knowledge) dropped(n lesson) bool { return k.drop[n] }

func (k knowledge) maxTokens() string {
	if k.newTokensName {
		return newTokensName
	}
	return oldTokensName
}

// known is the present state; a nil Learned knows nothing.
func (l *Learned) known() knowledge {
	if l == nil {
		return knowledge{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.k
}

// Assume makes known, before the first request, fields that the endpoint is
// known to refuse, by the names that Dropped gives them; max_tokens has its
// newer name sent in its place. Others are not sent in any case and change
// nothing.
func (l *Learned) Assume(refused ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range refused {
		if name == oldTokensName {
			l.k.newTokensName = true
		}
		for n := range lessons {
			if name == n.names()[0] {
				l.k.drop[n] = true
			}
		}
	}
}

// Dropped names the fields that are not sent, since the endpoint refuses
// them: what was measured is then not quite what was asked for, and has to be
// said.
func (l *Learned) Dropped() []string {
	var names []string
	for n, dropped := range l.known().drop {
		if dropped {
			names = append(names, lesson(n).names()[0])
		}
	}
	return names
}

// From400 learns from the body of a 400 or 422 that answered a request in the
// dialect d. It is true when the same request would now be written without what
// the endpoint complains about, be it learned now or by a concurrent request
// that was quicker. A caller retries at most MaxRetries times.
func (l *Learned) From400(d weir.Dialect, body []byte) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range complaints(body) {
		if d == weir.OpenAIChat && c.refusesAny(oldTokensName, newTokensName) {
			changed = l.k.swapTokensName(c) || changed
			continue
		}
		if n, ok := c.lesson(); ok {
			l.k.drop[n] = true
			changed = true
		}
	}
	return changed
}

// lesson is what to leave out. An effort whose value is refused is the caller's
// to correct; a temperature is refused by its value where only the default goes.
func (c complaint) lesson() (lesson, bool) {
	var all []string
	for n := range lessons {
		all = append(all, n.names()...)
	}
	if !c.refusesAny(all...) {
		return 0, false
	}
	for n := range lessons {
		if slices.Contains(n.names(), c.names(all...)) {
			return n, n != lessonReasoning || !c.aboutValue()
		}
	}
	return 0, false
}

// swapTokensName changes to the other name if the present one was refused.
func (k *knowledge) swapTokensName(c complaint) bool {
	if c.names(oldTokensName, newTokensName) != k.maxTokens() {
		return true // the request was written before the name changed
	}
	if k.swaps >= maxSwaps {
		return false
	}
	k.swaps++
	k.newTokensName = !k.newTokensName
	return true
}

// complaint is one thing that a 400 says is wrong.
type complaint struct {
	param string // the field, where the error names it apart from the text
	text  string // in lower case
}

// mostComplaintBytes and mostComplaints bound what is looked at in one body.
const (
	mostComplaintBytes = 64 << 10
	mostComplaints     = 16
)

// complaints reads the forms errors have: an error object (OpenAI, Anthropic,
// Google, also in a list), FastAPI's detail list (vLLM, Mistral), or any text.
func complaints(body []byte) []complaint {
	body = bytes.TrimSpace(body[:min(len(body), mostComplaintBytes)])
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var b struct {
		Error, Detail, Message json.RawMessage
	}
	if json.Unmarshal(body, &b) != nil {
		return []complaint{{text: strings.ToLower(string(body))}}
	}
	var all []complaint
	for _, part := range []json.RawMessage{b.Error, b.Detail, b.Message} {
		all = append(all, partComplaints(part)...)
	}
	return all[:min(len(all), mostComplaints)]
}

func partComplaints(part json.RawMessage) []complaint {
	var details []struct {
		Loc []any
		Msg string
	}
	if json.Unmarshal(part, &details) == nil {
		var all []complaint
		for _, d := range details {
			all = append(all, complaint{param: locName(d.Loc), text: strings.ToLower(d.Msg)})
		}
		return all
	}
	var object struct {
		Param   any // a string or null, but nobody promises it
		Message string
	}
	if json.Unmarshal(part, &object) == nil && object.Message != "" {
		param, _ := object.Param.(string)
		return []complaint{{param: strings.ToLower(param), text: strings.ToLower(object.Message)}}
	}
	if len(part) == 0 || string(part) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(part, &text) != nil {
		text = string(part)
	}
	return []complaint{{text: strings.ToLower(text)}}
}

// locName joins FastAPI's location, ["body", "stream_options", "x"], without body.
func locName(loc []any) string {
	var parts []string
	for _, l := range loc {
		if s, ok := l.(string); ok && s != "body" {
			parts = append(parts, strings.ToLower(s))
		}
	}
	return strings.Join(parts, ".")
}

// refusesAny tells whether the complaint is that the endpoint does not take one
// of the fields at all, as opposed to a value out of range.
func (c complaint) refusesAny(names ...string) bool {
	return c.names(names...) != "" && slices.ContainsFunc(refusals(), func(s string) bool { return strings.Contains(c.text, s) })
}

func refusals() []string {
	return []string{
		"unsupported", "not supported", "does not support", "doesn't support", "isn't supported", "not support",
		"unrecognized", "unrecognised", "unknown", "unexpected", "not permitted", "not allowed", "not accepted",
		"only the default", "deprecated", "additional properties", "no such", "use 'max_completion_tokens'", "use 'max_tokens'",
		"cannot find field",
	}
}

// aboutValue tells whether the field is known and only its value is refused.
func (c complaint) aboutValue() bool {
	return strings.Contains(c.text, "unsupported value") || strings.Contains(c.text, "supported values are")
}

// names is the field complained about: the one that stands first in the error's
// own param, else in its text; "" where it is none of them.
func (c complaint) names(names ...string) string {
	if name := firstName(c.param, names); name != "" {
		return name
	}
	return firstName(c.text, names) // some put "None" or a path of their own into param
}

func firstName(where string, names []string) string {
	first, at := "", len(where)
	for _, name := range names {
		if i := wordIndex(where, strings.ToLower(name)); i >= 0 && i < at {
			first, at = name, i
		}
	}
	return first
}

// wordIndex finds name where it is not a part of a longer name.
func wordIndex(s, name string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(name)
		if (i == 0 || !isNameByte(s[i-1])) && (end == len(s) || !isNameByte(s[end])) {
			return i
		}
		from = end
	}
}

func isNameByte(b byte) bool {
	return b == '_' || b == '-' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z'
}
