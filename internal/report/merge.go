package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weir.dev/weir"
)

// Named is a run under the name it is spoken of by.
type Named struct {
	Name string
	Run  Run
}

// Merge pools runs of one workload with the same targets into one, in order of
// time. The blocks of one follow those of the one before; the time between
// them is in no figure. Runs that overlap were another load together, and are
// refused.
func Merge(runs []Named) (Run, error) {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b Named) int { return a.Run.Started.Compare(b.Run.Started) })
	if err := checkComparable(runs); err != nil {
		return Run{}, err
	}
	for i := 1; i < len(runs); i++ {
		if err := mergeable(runs[i-1], runs[i]); err != nil {
			return Run{}, err
		}
	}
	out := runs[0].Run
	out.Samples, out.Notes, out.Lost = nil, make([]TargetNote, len(out.Settings.Targets)), nil
	out.Settings.Requests, out.Duration, out.GCPauses, out.StampErrorP99 = 0, 0, weir.Span{}, weir.None[float64]()
	block, session := 0, 0
	for _, one := range runs {
		out.add(one)
		block, session = out.follow(len(one.Run.Samples), block, session)
	}
	return out, nil
}

// mergeable tells why one run cannot be pooled with the one after it.
func mergeable(a, b Named) error {
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

// add pools a run that began later.
func (r *Run) add(one Named) {
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
	for i := range min(len(r.Notes), len(more.Notes)) {
		r.Notes[i].add(&more.Notes[i])
	}
	for _, lost := range more.Lost {
		r.Lost = append(r.Lost, one.Name+": "+lost)
	}
	r.Merged = append(r.Merged, MergedRun{one.Name, more.Started, weir.Dur(more.Duration), more.Settings.Seed})
}

// follow numbers the last n samples' laps and sessions on, and returns the next
// numbers.
func (r *Run) follow(n, block, session int) (nextBlock, nextSession int) {
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

func (n *TargetNote) add(more *TargetNote) {
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

// parts are the samples of each of the pooled runs.
func (r *Run) parts(samples []weir.Sample) [][]weir.Sample {
	parts := make([][]weir.Sample, len(r.Merged))
	for i := range samples {
		p := r.partOf(&samples[i])
		parts[p] = append(parts[p], samples[i])
	}
	return parts
}

func (r *Run) partOf(s *weir.Sample) int {
	i := len(r.Merged) - 1
	for i > 0 && s.Due.Before(r.Merged[i].Started) {
		i--
	}
	return i
}

// steadyOf is what a target carried; of pooled runs, each in its own window.
func steadyOf(mine []weir.Sample, r *Run, prompt weir.Opt[float64]) Steady {
	laps := slices.ContainsFunc(mine, func(s weir.Sample) bool { return s.Block.Known() })
	if len(r.Merged) < 2 || laps { // laps leave what is between them out already
		return steady(mine, r.Settings, prompt)
	}
	var out Steady
	var requests, output, tokens, busy pooledRate
	for _, part := range r.parts(mine) {
		s := steady(part, r.Settings, prompt)
		window, ok := s.Window.Get()
		if !ok {
			continue
		}
		seconds := window.Duration().Seconds()
		requests.add(s.RequestRate, s.RequestError, seconds)
		output.add(s.OutputRate, s.OutputError, seconds)
		tokens.add(s.TokenRate, weir.None[float64](), seconds)
		busy.add(s.Concurrency, weir.None[float64](), seconds)
		out.Window = weir.SpanOf(out.Window.Or(0).Duration() + window.Duration())
		out.Answers = weir.Some(out.Answers.Or(0) + s.Answers.Or(0))
		if peak, ok := s.Peak.Get(); ok {
			out.Peak = weir.Some(max(peak, out.Peak.Or(0)))
		}
	}
	out.RequestRate, out.RequestError = requests.rate()
	out.OutputRate, out.OutputError = output.rate()
	out.TokenRate, _ = tokens.rate()
	out.Concurrency, _ = busy.rate()
	return out
}

// pooledRate is the rate over several windows: the mean by their length. The
// errors of separate runs add as squares.
type pooledRate struct {
	seconds, count, square float64
	unsure                 bool // some error is not known
}

func (p *pooledRate) add(rate, off weir.Opt[float64], seconds float64) {
	r, ok := rate.Get()
	if !ok {
		return
	}
	p.seconds += seconds
	p.count += r * seconds
	e, known := off.Get()
	p.unsure = p.unsure || !known
	p.square += (r * seconds * e) * (r * seconds * e)
}

func (p *pooledRate) rate() (rate, off weir.Opt[float64]) {
	if p.seconds == 0 {
		return rate, off
	}
	if !p.unsure && p.count > 0 {
		off = weir.Some(math.Sqrt(p.square) / p.count)
	}
	return weir.Some(p.count / p.seconds), off
}
