package cast

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"

	"weir.dev/weir"
	"weir.dev/weir/internal/nearest"
)

// complaint is one thing that is wrong, and where.
type complaint struct {
	at   *token.Token // nil: the file as a whole
	text string
}

// library is an error of the YAML library as ours.
func (f *file) library(err error) error {
	f.addLibrary(err)
	return f.error()
}

func (f *file) addLibrary(err error) {
	if e, ok := errors.AsType[*yaml.UnknownFieldError](err); ok {
		name := e.Token.Value
		fix := ""
		if near := nearest.Names(name, keys(reflect.TypeFor[Personality]())); len(near) > 0 {
			fix = "did you mean " + list(near) + "?"
		}
		f.add(e.Token, fmt.Sprintf("unknown key %q", name), fix)
		return
	}
	if e, ok := errors.AsType[*yaml.TypeError](err); ok {
		f.add(e.Token, fmt.Sprintf("%q is not what belongs here", e.Token.Value), wants(e.DstType))
		return
	}
	if e, ok := errors.AsType[yaml.Error](err); ok {
		f.add(e.GetToken(), strings.TrimSpace(e.GetMessage()), "")
		return
	}
	f.add(nil, err.Error(), "")
}

func wants(t reflect.Type) string {
	switch {
	case t == nil:
		return ""
	case t == reflect.TypeFor[time.Duration]():
		return "a duration such as 20ms"
	}
	switch t.Kind() {
	case reflect.Int:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "a mapping"
	}
	return "a text"
}

func (f *file) fail(at *token.Token, what, fix string) error {
	f.add(at, what, fix)
	return f.error()
}

func (f *file) add(at *token.Token, what, fix string) {
	s := f.name
	if at != nil && at.Position != nil {
		s += fmt.Sprintf(":%d:%d", at.Position.Line, at.Position.Column)
	}
	s += ": " + what
	if fix != "" {
		s += " (" + fix + ")"
	}
	f.wrong = append(f.wrong, complaint{at, s})
}

// error shows all complaints, from the top of the file to its end.
func (f *file) error() error {
	slices.SortStableFunc(f.wrong, func(a, b complaint) int { return cmp.Compare(a.line(), b.line()) })
	lines := make([]string, len(f.wrong))
	for i, c := range f.wrong {
		lines[i] = c.text
	}
	return &weir.Error{Code: "bad_personality", Message: strings.Join(lines, "\n")}
}

func (c complaint) line() int {
	if c.at == nil || c.at.Position == nil {
		return 0
	}
	return c.at.Position.Line
}

func list(names []string) string { return strings.Join(names, ", ") }
