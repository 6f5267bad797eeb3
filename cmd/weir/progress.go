package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
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

	program *tea.Program // nil where there is no terminal
	done    chan struct{}
}

type targetProgress struct {
	flying, ended, failed int
	ttft                  weir.Span
	speed                 weir.Opt[float64]
}

// linesEvery is how often progress is told where there is no terminal.
const linesEvery = 5 * time.Second

func newProgress(p *process, cfg *bench.Config) *progress {
	v := &progress{cfg: cfg, out: p.err, start: time.Now(), said: time.Now(), targets: make([]targetProgress, len(cfg.Targets)), done: make(chan struct{})}
	v.requests, _ = planned(cfg)
	f, ok := p.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		close(v.done)
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

// event is the bench's.
func (v *progress) event(e bench.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	t := &v.targets[e.Target]
	if e.Started {
		t.flying++
		return
	}
	t.flying--
	if s := e.Sample; !s.Warmup {
		t.ended++
		if s.Outcome != weir.OK {
			t.failed++
		}
		t.ttft, t.speed = s.TTFT, s.Speed
	}
	if v.program == nil && time.Since(v.said) >= linesEvery {
		v.said = time.Now()
		fmt.Fprintln(v.out, v.line())
	}
}

// close ends the view and waits for it.
func (v *progress) close() {
	if v.program != nil {
		v.program.Quit()
	}
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
	return line
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
		width = max(width, len(t.Name))
	}
	var b strings.Builder
	for i, t := range v.targets {
		fmt.Fprintf(&b, "%-*s  %s", width, v.cfg.Targets[i].Name, share(t.ended, v.requests))
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
