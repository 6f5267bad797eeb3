package engine

import "math"

// plan decides what the next step computes and books the KV for it.
func (e *Engine) plan() Batch {
	b := Batch{Window: e.physics.Model.Window}
	budget := e.physics.Profile.TokenBudget
	switch e.physics.Profile.Policy {
	case PrefillFirst:
		if e.admit(&b, &budget); b.Prompts == 0 {
			e.proceed(&b, &budget)
		}
		return b
	case Static:
		budget = math.MaxInt // a batch is what there is room for
	}
	if preempted := e.proceed(&b, &budget); !preempted {
		e.admit(&b, &budget)
	}
	return b
}

// proceed gives the running sequences their tokens, in order of admission. One
// that finds no block takes those of the last.
func (e *Engine) proceed(b *Batch, budget *int) (preempted bool) {
	for i := 0; i < len(e.running) && *budget > 0; i++ {
		q := e.running[i]
		if q.padding {
			b.Decode(1, q.known())
			*budget--
			continue
		}
		n, drafts := min(q.pending(), *budget), 0
		if q.generates() {
			drafts = min(e.physics.Speculation.Drafts, *budget-n)
		}
		for !e.pool.grow(q, q.computed+n+drafts) {
			preempted = true
			if e.preempt() == q {
				return true
			}
		}
		e.grant(b, budget, q, n, drafts)
	}
	return preempted
}

// preempt throws out the last running sequence: it computes everything again,
// save what the prefix cache still has.
func (e *Engine) preempt() *sequence {
	last := len(e.running) - 1
	q := e.running[last]
	e.running[last] = nil
	e.running = e.running[:last]
	e.pool.drop(q)
	q.computed = 0
	e.waiting.restore(q)
	e.tell(Preempted, q, 0, 0)
	return q
}

// admit lets waiting sequences in, in order: if the first finds no room, none
// behind it is tried.
func (e *Engine) admit(b *Batch, budget *int) {
	p := e.physics.Profile
	if p.Policy == Static && len(e.running) > 0 {
		return
	}
	for *budget > 0 && len(e.running) < p.MaxSeqs {
		q := e.waiting.first()
		switch {
		case q == nil:
			return
		case q.canceled:
			e.waiting.pop()
			continue
		}
		e.found = e.pool.find(q, e.found)
		cached := len(e.found) * e.pool.size
		n := q.known() - cached
		if n > *budget {
			switch alone := n > p.TokenBudget && b.Prompts == 0; {
			case p.Chunked && p.Policy != PrefillFirst:
				n = *budget
			case !alone: // no step would ever hold it, so it may exceed one
				return
			}
		}
		loaded, ok := e.pool.admit(q, e.found, cached+n, e.ceiling(q))
		if !ok {
			return
		}
		e.waiting.pop()
		e.running = append(e.running, q)
		q.computed = cached
		b.Loaded += float64(loaded * e.pool.size)
		e.tell(Admitted, q, 0, cached)
		e.grant(b, budget, q, n, 0)
	}
}

// ceiling is how many blocks are set aside for a sequence when it is admitted.
func (e *Engine) ceiling(q *sequence) int {
	p := e.physics.Profile
	if p.Policy == NoEvict || p.Policy == Static || p.Layout == Contiguous {
		return blocksFor(q.Prompt+q.MaxTokens+e.physics.Speculation.Drafts, e.pool.size)
	}
	return 0
}

// grant puts n tokens of a sequence and drafts after them into the step.
func (e *Engine) grant(b *Batch, budget *int, q *sequence, n, drafts int) {
	if q.generates() {
		b.Decode(n+drafts, q.computed+n+drafts)
	} else {
		b.Prefill(n, q.computed)
	}
	if n == q.pending() {
		b.Sampled += 1 + drafts
	}
	q.granted, q.drafts = n, drafts
	*budget -= n + drafts
	// Named before it is computed: sequences of one step may share it, as
	// attention comes after the KV of its layer is written.
	e.pool.publish(q, q.computed+n)
}
