package bench

import (
	"time"

	"github.com/oklog/ulid/v2"

	"weir.dev/weir"
)

// took keeps what a call was.
func (t *target) took(trace *weir.Trace) {
	trace.ErrorText = t.Redact(trace.ErrorText)
	s := trace.Sample()
	if t.OnTrace != nil {
		t.OnTrace(trace)
	} else {
		trace.Release()
	}
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	t.res.Samples = append(t.res.Samples, s)
	if t.OnEvent != nil {
		t.OnEvent(Event{Target: t.index, Sample: &s})
	}
}

func (t *target) event(e Event) {
	if t.OnEvent == nil {
		return
	}
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	t.OnEvent(e)
}

// notEncoded is the trace of a request that could not even be written.
func (t *target) notEncoded(due time.Time, warmup bool, err error) *weir.Trace {
	t.event(Event{Target: t.index, Started: true})
	return &weir.Trace{
		ID: ulid.Make().String(), Kind: weir.Bench, Target: t.Name, Model: t.Model, WorkloadID: t.id, Warmup: warmup,
		Due: due, Sent: time.Now(), Outcome: weir.BadRequest, ErrorType: "not_encoded", ErrorText: err.Error(),
	}
}

// judge gives a target up that has answered nothing and fails in a way that
// the next request cannot mend: at once where it is plain (no server, a bad
// key, a bad request), at the second time where it may be chance.
func (t *target) judge(o weir.Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch o {
	case weir.Canceled, weir.Abandoned, weir.RateLimited:
		return
	case weir.ConnectError, weir.Auth, weir.BadRequest:
		t.hopeless += 2
	case weir.TimeoutConnect, weir.TimeoutFirstOutput, weir.Malformed, weir.NotStreamed, weir.EmptyResponse:
		t.hopeless++
	default:
		t.answered = true
	}
	t.gaveUp = t.gaveUp || (!t.answered && t.hopeless >= 2)
}
