package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/report"
)

// progress shows how a bench goes, on standard error: a live view on a
// terminal, a line every few seconds where there is none.
type progress struct {
	cfg *bench.Config
	out io.Writer

	mu       sync.Mutex
	part     string // of a sweep, in words; else empty
	start    time.Time
	targets  []targetProgress
	requests int // planned for each target; 0: unknown
	said     time.Time

	program *tea.Program  // nil where there is no terminal
	over    chan struct{} // closed by close
	done    chan struct{} // closed when the view has ended
}

type targetProgress struct {
	flying, ended, failed int
	refused               int       // for a quota
	waiting               int       // of those under way, the refused ones
	held                  time.Time // until then, as far as it was said, the target is not asked again
	ttft                  weir.Span
	speed                 weir.Opt[float64]
}

// linesEvery is how often progress is told where there is no terminal.
const linesEvery = 5 * time.Second

func newProgress(p *process, cfg *bench.Config) *progress {
	v := &progress{cfg: cfg, out: p.err, start: time.Now(), said: time.Now(), targets: make([]targetProgress, len(cfg.Targets)), over: make(chan struct{}), done: make(chan struct{})}
	v.requests, _ = planned(cfg)
	f, ok := p.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		go v.tellLines()
		return v
	}
	v.program = tea.NewProgram(liveView{v}, tea.WithOutput(f), tea.WithInput(nil), tea.WithoutSignalHandler(), tea.WithFPS(10))
	go func() {
		defer close(v.done)
		if _, err := v.program.Run(); err != nil {
			fmt.Fprintln(f, "weir: live view:", err)
		}
	}()
	return v
}

// begin starts from zero, for a part of a sweep.
func (v *progress) begin(part string, run *bench.Config) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.part, v.start, v.said = part, time.Now(), time.Now()
	clear(v.targets)
	v.requests, _ = planned(run)
	if v.program == nil {
		fmt.Fprintln(v.out, part)
	}
}

// tellLines says how far it is where nothing that happens does.
func (v *progress) tellLines() {
	defer close(v.done)
	look := time.NewTicker(linesEvery / 5)
	defer look.Stop()
	for {
		select {
		case <-v.over:
			return
		case <-look.C:
			v.mu.Lock()
			v.tellLine()
			v.mu.Unlock()
		}
	}
}

// tellLine says how far it is, unless that was said just now. The lock is held.
func (v *progress) tellLine() {
	if v.program == nil && time.Since(v.said) >= linesEvery {
		v.said = time.Now()
		fmt.Fprintln(v.out, v.line())
	}
}

// event is the bench's. A refusal after which the request is sent again is none
// of its ends.
func (v *progress) event(e bench.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	t := &v.targets[e.Target]
	switch {
	case e.Started:
		t.flying++
		return
	case e.Refused:
		t.refused++
		t.waiting++
		t.held = time.Now().Add(e.Wait.Or(0).Duration())
		v.tellLine()
		return
	}
	t.flying--
	s := e.Sample
	if s.Outcome == weir.RateLimited {
		t.waiting--
	}
	if !s.Warmup && !slices.Contains(s.Warnings, bench.WarnRetried) {
		t.ended++
		if s.Outcome != weir.OK {
			t.failed++
		}
		t.ttft, t.speed = s.TTFT, s.Speed
	}
	v.tellLine()
}

// close ends the view and waits for it.
func (v *progress) close() {
	if v.program != nil {
		v.program.Quit()
	}
	close(v.over)
	<-v.done
}

func (v *progress) line() string {
	ended, failed := 0, 0
	for _, t := range v.targets {
		ended += t.ended
		failed += t.failed
	}
	of := ""
	if v.requests > 0 {
		of = fmt.Sprintf(" of %d", v.requests*len(v.targets))
	}
	line := fmt.Sprintf("%d%s requests after %.0f s", ended, of, time.Since(v.start).Seconds())
	if v.part != "" {
		line = v.part + ": " + line
	}
	if failed > 0 {
		line += fmt.Sprintf(", %d failed", failed)
	}
	return line + v.held()
}

// held is what refusals for a quota do to the run.
func (v *progress) held() string {
	refused, flying, wait := 0, 0, time.Duration(0)
	for _, t := range v.targets {
		refused += t.refused
		flying += t.flying - t.waiting
		wait = max(wait, time.Until(t.held))
	}
	switch {
	case refused == 0:
		return ""
	case flying == 0 && wait > 0:
		return fmt.Sprintf(", refused %d times for a quota: waiting for %.0f s more", refused, math.Ceil(wait.Seconds()))
	case flying == 0:
		return fmt.Sprintf(", refused %d times for a quota: waiting", refused)
	}
	return fmt.Sprintf(", refused %d times for a quota", refused)
}

// liveView is what bubbletea draws.
type liveView struct{ *progress }

type tickMsg struct{}

func tick() tea.Cmd {
	return tea.Tick(200*time.Millisecond, func(time.Time) tea.Msg { return tickMsg{} })
}

// Init implements tea.Model.
func (v liveView) Init() tea.Cmd { return tick() }

// Update implements tea.Model.
func (v liveView) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := m.(tickMsg); ok {
		return v, tick()
	}
	return v, nil
}

// View implements tea.Model.
func (v liveView) View() tea.View {
	v.mu.Lock()
	defer v.mu.Unlock()
	width := 0
	for _, t := range v.cfg.Targets {
		width = max(width, len(report.Visible(t.Name)))
	}
	var b strings.Builder
	for i, t := range v.targets {
		fmt.Fprintf(&b, "%-*s  %s", width, report.Visible(v.cfg.Targets[i].Name), share(t.ended, v.requests))
		if d, ok := t.ttft.Get(); ok {
			fmt.Fprintf(&b, "  last ttft %.0f ms", d.MS())
		}
		if s, ok := t.speed.Get(); ok {
			fmt.Fprintf(&b, "  %.0f tok/s", s)
		}
		if t.failed > 0 {
			fmt.Fprintf(&b, "  %d failed", t.failed)
		}
		fmt.Fprintf(&b, "  %d under way\n", t.flying)
	}
	b.WriteString(v.line() + " · Ctrl-C stops and reports\n")
	return tea.NewView(b.String())
}

// share is how much is done; of is 0 where nobody knows how much there is.
func share(done, of int) string {
	if of == 0 {
		return fmt.Sprintf("%d done", done)
	}
	return fmt.Sprintf("%s  %d/%d", bar(done, of), done, of)
}

func bar(done, of int) string {
	const width = 20
	full := min(width, done*width/max(of, 1))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
