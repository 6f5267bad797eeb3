package dialect

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/sse"
)

// Options say what is being read.
type Options struct {
	Dialect     weir.Dialect
	Stream      bool        // a stream was asked for
	Status      int         // of the response; 0 is taken as 200
	Header      http.Header // of the response; may be nil
	LineCap     int         // longest line and event in bytes; 0 means sse.DefaultCap
	AskedTokens int         // the output length asked for; 0: none
	IgnoreEOS   bool        // the model was told to generate exactly AskedTokens

	// Answer, if not nil, receives what was generated; otherwise it is only
	// measured.
	Answer *Answer
	// OnEvent, if not nil, is called for each event once it is understood. The
	// slices are valid during the call only. A line "error: {...}" is an event
	// with the name error.
	OnEvent func(tick weir.Tick, name, data []byte)
}

// Reader reads one answer. It is fed bytes, split anywhere, with their arrival
// times, and asked for the result at the end. A Reader needs NewReader, or
// Reset before each answer; its buffers are kept from one to the next.
type Reader struct {
	// Ticks are the events so far, in order. The caller may take them (and set
	// Ticks to nil or to a buffer of its own) between answers, and between events
	// if it needs none.
	Ticks []weir.Tick

	opts  Options
	mode  mode
	sse   sse.Reader
	lines sse.Lines
	rec   record
	memo  memo
	last  weir.Stamp // of the newest bytes
	fed   int64      // bytes so far
	end   int64      // of them, those up to the end of the last event
	final bool       // nothing that follows counts

	body    []byte // a body that is not a stream
	tooLong string // what outgrew its bound, empty if nothing did

	choices    []choice
	usage      counters
	completion int // the completion count of the last usage
	reasoning  int // and its reasoning
	thought    bool
	seen       bool
	done       bool
	broken     int
	fail       []byte
	chars      int
	id         string
	model      string
	print      string
	provider   []named
	warnings   []string
}

type choice struct {
	index  int32
	ended  bool
	finish string
}

// mode is how the body is framed; the first byte that is not blank decides.
type mode uint8

const (
	undecided mode = iota
	events         // server-sent events
	ndjson         // a JSON value a line
	whole          // one JSON value
	failure        // an error's body
	opaque         // not a model's answer; only how it ends is looked at
)

// Bounds on what the other side can make a reader hold.
const (
	maxErrorBody = 64 << 10
	maxTicks     = 1 << 20
	maxProvider  = 4 << 10
	maxName      = 256
)

// NewReader returns a reader of one answer.
func NewReader(o Options) *Reader {
	r := new(Reader)
	r.Reset(o)
	return r
}

// Reset makes the reader ready for another answer.
func (r *Reader) Reset(o Options) {
	r.sse.Reset()
	r.lines.Reset()
	r.rec.reset()
	body := r.body[:0]
	if cap(body) > 1<<20 {
		body = nil
	}
	*r = Reader{
		Ticks: r.Ticks[:0], opts: o, sse: r.sse, lines: r.lines, rec: r.rec, body: body,
		choices: r.choices[:0], usage: noCounters, provider: r.provider[:0],
		memo: memo{before: r.memo.before[:0], after: r.memo.after[:0]},
	}
	r.sse.Cap, r.lines.Cap = o.LineCap, o.LineCap
	if o.Status != 0 && (o.Status < 200 || o.Status > 299) {
		r.mode = failure
	} else if o.Dialect == "" && !o.Stream {
		r.mode = opaque
	} else if o.Dialect == weir.Ollama {
		r.mode = ndjson
	}
}

// Feed reads the next bytes of the body, which arrived at the given time.
func (r *Reader) Feed(p []byte, at weir.Stamp) {
	if len(p) == 0 {
		return
	}
	r.last = at
	r.fed += int64(len(p))
	if r.mode == undecided {
		p = r.decide(p)
	}
	switch r.mode {
	case events:
		r.feedEvents(p, at)
	case ndjson:
		r.feedLines(p, at)
	case whole:
		r.keep(p, r.lineCap())
	case failure:
		r.body = append(r.body, p[:min(len(p), maxErrorBody-len(r.body))]...)
	}
}

