package reconcile

import (
	"fmt"
	"io"
	"math"
	"strings"

	"charm.land/lipgloss/v2"

	"weir.dev/weir"
)

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
)

// Terminal writes one trace as people read it: each figure, and under it what
// the difference is made of.
func (f Figures) Terminal(w io.Writer) error {
	g := grid{head: []string{"", "theirs", "ours", "difference"}}
	for _, fig := range f.Figures {
		g.add(fig, fig.Name)
	}
	return g.write(w, title(f.Tool), f.Assumed)
}

// Terminal writes a run as people read it.
func (r Run) Terminal(w io.Writer) error {
	g := grid{head: []string{"", "theirs", "ours", "difference", "n"}}
	for _, row := range r.Rows {
		n := fmt.Sprint(row.N)
		if row.N != row.OurN {
			n = fmt.Sprintf("%d, ours %d", row.N, row.OurN)
		}
		g.add(row.Figure, row.Name+" "+string(row.Stat), n)
	}
	return g.write(w, title(r.Tool), r.Assumed)
}

// grid is a table whose rows may have lines of their own under them.
type grid struct {
	head  []string
	rows  [][]string
	under [][]string // by row
}

func (g *grid) add(f Figure, name string, more ...string) {
	g.rows = append(g.rows, append([]string{name, show(f.Theirs, f.Unit, false), show(f.OurValue, f.Unit, false), show(f.Difference, f.Unit, true)}, more...))
	var lines []string
	for _, c := range f.Causes {
		if math.Abs(c.Effect.In(f.Unit)) < 0.0005 { // it would show as 0
			continue
		}
		lines = append(lines, fmt.Sprintf("%s  %s", show(weir.Some(c.Effect), f.Unit, true), c.Name))
	}
	if f.Why != "" {
		lines = append(lines, f.Why)
	}
	g.under = append(g.under, lines)
}

func title(tool Tool) string {
	return bold.Render("as "+string(tool)) + " " + faint.Render("("+tool.About()+")")
}

func (g *grid) write(w io.Writer, title string, assumed []string) error {
	var b strings.Builder
	b.WriteString(title + "\n")
	width := make([]int, len(g.head))
	for _, r := range append([][]string{g.head}, g.rows...) {
		for i, cell := range r {
			width[i] = max(width[i], lipgloss.Width(cell))
		}
	}
	g.line(&b, g.head, width, faint.Render)
	for i, r := range g.rows {
		g.line(&b, r, width, bold.Render)
		for _, under := range g.under[i] {
			b.WriteString(faint.Render("    "+under) + "\n")
		}
	}
	for _, a := range assumed {
		b.WriteString("assumed: " + a + "\n")
	}
	_, err := lipgloss.Fprint(w, b.String())
	return err
}

// line writes the cells, names to the left and values to the right.
func (g *grid) line(b *strings.Builder, cells []string, width []int, name func(...string) string) {
	for i, cell := range cells {
		pad := strings.Repeat(" ", width[i]-lipgloss.Width(cell))
		if i == 0 {
			b.WriteString(name(cell) + pad)
			continue
		}
		b.WriteString("  " + pad + cell)
	}
	b.WriteString("\n")
}

// show gives three digits after the point: microseconds are what stamps hold.
func show(a weir.Opt[Amount], u Unit, signed bool) string {
	v, ok := a.Get()
	switch {
	case !ok:
		return "n/a"
	case signed:
		return fmt.Sprintf("%+.3f %s", v.In(u), u)
	}
	return fmt.Sprintf("%.3f %s", v.In(u), u)
}

// Terminal writes a comparison as people read it.
func (c *Comparison) Terminal(w io.Writer) error {
	g := grid{head: []string{"", "their run", "our run, their way", "difference", "n", "our run, our way"}}
	for _, r := range c.Rows {
		own := show(r.Own, r.Unit, false)
		if r.Same {
			own = "the same"
		}
		g.rows = append(g.rows, []string{
			r.Figure + " " + string(r.Stat), show(weir.Some(r.Theirs), r.Unit, false), show(weir.Some(r.OurRun), r.Unit, false),
			show(weir.Some(r.Theirs-r.OurRun), r.Unit, true), fmt.Sprintf("%d, ours %d", r.N, r.OurN), own,
		})
		g.under = append(g.under, nil)
	}
	head := bold.Render("of a version that their file does not say")
	if c.Tool != "" {
		head = title(c.Tool)
	}
	if err := g.write(w, head, c.Assumed); err != nil {
		return err
	}
	var b strings.Builder
	for _, a := range c.Apart {
		fmt.Fprintf(&b, "not compared: %s: %s\n", a.Figure, a.Why)
	}
	for _, u := range c.Unlike {
		fmt.Fprintf(&b, "the runs differ in %s: theirs %s, ours %s\n", u.What, u.Theirs, u.Ours)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "their file: %s\n", n)
	}
	_, err := lipgloss.Fprint(w, b.String())
	return err
}
