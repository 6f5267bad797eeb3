package translate

import (
	"encoding/json"
	"slices"
	"strconv"

	"weir.dev/weir"
)

// conversation is a request without a dialect. Everything in it that a target
// may lack has the path at which its caller will find it.
type conversation struct {
	system []part // texts that stand before all turns
	turns  []turn // as the caller ordered them; consecutive ones may have the same role

	tools    []tool
	choice   choice
	parallel setting // false: one tool call at a time

	maxTokens   weir.Opt[int]
	limitPath   string
	temperature setting
	topP        setting
	topK        setting
	seed        setting
	presence    setting
	frequency   setting
	verbosity   setting
	stop        []string

	format   format
	thinking thinking
	user     string // whom the request is for
	cache    json.RawMessage
	stream   bool

	dropped []string
}

// setting is a scalar that is passed on as it was written; no value: not set.
type setting struct {
	path  string
	value json.RawMessage
}

func (s setting) isSet() bool { return s.value != nil }

// unless is the setting, or none where it is the number that holds unasked.
func (s setting) unless(unasked float64) setting {
	if n, err := strconv.ParseFloat(string(s.value), 64); err == nil && n == unasked {
		return setting{}
	}
	return s
}

type role string

const (
	user      role = "user"
	assistant role = "assistant"
	system    role = "system" // within the conversation
)

// turn is a message. What a tool gave back stands in a turn of the user.
type turn struct {
	role  role
	path  string
	parts []part
}

type kind int

const (
	text kind = iota
	image
	document // a PDF
	call
	result
	reasoning
	refusal
)

// part is a piece of a message. Which members count is said by its kind.
type part struct {
	kind kind
	path string

	text string // text, reasoning, refusal

	media, data string // image, document: inline, data in base64
	url         string // image: elsewhere
	name        string // document: its file; call: the tool

	id      string // call, result: joins the two
	args    string // call: JSON, as the caller has it
	content []part // result: texts, images and documents
	failed  bool   // result

	signature signature // reasoning, call
	redacted  bool      // reasoning: there is only a signature

	cache json.RawMessage // Anthropic's cache_control
}

type tool struct {
	path, name, description string

	schema json.RawMessage // nil: no arguments
	strict bool
	cache  json.RawMessage
}

// choice is what the model has to do about tools.
type choice struct {
	path string
	mode choiceMode
	name string // mustThis
}

type choiceMode int

const (
	anyMode choiceMode = iota // not said
	may
	mustNot
	must
	mustThis
)

// format is the form of the answer.
type format struct {
	path, name, description string

	json   bool            // any JSON, where schema is nil
	schema json.RawMessage // the answer obeys it
	strict weir.Opt[bool]
}

// addText adds a text part; an empty text is none, and Anthropic refuses it.
func addText(parts []part, p part) []part {
	if p.text == "" {
		return parts
	}
	return append(parts, p)
}

// add appends a turn that has content.
func (c *conversation) add(t turn) {
	if len(t.parts) > 0 {
		c.turns = append(c.turns, t)
	}
}

// merged joins consecutive turns of a role, as Anthropic and Gemini need them,
// and puts what tools gave back before all else.
func merged(turns []turn) []turn {
	var out []turn
	for _, t := range turns {
		if n := len(out); n > 0 && out[n-1].role == t.role {
			out[n-1].parts = append(out[n-1].parts, t.parts...)
			continue
		}
		t.parts = slices.Clone(t.parts)
		out = append(out, t)
	}
	for _, t := range out {
		slices.SortStableFunc(t.parts, func(a, b part) int { return order(a) - order(b) })
	}
	return out
}

func order(p part) int {
	if p.kind == result {
		return 0
	}
	return 1
}