// FeedEvent reads an event that was cut out of a body already. A reader is fed
// either bytes or events.
func (r *Reader) FeedEvent(name, data []byte, at weir.Stamp) {
	if r.last = at; !r.final {
		r.mode = events
		r.event(sse.Event{Name: name, Data: data, Lines: 1}, at)
	}
}

// SoFar is what the answer has said of itself until now, without a judgement of
// how it went: that is End's.
func (r *Reader) SoFar() Result { return r.complete(Result{}) }

// Finished tells whether the answer is whole: its terminal event came, or a
// finish reason for every choice seen.
func (r *Reader) Finished() bool {
	if r.done {
		return true
	}
	for _, c := range r.choices {
		if !c.ended {
			return false
		}
	}
	return len(r.choices) > 0
}

// Done tells whether the terminal event itself has come, so that nothing worth
// waiting for follows.
func (r *Reader) Done() bool { return r.done }

// Offset is how many bytes of the body lie before the end of the last event,
// its blank line included: in OnEvent, of the event that it is told. The LF of a
// CRLF may still follow.
func (r *Reader) Offset() int64 { return r.end }

// decide looks for the first byte that is not blank; what came before it is
// kept until then, and usually nothing did.
func (r *Reader) decide(p []byte) []byte {
	if len(r.body) > 0 {
		r.body = append(r.body, p...)
		p = r.body
	}
	start := bytes.TrimPrefix(p, []byte("\xef\xbb\xbf"))
	start = bytes.TrimLeft(start, " \t\r\n")
	switch {
	case len(start) == 0 && len(p) < 1<<10, isPrefix(p, "\xef\xbb\xbf"):
		if len(r.body) == 0 {
			r.body = append(r.body, p...)
		}
		return nil
	case len(start) > 0 && (start[0] == '{' || start[0] == '['):
		r.mode = whole
		start = bytes.Clone(start) // it may lie in body, where it goes
		r.body = r.body[:0]
		return start
	}
	r.mode = events
	return p
}

func isPrefix(b []byte, of string) bool { return len(b) < len(of) && of[:len(b)] == string(b) }

func (r *Reader) feedEvents(p []byte, at weir.Stamp) {
	for !r.final {
		ev, rest, ok, err := r.sse.Next(p)
		if err != nil {
			r.overflow("line_too_long")
			return
		}
		if !ok {
			return
		}
		r.end = r.fed - int64(len(rest))
		r.event(ev, at)
		p = rest
	}
}

func (r *Reader) feedLines(p []byte, at weir.Stamp) {
	for !r.final {
		line, rest, ok, err := r.lines.Next(p)
		if err != nil {
			r.overflow("line_too_long")
			return
		}
		if !ok {
			return
		}
		if line = trim(line); len(r.Ticks) == 0 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			if len(line) > 0 && line[0] == '{' && !json.Valid(line) { // printed over several lines
				r.mode = whole
				r.keep(line, r.lineCap())
				r.keep(rest, r.lineCap())
				return
			}
		}
		if len(line) > 0 {
			r.end = r.fed - int64(len(rest))
			r.event(sse.Event{Data: line, Lines: 1}, at)
		}
		p = rest
	}
}

func (r *Reader) keep(p []byte, limit int) {
	if len(r.body)+len(p) > limit {
		r.overflow("body_too_long")
		return
	}
	r.body = append(r.body, p...)
}

func (r *Reader) lineCap() int {
	if r.opts.LineCap > 0 {
		return r.opts.LineCap
	}
	return sse.DefaultCap
}

func (r *Reader) overflow(what string) {
	if r.tooLong == "" {
		r.tooLong = what
	}
	r.final = true
}

