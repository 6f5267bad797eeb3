package main

import (
	"fmt"
	"strconv"
	"strings"
)

// literal reads the JavaScript array that a script begins with: "const E = [".
// It knows literals only (objects, arrays, strings, numbers, !0, null), so that
// no code of the package is ever run. Objects become map[string]any, numbers
// float64.
func literal(script string) (list []any, err error) {
	head, _, found := strings.Cut(script, "[")
	if !found || !strings.HasPrefix(head, "const ") || !strings.HasSuffix(head, " = ") {
		return nil, fmt.Errorf("dist/index.js does not begin with the list of providers (const X = [) but with %.40q", script)
	}
	l := &lexer{text: script, pos: len(head)}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case syntaxError:
			err = fmt.Errorf("dist/index.js, line %d: %s", 1+strings.Count(l.text[:l.pos], "\n"), string(p))
		default:
			panic(p)
		}
	}()
	return l.array(), nil
}

type lexer struct {
	text string
	pos  int
}

type syntaxError string

func (l *lexer) fail(format string, args ...any) {
	panic(syntaxError(fmt.Sprintf(format, args...)))
}

// peek skips white space and tells the next byte, 0 at the end.
func (l *lexer) peek() byte {
	for l.pos < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.pos]) >= 0 {
		l.pos++
	}
	if l.pos == len(l.text) {
		return 0
	}
	return l.text[l.pos]
}

func (l *lexer) take(c byte) bool {
	if l.peek() != c {
		return false
	}
	l.pos++
	return true
}

func (l *lexer) want(c byte) {
	if !l.take(c) {
		l.fail("want %q, found %.20q", c, l.text[l.pos:])
	}
}

func (l *lexer) value() any {
	switch c := l.peek(); c {
	case '{':
		return l.object()
	case '[':
		return l.array()
	case '"', '\'', '`':
		return l.str()
	}
	w := l.word()
	switch w {
	case "!0", "true":
		return true
	case "!1", "false":
		return false
	case "null":
		return nil
	}
	f, err := strconv.ParseFloat(w, 64)
	if err != nil {
		l.fail("want a value, found %.20q", l.text[l.pos-len(w):])
	}
	return f
}

func (l *lexer) array() []any {
	list := []any{}
	for l.want('['); !l.take(']'); {
		list = append(list, l.value())
		if !l.take(',') {
			l.want(']')
			break
		}
	}
	return list
}

func (l *lexer) object() map[string]any {
	fields := map[string]any{}
	for l.want('{'); !l.take('}'); {
		var key string
		if c := l.peek(); c == '"' || c == '\'' {
			key = l.str()
		} else {
			key = l.word()
		}
		l.want(':')
		fields[key] = l.value()
		if !l.take(',') {
			l.want('}')
			break
		}
	}
	return fields
}

// word is a name or a number.
func (l *lexer) word() string {
	l.peek()
	start := l.pos
	for l.pos < len(l.text) && strings.IndexByte(" \t\r\n,:;[]{}()\"'`", l.text[l.pos]) < 0 {
		l.pos++
	}
	if start == l.pos {
		l.fail("want a name or a number, found %.20q", l.text[start:])
	}
	return l.text[start:l.pos]
}

func (l *lexer) str() string {
	quote := l.text[l.pos]
	l.pos++
	var b strings.Builder
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		l.pos++
		switch {
		case c == quote:
			return b.String()
		case c == '\\':
			l.escape(&b)
		case c == '\n' && quote != '`':
			l.fail("a string does not end on its line")
		case c == '$' && quote == '`' && strings.HasPrefix(l.text[l.pos:], "{"):
			l.fail("a string with code in it")
		default:
			b.WriteByte(c)
		}
	}
	l.fail("a string does not end")
	return ""
}

func (l *lexer) escape(b *strings.Builder) {
	if l.pos == len(l.text) {
		l.fail("a string does not end")
	}
	c := l.text[l.pos]
	l.pos++
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case '\\', '"', '\'', '`', '/', '$':
		b.WriteByte(c)
	case 'u', 'x':
		n := 4
		if c == 'x' {
			n = 2
		}
		r, err := strconv.ParseUint(l.text[l.pos:min(l.pos+n, len(l.text))], 16, 16)
		if err != nil || r >= 0xD800 && r < 0xE000 {
			l.fail(`\%c is followed by no character's number`, c)
		}
		l.pos += n
		b.WriteRune(rune(r))
	default:
		l.fail(`\%c in a string is not known`, c)
	}
}
