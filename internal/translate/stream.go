package translate

import (
	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sse"
)

// AnswerOptions say what a target's answer does not. The zero value is usable.
type AnswerOptions struct {
	ID           string // of the answer; "": the target's
	Model        string // what the answer is said to be by where the target names no model
	RewriteModel bool   // Model always
	Created      int64  // Unix seconds
	IncludeUsage bool   // chat: the stream ends with a chunk of usage, as the caller asked for it
	TextFormat   []byte // responses: the request's member text, which the response repeats; nil: it had none
	Limit        int    // most bytes of generated text; 0: sse.DefaultCap
}

// Stream turns the events of a target's stream into events of its caller's
// dialect. It needs NewStream, must not be copied, and is one goroutine's.
type Stream struct {
	from    weir.Dialect
	options AnswerOptions

	reader *dialect.Reader
	answer dialect.Answer
	blocks *assembly
	whole  collected // responses: what the end repeats

	out    request.Stream
	dst    []byte // the caller's, during a call
	open   request.Channel
	opened bool
	ended  bool
}

// NewStream returns a stream from a target's dialect, which is openai-chat,
// anthropic or gemini, to a caller's: openai-chat, openai-responses or
// anthropic.
func NewStream(from, to weir.Dialect, o AnswerOptions) *Stream {
	s := &Stream{from: from, options: o}
	s.out = writer(from, to, o)
	s.blocks = assemble(s, from, to, func() string {
		s.start()
		return s.out.ID
	})
	s.reader = reader(from, &s.answer, s.blocks, o)
	return s
}

func writer(from, to weir.Dialect, o AnswerOptions) request.Stream {
	out := request.Stream{Dialect: to, Created: o.Created, NullUsage: o.IncludeUsage, TextFormat: o.TextFormat}
	if from == weir.Anthropic {
		out.ThoughtFormat = "anthropic-claude-v1"
	}
	return out
}

func reader(from weir.Dialect, answer *dialect.Answer, into *assembly, o AnswerOptions) *dialect.Reader {
	if answer.Limit = o.Limit; o.Limit == 0 {
		answer.Limit = sse.DefaultCap
	}
	answer.OnPiece = into.take
	return dialect.NewReader(dialect.Options{Dialect: from, Answer: answer})
}

// Feed reads one event of the target, and appends to dst the events, none or
// several, that tell the caller the same. An error in the target's stream is
// the caller's last event. After the end of the answer nothing is appended.
func (s *Stream) Feed(dst, name, data []byte) []byte {
	if s.ended {
		return dst
	}
	s.dst = dst
	s.reader.FeedEvent(name, data, weir.Stamp{})
	switch kind := s.forget(); {
	case kind&weir.TickError != 0:
		s.fail(unended(s.reader.End(nil)))
	case s.broke():
	case s.reader.Done():
		s.finish()
	case kind != 0 && kind != weir.TickBroken:
		s.start()
	}
	return s.written()
}

// End says that no more events come. With no failure the target has ended its
// body. An answer that was whole by then is brought to its end, whatever
// failed since; any other ends with an error, which is the failure or, without
// one, that the answer was cut.
func (s *Stream) End(dst []byte, failure *request.Problem) []byte {
	if s.ended {
		return dst
	}
	s.dst = dst
	switch {
	case s.reader.Finished():
		s.finish()
	case failure != nil:
		s.fail(*failure)
	default:
		s.fail(upstreamProblem("the target's stream ended before its answer did", "truncated"))
	}
	return s.written()
}

func (s *Stream) written() []byte {
	dst := s.dst
	s.dst = nil
	return dst
}

// forget drops what the reader keeps of an event, and says what kind it was.
func (s *Stream) forget() (kind weir.TickKind) {
	if n := len(s.reader.Ticks); n > 0 {
		kind = s.reader.Ticks[n-1].Kind
	}
	s.reader.Ticks = s.reader.Ticks[:0]
	for _, c := range s.answer.Choices {
		c.Text, c.Reasoning, c.Refusal = c.Text[:0], c.Reasoning[:0], c.Refusal[:0]
	}
	return kind
}