// event understands one event and keeps its tick.
func (r *Reader) event(ev sse.Event, at weir.Stamp) {
	if len(r.Ticks) >= maxTicks {
		r.overflow("too_many_events")
		return
	}
	tick := weir.Tick{At: at.At, Lo: at.Lo}
	data, name := trim(ev.Data), ev.Name
	switch {
	case len(data) == 0:
	case data[0] == ':':
		r.warn(weir.WarnRewrapped)
	case string(data) == "[DONE]":
		tick.Kind, r.done, r.final, r.seen = weir.TickDone, true, true, true
	case ev.Error:
		tick.Kind, r.seen, name = weir.TickError, true, errorName
		r.failed(data)
	case len(ev.Name) == 0 && r.known(data, &tick):
	default:
		r.understand(ev.Name, data, &tick)
	}
	r.Ticks = append(r.Ticks, tick)
	if r.opts.OnEvent != nil {
		r.opts.OnEvent(tick, name, ev.Data)
	}
}

// known takes an event that is an earlier one but for its text, without going
// through a record: most events of most streams are such, and at thousands of
// streams what counts is how much memory each of them touches.
func (r *Reader) known(data []byte, tick *weir.Tick) bool {
	raw, esc, ok := r.memo.text(data, sender{r.id != "", r.model != "", r.print != ""})
	if !ok {
		return false
	}
	if len(raw) == 0 {
		return true
	}
	n, chars := measure(raw, esc)
	tick.Kind, tick.Bytes = weir.TickText, int32(n)
	r.chars += chars
	if r.opts.Answer != nil {
		r.opts.Answer.add(&piece{raw: raw, esc: esc, choice: r.memo.index, tool: noIndex})
	}
	return true
}

var errorName = []byte("error")

// understand reads an event in full.
func (r *Reader) understand(event, data []byte, tick *weir.Tick) {
	r.seen = true
	if r.opts.Dialect == "" {
		r.opts.Dialect = guessJSON(data, false)
	}
	r.parse(data, event)
	r.named(event, data)
	if r.rec.broken {
		tick.Kind = weir.TickBroken
		r.broken++
		return
	}
	r.apply(tick)
}

// named heeds an event that is called an error and does not look like one: its
// data is the error, JSON or not.
func (r *Reader) named(event, data []byte) {
	if string(event) == "error" && (r.rec.broken || r.rec.fail == nil && len(r.rec.pieces) == 0) {
		r.rec.reset()
		r.rec.fail = data
	}
}

// parse reads one JSON value into r.rec.
func (r *Reader) parse(data, name []byte) {
	r.rec.reset()
	c := cursor{b: data}
	switch r.opts.Dialect {
	case weir.OpenAIResponses:
		r.rec.responses(&c, name)
	case weir.Anthropic:
		r.rec.anthropic(&c, name)
	case weir.Gemini:
		r.rec.gemini(&c)
	case weir.Ollama:
		r.rec.ollama(&c)
	default:
		r.rec.openAI(&c)
	}
	r.rec.broken = !c.whole()
	r.memo.learn(&r.rec, data)
}

var kinds = [...]weir.TickKind{
	ChannelText: weir.TickText, ChannelReasoning: weir.TickReasoning, ChannelSummary: weir.TickSummary,
	ChannelRefusal: weir.TickRefusal, ChannelCallName: weir.TickTool, ChannelCallArguments: weir.TickTool,
}

// apply takes over what a whole event said.
func (r *Reader) apply(tick *weir.Tick) {
	rec := &r.rec
	r.identify()
	counted := r.count()
	for i := range rec.pieces {
		p := &rec.pieces[i]
		if p.channel < ChannelSignature {
			n, chars := measure(p.raw, p.esc && !p.literal)
			tick.Kind |= kinds[p.channel]
			tick.Bytes += int32(n)
			r.chars += chars
			r.choice(p.choice)
		}
		if r.opts.Answer != nil {
			r.opts.Answer.add(p)
		}
	}
	if rec.fail != nil { // before the choices: a finish reason may only repeat it
		tick.Kind |= weir.TickError
		r.failed(rec.fail)
	}
	for _, note := range rec.choices {
		c := r.choice(note.index)
		if len(note.finish) > 0 {
			tick.Kind |= weir.TickFinish
			r.finish(c, note.finish)
		}
	}
	if rec.role {
		tick.Kind |= weir.TickRole
	}
	if rec.done {
		tick.Kind |= weir.TickDone
		r.done = true
	}
	if counted {
		tick.Kind |= weir.TickUsage
		tick.Tokens = r.added(tick.Kind)
	}
}

