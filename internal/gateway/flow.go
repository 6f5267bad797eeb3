package gateway

import (
	"bytes"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/splice"
	"weir.dev/weir/internal/sse"
	"weir.dev/weir/meter"
)

// flow is what an attempt's stream has come to, event by event.
type flow struct {
	window  *window
	edit    splice.Events
	edits   bool            // events have to be looked at by edit
	text    []byte          // an event that was written anew
	foreign foreign         // not nil: the target speaks another dialect
	seam    *seam           // not nil: it goes on with an answer that broke off
	answer  *dialect.Answer // what was generated, where a rescue may need it
	trailer *time.Timer

	held      int  // events before the answer was the caller's
	committed bool // it is: what is held, and all that follows
	begun     bool // some of it went down
	ends      endings
	done      bool          // the terminal event has come
	failed    []byte        // the error event
	closed    bool          // nobody waits for events any more
	parted    bool          // it is not the answer that broke off
	untold    bool          // it cannot be told in the caller's dialect
	broken    int           // events that were no JSON
	kinds     weir.TickKind // of all events so far
	unnamed   []nameless
	id, model string // as the answer says them, where a rescue may need it
}

// nameless is an event that is held until one says the model's name.
type nameless struct {
	name, data []byte
	end        int64
}

// prepare makes the attempt's flow ready for the answer's first byte.
func (a *attempt) prepare() {
	f := &a.flow
	f.window, _ = a.server.buffers.Get().(*window)
	if f.window == nil {
		f.window = new(window)
	}
	f.edit = splice.Events{DropUsage: a.addsUsage(a.target)}
	if a.site.RewriteModel {
		f.edit.Model, f.edit.Rewrite = a.site.name, true
	}
	f.edits = f.edit.DropUsage || f.edit.Rewrite
	if a.mayRescue() {
		f.answer = &dialect.Answer{Limit: maxRescued}
	}
	f.foreign = a.crossing()
	a.sew()
}

// event takes one event of the answer. The meter calls it inside the Read that
// brings the event's last byte.
func (a *attempt) event(e meter.Event) {
	f, k := &a.flow, e.Tick.Kind
	switch {
	case f.closed:
		return
	case f.done || f.failed != nil || f.parted || f.untold: // nothing that follows counts
		f.window.drop(e.End)
		return
	case k&weir.TickError != 0:
		f.failed = bytes.Clone(e.Data)
		return
	case k&weir.TickBroken != 0: // strict clients would die of it
		f.broken++
		f.window.drop(e.End)
		return
	case k == 0 && len(e.Data) > 0 && e.Data[0] == ':': // a comment that a proxy wrapped as data
		f.window.drop(e.End)
		return
	case k&weir.TickFinish != 0 && f.foreign == nil && f.ends.repeats(a.dialect, e.Data) && !k.Output():
		f.window.put(e.End, f.onlyUsage(e))
		return
	}
	f.kinds |= k
	f.done = k&weir.TickDone != 0
	if k.Output() && f.trailer != nil { // not at its end after all
		f.trailer.Stop()
		f.trailer = nil
	}
	if f.answer != nil && f.id == "" {
		f.identify(e.Data)
	}
	if k&weir.TickRole != 0 {
		a.pinStream(e.Data)
	}
	if !f.committed && f.seam == nil {
		a.hold(e)
	}
	a.forward(e)
}

// onlyUsage is what is left of an event that repeats a finish reason: its usage,
// if it has any and the caller wants it.
func (f *flow) onlyUsage(e meter.Event) []byte {
	var o splice.Object
	if e.Tick.Kind&weir.TickUsage == 0 || f.edit.DropUsage || splice.Scan(e.Data, &o, "choices") != nil {
		return nil
	}
	var edits splice.Edits
	edits.Set("choices", []byte("[]"))
	data, err := edits.AppendTo(nil, &o)
	if err != nil {
		return nil
	}
	return sse.AppendEvent(nil, string(e.Name), data)
}

// hold decides whether the caller is to get this event and those before it.
func (a *attempt) hold(e meter.Event) {
	f := &a.flow
	f.held++
	f.committed = e.Tick.Kind.Output() || f.done || f.held > a.site.HoldEvents || f.window.held() > a.site.HoldBytes
}

// forward has an event go down, in whatever form it has to.
func (a *attempt) forward(e meter.Event) {
	f := &a.flow
	switch {
	case f.seam != nil:
		a.stitch(e)
	case f.foreign != nil:
		a.tell(e)
	case len(f.unnamed) > 0 || !f.committed && !f.edit.Rewrite && isNameless(e.Data):
		a.wait(e)
	case f.edits:
		f.rewrite(e.Name, e.Data, e.End)
	default:
		f.window.pass(e.End)
	}
}

// rewrite edits an event, where there is something to edit.
func (f *flow) rewrite(name, data []byte, end int64) {
	out, change := f.edit.Edit(data)
	switch change {
	case splice.UsageOnly:
		f.window.drop(end)
	case splice.Edited:
		f.text = sse.AppendEvent(f.text[:0], string(name), out)
		f.window.put(end, f.text)
	case splice.Kept:
		f.window.pass(end)
	}
}

// wait keeps events that name no model until one does, or until the answer is
// for the caller: Azure's first event has an empty name, and all events of an
// answer are to have the same.
func (a *attempt) wait(e meter.Event) {
	f := &a.flow
	f.unnamed = append(f.unnamed, nameless{bytes.Clone(e.Name), bytes.Clone(e.Data), e.End})
	if f.committed {
		a.named(e.Data)
	}
}

// named lets go of the events that waited for a model's name, which is in data,
// else the target's as configured.
func (a *attempt) named(data []byte) {
	f := &a.flow
	if len(f.unnamed) == 0 {
		return
	}
	f.edit.Model = a.target.Model
	var o splice.Object
	if splice.Scan(data, &o, "model") == nil {
		if name, ok := o.String("model"); ok && name != "" {
			f.edit.Model = name
		}
	}
	f.edits = true
	for _, u := range f.unnamed {
		f.rewrite(u.name, u.data, u.end)
	}
	f.unnamed = nil
}

func isNameless(data []byte) bool { return bytes.Contains(data, []byte(`"model":""`)) }
