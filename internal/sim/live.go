package sim

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim/provider"
)

// truthHeader says what happened to a request: a header of a whole answer, a
// trailer of a stream.
const truthHeader = "X-Weir-Truth"

// live is the answer of a simulated provider on its way to a client.
type live struct {
	server   *Server
	w        http.ResponseWriter
	flush    *http.ResponseController
	provider *provider.Provider
	answer   *provider.Answer
	asked    request.Asked
	stream   request.Stream
	text     uint64 // where in the corpus the answer begins

	opened bool
	told   int        // tokens that are written
	held   int        // tokens that wait for others to share their event
	usage  weir.Usage // of the event being written
	buf    []byte     // reused by every event
}

func (s *Server) newLive(w http.ResponseWriter, p *provider.Provider, a *provider.Answer, asked request.Asked) *live {
	n := mix(s.seed ^ s.answers.Add(1))
	id := strconv.FormatUint(n, 16)
	w.Header().Set(requestIDHeader(asked.Dialect), "req_"+id)
	// What is kept while the answer streams is small: the prompt is not.
	asked.Parts = nil
	return &live{
		server: s, w: w, flush: http.NewResponseController(w), provider: p, answer: a, asked: asked, text: n,
		stream: request.Stream{
			Dialect: asked.Dialect, ID: idPrefix(asked.Dialect) + id, Model: asked.Model, Created: p.Now().Unix(),
			NullUsage: asked.IncludeUsage && p.Wire.Usage == string(UsageEnd),
			HitMiss:   p.Cache.Policy == "deepseek", HourWrite: a.HourWrite(), Array: asked.Array,
		},
		buf: make([]byte, 0, 512),
	}
}

func requestIDHeader(d weir.Dialect) string {
	if d == weir.Anthropic {
		return "Request-Id"
	}
	return "X-Request-Id"
}

func idPrefix(d weir.Dialect) string {
	switch d {
	case weir.OpenAIResponses:
		return "resp_"
	case weir.OpenAICompletions:
		return "cmpl-"
	case weir.Anthropic:
		return "msg_"
	case weir.Gemini:
		return ""
	}
	return "chatcmpl-"
}