// added is how many output tokens the event's own usage adds to those before
// it. Reasoning that is counted and not streamed is in no event.
func (r *Reader) added(kind weir.TickKind) int32 {
	if r.rec.seed || r.usage.completion < 0 {
		return 0
	}
	r.thought = r.thought || kind&weir.TickReasoning != 0
	n, reasoning := r.usage.completion-r.completion, max(r.usage.reasoning, 0)-r.reasoning
	r.completion, r.reasoning = r.usage.completion, max(r.usage.reasoning, 0)
	if !r.thought {
		n -= reasoning
	}
	return int32(min(max(n, 0), math.MaxInt32))
}

// count takes over the event's usage: the last object with counters wins, but
// Anthropic's counters overwrite one by one, and its first output count is a
// seed and no count.
func (r *Reader) count() bool {
	u := r.rec.usage
	if r.opts.Dialect != weir.Anthropic {
		if !u.any() {
			return false
		}
		r.usage = u
		return true
	}
	any := u.any() || u.input >= 0
	if r.rec.seed {
		u.completion = -1
	}
	for _, f := range []struct {
		to   *int
		from int
	}{
		{&r.usage.input, u.input},
		{&r.usage.cached, u.cached},
		{&r.usage.cacheWrite, u.cacheWrite},
		{&r.usage.completion, u.completion},
		{&r.usage.reasoning, u.reasoning},
	} {
		if f.from >= 0 {
			*f.to = f.from
		}
	}
	return any
}

func (r *Reader) choice(index int32) *choice {
	for i := range r.choices {
		if r.choices[i].index == index {
			return &r.choices[i]
		}
	}
	r.choices = append(r.choices, choice{index: index})
	return &r.choices[len(r.choices)-1]
}

// finish keeps the first finish reason of a choice; Gemini's last.
func (r *Reader) finish(c *choice, raw []byte) {
	if c.finish == "" || r.opts.Dialect == weir.Gemini {
		c.finish = name(raw)
	}
	c.ended = true
	if c.finish == "error" { // OpenRouter ends a failed answer so
		r.failed([]byte(`{"message":"the answer ended with finish_reason error"}`))
	}
}

// identify keeps who answered, from the first event that says it.
func (r *Reader) identify() {
	if r.id == "" && len(r.rec.id) > 0 {
		r.id = name(r.rec.id)
	}
	if r.model == "" && len(r.rec.model) > 0 {
		r.model = name(r.rec.model)
	}
	if r.print == "" && len(r.rec.print) > 0 {
		r.print = name(r.rec.print)
	}
	for _, n := range r.rec.provider {
		r.providerSays(n)
	}
}

func (r *Reader) providerSays(n named) {
	if len(n.raw) > maxProvider {
		return
	}
	for i := range r.provider {
		if r.provider[i].name == n.name {
			r.provider[i].raw = append(r.provider[i].raw[:0], n.raw...)
			return
		}
	}
	r.provider = append(r.provider, named{n.name, bytes.Clone(n.raw)})
}

// failed keeps the first error of the stream.
func (r *Reader) failed(raw []byte) {
	if r.fail == nil {
		r.fail = bytes.Clone(raw[:min(len(raw), maxErrorBody)])
	}
}

func (r *Reader) warn(w string) {
	if !slices.Contains(r.warnings, w) {
		r.warnings = append(r.warnings, w)
	}
}

// name is a short text out of a JSON string's raw inside.
func name(raw []byte) string {
	return strings.ToValidUTF8(string(appendText(nil, raw[:min(len(raw), maxName)])), "")
}

// trim drops the blanks around data; most data has none.
func trim(b []byte) []byte {
	if len(b) > 0 && b[0] > ' ' && b[len(b)-1] > ' ' {
		return b
	}
	return bytes.TrimSpace(b)
}
