package gateway

import (
	"bytes"
	"strconv"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/splice"
	"weir.dev/weir/internal/sse"
	"weir.dev/weir/meter"
)

// maxRescued is the longest text that is kept so that another target can go on
// with it.
const maxRescued = 1 << 20

// rescue is an answer that broke off after some of its text was sent, to be gone
// on with by another target.
type rescue struct {
	how   Rescue
	first *cause     // why it broke off, the first time
	sent  []byte     // the text that the caller has
	spent weir.Usage // by the attempts before, as far as they said it
	id    string     // of the answer, where every event says it
	model string     // likewise
}

// mayRescue tells whether an answer to this request could be gone on with: one
// text, and nothing that says more about it.
func (x *exchange) mayRescue() bool {
	known := x.dialect == weir.OpenAIChat || x.dialect == weir.OpenAICompletions || x.dialect == weir.Anthropic
	return x.site.Rescue != NoRescue && known && x.asked.N == 1 && !x.asked.Structured && !x.asked.Logprobs
}

// onlyText are the kinds of events that an answer may have had so far.
const onlyText = weir.TickRole | weir.TickText | weir.TickUsage

// rescues tells whether the answer that broke off in attempt a can be gone on
// with, and prepares it.
func (x *exchange) rescues(a *attempt, c *cause) bool {
	f, t := &a.flow, &x.tried
	if t.rescue == nil {
		t.rescue = &rescue{how: x.site.Rescue, first: c, id: f.id, model: f.model}
		if f.edit.Model != "" { // the caller was told another
			t.rescue.model = f.edit.Model
		}
	}
	lost := c.outcome != weir.Canceled && c.outcome != weir.Abandoned && c.outcome != weir.TimeoutTotal
	if !lost || f.answer == nil || f.answer.Cut || !x.passes(a.target) || f.kinds&^onlyText != 0 || f.answer.Choice(0) == nil {
		return false
	}
	if f.seam != nil && t.rescue.how == RescuePrefill {
		t.rescue.sent = append(t.rescue.sent, f.answer.Choice(0).Text...)
	} else {
		t.rescue.sent = f.answer.Choice(0).Text
	}
	t.rescue.spent = sum(t.rescue.spent, a.ended.usage)
	t.why, t.since = journal.RescueTry, time.Now()
	x.record.Rescue = &journal.Seam{How: string(t.rescue.how), From: a.target.Name, Sent: len(t.rescue.sent)}
	return true
}

// suits tells whether a target can go on with the answer.
func (r *rescue) suits(x *exchange, t *target) bool {
	return x.passes(t) && (r.how == RescueMatch || t.Prefill)
}

// seam is where an attempt goes on with an answer that broke off.
type seam struct {
	*rescue
	crossed bool // what comes now is new
	writer  request.Stream
	object  splice.Object
	edits   splice.Edits
}

// sew makes the attempt one that goes on with an answer, if it is.
func (a *attempt) sew() {
	r := a.tried.rescue
	if r == nil {
		return
	}
	s := &seam{rescue: r, writer: request.Stream{Dialect: a.dialect, ID: r.id, Model: r.model, Created: a.arrived.Unix()}}
	s.writer.AppendBlockStart(s.writer.AppendOpening(nil, request.With{}), request.Text, request.With{}) // the caller has both
	a.flow.seam = s
	a.record.Rescue.To = a.target.Name
	if r.how == RescuePrefill {
		a.writing.prefill = r.sent
	}
}