// broke fails the stream if what came so far cannot be told.
func (s *Stream) broke() bool {
	switch {
	case s.answer.Cut:
		s.fail(upstreamProblem("the target's answer is too long to translate", "too_long"))
	case s.blocks.fault != "":
		s.fail(upstreamProblem("the target's stream has "+s.blocks.fault, "malformed"))
	}
	return s.ended
}

func (s *Stream) fail(p request.Problem) {
	s.dst = s.out.AppendError(s.dst, fitted(p, s.out.Dialect), request.With{})
	s.ended = true
}

// start appends what comes before any output, once.
func (s *Stream) start() {
	if s.opened {
		return
	}
	s.opened = true
	said := s.reader.SoFar()
	s.out.ID, s.out.Model = named(said, s.options)
	with := request.With{}
	if s.out.Dialect == weir.Anthropic {
		usage := numbered(said.Usage)
		usage.Completion, usage.Reasoning = weir.Some(0), weir.None[int]()
		with.Usage = &usage
	}
	s.dst = s.out.AppendOpening(s.dst, with)
}

func named(said dialect.Result, o AnswerOptions) (id, model string) {
	if id = o.ID; id == "" {
		id = said.ID
	}
	if model = said.Model; model == "" || o.RewriteModel {
		model = o.Model
	}
	return id, model
}

// numbered is the usage where a reader needs numbers: Anthropic's SDKs fail
// without. What is not known is 0 there.
func numbered(u weir.Usage) weir.Usage {
	u.Prompt, u.Completion = weir.Some(u.Prompt.Or(0)), weir.Some(u.Completion.Or(0))
	return u
}

// finish brings a whole answer to its end.
func (s *Stream) finish() {
	res := s.reader.End(nil)
	reason, problem := ending(s.from, s.out.Dialect, res, s.blocks)
	if problem != nil {
		s.fail(*problem)
		return
	}
	s.start()
	if s.blocks.end(); s.broke() {
		return
	}
	s.ended = true
	with := request.With{}
	switch s.out.Dialect {
	case weir.Anthropic:
		usage := numbered(res.Usage)
		if !res.Usage.Prompt.Known() {
			usage.Prompt = weir.None[int]()
		}
		with.Usage = &usage
	case weir.OpenAIResponses:
		with.Whole = &request.Answer{Blocks: s.whole.blocks}
		if res.Usage.Reported() {
			with.Usage = &res.Usage
		}
	}
	s.dst = s.out.AppendFinish(s.dst, reason, with)
	if s.options.IncludeUsage && res.Usage.Reported() {
		s.dst = s.out.AppendUsage(s.dst, request.With{Usage: &res.Usage})
	}
	s.dst = s.out.AppendDone(s.dst, request.With{})
}

// begin, more, sign and stop are what the assembly tells.

func (s *Stream) begin(b request.Block) {
	s.start()
	s.open = b.Channel
	if b.Channel == request.Call {
		s.dst = s.out.AppendCall(s.dst, b, request.With{})
	} else if b.Signature+b.Redacted == "" {
		s.dst = s.out.AppendBlockStart(s.dst, b.Channel, request.With{})
	}
	if s.repeats() {
		s.whole.begin(b)
	}
}

func (s *Stream) more(text []byte) {
	s.dst = s.out.AppendDelta(s.dst, s.open, string(text), request.With{})
	if s.repeats() {
		s.whole.more(text)
	}
}

func (s *Stream) sign(b request.Block) {
	s.dst = s.out.AppendSignature(s.dst, b, request.With{})
	if s.repeats() {
		s.whole.sign(b)
	}
}

func (s *Stream) stop() {
	with := request.With{}
	if s.repeats() {
		s.whole.stop()
		with.Whole = &request.Answer{Blocks: s.whole.blocks}
	}
	s.dst = s.out.AppendBlockStop(s.dst, with)
}

// repeats tells whether the caller's dialect says again at the end what was said.
func (s *Stream) repeats() bool { return s.out.Dialect == weir.OpenAIResponses }
