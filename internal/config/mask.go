package config

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// span is a part of a line: characters from (from 0) up to, not including, to.
type span struct{ from, to int }

var (
	// secretName is a key whose value is a secret, whatever it is doing there.
	secretName = regexp.MustCompile(`(?i)key|token|secret|passw|signature|^sig$|auth|credential|cookie`)
	// plainName is a key that means to be one, and not a value that lost its
	// quote or dash.
	plainName = regexp.MustCompile(`^[^\s"'{}\[\]]*[\w<][^\s"'{}\[\]]*$`)
	// secretText is text that is a secret wherever it stands: the keys of
	// providers that mark theirs, long runs of letters and digits, and what a
	// URL must not hold.
	secretText = regexp.MustCompile(`(?i)\b(?:sk|wk|gsk|pk|rk|xai|hf|r8|fw|csk|tgp|pplx|ghp|gho|nvapi|github_pat|glpat|xox[a-z]|bearer)[-_ ][\w.~+/=-]{10,}|` +
		`\bAIza[\w-]{16,}|\bya29\.[\w-]+|\beyJ[\w.-]{16,}|\b[A-Za-z0-9]{32,}\b`)
	secretURL   = regexp.MustCompile(`([^\s"'{\[]*[:/][^\s"][^"]*|^\s*[^":]+)@`)
	secretQuery = regexp.MustCompile(`(?i)[?&][\w.-]*(?:key|token|secret|passw|sig|auth|credential)[\w.-]*=([^&\s"'#]+)`)
	// secretLine finds, in a file that cannot be parsed, what a key hides.
	secretLine = regexp.MustCompile(`(?i)(?:key|token|secret|passw|auth|credential|cookie|header|command|sha256|\bx-)[\w.-]*["']?\s*[:=]\s*(\S.*)$`)
	// bareLine is a line without a key, or with a quote before the key. In a file that cannot be parsed it may
	// be the rest of a secret.
	bareLine = regexp.MustCompile(`^[\s\[\]{},:-]*([^\s\[\]{},:-][^:]*)$|^[^:"']*(["'].*)$`)
	// variableName is the name of a variable, perhaps as a shell sets it.
	variableName = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+(=\.*)?$`)
	// reference is a value that only says where the secret is.
	reference = regexp.MustCompile(`^(?:(?:Bearer|Basic) )?(?:\$\{(?:[A-Z_][A-Z0-9_]{0,63}|file:[^{}]*)\})+$`)
)

// maskSecrets finds the values of secret keys. It works on tokens, not on the
// tree, so that it also does for files that cannot be parsed.
func maskSecrets(tokens token.Tokens, lines []string) map[int][]span {
	m := masker{tokens: tokens, lines: lines, spans: map[int][]span{}}
	level := 0
	for _, t := range tokens {
		closes := t.Type == token.MappingEndType || t.Type == token.SequenceEndType
		if closes {
			level = max(0, level-1)
		}
		m.level = append(m.level, level)
		if t.Type == token.MappingStartType || t.Type == token.SequenceStartType {
			level++
		}
	}
	for i := 0; i < len(tokens); i++ {
		switch {
		case m.isKey(i):
			i = max(i, m.value(i))
		case tokens[i].Type == token.CommentType && secretLine.MatchString(tokens[i].Value):
			m.mask(i)
		}
	}
	return m.spans
}

type masker struct {
	tokens token.Tokens
	level  []int // how many brackets are open around each token
	lines  []string
	spans  map[int][]span
}

func (m *masker) isKey(i int) bool {
	return i+1 < len(m.tokens) && m.tokens[i+1].Type == token.MappingValueType && m.tokens[i].Type != token.MappingValueType
}

// value masks what is under the key i, if the key says that it is a secret,
// and returns the last token of it.
func (m *masker) value(i int) int {
	name := strings.ToLower(m.tokens[i].Value)
	headers := strings.Contains(name, "header")
	switch {
	case headers, strings.Contains(name, "command"), name == "api_key", name == "sha256":
	case i+2 >= len(m.tokens), plainName.MatchString(name) && !secretName.MatchString(name):
		return i
	default: // a section with such a name has keys of its own, which are judged by themselves
		if m.tokens[i+2].Type == token.MappingStartType || m.isKey(i+2) {
			return i
		}
		if name == "keys" && m.isList(i+2) { // so has each of its items
			m.bareItems(i)
			return i
		}
	}
	j := i + 2
	for ; j < len(m.tokens) && !m.ends(i, j); j++ {
		if !headers || !m.isKey(j) {
			m.mask(j)
		}
		if m.isLiteral(j) {
			j++ // the text, whose position is not to be relied on
		}
	}
	return j - 1
}

func (m *masker) isList(i int) bool {
	t := m.tokens[i].Type
	return t == token.SequenceStartType || t == token.SequenceEntryType
}

// bareItems masks the items of the list under key i that are no mappings:
// someone may have put the keys themselves there.
func (m *masker) bareItems(i int) {
	first, bare := m.tokens[i+2], false
	for j := i + 2; j+1 < len(m.tokens) && !m.ends(i, j); j++ {
		t := m.tokens[j]
		begins := t.Type == token.SequenceEntryType && first.Type == t.Type && t.Position.Column == first.Position.Column ||
			t == first || t.Type == token.CollectEntryType && m.level[j] == m.level[i]+1
		switch {
		case begins:
			bare = !m.isKey(j+1) && m.tokens[j+1].Type != token.MappingStartType
		case bare:
			m.mask(j)
		}
		if m.isLiteral(j) {
			j++
		}
	}
	if last := len(m.tokens) - 1; bare && !m.ends(i, last) {
		m.mask(last)
	}
}

// ends tells whether token j is after the value of key i.
func (m *masker) ends(i, j int) bool {
	k, t := m.tokens[i].Position, m.tokens[j]
	if d := m.level[i]; d > 0 {
		return m.level[j] < d || m.level[j] == d && t.Type == token.CollectEntryType
	}
	if m.level[j] > 0 || t.Position.Line <= k.Line || t.Type == token.InvalidType {
		return false
	}
	return t.Position.Column < k.Column || t.Position.Column == k.Column && t.Type != token.SequenceEntryType
}

func (m *masker) isLiteral(i int) bool {
	t := m.tokens[i].Type
	return t == token.LiteralType || t == token.FoldedType
}

// mask hides a token, all that is no sign of the structure, up to where the
// next one begins.
func (m *masker) mask(i int) {
	t := m.tokens[i]
	switch t.Type {
	case token.MappingStartType, token.MappingEndType, token.SequenceStartType, token.SequenceEndType,
		token.SequenceEntryType, token.MappingValueType, token.CollectEntryType, token.AnchorType, token.AliasType:
		return
	}
	if !m.isLiteral(i) && (t.Type != token.InvalidType && t.Value == "" || reference.MatchString(t.Value)) {
		return
	}
	next := i + 1
	if m.isLiteral(i) {
		next++
	}
	from, to := position(t), pos{len(m.lines) + 1, 1}
	if next < len(m.tokens) {
		to = position(m.tokens[next])
	}
	for line := from.line; line <= min(to.line, len(m.lines)); line++ {
		text := []rune(m.lines[line-1])
		s := span{0, len(text)}
		if line == from.line {
			s.from = from.col - 1
		}
		if line == to.line {
			s.to = min(s.to, to.col-1)
		}
		for s.from < s.to && text[s.from] == ' ' {
			s.from++
		}
		for s.from < s.to && text[s.to-1] == ' ' {
			s.to--
		}
		if s.from < s.to {
			m.spans[line] = append(m.spans[line], s)
		}
	}
}

// scrub takes what looks like a secret out of a text.
func scrub(s string) string {
	var b strings.Builder
	end := 0
	for _, p := range secretParts(s) {
		if p.from >= end {
			b.WriteString(s[end:p.from] + hidden)
		}
		end = max(end, p.to)
	}
	return b.String() + s[end:]
}

// MaskKeys takes out of a text what looks like a provider's key, wherever it
// stands, and the values of queries that are called like one. Names of variables
// that begin like a key, XAI_API_KEY=..., stay.
func MaskKeys(s string) string {
	s = secretText.ReplaceAllStringFunc(s, func(m string) string {
		if variableName.MatchString(m) {
			return m
		}
		return hidden
	})
	return secretQuery.ReplaceAllStringFunc(s, func(m string) string { return m[:strings.IndexByte(m, '=')+1] + hidden })
}

// secretParts are the bytes of a text that look like secrets, in order.
func secretParts(s string) []span {
	var parts []span
	for _, m := range secretText.FindAllStringIndex(s, -1) {
		parts = append(parts, span{m[0], m[1]})
	}
	for _, re := range []*regexp.Regexp{secretURL, secretQuery} {
		for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
			if m[2] < m[3] && !reference.MatchString(s[m[2]:m[3]]) {
				parts = append(parts, span{m[2], m[3]})
			}
		}
	}
	slices.SortFunc(parts, func(a, b span) int { return a.from - b.from })
	return parts
}

// hiddenIn are the characters of a line that must not be shown, in order.
func (r *reader) hiddenIn(number int, line string) []span {
	if spans, known := r.hidden[number]; known {
		return spans
	}
	spans := slices.Clone(r.masks[number])
	parts := secretParts(line)
	if r.broken {
		for _, re := range []*regexp.Regexp{secretLine, bareLine} {
			for _, m := range re.FindAllStringSubmatchIndex(line, -1) {
				p := span{m[2], m[3]}
				if p.from < 0 {
					p = span{m[4], m[5]}
				}
				if !reference.MatchString(strings.Trim(line[p.from:p.to], `"' `)) {
					parts = append(parts, p)
				}
			}
		}
	}
	for _, p := range parts {
		from := utf8.RuneCountInString(line[:p.from])
		spans = append(spans, span{from, from + utf8.RuneCountInString(line[p.from:p.to])})
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	r.hidden[number] = spans
	return spans
}

