package weir_test

import (
	"testing"

	"weir.dev/weir"
)

// TestImplausibleUsage: a count that cannot be true of what came makes no speed,
// and passes no objective; one that is only odd does.
func TestImplausibleUsage(t *testing.T) {
	words := func(n int, bytes int32) (ticks weir.Ticks) {
		for i := range n {
			ticks = append(ticks, at(100+10*float64(i), weir.TickText, bytes))
		}
		return ticks
	}
	summary := append(weir.Ticks{at(10, weir.TickSummary, 40)}, words(20, 4)...)
	for name, c := range map[string]struct {
		ticks       weir.Ticks
		chars       int
		usage       weir.Usage
		implausible bool
	}{
		"a token an event":                     {words(20, 4), 80, used(20, 0), false},
		"no token":                             {words(20, 4), 80, used(0, 0), true},
		"no token, of one event":               {words(1, 4), 4, used(0, 0), true},
		"one token of twenty events":           {words(20, 4), 80, used(1, 0), true},
		"all of it was thought":                {words(20, 4), 80, used(500, 500), true},
		"two million":                          {words(20, 4), 80, used(2_000_000, 0), true},
		"as many as an int holds":              {words(20, 4), 80, used(1<<62, 0), true},
		"below 0":                              {words(20, 4), 80, used(-1, 0), true},
		"a character an event":                 {words(80, 1), 80, used(18, 0), false},
		"a digit a token":                      {words(20, 4), 80, used(80, 0), false},
		"a tool call's frame":                  {words(20, 1), 20, used(60, 0), false},
		"signs of four bytes, two tokens each": {words(20, 4), 20, used(40, 0), false},
		"hidden reasoning":                     {words(20, 4), 80, used(520, 500), false},
		"a summary, thoughts not counted":      {summary, 120, used(5000, 0), false},
		"one long word":                        {words(1, 24), 24, used(1, 0), false},
		"five tokens of a page":                {words(20, 40), 800, used(5, 0), true},
		"whole":                                {nil, 400, used(100, 0), false},
		"whole, with reasoning in it":          {nil, 4000, used(1000, 990), false},
		"whole, one token":                     {nil, 400, used(1, 0), true},
		"whole, two million":                   {nil, 400, used(2_000_000, 0), true},
		"nothing came":                         {nil, 0, used(1, 0), false},
	} {
		tr := weir.Trace{Ticks: c.ticks, OutputChars: c.chars, Usage: c.usage, Outcome: weir.OK, AskedTokens: 20, TokenSource: weir.TokensFromUsage}
		s := tr.Sample()
		if s.Implausible != c.implausible || s.NSeen.Known() == c.implausible || s.LengthShare.Known() == c.implausible {
			t.Errorf("%s: implausible %v, n_seen %v, length_share %v", name, s.Implausible, s.NSeen, s.LengthShare)
		}
		if c.implausible && (s.TPOT.Known() || s.Speed.Known() || s.E2ESpeed.Known() || s.TokensPerEvent.Known()) {
			t.Errorf("%s: tpot %v, speed %v, e2e_speed %v, tokens_per_event %v", name, s.TPOT, s.Speed, s.E2ESpeed, s.TokensPerEvent)
		}
		slo, err := weir.ParseSLO("tpot<=25ms")
		if err != nil {
			t.Fatal(err)
		}
		if c.implausible && slo.Met(&s) {
			t.Errorf("%s: meets an objective of tpot", name)
		}
	}
}