// stitch takes an event of an attempt that goes on with an answer.
func (a *attempt) stitch(e meter.Event) {
	f := &a.flow
	s := f.seam
	if s.crossed {
		a.goesOn(e)
		return
	}
	text := f.said()
	if s.how == RescuePrefill {
		text = append(bytes.Clone(s.sent), text...)
	}
	a.record.Rescue.Same = min(len(text), len(s.sent))
	switch k := e.Tick.Kind; {
	case k&(weir.TickTool|weir.TickRefusal) != 0, k.Thought() && a.dialect == weir.Anthropic, !alike(text, s.sent):
		f.parted = true // Anthropic's blocks have numbers, and thoughts come first
	case len(text) > len(s.sent):
		a.cross(text[len(s.sent):], e)
	case k&(weir.TickFinish|weir.TickDone) == 0:
		f.window.drop(e.End) // the caller has it
	case len(text) == len(s.sent) && k&weir.TickText != 0: // the caller has the text, but not that it was the last
		a.cross(nil, e)
	case len(text) == len(s.sent):
		a.crossed()
		a.goesOn(e)
	default: // the other answer is shorter
		f.parted = true
	}
}

// alike tells whether one text is the beginning of the other.
func alike(a, b []byte) bool {
	n := min(len(a), len(b))
	return bytes.Equal(a[:n], b[:n])
}

// said is the text of the attempt's own answer so far.
func (f *flow) said() []byte {
	if c := f.answer.Choice(0); c != nil {
		return c.Text
	}
	return nil
}

// cross sends the first text that is new, and the finish reason that came with
// it.
func (a *attempt) cross(text []byte, e meter.Event) {
	f := &a.flow
	a.crossed()
	f.text = f.text[:0]
	if len(text) > 0 {
		f.text = f.seam.writer.AppendDelta(f.text, request.Text, string(text), request.With{})
	}
	if e.Tick.Kind&weir.TickFinish != 0 { // all in one event
		reason := request.FinishStop
		if bytes.Contains(e.Data, []byte(`"finish_reason":"length"`)) {
			reason = request.FinishLength
		}
		f.text = f.seam.writer.AppendFinish(f.text, reason, request.With{})
	}
	f.window.put(e.End, f.text)
}

func (a *attempt) crossed() {
	a.flow.seam.crossed, a.flow.committed = true, true
	a.record.Rescue.OK, a.record.Rescue.At = true, a.since(time.Now())
}

// goesOn sends an event behind the seam, under the name of the answer that the
// caller began with.
func (a *attempt) goesOn(e meter.Event) {
	f := &a.flow
	s := f.seam
	data := e.Data
	if f.edits {
		out, change := f.edit.Edit(data)
		if change == splice.UsageOnly {
			f.window.drop(e.End)
			return
		}
		data = out
	}
	if splice.Scan(data, &s.object, "id", "model", "usage") == nil {
		s.rename()
		s.addUp()
		if out, err := s.edits.AppendTo(nil, &s.object); err == nil {
			data = out
		}
	}
	f.text = sse.AppendEvent(f.text[:0], string(e.Name), data)
	f.window.put(e.End, f.text)
}

// rename has the event call the answer as its beginning did.
func (s *seam) rename() {
	s.edits.Reset()
	for name, value := range map[string]string{"id": s.id, "model": s.model} {
		if _, ok := s.object.Raw(name); ok && value != "" {
			s.edits.SetString(name, value)
		}
	}
}

// addUp adds to the event's usage what the attempts before have used.
func (s *seam) addUp() {
	raw, ok := s.object.Raw("usage")
	var usage splice.Object
	if !ok || splice.Scan(raw, &usage, "prompt_tokens", "completion_tokens", "total_tokens", "input_tokens", "output_tokens") != nil {
		return
	}
	prompt, completion := s.spent.Prompt.Or(0), s.spent.Completion.Or(0)
	for name, more := range map[string]int{
		"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion, "input_tokens": prompt, "output_tokens": completion,
	} {
		if n, ok := usage.Int(name); ok && more > 0 {
			s.edits.SetIn("usage", name, strconv.AppendInt(nil, int64(n+more), 10))
		}
	}
}

// identify keeps how an answer calls itself, in case another has to go on with
// it.
func (f *flow) identify(data []byte) {
	var o splice.Object
	if f.id != "" || splice.Scan(data, &o, "id", "model") != nil {
		return
	}
	f.id, _ = o.String("id")
	f.model, _ = o.String("model")
}
