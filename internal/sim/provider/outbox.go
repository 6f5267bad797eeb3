package provider

import "time"

// outbox holds what has left the engine and is on its way, in the order of its
// arrival.
type outbox struct {
	queue []delivery
	head  int           // of queue
	last  time.Duration // when the last of it arrives
}

type delivery struct {
	due      time.Duration // the provider's time
	job      *job
	tokens   int
	admitted bool
	done     bool
}

func (o *outbox) add(d delivery) { o.queue = append(o.queue, d) }

// next is when the first of it arrives.
func (o *outbox) next() time.Duration {
	if o.head == len(o.queue) {
		return never
	}
	return o.queue[o.head].due
}

// deliver hands out what has arrived by now.
func (o *outbox) deliver(now time.Duration, c clockwork) {
	for ; o.next() <= now; o.head++ {
		d := &o.queue[o.head]
		var truth *Truth
		if d.admitted || d.done {
			truth = &d.job.truth
		}
		d.job.answer.add(Burst{Due: c.wall(d.due), Tokens: d.tokens, Admitted: d.admitted, Done: d.done}, truth)
		*d = delivery{}
	}
	switch {
	case o.head == len(o.queue):
		o.queue, o.head = o.queue[:0], 0
	case o.head > 1024 && o.head > len(o.queue)/2:
		o.queue = o.queue[:copy(o.queue, o.queue[o.head:])]
		o.head = 0
	}
}
