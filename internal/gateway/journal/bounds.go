package journal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What one record may hold. A longer text is cut, a longer list loses its end:
// names and messages come from callers and targets, and the log holds thousands
// of records.
const (
	maxName    = 128 // bytes
	maxMessage = 512 // bytes
	maxList    = 64
)

// bound makes a record safe to keep and to print.
func (r *Record) bound() {
	r.Candidates, r.Skipped, r.Attempts = cut(r.Candidates), cut(r.Skipped), cut(r.Attempts)
	names(&r.ID, &r.Route, &r.Key, &r.Asked, (*string)(&r.Operation), (*string)(&r.Dialect), &r.Policy, (*string)(&r.Outcome), &r.ErrorType, &r.Refused, &r.Target)
	r.ErrorMessage = clean(r.ErrorMessage, maxMessage)
	for i := range r.Candidates {
		names(&r.Candidates[i].Target)
	}
	for i := range r.Skipped {
		names(&r.Skipped[i].Target, &r.Skipped[i].Why)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		names(&a.Target, &a.Model, (*string)(&a.Dialect), (*string)(&a.Why), (*string)(&a.Outcome), &a.ErrorType, (*string)(&a.Clock), &a.RequestID)
		a.ErrorMessage = clean(a.ErrorMessage, maxMessage)
	}
	if s := r.Rescue; s != nil {
		names(&s.How, &s.From, &s.To)
	}
}

func cut[T any](list []T) []T {
	if len(list) > maxList {
		return list[:maxList:maxList]
	}
	if list == nil {
		return []T{}
	}
	return list
}

func names(fields ...*string) {
	for _, f := range fields {
		*f = clean(*f, maxName)
	}
}

// clean is a text of at most so many bytes that does nothing to a terminal or
// a reader of lines: JSON escapes the control characters below the space, and
// what else moves a cursor or turns the direction of text is replaced.
func clean(s string, most int) string {
	s = shorten(s, most)
	if plain(s) {
		return s
	}
	return shorten(strings.Map(func(c rune) rune {
		if c >= 0x7f && unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return utf8.RuneError
		}
		return c
	}, s), most)
}

// shorten cuts between two characters.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// plain spares nearly every text the search.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x7f {
			return false
		}
	}
	return true
}
