package sim

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// answering handles the requests of one dialect.
func (s *Server) answering(d weir.Dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		arrival := s.clock.Now()
		asked, bad := s.read(d, w, r)
		if bad != nil {
			s.refuse(w, r, d, *bad)
			return
		}
		switch p, bad := s.find(r, asked.Model); {
		case bad != nil:
			s.refuse(w, r, d, *bad)
		case p != nil:
			if l := s.admit(w, r, p, asked); l != nil {
				l.serve()
			}
		case d != weir.OpenAIChat && d != weir.Anthropic:
			s.refuse(w, r, d, request.Problem{Status: http.StatusNotFound, Message: "no simulated provider is called or serves " + strconv.Quote(asked.Model) + ", and plans answer only chat completions and messages"})
		default:
			s.answerPlan(w, r, arrival, asked)
		}
	}
}

func (s *Server) answerPlan(w http.ResponseWriter, r *http.Request, arrival time.Time, asked request.Asked) {
	plan, n, err := s.begin(asked)
	if err != nil {
		s.refuse(w, r, asked.Dialect, *noModel(err))
		return
	}
	a := newAnswer(s, w, arrival, plan)
	if s.log.Enabled(r.Context(), slog.LevelDebug) {
		s.log.LogAttrs(r.Context(), slog.LevelDebug, "answering", slog.String("model", asked.Model), slog.Uint64("n", n),
			slog.String("id", a.stream.ID), slog.Bool("stream", asked.Stream), slog.Int("tokens", plan.total))
	}
	if whole(&plan) || plan.plan.Buffer {
		a.serveAtOnce(r.Context())
	} else {
		a.serveStream(r.Context())
	}
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, d weir.Dialect, p request.Problem) {
	s.log.LogAttrs(r.Context(), slog.LevelDebug, "refused", slog.Int("status", p.Status), slog.String("reason", p.Message))
	writeProblem(w, d, p)
}

// whole tells whether the answer is one JSON body.
func whole(s *schedule) bool { return !s.asked.Stream || s.plan.JSON }

// answer is one response under way.
type answer struct {
	server  *Server
	w       http.ResponseWriter
	flush   *http.ResponseController
	arrival time.Time
	plan    schedule
	stream  request.Stream
	usage   weir.Usage // of the event being written
	buf     []byte     // reused by every event
	begun   bool       // the head of a stream was set
}

func newAnswer(s *Server, w http.ResponseWriter, arrival time.Time, plan schedule) *answer {
	dialect := plan.asked.Dialect
	id := strconv.FormatUint(plan.id, 16)
	w.Header().Set(requestIDHeader(dialect), "req_"+id)
	return &answer{
		server:  s,
		w:       w,
		flush:   http.NewResponseController(w),
		arrival: arrival,
		plan:    plan,
		stream: request.Stream{
			Dialect:   dialect,
			ID:        idPrefix(dialect) + id,
			Model:     plan.asked.Model,
			Created:   arrival.Unix(),
			NullUsage: plan.asked.IncludeUsage && plan.form() == UsageEnd,
		},
		buf: make([]byte, 0, 1024),
	}
}

// serveStream writes each event at its own absolute time, so that one that was
// late does not shift those after it.
func (a *answer) serveStream(ctx context.Context) {
	for {
		e, ok := a.plan.next()
		if !ok || a.wait(ctx, e) != nil {
			return
		}
		switch e.Step {
		case StepCut:
			panic(http.ErrAbortHandler)
		case StepStatus:
			a.writeStatus(e.Status)
			return
		}
		a.buf = a.append(a.buf[:0], e, a.server.clock.Now().UnixNano())
		if !a.write() {
			return
		}
	}
}

// serveAtOnce serves what is written in one go: a JSON body, or a stream that is
// held until its last event is due.
func (a *answer) serveAtOnce(ctx context.Context) {
	last := a.plan.end()
	if a.wait(ctx, last) != nil {
		return
	}
	body := whole(&a.plan)
	switch {
	case last.Step == StepStatus:
		a.writeStatus(last.Status)
	case last.Step == StepError && body:
		a.writeStatus(http.StatusInternalServerError)
	case body && last.Step != StepCut:
		writeJSON(a.w, http.StatusOK, a.appendWhole())
	case !body:
		a.writeHeld()
	}
	if last.Step == StepCut {
		panic(http.ErrAbortHandler)
	}
}

func (a *answer) writeHeld() {
	ns := a.server.clock.Now().UnixNano()
	for e, ok := a.plan.next(); ok; e, ok = a.plan.next() {
		a.buf = a.append(a.buf, e, ns)
	}
	if len(a.buf) > 0 {
		a.write()
	}
}

func (a *answer) wait(ctx context.Context, e Event) error {
	return a.server.clock.Until(ctx, a.arrival.Add(e.At))
}

// write sends the buffer as one write; false when the client has left.
func (a *answer) write() bool {
	if !a.begun {
		a.begun = true
		h := a.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no")
	}
	if _, err := a.w.Write(a.buf); err != nil {
		return false
	}
	return a.flush.Flush() == nil
}

func (a *answer) writeStatus(status int) {
	if status == a.plan.plan.Status {
		setRetryAfter(a.w.Header(), a.plan.plan.RetryAfter)
	}
	writeProblem(a.w, a.stream.Dialect, planned(status))
}

// planned is the error that a plan asks for.
func planned(status int) request.Problem {
	return request.Problem{Status: status, Message: "simulated: this plan fails with status " + strconv.Itoa(status)}
}

// append appends the event that the schedule has just yielded.
func (a *answer) append(dst []byte, e Event, ns int64) []byte {
	with := request.With{NS: ns, Usage: a.plan.fill(&a.usage, e.Step)}
	switch e.Step {
	case StepOpen:
		return a.stream.AppendOpening(dst, with)
	case StepBlockStart:
		return a.stream.AppendBlockStart(dst, channel(a.plan.block), with)
	case StepBlockStop:
		return a.stream.AppendBlockStop(dst, with)
	case StepReasoning, StepText:
		return a.stream.AppendDelta(dst, channel(e.Step), e.Text, with)
	case StepFinish:
		return a.stream.AppendFinish(dst, a.plan.finish, with)
	case StepUsage:
		return a.stream.AppendUsage(dst, with)
	case StepDone:
		return a.stream.AppendDone(dst, with)
	case StepError:
		return a.stream.AppendError(dst, planned(http.StatusInternalServerError), with)
	}
	return dst
}

func channel(s Step) request.Channel {
	if s == StepReasoning {
		return request.Reasoning
	}
	return request.Text
}

func (a *answer) appendWhole() []byte {
	text, reasoning := a.plan.rest()
	with := request.With{NS: a.server.clock.Now().UnixNano()}
	if a.plan.form() != UsageNone || a.plan.anthropic {
		a.plan.sofar(&a.usage)
		with.Usage = &a.usage
	}
	return a.stream.AppendWhole(nil, request.Answer{Text: text, Reasoning: reasoning, Finish: a.plan.finish}, with)
}
