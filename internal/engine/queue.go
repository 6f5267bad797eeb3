package engine

import "container/heap"

// arrivals holds requests that are not due, the earliest first.
type arrivals []*sequence

var _ heap.Interface = (*arrivals)(nil)

func (a arrivals) Len() int { return len(a) }

func (a arrivals) Less(i, j int) bool {
	if a[i].due != a[j].due {
		return a[i].due < a[j].due
	}
	return a[i].id < a[j].id
}

func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *arrivals) Push(x any) { *a = append(*a, x.(*sequence)) }

// Pop implements heap.Interface.
func (a *arrivals) Pop() any {
	old := *a
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*a = old[:len(old)-1]
	return last
}

// line is the waiting queue: first come first served, but those that were
// preempted stand before all others, the last of them first.
type line struct {
	preempted []*sequence // a stack
	fresh     []*sequence // from head on
	head      int
}

func (l *line) len() int { return len(l.preempted) + len(l.fresh) - l.head }

// first is the next one to admit, or nil.
func (l *line) first() *sequence {
	if n := len(l.preempted); n > 0 {
		return l.preempted[n-1]
	}
	if l.head == len(l.fresh) {
		return nil
	}
	return l.fresh[l.head]
}

// pop takes out the first one. There must be one.
func (l *line) pop() {
	if n := len(l.preempted); n > 0 {
		l.preempted = l.preempted[:n-1]
		return
	}
	l.fresh[l.head] = nil
	l.head++
	if l.head > len(l.fresh)/2 { // the room before head is used again
		l.fresh = l.fresh[:copy(l.fresh, l.fresh[l.head:])]
		l.head = 0
	}
}

func (l *line) add(q *sequence)     { l.fresh = append(l.fresh, q) }
func (l *line) restore(q *sequence) { l.preempted = append(l.preempted, q) }
