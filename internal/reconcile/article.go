package reconcile

import "weir.dev/weir"

// article is speed = N / (end - first), the script's one figure. Without usage
// it counts the chunks that carried something.
func article() []definition {
	return []definition{{"speed", "output_speed", Speed, interpolated, func(t *weir.Trace) *chain {
		n, ok := reported(t)
		if !ok {
			n = t.OutputEvents()
		}
		c := decode(t, perTime).hidden(t).divided(nInstead, billed(t, n)).divided(chunksForToken, n)
		c.step(trailerInside, func(s *span) { s.to = t.End.Or(0).Duration() })
		return c.need(t, weir.TickKind.Output).needEnd(t.End.Known())
	}}}
}
