package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// World is what a file may refer to. A nil function knows nothing.
type World struct {
	// Env looks up a ${VAR}.
	Env func(name string) (value string, ok bool)
	// ReadFile reads a ${file:PATH}. A path that is not absolute was made
	// relative to the folder of the config.
	ReadFile func(path string) ([]byte, error)
	// Preset looks up a provider that needs no base_url.
	Preset func(name string) (Preset, bool)
	// Presets are the names of all of them, for suggestions.
	Presets []string
}

// Preset is what a config needs to know of a provider's preset.
type Preset struct {
	BaseURL string // may hold placeholders, {name}; empty: the user has to give one
	Dialect string
	Params  []string // the placeholders of BaseURL
}

// Load reads a file. name is its path, for the problems and for the files it
// refers to. The config holds what is sound, whatever is wrong with the rest;
// it is never nil.
func Load(name string, src []byte, w World) (*Config, Problems) {
	r := &reader{name: name, world: w.orNothing(), seen: map[string]bool{}, anchors: map[string]anchor{}, hidden: map[int][]span{}, loops: map[ast.Node]bool{}}
	cfg := &Config{}
	if body := r.document(src); body != nil {
		r.collect(body)
		if v := r.walk(body, root(), at{}); v != nil {
			cfg = r.build(v)
		}
	}
	cfg.Warnings = r.finish(r.doubts)
	return cfg, r.finish(r.found)
}

func (w World) orNothing() World {
	if w.Env == nil {
		w.Env = func(string) (string, bool) { return "", false }
	}
	if w.ReadFile == nil {
		w.ReadFile = func(string) ([]byte, error) { return nil, fmt.Errorf("files cannot be read here") }
	}
	if w.Preset == nil {
		w.Preset = func(string) (Preset, bool) { return Preset{}, false }
	}
	return w
}

// reader reads one file.
type reader struct {
	name    string
	world   World
	lines   []string
	masks   map[int][]span // by line, from 1
	hidden  map[int][]span // masks, and what only looks like a secret; filled as lines are shown
	broken  bool           // it is no YAML: what is secret is only guessed
	anchors map[string]anchor
	loops   map[ast.Node]bool // aliases inside their own anchor
	visits  int

	found  []Problem
	doubts []Problem // of code Doubtful
	seen   map[string]bool
}

// pos is a place in the file: both from 1, the column in characters. The zero
// value is the file as a whole.
type pos struct{ line, col int }

// fault is what is wrong with a value, and what would be right.
type fault struct{ msg, hint string }

// add notes a problem once: an alias leads to the same one again and again.
func (r *reader) add(code Code, p pos, path, msg, hint string) {
	id := fmt.Sprint(p, msg)
	if r.seen[id] {
		return
	}
	r.seen[id] = true
	one := Problem{Code: code, File: r.name, Line: p.line, Column: p.col, Path: scrub(path), Message: msg, Hint: hint}
	if code == Doubtful {
		r.doubts = append(r.doubts, one)
		return
	}
	r.found = append(r.found, one)
}

// bad notes a problem of code BadValue.
func (r *reader) bad(p pos, path string, hint, format string, args ...any) {
	r.add(BadValue, p, path, fmt.Sprintf(format, args...), hint)
}

// doubt notes what is sound and yet most likely not meant.
func (r *reader) doubt(p pos, path string, hint, format string, args ...any) {
	r.add(Doubtful, p, path, fmt.Sprintf(format, args...), hint)
}

const maxProblems = 100

// finish sorts what was found and adds the lines. Beyond maxProblems they
// are only counted.
func (r *reader) finish(ps []Problem) Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	more := len(ps) - maxProblems
	if more > 0 {
		ps = ps[:maxProblems]
	}
	for i := range ps {
		p := &ps[i]
		p.Source, p.caret = r.show(pos{p.Line, p.Column})
	}
	if more > 0 {
		ps = append(ps, Problem{Code: ps[0].Code, File: r.name, Message: fmt.Sprintf("and %d more problems", more)})
	}
	return ps
}

// quote shows what a user wrote: in quotes, cut to a length that fits a
// message, and without what looks like a secret.
func quote(s string) string {
	const most = 60
	s = scrub(s)
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return fmt.Sprintf("%q", s)
}

// join makes a path of a path and a key in it.
func join(path, name string) string {
	return strings.TrimPrefix(path+"."+name, ".")
}