// serve answers, and gives back what the request held in the engine.
func (l *live) serve() {
	defer l.answer.Close()
	if !l.asked.Stream {
		l.serveWhole()
		return
	}
	h := l.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	if l.asked.Array {
		h.Set("Content-Type", "application/json; charset=UTF-8")
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Set("Trailer", truthHeader)
	for {
		b, ok, err := l.next()
		switch {
		case err != nil:
			return
		case !ok:
			l.buf = append(l.buf[:0], ": keep-alive\n\n"...)
		default:
			l.buf = l.append(l.buf[:0], b)
		}
		if len(l.buf) > 0 && !l.write(b.Due) {
			return
		}
		if b.Cut {
			panic(http.ErrAbortHandler)
		}
		if b.Done {
			h.Set(truthHeader, l.truth())
			return
		}
	}
}

// next is false for a silence that wants a heartbeat.
func (l *live) next() (provider.Burst, bool, error) {
	if every := l.provider.Wire.Heartbeat; every > 0 && !l.asked.Array {
		return l.answer.Within(l.provider.Lasts(every))
	}
	b, err := l.answer.Next()
	return b, err == nil, err
}

// write sends the buffer as one write; false when the client has left.
func (l *live) write(due time.Time) bool {
	if _, err := l.w.Write(l.buf); err != nil {
		return false
	}
	if l.flush.Flush() != nil {
		return false
	}
	if !due.IsZero() {
		l.server.lateness.Observe(l.provider.Now().Sub(due).Seconds())
	}
	return true
}

// append appends what a burst brings, in as few events as the wire has.
func (l *live) append(dst []byte, b provider.Burst) []byte {
	ns := l.provider.Now().UnixNano()
	if b.Admitted {
		if l.opensEarly() {
			dst = l.open(dst, ns)
		}
		return dst
	}
	l.held += b.Tokens
	if l.held > 0 && (l.held >= l.provider.Coalesce.Tokens || b.Done || b.Cut) {
		dst = l.open(dst, ns)
		for l.held > 0 {
			dst = l.appendTokens(dst, ns)
		}
	}
	if b.Done {
		dst = l.finish(dst, ns)
	}
	return dst
}

// opensEarly tells whether the opening comes when the request leaves the queue.
// Elsewhere it comes with the first token, as from vLLM.
func (l *live) opensEarly() bool {
	d := l.asked.Dialect
	return d == weir.Anthropic || d == weir.OpenAIResponses || l.provider.Wire.EarlyRole && !l.provider.Wire.NoRole
}

func (l *live) open(dst []byte, ns int64) []byte {
	if l.opened {
		return dst
	}
	l.opened = true
	if l.provider.Wire.NoRole && l.asked.Dialect == weir.OpenAIChat {
		return dst
	}
	with := request.With{NS: ns}
	if l.asked.Dialect == weir.Anthropic { // its API counts one token from the start
		l.usage = l.answer.Usage(1)
		l.usage.Reasoning = weir.None[int]()
		with.Usage = &l.usage
	}
	return l.stream.AppendOpening(dst, with)
}

// appendTokens appends one event of the tokens that are held: as many as share
// a channel.
func (l *live) appendTokens(dst []byte, ns int64) []byte {
	n, channel := min(l.held, maxTokensPerEvent), request.Text
	if thought := l.provider.Answer.Reasoning - l.told; thought > 0 {
		n, channel = min(n, thought), request.Reasoning
	}
	text := l.server.corpus.tokens(l.text+uint64(l.told), n)
	with := request.With{NS: ns, Whole: l.switches(channel)}
	l.held -= n
	l.told += n
	if channel == request.Reasoning && l.provider.Answer.Hidden {
		return dst
	}
	if l.countsEach() {
		l.usage = l.answer.Usage(l.told)
		with.Usage = &l.usage
	}
	return l.stream.AppendDelta(dst, channel, text, with)
}

// switches is the answer so far where the channel changes, which the dialect of
// Responses repeats there.
func (l *live) switches(to request.Channel) *request.Answer {
	if l.asked.Dialect != weir.OpenAIResponses || to == request.Reasoning || l.told != l.provider.Answer.Reasoning || l.told == 0 {
		return nil
	}
	a := l.whole()
	return &a
}

// countsEach tells whether each event has the usage so far.
func (l *live) countsEach() bool {
	switch l.asked.Dialect {
	case weir.OpenAIChat, weir.OpenAICompletions:
	default:
		return false
	}
	usage := l.provider.Wire.Usage
	return usage == string(UsageEvery) || usage == string(UsageEnd) && l.asked.IncludeUsage && l.asked.ContinuousUsage
}

func (l *live) finish(dst []byte, ns int64) []byte {
	dst = l.open(dst, ns)
	with, usage := request.With{NS: ns}, UsageForm(l.provider.Wire.Usage)
	l.usage = l.answer.Usage(l.told)
	openAI := false
	switch l.asked.Dialect {
	case weir.Anthropic: // the prompt's counts were in the opening
		l.usage = weir.Usage{Completion: l.usage.Completion, Reasoning: l.usage.Reasoning}
		with.Usage = &l.usage
	case weir.OpenAIResponses:
		whole := l.whole()
		with.Usage, with.Whole = &l.usage, &whole
	case weir.Gemini:
		with.Usage = &l.usage
	default:
		openAI = true
		if usage == UsageFinish || usage == UsageEvery {
			with.Usage = &l.usage
		}
	}
	dst = l.stream.AppendFinish(dst, l.reason(), with)
	if openAI && l.asked.IncludeUsage && (usage == UsageEnd || usage == UsageEvery) {
		dst = l.stream.AppendUsage(dst, request.With{NS: ns, Usage: &l.usage})
	}
	if l.provider.Wire.NoDone {
		return dst
	}
	return l.stream.AppendDone(dst, request.With{NS: ns})
}

func (l *live) reason() request.FinishReason {
	if l.answer.Whole {
		return request.FinishStop
	}
	return request.FinishLength
}

// whole is the answer of all tokens so far.
func (l *live) whole() request.Answer {
	a := request.Answer{Finish: l.reason()}
	thought := min(l.provider.Answer.Reasoning, l.told)
	if !l.provider.Answer.Hidden {
		a.Reasoning = l.server.corpus.run(l.text, thought)
	}
	a.Text = l.server.corpus.run(l.text+uint64(thought), l.told-thought)
	return a
}

func (l *live) serveWhole() {
	for {
		b, err := l.answer.Next()
		if err != nil {
			return
		}
		l.told += b.Tokens
		if b.Cut {
			panic(http.ErrAbortHandler)
		}
		if b.Done {
			break
		}
	}
	with := request.With{NS: l.provider.Now().UnixNano()}
	if l.provider.Wire.Usage != string(UsageNone) || l.asked.Dialect == weir.Anthropic {
		l.usage = l.answer.Usage(l.told)
		with.Usage = &l.usage
	}
	l.w.Header().Set(truthHeader, l.truth())
	writeJSON(l.w, http.StatusOK, l.stream.AppendWhole(nil, l.whole(), with))
}

func (l *live) truth() string {
	b, err := json.Marshal(l.answer.Truth())
	if err != nil {
		panic(err) // strings and finite numbers only
	}
	return string(b)
}

// run is the text of any number of tokens from the i-th on.
func (c *corpus) run(i uint64, n int) string {
	var b strings.Builder
	for n > 0 {
		m := min(n, maxTokensPerEvent)
		b.WriteString(c.tokens(i, m))
		i, n = i+uint64(m), n-m
	}
	return b.String()
}
