package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"weir.dev/weir/internal/report"
)

//go:embed templates
var files embed.FS

// page is what the template of the HTML report shows. All of its text may come
// from providers: the template escapes it.
type page struct {
	Title    string
	CSS      template.CSS
	CSSHash  string // of the one style sheet, for the Content-Security-Policy
	Facts    []string
	Alerts   []string
	Headline []phrase
	Lines    []string // below the headline
	Duels    []duelRow
	DuelAxis template.HTML
	DuelEnds [2]label
	Places   []placesOf
	Names    []label
	Figures  *figures
	Curves   []curves
	NoCurves string // why there are none
	Streams  []rowGroup
	NoStream string // why there is none
	Requests []rowGroup
	Price    *priceView
	Failures failuresView
	Notes    []note
	Sweep    *sweepView
	Settings []fact
	Measured []fact
	Terms    []term
}

// phrase is a part of a headline.
type phrase struct {
	Name bool
	Text string
}

// label is a target as it is named everywhere: with its colour.
type label struct {
	Text  string
	Class string
}

// fact is a setting, or what is known of the measuring.
type fact struct{ Name, Value string }

// note is a line about one target, or about others alike.
type note struct {
	Target label
	Others int
	Text   string
}

// Write writes a run as one page that works offline: no script, nothing fetched,
// all text escaped. streams are what Exemplars kept; nil leaves the gap timeline
// out and says so. Without s.Requests, which a saved summary leaves out, the
// distributions and the waterfall are left out too.
func Write(w io.Writer, s *report.Summary, streams []Streams) error {
	names, mine := labels(s), s.Measured()
	p := page{
		Title: "weir bench: " + short(s.Models()), Facts: pageFacts(s), Alerts: alerts(s), Names: names,
		Figures: figuresOf(s, names), Curves: curvesOf(s, mine, names), Streams: timelineOf(s, streams, names),
		Requests: waterfallsOf(mine, names), Price: priceOf(s, mine, names), Failures: failuresOf(s, names), Notes: notesOf(s, names),
		Settings: settingFacts(&s.Settings), Measured: measuredFacts(s), Terms: terms(s.Settings.Stream),
	}
	p.NoCurves, p.NoStream = missing(s, streams)
	p.verdict(s, names)
	return p.write(w)
}

// missing is why a page has no distributions or no streams, where it has none.
func missing(s *report.Summary, streams []Streams) (noCurves, noStream string) {
	noCurves = "Nothing was measured."
	if slices.ContainsFunc(s.Targets, func(t report.TargetSummary) bool { return t.Requests > 0 }) {
		noCurves = "The single requests are not in this summary. They are in traces.jsonl of a run that was saved."
	}
	switch {
	case !s.Settings.Stream:
		noStream = "No stream was asked for (--no-stream), so there are no gaps to show."
	case streams == nil:
		noStream = "The raw traces were not at hand."
	default:
		noStream = "No answer brought output."
	}
	return noCurves, noStream
}

// write fills the template. Nothing is written where that fails.
func (p *page) write(w io.Writer) error {
	css, err := files.ReadFile("templates/page.css")
	if err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	p.CSS = template.CSS(css)
	sum := sha256.Sum256(css)
	p.CSSHash = base64.StdEncoding.EncodeToString(sum[:])
	t, err := template.New("page.html").ParseFS(files, "templates/*.html")
	if err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	return nil
}

const (
	colours  = 6   // of targets; further ones differ in their strokes
	mostName = 80  // signs of a name
	mostText = 600 // of a text that came from outside
)

// labels are the targets' in order, each with the class that gives its looks.
func labels(s *report.Summary) []label {
	out := make([]label, len(s.Targets))
	for i := range s.Targets {
		out[i] = label{short(s.Targets[i].Name), fmt.Sprintf("c%d s%d", i%colours, i/colours%3)}
	}
	return out
}

// short is a name as far as a page has room for it.
func short(s string) string { return cut(s, mostName) }

// cut bounds a text from outside and shows what is no sign escaped: controls, and
// the marks that turn the direction of what follows.
func cut(s string, most int) string {
	s = report.Visible(strings.NewReplacer("\n", " ", "\t", " ").Replace(ansi.Strip(s)))
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// pageFacts are the line above the headline.
func pageFacts(s *report.Summary) []string {
	c := &s.Settings
	parts := []string{s.Models(), report.Count(len(s.Targets), "target"), c.Asked(), s.Paced(), ansi.Strip(s.Took())}
	parts = append(parts, c.Texts()...)
	for i := range parts {
		parts[i] = cut(parts[i], mostName)
	}
	return parts
}

// alerts are what a reader has to know before any figure.
func alerts(s *report.Summary) (lines []string) {
	switch {
	case s.Interrupted:
		lines = append(lines, "This run was interrupted: the figures are of the requests that ended before.")
	case s.Budget:
		lines = append(lines, "This run was stopped when its budget was reached: the figures are of the requests that were sent.")
	}
	if s.Client.Limited {
		lines = append(lines, "The measuring client was the limit: "+s.Client.Why+". The figures may say more of it than of the targets.")
	}
	return lines
}

// notesOf are what is odd about each target's answers; what is said of several
// alike is one note.
func notesOf(s *report.Summary, names []label) (notes []note) {
	at := map[string]int{}
	for i := range s.Targets {
		for _, line := range s.Remarks(&s.Targets[i]) {
			if k, said := at[line]; said {
				notes[k].Others++
				continue
			}
			at[line] = len(notes)
			notes = append(notes, noteOf(names[i], line))
		}
	}
	return notes
}

func noteOf(name label, line string) note { return note{Target: name, Text: cut(line, mostText)} }

// millisAxis names a latency on an axis.
func millisAxis(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 1000:
		return fmt.Sprintf("%.4g s", v/1000)
	}
	return fmt.Sprintf("%.4g ms", v)
}

func rateAxis(v float64) string { return fmt.Sprintf("%.4g", v) }
