package config

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The library's parser takes time quadratic in the depth of a file and in the
// length of a mapping. These bounds keep any file under about a second; a
// config of 1500 targets has some 40,000 tokens and a depth of 6.
const (
	maxBytes  = 1 << 20
	maxTokens = 50_000
	maxDepth  = 32
)

// document parses the file, or notes why it cannot be.
func (r *reader) document(src []byte) ast.Node {
	text, ok := r.text(src)
	if !ok {
		return nil
	}
	r.lines = strings.Split(text, "\n")
	tokens := r.tokens(text)
	r.masks = maskSecrets(tokens, r.lines)
	if !r.clean() || !r.shallow(tokens) {
		r.broken = true
		return nil
	}
	f, ok := r.parse(tokens)
	if !ok {
		r.broken = true
		return nil
	}
	return r.single(f)
}

// text is the file as it is read: UTF-8 without a byte order mark, lines that
// end in a line feed.
func (r *reader) text(src []byte) (string, bool) {
	syntax := func(p pos, msg, hint string) (string, bool) {
		r.add(BadSyntax, p, "", msg, hint)
		return "", false
	}
	if len(src) > maxBytes {
		return syntax(pos{}, "the file is larger than 1 MiB", "a config is a few pages long; is this the right file?")
	}
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return syntax(pos{}, "the file is UTF-16", "save it as UTF-8")
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	text := strings.ReplaceAll(string(src), "\r\n", "\n")
	if !utf8.ValidString(text) {
		valid := strings.ToValidUTF8(text, "\ufffd")
		r.lines, r.broken = strings.Split(valid, "\n"), true
		r.masks = maskSecrets(r.tokens(valid), r.lines)
		for i, line := range strings.Split(text, "\n") {
			if !utf8.ValidString(line) {
				return syntax(pos{i + 1, invalidAt(line)}, "this is not UTF-8", "save the file as UTF-8")
			}
		}
	}
	return text, true
}

// invalidAt is the column of the first byte that is not UTF-8.
func invalidAt(line string) int {
	col := 1
	for line != "" {
		c, size := utf8.DecodeRuneInString(line)
		if c == utf8.RuneError && size <= 1 {
			break
		}
		line, col = line[size:], col+1
	}
	return col
}

// clean notes what YAML does not allow and what its parsers explain badly: all
// of them, since they are found without parsing.
func (r *reader) clean() bool {
	before := len(r.found)
	for i, line := range r.lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 && indent != line {
			r.add(BadSyntax, pos{i + 1, tab + 1}, "", "a tab in the indentation", "YAML indents with spaces")
		}
		col := 0
		for _, c := range line {
			col++
			if c < ' ' && c != '\t' || c >= 0x7f && c < 0xa0 || c == '\ufeff' {
				r.add(BadSyntax, pos{i + 1, col}, "", "a control character", "delete it")
				break
			}
		}
	}
	return len(r.found) == before
}

// tokens splits the text. The library has panicked on broken input before;
// a file of which it says nothing is then refused by parse.
func (r *reader) tokens(text string) (tokens token.Tokens) {
	defer func() {
		if recover() != nil {
			r.add(BadSyntax, pos{}, "", "the YAML parser cannot read this file", "")
		}
	}()
	return lexer.Tokenize(text)
}

// shallow holds the file to the bounds above.
func (r *reader) shallow(tokens token.Tokens) bool {
	depth, run := 0, 0
	for i, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		}
		run++ // of list entries and the like that open one another on a line: - - - x
		if i == 0 || tokens[i-1].Position.Line != t.Position.Line || !opens(t.Type) {
			run = 0
		}
		if depth > maxDepth || run > maxDepth {
			r.add(BadSyntax, position(t), "", "this is nested too deep", "a config is at most 6 deep")
			return false
		}
		if i >= maxTokens {
			r.add(BadSyntax, position(t), "", "the file holds too much", "a config may hold 50,000 words and signs; is this the right file?")
			return false
		}
	}
	return len(r.found) == 0
}

func opens(t token.Type) bool {
	switch t {
	case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
		return true
	}
	return false
}

func (r *reader) parse(tokens token.Tokens) (f *ast.File, ok bool) {
	defer func() {
		if recover() != nil {
			r.add(BadSyntax, pos{}, "", "the YAML parser cannot read this file", "")
			f, ok = nil, false
		}
	}()
	f, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return nil, false
	}
	return f, true
}

// syntax notes what the parser said. Its words may quote the file, so they are
// cut before the quote.
func (r *reader) syntax(err error) {
	var e interface {
		error
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(err, &e) || e.GetToken() == nil || e.GetToken().Position == nil {
		r.add(BadSyntax, pos{}, "", "this is no YAML", "")
		return
	}
	t, msg := e.GetToken(), e.GetMessage()
	msg, _, _ = strings.Cut(msg, `"`)
	msg, _, _ = strings.Cut(msg, ": ")
	hint := ""
	switch {
	case t.Type == token.MappingStartType && t.Prev != nil && strings.HasSuffix(t.Prev.Value, "$"):
		t, msg, hint = t.Prev, "${...} inside braces or brackets needs quotes", `write "${VAR}"`
	case strings.HasPrefix(msg, "mapping value is not allowed"):
		if t.Next != nil && t.Next.Type == token.MappingValueType {
			t = t.Next
		}
		msg, hint = "there is no place for a key here", "look at the indentation; a value that holds a colon and a blank needs quotes"
	case strings.HasPrefix(msg, "could not find end character"):
		msg, hint = "this quote is never closed", ""
	case strings.HasSuffix(msg, "reserved character"):
		hint = "a value that begins with it needs quotes"
	}
	r.add(BadSyntax, position(t), "", "this is no YAML: "+strings.TrimSpace(msg), hint)
}

// single is the content of the one document that a file may hold.
func (r *reader) single(f *ast.File) ast.Node {
	var body ast.Node
	for _, d := range f.Docs {
		switch n := d.Body.(type) {
		case nil, *ast.CommentGroupNode:
		case *ast.DirectiveNode:
			r.bad(start(n), "", "delete it", "YAML directives are not supported")
			return nil
		default:
			if body != nil {
				r.bad(start(n), "", "a config is one document: delete the --- and what is after it, or make it a second file", "a second document begins here")
				return nil
			}
			body = n
		}
	}
	if body == nil {
		r.bad(pos{}, "", "begin with providers: and models:", "the file is empty")
	}
	return body
}

// position is where a token begins. The parser leaves some without one.
func position(t *token.Token) pos {
	if t == nil || t.Position == nil {
		return pos{}
	}
	return pos{t.Position.Line, max(1, t.Position.Column)}
}
