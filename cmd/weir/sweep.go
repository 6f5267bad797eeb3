package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/page"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stored"
)

// sweepFlags say at which loads the work is done.
type sweepFlags struct {
	Sweep *string `help:"The same work at several loads, one after the other: concurrency=1,2,4,8 or rate=1,2,5. --requests and --duration are for each point; without them a point has 20 requests, or 4 for each slot where that is more." placeholder:"POINTS"`
}

// sweep is what --sweep asks for. A nil one is a single run.
type sweep struct {
	over   string // report.OverConcurrency or report.OverRate
	values []float64
	points []bench.Point
}

const (
	maxPoints      = 100
	fewestRequests = 20 // of a point, where no flag says how many
	fewestPerSlot  = 4  // so that there is a steady window between the first round and the last
)

// points reads --sweep, and gives the load what the sweep leads.
func (f *sweepFlags) points(load *loadFlags) (*sweep, error) {
	if f.Sweep == nil {
		return nil, nil
	}
	s, err := parseSweep(*f.Sweep)
	if err != nil {
		return nil, err
	}
	if s.over == report.OverRate {
		err = s.leadRate(load)
	} else {
		err = s.leadSlots(load)
	}
	return s, err
}

func parseSweep(text string) (*sweep, error) {
	over, list, ok := strings.Cut(text, "=")
	s := &sweep{over: strings.TrimSpace(over)}
	switch {
	case !ok:
		return nil, usage("--sweep %q: it is concurrency=1,2,4,8 or rate=1,2,5", text)
	case s.over != report.OverConcurrency && s.over != report.OverRate:
		return nil, usage("--sweep over %q: it goes over concurrency or rate, such as concurrency=1,2,4,8", s.over)
	case strings.TrimSpace(list) == "":
		return nil, usage("--sweep %s names no point: it is such as %s=1,2,4,8", text, s.over)
	}
	for part := range strings.SplitSeq(list, ",") {
		if err := s.add(strings.TrimSpace(part)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add reads one point.
func (s *sweep) add(text string) error {
	p, v := bench.Point{}, 0.0
	var err error
	if s.over == report.OverRate {
		v, err = strconv.ParseFloat(text, 64)
		p.Rate = v
	} else {
		p.Concurrency, err = strconv.Atoi(text)
		v = float64(p.Concurrency)
	}
	what := map[string]string{report.OverConcurrency: "a whole number of slots", report.OverRate: "requests per second"}[s.over]
	switch {
	case err != nil:
		return usage("--sweep %s: %q is not %s", s.over, text, what)
	case !(v > 0):
		return usage("--sweep %s: %s is not above 0", s.over, text)
	case slices.Contains(s.values, v):
		return usage("--sweep %s: %s is there twice", s.over, text)
	case len(s.values) == maxPoints:
		return usage("--sweep %s: at most %d points", s.over, maxPoints)
	}
	s.values, s.points = append(s.values, v), append(s.points, p)
	return nil
}

// leadSlots makes the load a closed loop, with the slots of the largest point:
// the warm-up is for all of them.
func (s *sweep) leadSlots(f *loadFlags) error {
	switch {
	case f.Over != 0:
		return usage("--sweep and --over: the points of a sweep follow each other; leave --over out")
	case f.Concurrency != nil:
		return usage("--sweep concurrency and --concurrency both say how many slots there are: drop --concurrency")
	case f.open():
		return usage("--sweep concurrency is of slots that send by themselves: drop %s, or use --sweep rate", f.schedules())
	}
	most := s.points[0].Concurrency
	for i := range s.points {
		p := &s.points[i]
		most = max(most, p.Concurrency)
		if f.Requests == nil && f.Duration == 0 {
			p.Requests = max(fewestRequests, fewestPerSlot*p.Concurrency)
		}
	}
	f.Concurrency, f.Laps = &most, false // how much a target carries is seen with slots that never wait
	return nil
}

// leadRate makes the load an open loop. --concurrency stays its cap.
func (s *sweep) leadRate(f *loadFlags) error {
	if f.open() {
		return usage("--sweep rate and %s both say when requests are due: drop %[1]s", f.schedules())
	}
	f.Rate = s.values[0]
	return nil
}

// schedules names the flags that say when requests are due.
func (f *loadFlags) schedules() string {
	var names []string
	if f.Rate != 0 {
		names = append(names, "--rate")
	}
	if f.Schedule != "" {
		names = append(names, "--rate-schedule")
	}
	if f.Trace != "" {
		names = append(names, "--trace")
	}
	return strings.Join(names, " and ")
}

// estimate is what all the points will cost.
func (s *sweep) estimate(cfg *bench.Config, free func(url string) bool) (all estimate, err error) {
	if s == nil {
		return estimateOf(cfg, free), nil
	}
	runs, err := cfg.Points(s.points)
	if err != nil {
		return all, usage("--sweep: %v", err)
	}
	known := map[string]bool{} // a name is looked up once
	for i := range runs {
		e := estimateOf(&runs[i], func(url string) bool {
			if _, ok := known[url]; !ok {
				known[url] = free(url)
			}
			return known[url]
		})
		e.usd += all.usd
		e.endless = e.endless || all.endless
		all = e // what is priced and unknown is the same at each
	}
	return all, nil
}

// run carries out the sweep and shows it.
func (s *sweep) run(p *process, cfg bench.Config, o outputFlags) error {
	slo, _, err := o.judgements()
	if err != nil {
		return err
	}
	folder, err := s.folder(o)
	if err != nil {
		return err
	}
	var unkept error // content that could not be kept
	precise, err := clock.NewPrecise()
	if err != nil {
		return err
	}
	cfg.Clock = precise
	view := newProgress(p, &cfg)
	cfg.OnEvent = view.event
	var done []*report.Summary
	_, err = bench.Sweep(p.ctx, cfg, s.points, func(i int, one *bench.Config) func(*bench.Result) {
		settings, name := settingsOf(one), report.PointName(s.over, s.values[i])
		settings.SLO = slo.String()
		if s.over == report.OverRate {
			settings.Load = name + " per target"
		}
		view.begin(fmt.Sprintf("point %d of %d, %s", i+1, len(s.points), name), one)
		kept := page.NewExemplars(one.Targets)
		if folder != nil {
			if point := folder.Begin(i, settings); point != nil {
				one.OnTrace = point.Add
				look(one, kept)
				unkept = errors.Join(unkept, o.keepContent(one, point))
			}
		}
		pauses := gcPauses()
		return func(res *bench.Result) {
			summary := report.Summarise(runOf(one, settings, res, gcPauses()-pauses))
			done = append(done, summary)
			if folder != nil {
				folder.End(summary, runPage(summary, kept))
			}
		}
	})
	view.close()
	if err := errors.Join(err, precise.Close()); err != nil {
		return err
	}
	all := report.NewSweep(s.over, s.values, done)
	if err := showSweep(p, all, o.formFlags); err != nil {
		return err
	}
	if folder != nil {
		if err := errors.Join(unkept, folder.Close(sweepPage(all))); err != nil {
			return err
		}
	}
	return sweepVerdict(p, all, o.formFlags)
}

// folder is where the sweep is kept; nil without --save.
func (s *sweep) folder(o outputFlags) (*stored.SweepWriter, error) {
	if err := o.checkContent(o.Save); err != nil {
		return nil, err
	}
	switch {
	case o.Save == nil:
		return nil, nil
	case *o.Save == "":
		return nil, usage("--save is empty: name a new folder")
	}
	f, err := stored.CreateSweep(*o.Save, version(), s.over, s.values)
	if err != nil {
		return nil, usage("--save: %v", err)
	}
	return f, nil
}

func showSweep(p *process, s *report.Sweep, o formFlags) error {
	if o.data() {
		return o.write(p, s, nil)
	}
	if why := report.Hopeless(s.Points[0].Summary); len(why) > 0 {
		for _, line := range why {
			if _, err := lipgloss.Fprintln(p.err, "weir: "+line); err != nil {
				return err
			}
		}
		return quiet(exitFailed)
	}
	return o.write(p, s, nil)
}

// sweepVerdict is the exit code.
func sweepVerdict(p *process, s *report.Sweep, o formFlags) error {
	if s.Interrupted {
		if o.data() { // the table says it itself
			fmt.Fprintln(p.err, "weir: interrupted; these are the points and requests that ended before")
		}
		return quiet(exitFailed)
	}
	return answered(p, s.Answered())
}
