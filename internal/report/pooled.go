package report

import (
	"math"
	"slices"

	"weir.dev/weir"
)

// The figures of pooled runs, each of which keeps to its own time.

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
