package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// table is prices.json. internal/catalog reads it strictly: a change here is a
// change there.
type table struct {
	About       string     `json:"about"`
	Source      string     `json:"source"`
	Version     string     `json:"version"`
	Date        string     `json:"date"` // the day that version was published
	Licence     string     `json:"licence"`
	Attribution string     `json:"attribution"`
	Providers   []provider `json:"providers"`
}

type provider struct {
	ID       string   `json:"id"`
	Fallback []string `json:"fallback,omitempty"` // providers whose list is read where this one has no match
	Models   []model  `json:"models"`             // in the package's order: the first match counts
}

type model struct {
	ID      string   `json:"id"`
	Match   *rule    `json:"match,omitempty"`   // nil: the id, and nothing else
	Context int      `json:"context,omitempty"` // tokens
	rates            // none: it is known that the model is there, not what it costs
	Tiers   []tier   `json:"tiers,omitempty"`
	Changes []change `json:"changes,omitempty"`
}

// rates are in USD per million tokens, request in USD per request.
type rates struct {
	Input       *float64 `json:"input,omitempty"`
	CachedInput *float64 `json:"cached_input,omitempty"`
	CacheWrite  *float64 `json:"cache_write,omitempty"`
	Output      *float64 `json:"output,omitempty"`
	Reasoning   *float64 `json:"reasoning,omitempty"`
	Request     *float64 `json:"request,omitempty"`
}

// tier holds what differs from From prompt tokens on.
type tier struct {
	From int `json:"from"`
	rates
}

// change is a whole set of rates for a time: from a day on, or between two
// times of day, UTC. The last change that holds counts.
type change struct {
	On    string `json:"on,omitempty"`    // 2027-01-01
	Since string `json:"since,omitempty"` // 06:00
	Until string `json:"until,omitempty"` // 10:00, not included; before Since: over midnight
	rates
	Tiers []tier `json:"tiers,omitempty"`
}

// rule holds if any one of its parts does. All but Regex are lower case.
type rule struct {
	Is       []string `json:"is,omitempty"`
	Starts   []string `json:"starts,omitempty"`
	Ends     []string `json:"ends,omitempty"`
	Contains []string `json:"contains,omitempty"`
	Regex    []string `json:"regex,omitempty"` // RE2
	All      []rule   `json:"all,omitempty"`   // every one of these
	Any      []rule   `json:"any,omitempty"`
	Not      *rule    `json:"not,omitempty"`
}

// bytes is the file's text: a model a line, so that a diff reads like a list of
// price changes.
func (t table) bytes() ([]byte, error) {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	var failed error
	text := func(v any) string {
		var s bytes.Buffer
		e := json.NewEncoder(&s)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			failed = err
		}
		return strings.TrimSpace(s.String())
	}
	comma := func(last bool) string {
		if last {
			return ""
		}
		return ","
	}
	line("{")
	for _, f := range [][2]string{
		{"about", t.About}, {"source", t.Source}, {"version", t.Version}, {"date", t.Date}, {"licence", t.Licence}, {"attribution", t.Attribution},
	} {
		line(" %q: %s,", f[0], text(f[1]))
	}
	line(` "providers": [`)
	for i, p := range t.Providers {
		fallback := ""
		if p.Fallback != nil {
			fallback = fmt.Sprintf(`"fallback": %s, `, text(p.Fallback))
		}
		line(`  {"id": %s, %s"models": [`, text(p.ID), fallback)
		for j, m := range p.Models {
			line("   %s%s", text(m), comma(j == len(p.Models)-1))
		}
		line("  ]}%s", comma(i == len(t.Providers)-1))
	}
	line(" ]")
	line("}")
	return b.Bytes(), failed
}

// report prints what changed from one table to the next, a model a line.
func report(w io.Writer, before, after table, skipped map[string]int) {
	was, is := before.lines(), after.lines()
	counts := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(merged(was, is))) {
		a, old := was[key]
		b, now := is[key]
		word := ""
		switch {
		case a == b:
			counts["unchanged"]++
			continue
		case !old:
			word = "added"
			fmt.Fprintf(w, "+ %s %s\n", key, b)
		case !now:
			word = "removed"
			fmt.Fprintf(w, "- %s %s\n", key, a)
		default:
			word = "changed"
			fmt.Fprintf(w, "~ %s\n    was %s\n    is  %s\n", key, a, b)
		}
		counts[word]++
	}
	fmt.Fprintf(w, "%d added, %d changed, %d removed, %d unchanged\n", counts["added"], counts["changed"], counts["removed"], counts["unchanged"])
	var left []string
	for _, key := range slices.Sorted(maps.Keys(skipped)) {
		left = append(left, fmt.Sprintf("%s (%d)", key, skipped[key]))
	}
	fmt.Fprintf(w, "rates left out, with the number of models: %s\n", strings.Join(left, ", "))
}

// lines is each model as text, by provider and id.
func (t table) lines() map[string]string {
	all := map[string]string{}
	for _, p := range t.Providers {
		for _, m := range p.Models {
			key := p.ID + " " + m.ID
			m.ID = ""
			b, err := json.Marshal(m)
			if err != nil { // no type in it can fail
				panic(err)
			}
			all[key] = strings.Replace(strings.Replace(string(b), `"id":""`, "", 1), "{,", "{", 1)
		}
	}
	return all
}

func merged(a, b map[string]string) map[string]string {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}
