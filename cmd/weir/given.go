package main

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"weir.dev/weir/internal/report"
)

// given are the flags that stand on the command line, by their names.
type given map[string]bool

// givenFlags finds them. One without a value is refused: it would be taken for
// one that is not there.
func givenFlags(call *kong.Context) (given, error) {
	g := given{}
	for _, at := range call.Path {
		if at.Flag == nil || at.Resolved {
			continue
		}
		g[at.Flag.Name] = true
		if v := at.Flag.Target; v.Kind() == reflect.String && v.Len() == 0 { // a pointer to one says itself that it was given
			return nil, usage("--%s is empty: give it a value, or leave it out", at.Flag.Name)
		}
	}
	return g, nil
}

// idle is when a flag changes nothing, and why.
type idle struct {
	flag string
	when bool
	why  string
}

// refuse finds the first of the flags that was given and changes nothing: who
// gave it would read figures of something else than was asked for.
func (g given) refuse(all ...idle) error {
	for _, one := range all {
		if g[one.flag] && one.when {
			return usage("--%s would change nothing: %s", one.flag, one.why)
		}
	}
	return nil
}

// idle are those of the flags of bench, as they were given.
func (c *benchCmd) idle() []idle {
	sweep := ""
	if c.Sweep != nil {
		sweep, _, _ = strings.Cut(*c.Sweep, "=")
	}
	rated := c.Rate != 0 || c.Schedule != "" || strings.TrimSpace(sweep) == report.OverRate
	paced := rated || c.Trace != ""
	texts, whose := c.Prompt != "" || c.Data != "", "--prompt"
	if c.Data != "" {
		whose = "--data"
	}
	one := len(c.Targets) == 1 && strings.Contains(c.Targets[0], "://") && c.Over == 0
	return []idle{
		{"rate", c.Rate == 0, "0 is no rate; without the flag slots send one request after the other"},
		{"burstiness", !rated, "it says how the arrivals of --rate scatter"},
		{"trace-speed", c.Trace == "", "it is for --trace"},
		{"trace-speed", c.TraceSpeed == 0, "0 is no speed; 2 is twice as fast"},
		{"duration", c.Duration == 0, "0 is no time"},
		{"over", c.Over == 0, "0 is no time"},
		{"laps", c.Laps && (paced || c.Ramp > 0 || c.Sweep != nil), "with a rate, a ramp or a sweep slots do not wait for each other"},
		{"laps", c.Laps && one, "laps compare several targets"},

		{"input-tokens", texts, "the texts are those of " + whose},
		{"content", texts, "the texts are those of " + whose},
		{"calibrate", texts, "the texts are those of " + whose},
		{"mix", texts, "the texts are those of " + whose + "; --output-tokens says how long the answers are"},
		{"input-tokens", c.Mix != "", "--mix has the lengths"},
		{"output-tokens", c.Mix != "", "--mix has the lengths"},
		{"cache-gap", c.Cache != "compare", "it is for --cache compare"},
		{"stall-timeout", !c.Stream, "without streams nothing is seen of an answer before its end; --first-output-timeout is for all of it"},

		{"ca", c.Insecure, "--insecure trusts any certificate"},
		c.rowsIdle(),
	}
}

// rowsIdle is of --rows.
func (f formFlags) rowsIdle() idle { return idle{"rows", f.Output != "csv", "it is for -o csv"} }

// idle are those of the flags of report.
func (c *reportCmd) idle(theirs int) []idle {
	return []idle{
		c.rowsIdle(),
		{"target", theirs == 0, "it is for another tool's result beside the run"},
	}
}
