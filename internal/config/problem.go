package config

import (
	"fmt"
	"slices"
	"strings"
)

// Code tells kinds of problems apart for programs.
type Code string

// The codes that a caller may want to act on. The others are only words.
const (
	// UnsetVariable: a ${VAR} is not set, or empty. It matters only to who uses
	// that provider.
	UnsetVariable Code = "unset_variable"
	// UnreadableFile: a ${file:...} cannot be read.
	UnreadableFile Code = "unreadable_file"
	// NotYet: a section that this version does not know yet.
	NotYet Code = "not_yet"
	// BadSyntax: the file is no YAML; nothing else was looked at.
	BadSyntax Code = "bad_syntax"
	// BadValue: all else.
	BadValue Code = "bad_value"
	// Doubtful: a warning; the file is sound.
	Doubtful Code = "doubtful"
)

// Problem is one thing that is wrong with a file. Nothing in it is secret.
type Problem struct {
	Code    Code   `json:"code"`
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0: the file as a whole
	Column  int    `json:"column"` // from 1, in characters
	Path    string `json:"path"`   // such as models.llama.targets[0].weight; may be empty
	Source  string `json:"source"` // the line, without secrets, cut around the column
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what would be right

	caret int // where in Source the column is, from 0
}

// String shows the problem as compilers do: where and what, the line, a caret
// under the column, and what would be right.
func (p Problem) String() string {
	var b strings.Builder
	margin, what := "", p.Message
	if p.Code == Doubtful {
		what = "warning: " + what
	}
	if p.Line == 0 {
		fmt.Fprintf(&b, "%s: %s\n", p.File, what)
	} else {
		number := fmt.Sprint(p.Line)
		margin = strings.Repeat(" ", len(number))
		fmt.Fprintf(&b, "%s:%d:%d: %s\n", p.File, p.Line, p.Column, what)
		fmt.Fprintf(&b, "  %s | %s\n", number, p.Source)
		fmt.Fprintf(&b, "  %s | %s^\n", margin, strings.Repeat(" ", p.caret))
	}
	if p.Hint != "" {
		fmt.Fprintf(&b, "  %s = %s\n", margin, p.Hint)
	}
	return b.String()
}

// Problems are all problems of a file, from its top to its end.
type Problems []Problem

// Error shows all of them.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Err is nil if there is no problem. (A Problems in an error is never nil.)
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Except returns the problems of other codes, for callers that can do without
// what those are about.
func (ps Problems) Except(codes ...Code) Problems {
	var rest Problems
	for _, p := range ps {
		if !slices.Contains(codes, p.Code) {
			rest = append(rest, p)
		}
	}
	return rest
}
