package report

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Visible is a text from outside, such as a name, as it may be shown: control
// characters and the marks that are not seen, such as those that turn the direction
// of what follows, are escaped as in Go: `\x1b`, `\u202e`. All else stays: letters
// that run from right to left, and the joiners that scripts and emoji are made with.
func Visible(s string) string {
	if strings.IndexFunc(s, unseen) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unseen(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unseen(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && r != nonJoiner && r != joiner
}

// ownStyle finds what the styles of this package write.
var ownStyle = regexp.MustCompile("\x1b\\[(?:|0|1|2|31)m")

// visibleLine is a line in the terminal's styles of which all else is Visible.
func visibleLine(line string) string {
	var b strings.Builder
	from := 0
	for _, at := range ownStyle.FindAllStringIndex(line, -1) {
		b.WriteString(Visible(line[from:at[0]]))
		b.WriteString(line[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(Visible(line[from:]))
	return b.String()
}
