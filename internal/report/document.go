package report

import (
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// A Document is what can be shown in every form: a run, a sweep or several
// runs beside each other.
type Document interface {
	text() text
	// runs are the runs in it, and the names of what tells them apart.
	runs() (labels []string, runs []labelled)
}

var _, _, _ Document = (*Summary)(nil), (*Sweep)(nil), (*Comparison)(nil)

// labelled is a run of a document with what tells it from the others.
type labelled struct {
	labels []string
	*Summary
}

func (s *Summary) runs() ([]string, []labelled) { return nil, []labelled{{nil, s}} }

// text is a document as people read it: lines and tables, one below the other.
type text []passage

// passage is either.
type passage struct {
	line string
	rows [][]string // the first are the heads
}

// lines adds those that are not empty.
func (p *text) lines(lines ...string) {
	for _, l := range lines {
		if l != "" {
			*p = append(*p, passage{line: l})
		}
	}
}

func (p *text) table(rows [][]string) { *p = append(*p, passage{rows: rows}) }

// Terminal writes a document as people read it. The writer decides whether
// styles survive: lipgloss.Fprint drops them where it is no terminal.
func Terminal(w io.Writer, d Document) error {
	var b strings.Builder
	for _, p := range d.text() {
		if p.rows != nil {
			b.WriteString(align(p.rows))
		} else {
			b.WriteString(visibleLine(p.line) + "\n")
		}
	}
	_, err := lipgloss.Fprint(w, b.String())
	return err
}

// Markdown writes the same as GitHub's Markdown: the headline as a paragraph,
// tables, and the sentences below each as a list.
func Markdown(w io.Writer, d Document) error {
	var b strings.Builder
	for i, p := range d.text() {
		switch {
		case p.rows != nil:
			b.WriteString("\n")
			markdownTable(&b, p.rows)
			b.WriteString("\n")
		case i == 0:
			b.WriteString(markdown(p.line) + "\n")
		default:
			b.WriteString("- " + markdown(p.line) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownTable(b *strings.Builder, rows [][]string) {
	for n, r := range rows {
		for i, cell := range r {
			if b.WriteString("| "); cell != "" {
				b.WriteString(markdown(cell) + " ")
			}
			if i == len(r)-1 {
				b.WriteString("|\n")
			}
		}
		if n == 0 {
			b.WriteString("|---|" + strings.Repeat("---:|", len(r)-1) + "\n")
		}
	}
}

// markdownEscapes are the signs that would be taken for form. An underscore
// within a name is none.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "](", `]\(`, "~", `\~`,
)

// markdown is a line without styles, on one line, that shows what it says.
func markdown(line string) string {
	return markdownEscapes.Replace(Visible(strings.Join(strings.Fields(ansi.Strip(line)), " ")))
}
