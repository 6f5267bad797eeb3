package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// openName is a variable's name that may be shown even where a secret is
	// expected: someone may have put the key itself there.
	openName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,63}$`)
)

const maxFileBytes = 64 << 10

// expand replaces ${VAR} and ${file:PATH} by what they stand for, once: what
// comes out is not looked at again. $${ is ${. All that cannot be replaced is
// noted.
func (r *reader) expand(s *scalar, p pos, a at) (text string, refs, ok bool) {
	var b strings.Builder
	ok = true
	rest := s.raw
	for {
		before, after, found := strings.Cut(rest, "${")
		if !found {
			b.WriteString(rest)
			return b.String(), refs, ok
		}
		if literal, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(literal + "${")
			rest = after
			continue
		}
		b.WriteString(before)
		name, next, closed := strings.Cut(after, "}")
		here := r.find(p, "${"+name)
		if !closed {
			r.bad(here, a.path, "write ${NAME}, or $${ for the two characters themselves", "${ is never closed")
			return "", refs, false
		}
		got, good := r.lookUp(name, here, s, a)
		b.WriteString(got)
		refs, ok, rest = true, ok && good, next
	}
}

// find is the place of a text in the line of p, at or after p; else p.
func (r *reader) find(p pos, text string) pos {
	if p.line < 1 || p.line > len(r.lines) {
		return p
	}
	line := []rune(r.lines[p.line-1])
	from := min(p.col-1, len(line))
	before, _, found := strings.Cut(string(line[from:]), text)
	if !found {
		return p
	}
	return pos{p.line, from + 1 + utf8.RuneCountInString(before)}
}

// lookUp is what a reference stands for.
func (r *reader) lookUp(name string, p pos, s *scalar, a at) (string, bool) {
	if path, isFile := strings.CutPrefix(name, "file:"); isFile {
		return r.readFile(path, p, a)
	}
	shown := "${" + scrub(name) + "}"
	if s.secret && !openName.MatchString(name) {
		shown = "this variable"
	}
	if !variable.MatchString(name) {
		r.bad(p, a.path, "write ${NAME} or ${file:PATH}; there are no defaults and no expressions; $${ is the two characters themselves", "there is no variable's name in ${...}")
		return "", false
	}
	v, set := r.world.Env(name)
	switch {
	case !set:
		hint := "export " + name + "=..."
		if shown == "this variable" {
			hint = "put the name of a variable there, not the key itself"
		}
		r.add(UnsetVariable, p, a.path, shown+" is not set", hint)
	case v == "":
		r.add(UnsetVariable, p, a.path, shown+" is empty", "")
	}
	return v, v != ""
}

func (r *reader) readFile(path string, p pos, a at) (string, bool) {
	bad := func(what, hint string) (string, bool) {
		r.add(UnreadableFile, p, a.path, "the file "+quote(path)+" "+what, hint)
		return "", false
	}
	if path == "" {
		r.bad(p, a.path, "write ${file:PATH}", "${file:} names no file")
		return "", false
	}
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(filepath.Dir(r.name), path)
	}
	b, err := r.world.ReadFile(full)
	text := strings.TrimRight(string(b), "\r\n")
	var where *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return bad("does not exist", "a path that is not absolute begins at the folder of the config")
	case errors.As(err, &where):
		return bad("cannot be read: "+where.Err.Error(), "")
	case err != nil:
		return bad("cannot be read", "")
	case len(b) > maxFileBytes:
		return bad("is larger than 64 KiB", "is this the right file?")
	case !utf8.ValidString(text):
		return bad("is not UTF-8", "is this the right file?")
	case text == "":
		return bad("is empty", "")
	}
	return text, true
}
