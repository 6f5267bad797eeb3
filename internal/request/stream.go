package request

import "weir.dev/weir"

// Stream writes the response to one request, event by event, in one dialect:
// openai-chat (the zero value's), openai-completions, openai-responses,
// anthropic or gemini. Each method appends whole server-sent events to dst, which
// is the caller's to reuse, and returns it. The order is opening, deltas, finish,
// usage, done; what a dialect does not have appends nothing.
//
// The JSON it writes holds no newline, so an event is one data line.
type Stream struct {
	Dialect   weir.Dialect
	ID        string // of the response
	Model     string // as served
	Created   int64  // Unix seconds
	NullUsage bool   // chat and completions: events without usage say so with a null, as OpenAI does when usage was asked for
	HitMiss   bool   // chat and completions: usage says what was cached under DeepSeek's names too
	HourWrite int    // anthropic: of the tokens written to the cache, those kept for an hour
	Array     bool   // gemini: chunks are elements of a JSON array, not events

	// ThoughtFormat is what OpenRouter calls the reasoning's form, such as
	// anthropic-claude-v1. Where it is set, chat has reasoning_details beside the
	// TextFormat is what the request said as text, for responses, which repeat it:
	// some clients look there for the form of what they read. nil: not repeated.
	TextFormat []byte

	// reasoning, which the caller sends back with the signatures in them.
	ThoughtFormat string

	opened   bool // chat: the role was said; gemini: the array was begun
	blocks   int  // anthropic and responses: content blocks or items started
	inside   bool // the last of them is not stopped yet
	block    Channel
	open     Block // responses: the last of them, as it was started
	calls    int   // chat: tool calls started
	thoughts int   // chat: signatures written
	sequence int   // responses: events so far
}

// Channel says what kind of text a delta carries.
type Channel uint8

// The channels.
const (
	Text Channel = iota
	Reasoning
	Summary // of reasoning; Reasoning in all dialects but responses
	Refusal // Text in all dialects but chat and responses
	Call    // a tool call's arguments
)

// in is the channel that has c's text in the dialect d.
func (c Channel) in(d weir.Dialect) Channel {
	switch {
	case c == Summary && d != weir.OpenAIResponses:
		return Reasoning
	case c == Refusal && d != weir.OpenAIResponses && d != weir.OpenAIChat && d != "":
		return Text
	}
	return c
}

// With is what an event carries beside its own content.
type With struct {
	Usage *weir.Usage // nil: none. Anthropic has it in the opening and the finish only, responses and gemini in the finish
	Whole *Answer     // what the answer was so far, for responses, which says it again at the end
	NS    int64       // weir_ns, the server's clock: Unix time in nanoseconds just before the write; 0: none
}

// AppendOpening appends what comes before any output: OpenAI's role chunk,
// response.created, Anthropic's message_start.
func (s *Stream) AppendOpening(dst []byte, w With) []byte {
	switch s.Dialect {
	case weir.Anthropic:
		return s.appendMessageStart(dst, w)
	case weir.OpenAIResponses:
		return s.appendCreated(dst, w)
	case weir.OpenAICompletions, weir.Gemini:
		return dst
	}
	s.opened = true
	dst = s.beginChunk(dst)
	dst = append(dst, `"role":"assistant","content":""`...)
	return s.endChunk(dst, "", w)
}

// AppendBlockStart appends the start of a content block, which Anthropic and
// responses have. AppendDelta does it where it was not done.
func (s *Stream) AppendBlockStart(dst []byte, c Channel, w With) []byte {
	switch s.Dialect {
	case weir.Anthropic:
		return s.appendBlockStart(dst, Block{Channel: c.in(s.Dialect)}, w)
	case weir.OpenAIResponses:
		return s.appendItemAdded(dst, Block{Channel: c}, w)
	}
	return dst
}

// AppendBlockStop appends the end of the content block that is open, if one is.
// AppendDelta and AppendFinish do it where it was not done.
func (s *Stream) AppendBlockStop(dst []byte, w With) []byte {
	switch {
	case !s.inside:
		return dst
	case s.Dialect == weir.OpenAIResponses:
		return s.appendItemDone(dst, w)
	}
	return s.appendBlockStop(dst, w)
}

// AppendDelta appends generated text. Without an opening before it, OpenAI's
// first delta says the role, which its SDK needs. Completions, which have no
// reasoning, get it as text.
func (s *Stream) AppendDelta(dst []byte, c Channel, text string, w With) []byte {
	c = c.in(s.Dialect)
	switch s.Dialect {
	case weir.Anthropic:
		return s.appendBlockDelta(dst, c, text, w)
	case weir.OpenAIResponses:
		return s.appendItemDelta(dst, c, text, w)
	case weir.OpenAICompletions:
		return s.appendTextChunk(dst, text, "", w)
	case weir.Gemini:
		return s.appendCandidateChunk(dst, Answer{}.with(c, text), w)
	}
	return s.appendChatDelta(dst, c, text, w)
}

// AppendFinish appends the reason why the answer ended, for all but chat and
// completions with the usage. It is the last event of responses and gemini.
func (s *Stream) AppendFinish(dst []byte, r FinishReason, w With) []byte {
	switch s.Dialect {
	case weir.Anthropic:
		return s.appendMessageDelta(s.AppendBlockStop(dst, With{NS: w.NS}), r, w)
	case weir.OpenAIResponses:
		return s.appendCompleted(s.AppendBlockStop(dst, With{NS: w.NS, Whole: w.Whole}), r, w)
	case weir.OpenAICompletions:
		return s.appendTextChunk(dst, "", r, w)
	case weir.Gemini:
		return s.appendCandidateChunk(dst, Answer{Finish: r}, w)
	}
	return s.endChunk(s.beginChunk(dst), r, w)
}

// AppendUsage appends the last chunk of chat and completions, which has usage
// and no choice.
func (s *Stream) AppendUsage(dst []byte, w With) []byte {
	object := "chat.completion.chunk"
	switch s.Dialect {
	case weir.Anthropic, weir.OpenAIResponses, weir.Gemini:
		return dst
	case weir.OpenAICompletions:
		object = "text_completion"
	}
	dst = append(s.beginObject(append(dst, "data: "...), object), `"choices":[]`...)
	return append(appendNS(s.appendChunkUsage(dst, w.Usage), w.NS), "}\n\n"...)
}

// AppendDone appends the terminal event, [DONE] or message_stop; responses and
// gemini have none.
func (s *Stream) AppendDone(dst []byte, w With) []byte {
	switch s.Dialect {
	case weir.Anthropic:
		return appendMessageStop(dst, w)
	case weir.OpenAIResponses, weir.Gemini:
		return dst
	}
	return append(dst, "data: [DONE]\n\n"...)
}

// AppendError appends an error inside the stream.
func (s *Stream) AppendError(dst []byte, p Problem, w With) []byte {
	switch s.Dialect {
	case weir.OpenAIResponses:
		return s.appendResponseError(dst, p, w)
	case weir.Anthropic:
		dst = append(dst, "event: error\n"...)
	}
	dst = AppendProblem(append(dst, "data: "...), s.Dialect, p)
	return append(appendNS(dst[:len(dst)-1], w.NS), "}\n\n"...)
}
