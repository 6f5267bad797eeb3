package cast

import (
	"fmt"
	"reflect"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// durations notes those that are none: the library does not say where they are,
// and takes a bare number for nanoseconds.
func (f *file) durations(n ast.Node, t reflect.Type) (sound bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	sound = true
	switch seq, isList := n.(*ast.SequenceNode); {
	case t == reflect.TypeFor[time.Duration]():
		text := n.GetToken().Value
		if _, err := time.ParseDuration(text); err != nil {
			f.add(n.GetToken(), fmt.Sprintf("%q is not what belongs here", text), wants(t))
			return false
		}
	case t.Kind() == reflect.Slice && isList:
		for _, item := range seq.Values {
			sound = f.durations(item, t.Elem()) && sound
		}
	case t.Kind() == reflect.Struct:
		for _, v := range pairs(n) {
			if part, ok := fieldOf(t, v.Key.GetToken().Value); ok {
				sound = f.durations(v.Value, part) && sound
			}
		}
	}
	return sound
}

// fieldOf is the type of what a key stands for.
func fieldOf(t reflect.Type, key string) (reflect.Type, bool) {
	for f := range t.Fields() {
		if f.Tag.Get("yaml") == key {
			return f.Type, true
		}
	}
	return nil, false
}

// keys are all keys of a type, those of its parts too.
func keys(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if tag := f.Tag.Get("yaml"); tag != "-" {
			names = append(append(names, tag), keys(f.Type)...)
		}
	}
	return names
}
