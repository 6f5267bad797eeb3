package engine

// settle ends the step under way: what was computed counts, tokens come out.
func (e *Engine) settle() {
	e.busy = false
	ended := 0
	for _, q := range e.running {
		if q.granted == 0 {
			continue
		}
		q.computed += q.granted
		if q.pending() == 0 {
			tokens := min(1+e.accepted(q), q.Output-q.produced)
			q.produced += tokens
			q.computed += tokens - 1 // the KV of right drafts exists
			e.tell(Token, q, tokens, 0)
		}
		q.granted, q.drafts = 0, 0
		if q.produced == q.Output {
			ended++
			e.tell(Finished, q, 0, 0)
			delete(e.live, q.id)
			q.padding = true
		}
	}
	if e.physics.Profile.Policy == Static {
		e.endStatic()
	} else if ended > 0 {
		e.keep(func(q *sequence) bool { return !q.padding })
	}
}

// endStatic frees a static batch once all of it has ended.
func (e *Engine) endStatic() {
	for _, q := range e.running {
		if !q.padding && !q.canceled {
			return
		}
	}
	e.keep(func(*sequence) bool { return false })
}

// accepted is how many drafts turn out right: those before the first wrong one.
func (e *Engine) accepted(q *sequence) int {
	chance := q.Acceptance.Or(e.physics.Speculation.Acceptance)
	for i := range q.drafts {
		if q.random.Float64() >= chance {
			return i
		}
	}
	return q.drafts
}
