//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weir.dev/weir/internal/stored"

	"weir.dev/weir"
	"weir.dev/weir/test/server"
)

// measurement holds what all runs share.
type measurement struct {
	tools     []*tool
	tokenizer tokenizer
	out       string    // folder
	front     []string  // what stands before the commands where weir sim is measured
	say       io.Writer // the report, in Markdown
}

func (m *measurement) versions() {
	for _, t := range m.tools {
		if t.why != "" {
			fmt.Fprintf(m.say, "- %s: NOT measured: %s\n", t.name, t.why)
			continue
		}
		fmt.Fprintf(m.say, "- %s %s\n", t.name, t.version)
	}
	fmt.Fprintln(m.say)
}

// stream measures a model of weir sim.
func (m *measurement) stream(ctx context.Context, binary string, s stream) error {
	log, err := m.log("sim-" + s.model)
	if err != nil {
		return err
	}
	defer log.Close()
	sim, err := server.Sim(ctx, append(slices.Clone(m.front), binary), log, s.model+"="+s.plan)
	if err != nil {
		return withLog(err, log)
	}
	defer sim.Stop()
	fmt.Fprintf(m.say, "### %s: %s\n\n`weir sim --model '%s=%s'`\n\n", s.model, s.what, s.model, s.plan)
	for _, l := range []load{{1, 10, 256, 128}, {8, 40, 256, 128}} {
		truth, err := s.truth(l)
		if err != nil {
			return err
		}
		t := target{url: sim.URL, model: s.model, front: m.front}
		if err := m.table(ctx, t, l, row{name: "the plan's truth", figures: truth}); err != nil {
			return err
		}
	}
	return nil
}

// provider measures a provider of weir sim: an engine made of physics, behind a
// network of 64 ms. What its engine says of itself has no network in it.
func (m *measurement) provider(ctx context.Context, binary string) error {
	const name, model = "cascade", "llama-3.3-70b"
	log, err := m.log("sim-" + name)
	if err != nil {
		return err
	}
	defer log.Close()
	sim, err := server.Providers(ctx, append(slices.Clone(m.front), binary), log, name)
	if err != nil {
		return withLog(err, log)
	}
	defer sim.Stop()
	fmt.Fprintf(m.say, "### %s: a simulated engine, Llama-3.3-70B on two H200, 64 ms away\n\n`weir sim --provider %s`\n\n", name, name)
	counts := vllmCounters(name, model)
	for _, l := range []load{{1, 10, 256, 128}, {8, 40, 256, 128}} {
		t := target{url: sim.URL + "/" + name, model: model, front: m.front, metrics: sim.URL, counts: &counts}
		if err := m.table(ctx, t, l); err != nil {
			return err
		}
	}
	return nil
}

// engine measures the real engine, where there is one.
func (m *measurement) engine(ctx context.Context, env string) error {
	fmt.Fprint(m.say, "### engine: llama.cpp with gemma-3-270m on this machine's CPU\n\n")
	if env == "" {
		fmt.Fprint(m.say, "NOT measured: it could not be installed here (test/real/install.sh).\n\n")
		return nil
	}
	log, err := m.log("engine")
	if err != nil {
		return err
	}
	defer log.Close()
	engine, model, err := server.Engine(ctx, env, log, "--metrics")
	if err != nil {
		return withLog(err, log)
	}
	defer engine.Stop()
	for _, l := range []load{{1, 6, 256, 64}, {4, 12, 256, 64}} {
		if err := m.table(ctx, target{url: engine.URL, model: model, metrics: engine.URL, counts: &llamaCounters}, l); err != nil {
			return err
		}
	}
	return nil
}

// target is what is asked.
type target struct {
	url, model string
	metrics    string    // where it counts itself; "": it does not
	counts     *counters // under which names
	front      []string
}

// table lets every tool put the load on the target, one after the other, and
// writes what they say below the rows that are there. Below each tool's row is
// that of our own run under its definitions.
func (m *measurement) table(ctx context.Context, to target, l load, rows ...row) error {
	before := loadAverage()
	var ours []*weir.Trace
	var failed []string
	for _, t := range m.tools {
		if t.why != "" {
			continue
		}
		folder := m.folder(t, to, l)
		got, err := m.one(ctx, t, to, l, folder)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s has no figures here: %v.", t.name, err))
			continue
		}
		rows = append(rows, got...)
		switch {
		case t.imported != "":
			rows = append(rows, row{name: "· weir bench as that defines it", figures: t.words.defined(t.as, ours)})
		default:
			if ours, err = stored.Traces(folder, ""); err != nil {
				return err
			}
		}
	}
	title := fmt.Sprintf("%s, concurrency %d: %d requests, %d in, %d out", to.model, l.concurrency, l.requests, l.in, l.out)
	writeTable(m.say, title, rows)
	for _, f := range failed {
		fmt.Fprintf(m.say, "%s\n\n", f)
	}
	fmt.Fprintf(m.say, "Load average before %s, after %s.\n\n", before, loadAverage())
	return nil
}

func (m *measurement) folder(t *tool, to target, l load) string {
	return filepath.Join(m.out, fmt.Sprintf("%s-%d", to.model, l.concurrency), strings.ToLower(t.key))
}

// one is one tool's row, and below it what the target counted meanwhile.
func (m *measurement) one(ctx context.Context, t *tool, to target, l load, folder string) ([]row, error) {
	var before totals
	var err error
	if to.counts != nil {
		if before, err = to.counts.read(ctx, to.metrics); err != nil {
			return nil, err
		}
	}
	j := job{load: l, warmup: l.concurrency, url: to.url, model: to.model, tokenizer: m.tokenizer, longest: 5 * time.Minute, directory: folder, front: to.front}
	got, err := t.run(ctx, j)
	rows := []row{{name: t.name, figures: got}}
	if err != nil || to.counts == nil {
		return rows, err
	}
	after, err := to.counts.read(ctx, to.metrics)
	if err != nil {
		return rows, err
	}
	return append(rows, row{name: "· the engine of these", figures: after.since(before, l.requests+j.warmup)}), nil
}

func (m *measurement) log(name string) (*os.File, error) {
	if err := os.MkdirAll(m.out, 0o755); err != nil {
		return nil, err
	}
	return os.Create(filepath.Join(m.out, name+".log"))
}

// withLog adds the last line of a server's log.
func withLog(err error, log *os.File) error {
	return errors.Join(err, errors.New(lastLine(log.Name())))
}
