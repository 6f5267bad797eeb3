package validate

import (
	"time"

	"weir.dev/weir/internal/engine"
)

// seen is what was seen of a cell's requests.
type seen struct {
	end       time.Duration // of the last one
	ttft, itl time.Duration // summed over the requests
}

// clients send a cell's requests to an engine and note what comes back.
type clients struct {
	engine *engine.Engine
	cell   Cell
	sent   []times // by request
	seen   seen
}

type times struct{ sent, first time.Duration }

// serve has total requests served, atOnce of them from the beginning and
// another one whenever one ends.
func serve(d engine.Deployment, c Cell, atOnce, total int) (seen, error) {
	e, err := engine.New(d, 1)
	if err != nil {
		return seen{}, err
	}
	all := clients{engine: e, cell: c, sent: make([]times, 0, total)}
	for range atOnce {
		if err := all.send(0); err != nil {
			return seen{}, err
		}
	}
	for next, more := time.Duration(0), true; more; {
		var events []engine.Event
		events, next, more = e.Step(next)
		for ended := all.note(events); ended > 0 && len(all.sent) < total; ended-- {
			if err := all.send(e.Now()); err != nil {
				return seen{}, err
			}
			next, more = e.Now(), true
		}
	}
	return all.seen, nil
}

func (a *clients) send(at time.Duration) error {
	a.sent = append(a.sent, times{sent: at})
	_, err := a.engine.Submit(engine.Request{Arrival: at, Prompt: a.cell.Input, Output: a.cell.Output})
	return err
}

// note returns how many requests ended.
func (a *clients) note(events []engine.Event) (ended int) {
	for i := range events { // by index: there are hundreds of millions
		ev := &events[i]
		t := &a.sent[ev.Request]
		switch {
		case ev.First():
			t.first = ev.At
			a.seen.ttft += ev.At - t.sent
		case ev.Kind == engine.Finished:
			ended++
			a.seen.end = ev.At
			a.seen.itl += (ev.At - t.first) / time.Duration(max(1, a.cell.Output-1))
		}
	}
	return ended
}
