package stored

import (
	"cmp"
	"fmt"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// Merge pools runs of one workload with the same targets into one, in order of
// time. The blocks of one follow those of the one before; the time between
// them is in no figure. Runs that overlap were another load together, and are
// refused.
func Merge(runs []report.Named) (report.Run, error) {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b report.Named) int { return a.Run.Started.Compare(b.Run.Started) })
	if err := checkComparable(runs); err != nil {
		return report.Run{}, err
	}
	for i := 1; i < len(runs); i++ {
		if err := mergeable(runs[i-1], runs[i]); err != nil {
			return report.Run{}, err
		}
	}
	out := runs[0].Run
	out.Samples, out.Notes, out.Lost = nil, make([]report.TargetNote, len(out.Settings.Targets)), nil
	out.Settings.Requests, out.Duration, out.GCPauses, out.StampErrorP99 = 0, 0, weir.Span{}, weir.None[float64]()
	out.StampErrorMax = weir.None[float64]()
	block, session := 0, 0
	for _, one := range runs {
		pool(&out, one)
		block, session = follow(&out, len(one.Run.Samples), block, session)
	}
	return out, nil
}

// mergeable tells why one run cannot be pooled with the one after it.
func mergeable(a, b report.Named) error {
	names := fmt.Sprintf("%s and %s", a.Name, b.Name)
	refuse := func(message, hint string) error {
		return &weir.Error{Code: "runs_differ", Message: message, Hint: hint}
	}
	if b.Run.Started.Before(a.Run.Started.Add(a.Run.Duration)) {
		return refuse(names+" overlap in time: together they were another load than either", "compare them: leave --merge out")
	}
	left, right := a.Run.Settings.Targets, b.Run.Settings.Targets
	if len(left) != len(right) {
		return refuse(fmt.Sprintf("%s have %d and %d targets: only runs of the same targets are merged", names, len(left), len(right)), "compare them: leave --merge out")
	}
	for i := range left {
		if what, x, y := unlike(&left[i], &right[i]); what != "" {
			return refuse(fmt.Sprintf("target %d of %s differs in its %s: %s and %s", i+1, names, what, x, y), "compare them: leave --merge out")
		}
	}
	return nil
}

// unlike is the first thing in which two targets differ.
func unlike(a, b *weir.Target) (what, x, y string) {
	price := func(p *weir.Price) string {
		if p == nil {
			return "none"
		}
		return fmt.Sprintf("%+v", *p)
	}
	for _, f := range []struct{ what, x, y string }{
		{"name", a.Name, b.Name},
		{"URL", a.URL, b.URL},
		{"dialect", string(a.Dialect), string(b.Dialect)},
		{"model", a.Model, b.Model},
		{"price", price(a.Price), price(b.Price)},
	} {
		if f.x != f.y {
			return f.what, cmp.Or(f.x, "none"), cmp.Or(f.y, "none")
		}
	}
	return "", "", ""
}

// pool adds a run that began later.
func pool(r *report.Run, one report.Named) {
	more := one.Run
	r.Samples = append(r.Samples, more.Samples...)
	r.Settings.Requests += more.Settings.Requests
	r.Duration += more.Duration
	r.Interrupted, r.Budget, r.Enough = r.Interrupted || more.Interrupted, r.Budget || more.Budget, r.Enough && more.Enough
	if paused, ok := more.GCPauses.Get(); ok {
		r.GCPauses = weir.Some(r.GCPauses.Or(0) + paused)
	}
	if off, ok := more.StampErrorP99.Get(); ok {
		r.StampErrorP99 = weir.Some(max(off, r.StampErrorP99.Or(0)))
	}
	if slept, ok := more.StampErrorMax.Get(); ok {
		r.StampErrorMax = weir.Some(max(slept, r.StampErrorMax.Or(0)))
	}
	for i := range min(len(r.Notes), len(more.Notes)) {
		addNote(&r.Notes[i], &more.Notes[i])
	}
	for _, lost := range more.Lost {
		r.Lost = append(r.Lost, one.Name+": "+lost)
	}
	r.Merged = append(r.Merged, report.MergedRun{Name: one.Name, Started: more.Started, Duration: weir.Dur(more.Duration), Seed: more.Settings.Seed})
}

// follow numbers the last n samples' laps and sessions on, and returns the next
// numbers.
func follow(r *report.Run, n, block, session int) (nextBlock, nextSession int) {
	nextBlock, nextSession = block, session
	last := r.Samples[len(r.Samples)-n:]
	for i := range last {
		if b, ok := last[i].Block.Get(); ok {
			last[i].Block = weir.Some(b + block)
			nextBlock = max(nextBlock, b+block+1)
		}
		if s, ok := last[i].Session.Get(); ok {
			last[i].Session = weir.Some(s + session)
			nextSession = max(nextSession, s+session+1)
		}
	}
	return nextBlock, nextSession
}

func addNote(n, more *report.TargetNote) {
	n.Unsent += more.Unsent
	n.Missed += more.Missed
	n.SlotWaits += more.SlotWaits
	n.GaveUp = n.GaveUp || more.GaveUp
	n.QuotaRefused += more.QuotaRefused
	n.QuotaWaited += more.QuotaWaited
	n.QuotaLimits = union(n.QuotaLimits, more.QuotaLimits)
	n.Learned = union(n.Learned, more.Learned)
	n.Lengths = more.Lengths // the last knows what the first had learned, and more
	// The schedule is the same in each: its rate is, and of what was drawn and sent
	// the least is told.
	n.Asked = more.Asked
	n.Drawn, n.Achieved = least(n.Drawn, more.Drawn), least(n.Achieved, more.Achieved)
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

func least(a, b weir.Opt[float64]) weir.Opt[float64] {
	if v, ok := a.Get(); ok {
		return weir.Some(min(v, b.Or(v)))
	}
	return b
}