// show returns a line as it may be seen, cut around the column, and where the
// column is in it.
func (r *reader) show(p pos) (line string, caret int) {
	if p.line < 1 || p.line > len(r.lines) {
		return "", 0
	}
	raw := []rune(strings.TrimRight(r.lines[p.line-1], " \t"))
	spans := r.hiddenIn(p.line, string(raw))
	var out []rune
	for i := 0; i < len(raw); {
		if i < p.col {
			caret = len(out)
		}
		end := i
		for len(spans) > 0 && spans[0].from <= i {
			end, spans = max(end, min(spans[0].to, len(raw))), spans[1:]
		}
		if end == i {
			out, i = append(out, printable(raw[i])), i+1
			continue
		}
		out, i = append(out, []rune(hidden)...), end
	}
	if p.col > len(raw) {
		caret = len(out)
	}
	return window(out, caret)
}

func printable(c rune) rune {
	switch {
	case c == '\t':
		return ' '
	case !unicode.IsPrint(c):
		return utf8.RuneError
	}
	return c
}

// window cuts a long line around the caret.
func window(line []rune, caret int) (string, int) {
	const width = 120
	if len(line) <= width {
		return string(line), caret
	}
	from := max(0, min(caret-width*2/3, len(line)-width))
	to := min(len(line), from+width)
	s := string(line[from:to])
	if to < len(line) {
		s += "..."
	}
	if from > 0 {
		return "..." + s, caret - from + 3
	}
	return s, caret
}
