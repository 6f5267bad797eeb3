package splice

import "slices"

// Request is what the gateway reads of a request's body, whatever its dialect:
// chat, completions, embeddings, responses and messages spell these members so
// that one reader does. Slices are parts of the body unless said otherwise.
//
// A member of an unexpected type is left unsaid; the server that gets the body
// has to refuse it.
type Request struct {
	Object // scanned for all members named below: for Raw and for Edits

	Model            []byte // decoded; nil if it is missing or no string
	PreviousResponse []byte // previous_response_id, decoded; nil if not said
	Prompt           []byte // raw messages, input or prompt, in this order; nil if none is there
	MaxTokens        int    // max_completion_tokens, max_output_tokens or max_tokens; 0 if not said
	N                int    // answers asked for; 1 if not said
	Stream           bool
	IncludeUsage     bool // stream_options.include_usage is true
	Tools            bool // a list of tools, or of functions, that is not empty
	Logprobs         bool // logprobs or top_logprobs are asked for
	Structured       bool // the answer has to follow a format other than text
	Images           bool // see Read

	inner Object
}

// requestNames are the members that Request reads.
var requestNames = []string{
	"model", "previous_response_id", "messages", "input", "prompt",
	"max_completion_tokens", "max_output_tokens", "max_tokens", "n",
	"stream", "stream_options", "tools", "functions", "logprobs", "top_logprobs",
	"response_format", "text", "output_format", "output_config",
}

// Read validates a body whole and reads it, in one pass; r may be one used
// before. The error is a *SyntaxError.
//
// Images is true if an object anywhere in messages or input has a member "type"
// of "image_url", "input_image" or "image". Text that only speaks of them does
// not count; an argument of a tool call that has this form does.
func (r *Request) Read(body []byte) error {
	*r = Request{Object: r.Object, inner: r.inner}
	if err := r.scan(body, requestNames, scanRequest); err != nil {
		return err
	}
	r.Model, _ = r.Text("model")
	r.PreviousResponse, _ = r.Text("previous_response_id")
	r.Prompt = r.firstRaw("messages", "input", "prompt")
	r.MaxTokens = r.firstInt("max_completion_tokens", "max_output_tokens", "max_tokens")
	if r.N = r.firstInt("n"); r.N < 1 {
		r.N = 1
	}
	r.Stream, _ = r.Bool("stream")
	usage, _ := r.inside("stream_options", "include_usage")
	r.IncludeUsage = string(usage) == "true"
	r.Tools = isFilled(r.firstRaw("tools")) || isFilled(r.firstRaw("functions"))
	r.Logprobs = r.asks("logprobs", "") || r.asks("top_logprobs", "0")
	r.Structured = r.structured()
	r.Images = r.image
	return nil
}

// Reset lets go of the body and keeps the space.
func (r *Request) Reset() {
	r.Object.Reset()
	r.inner.Reset()
	*r = Request{Object: r.Object, inner: r.inner}
}

// isPrompt tells the members whose parts may be images.
func isPrompt(name string) bool { return name == "messages" || name == "input" }

// structured reads how chat, responses and messages (two ways) ask for a format.
func (r *Request) structured() bool {
	chat, _ := r.Raw("response_format")
	responses, _ := r.inside("text", "format")
	beta, _ := r.Raw("output_format")
	messages, _ := r.inside("output_config", "format")
	return r.isFormat(chat) || r.isFormat(responses) || r.isFormat(beta) || r.isFormat(messages)
}

func (r *Request) isFormat(raw []byte) bool {
	if len(raw) == 0 || string(raw) == "null" {
		return false
	}
	kind, _ := r.member(raw, "type")
	return string(kind) != `"text"`
}

// inside is the value of a member of the object that is the member in.
func (r *Request) inside(in, name string) ([]byte, bool) {
	raw, _ := r.Raw(in)
	return r.member(raw, name)
}

func (r *Request) member(object []byte, name string) ([]byte, bool) {
	if len(object) == 0 || object[0] != '{' || r.inner.scan(object, []string{name}, scanEvent) != nil {
		return nil, false
	}
	return r.inner.Raw(name)
}

func (r *Request) firstRaw(names ...string) []byte {
	for _, name := range names {
		if raw, ok := r.Raw(name); ok && string(raw) != "null" {
			return raw
		}
	}
	return nil
}

// MostTokens is the most output that any reader of the body may take it to ask
// for: the largest of all limits that it names, in every spelling and each time,
// for as many answers as it names at most; 0 if it names none.
func (r *Request) MostTokens() int {
	const tokens, answers = 1 << 40, 1 << 20 // beyond any sense, and their product is a number
	return min(r.largest("max_completion_tokens", "max_output_tokens", "max_tokens"), tokens) * max(1, min(r.largest("n"), answers))
}

// largest is the largest whole number that a member of one of these names has,
// whatever its capitals; 0 if none is above it.
func (r *Request) largest(names ...string) (most int) {
	for _, m := range r.found {
		if slices.Contains(names, r.names[m.name]) {
			if n, ok := wholeNumber(r.body[m.from:m.to]); ok {
				most = max(most, n)
			}
		}
	}
	return most
}

func (r *Request) firstInt(names ...string) int {
	for _, name := range names {
		if n, ok := r.Int(name); ok && n > 0 {
			return n
		}
	}
	return 0
}

// asks tells whether a member is there and neither null, false nor none.
func (r *Request) asks(name, none string) bool {
	raw := r.firstRaw(name)
	return raw != nil && string(raw) != "false" && string(raw) != none
}

// isFilled tells whether raw is an array that is not empty.
func isFilled(raw []byte) bool {
	return len(raw) > 0 && raw[0] == '[' && !isEmptyArray(raw)
}

func isEmptyArray(raw []byte) bool {
	if len(raw) == 0 || raw[0] != '[' {
		return false
	}
	i := 1
	for isSpace(raw[i]) {
		i++
	}
	return raw[i] == ']'
}
