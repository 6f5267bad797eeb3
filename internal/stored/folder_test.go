package stored

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

func settings() report.Settings {
	return report.Settings{
		Targets:     []weir.Target{{Name: "north", URL: "https://north.example/v1", Model: "m"}},
		Concurrency: 1, Requests: 5, Warmup: 1, Stream: true, OutputTokens: 2, WorkloadID: "0123456789ab",
	}
}

// kept is the folder of a run of a warm-up and four requests of the five that were asked for.
func kept(t testing.TB) (dir string, was *report.Summary) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	f, err := Create(dir, "v0.0.0-test", settings())
	if err != nil {
		t.Fatal(err)
	}
	r := report.Run{
		Version: "v0.0.0-test", Settings: settings(), Started: began, Duration: 5 * time.Second, GCPauses: weir.SpanOf(time.Millisecond),
		Notes: []report.TargetNote{{Unsent: 1, Learned: []string{"temperature"}, QuotaRefused: 2, QuotaWaited: time.Second, QuotaLimits: []string{"rpm"}}},
	}
	for i := range 5 {
		tr := handmade.Trace(fmt.Sprint(i))
		tr.Warmup = i == 0
		tr.Due, tr.Sent = tr.Due.Add(time.Duration(i)*time.Second), tr.Sent.Add(time.Duration(i)*time.Second)
		r.Samples = append(r.Samples, tr.Sample())
		f.Add(tr)
	}
	was = report.Summarise(r)
	if err := f.Close(was, nil); err != nil {
		t.Fatal(err)
	}
	return dir, was
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOpen(t *testing.T) {
	dir, was := kept(t)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, f.Run.Summary()), asJSON(t, was); got != want {
		t.Errorf("read %s\nwas  %s", got, want)
	}
}

// change replaces text in one of a folder's files.
func change(name, from, to string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte(from)) {
			t.Fatalf("%s has no %q: %v", path, from, err)
		}
		if err := os.WriteFile(path, bytes.Replace(b, []byte(from), []byte(to), 1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func remove(names ...string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		for _, name := range names {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func lines(edit func(lines []string) []string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, TracesFile)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(edit(strings.SplitAfter(string(b), "\n")), "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOpenDamaged: what is whole is taken, and what was lost is said.
func TestOpenDamaged(t *testing.T) {
	for name, c := range map[string]struct {
		damage      func(t *testing.T, dir string)
		samples     int
		interrupted bool
		lost        []string
	}{
		"killed": {remove(SummaryFile), 5, true, []string{"summary.json is not there: the run was killed, or goes on"}},
		"killed while it wrote": {func(t *testing.T, dir string) {
			remove(SummaryFile)(t, dir)
			lines(func(l []string) []string { l[4] = l[4][:len(l[4])/2]; return l })(t, dir)
		}, 4, true, []string{"the last line of traces.jsonl", "summary.json is not there"}},
		"killed at once": {func(t *testing.T, dir string) {
			remove(SummaryFile)(t, dir)
			lines(func([]string) []string { return nil })(t, dir)
		}, 0, true, []string{"summary.json is not there"}},
		"summary cut": {change(SummaryFile, "\"targets\": [", "\"targets\": [}"), 5, false, []string{"summary.json is damaged (invalid character"}},
		"settings cut": {change(SettingsFile, "\n}\n", ""), 5, false, []string{
			"settings.json is damaged (unexpected end of JSON input); what was asked is taken from summary.json",
		}},
		"settings gone":  {remove(SettingsFile), 5, false, []string{"settings.json is not there; what was asked"}},
		"traces gone":    {remove(TracesFile), 0, false, []string{"traces.jsonl is not there; these are the figures as they were kept, and"}},
		"a line broken":  {lines(func(l []string) []string { l[1] = "{\"id\": 7}\n"; return l }), 4, false, []string{"line 2 of traces.jsonl, which is damaged: json: cannot", "1 of the 5 requests to north, which summary.json counts"}},
		"lines broken":   {lines(func(l []string) []string { l[1], l[2] = "?\n", "\n"; return l }), 3, false, []string{"2 lines of traces.jsonl, which are damaged, from line 2 on: ", "2 of the 5 requests"}},
		"null":           {lines(func(l []string) []string { return append(l, "null\n") }), 5, false, []string{`line 6 of traces.jsonl, which is damaged: unknown outcome ""`}},
		"no line end":    {lines(func(l []string) []string { l[4] = strings.TrimSuffix(l[4], "\n"); return l }), 5, false, nil},
		"another target": {lines(func(l []string) []string { l[1] = strings.Replace(l[1], `"north"`, `"south"`, 1); return l }), 4, false, []string{`line 2 of traces.jsonl, which is of another run: target "south"`, "1 of the 5"}},
		"another workload": {lines(func(l []string) []string { l[1] = strings.Replace(l[1], "0123456789ab", "ba", 1); return l }), 4, false, []string{
			`line 2 of traces.jsonl, which is of another run: workload_id "ba"`, "1 of the 5",
		}},
		"another kind": {lines(func(l []string) []string { l[1] = strings.Replace(l[1], `"bench"`, `"probe"`, 1); return l }), 4, false, []string{`line 2 of traces.jsonl, which is damaged: a trace of kind "probe"`, "1 of the 5"}},
		"twice":        {lines(func(l []string) []string { return append(l[:5], l[1], l[2]) }), 5, false, []string{"2 requests are in traces.jsonl more than once, and count once"}},
		"lines gone":   {lines(func(l []string) []string { return l[:3] }), 3, false, []string{"2 of the 5 requests to north, which summary.json counts"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := kept(t)
			c.damage(t, dir)
			f, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			s := f.Run.Summary()
			if len(s.Requests) != c.samples || s.Interrupted != c.interrupted || len(s.Lost) != len(c.lost) {
				t.Fatalf("%d samples, interrupted %t, lost %q", len(s.Requests), s.Interrupted, s.Lost)
			}
			for i, want := range c.lost {
				if !strings.Contains(s.Lost[i], want) {
					t.Errorf("lost %q, want %q", s.Lost[i], want)
				}
			}
			if err := report.Terminal(&bytes.Buffer{}, s); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOpenKilled: the time and what was not sent follow from the traces.
func TestOpenKilled(t *testing.T) {
	dir, _ := kept(t)
	remove(SummaryFile)(t, dir)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Run.Summary()
	if !s.Started.Equal(began) || s.Duration.Duration() != 4*time.Second+61100*time.Microsecond || s.Targets[0].Unsent != 1 || s.Client.GCPauses.Known() || s.Version != "v0.0.0-test" {
		t.Errorf("%+v", s)
	}
}

// TestOpenRefuses: what is no run, or was measured by other definitions.
func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		code   string
		says   string
	}{
		"nothing is there": {remove(SettingsFile, SummaryFile, TracesFile), "no_run", "is no run folder"},
		"only traces":      {remove(SettingsFile, SummaryFile), "run_damaged", "settings.json is not there, and summary.json is not there: what was asked is not known"},
		"traces gone, summary unsound": {func(t *testing.T, dir string) {
			remove(TracesFile)(t, dir)
			change(SummaryFile, `"name": "north"`, `"name": "south"`)(t, dir) // the first is that of the settings
		}, "run_damaged", "does not agree with itself"},
		"only settings":         {remove(SummaryFile, TracesFile), "run_damaged", "traces.jsonl is not there, and summary.json is not there"},
		"other summary form":    {change(SummaryFile, report.Schema, "weir.dev/run/99"), "other_version", "has the form weir.dev/run/99, written by weir v0.0.0-test; this version reads weir.dev/run/2"},
		"other settings form":   {change(SettingsFile, SettingsSchema, "weir.dev/settings/99"), "other_version", "weir.dev/settings/99"},
		"other definitions":     {change(SummaryFile, `"metrics_version": 1`, `"metrics_version": 7`), "other_version", "measured by metrics version 7, written by weir v0.0.0-test; this version has 1"},
		"something else's file": {change(SettingsFile, SettingsSchema, "https://json.schemastore.org/x"), "no_run", "settings.json is \"https://json"},
		"no schema":             {change(SettingsFile, `"schema"`, `"scheme"`), "no_run", "has no schema"},
		"no target":             {change(SettingsFile, `"targets": [`, `"targets": [], "x": [`), "run_damaged", "there is no target"},
		"two of a name":         {change(SettingsFile, `"targets": [`, `"targets": [{"name":"north"},`), "run_damaged", `two targets are named "north"`},
		"slots below 0":         {change(SettingsFile, `"concurrency": 1`, `"concurrency": -1`), "run_damaged", "concurrency is -1, below 0"},
		"no slot":               {change(SettingsFile, `"concurrency": 1`, `"concurrency": 0`), "run_damaged", "concurrency is 0, and no load is open"},
		"requests below 0":      {change(SettingsFile, `"requests": 5`, `"requests": -5`), "run_damaged", "requests is -5"},
		"a limit below 0":       {change(SettingsFile, `"stall_ms": 0`, `"stall_ms": -1`), "run_damaged", "limits.stall_ms is -1"},
		"a share above 1":       {change(SettingsFile, `"cache": ""`, `"cache": "", "shared_prefix": 1.5`), "run_damaged", "shared_prefix is 1.5, above 1"},
		"no objective":          {change(SettingsFile, `"workload_id"`, `"slo": "quick", "workload_id"`), "run_damaged", "slo: objective"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := kept(t)
			c.damage(t, dir)
			f, err := Open(dir)
			refused(t, err, c.code, c.says)
			if err == nil {
				t.Errorf("%+v", f.Run.Lost)
			}
		})
	}
	dir, _ := kept(t)
	_, err := Open(filepath.Join(dir, "nowhere"))
	refused(t, err, "no_run", "there is no run folder")
	_, err = Open(filepath.Join(dir, TracesFile))
	refused(t, err, "no_run", "is a file")
	_, err = Open(filepath.Dir(dir))
	refused(t, err, "no_run", "there are runs in it: "+dir)
}

func refused(t *testing.T, err error, code, says string) {
	t.Helper()
	var e *weir.Error
	if !errors.As(err, &e) || e.Code != code || e.Hint == "" || !strings.Contains(err.Error(), says) {
		t.Errorf("%v; want %s: %s", err, code, says)
	}
}

func sweepFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sweep")
	f, err := CreateSweep(dir, "v0.0.0-test", report.OverConcurrency, []float64{1, 2, 4})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		point := f.Begin(i, settings())
		tr := handmade.Trace(fmt.Sprint(i))
		r := report.Run{Version: "v0.0.0-test", Settings: settings(), Started: began, Samples: []weir.Sample{tr.Sample()}, Interrupted: i == 1}
		point.Add(tr)
		f.End(report.Summarise(r), nil)
	}
	if err := f.Close(nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpenSweep(t *testing.T) {
	f, err := Open(sweepFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	s := f.Sweep.Report()
	if len(s.Points) != 2 || len(s.Asked) != 3 || s.Points[0].Partial || !s.Points[1].Partial || !s.Interrupted || s.Points[1].Targets[0].Requests != 1 {
		t.Errorf("%+v", s)
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		code   string
		says   string
	}{
		"cut":          {change(SweepFile, "\n}\n", ""), "run_damaged", "unexpected end of JSON input"},
		"other form":   {change(SweepFile, IndexSchema, "weir.dev/sweep-index/9"), "other_version", "weir.dev/sweep-index/9"},
		"over what":    {change(SweepFile, `"concurrency"`, `"colour"`), "run_damaged", `over is "colour"`},
		"state":        {change(SweepFile, `"done"`, `"well"`), "run_damaged", `point 1 is "well"`},
		"out of order": {change(SweepFile, `"done"`, `"waiting"`), "run_damaged", "point 2"},
		"elsewhere":    {change(SweepFile, "01-concurrency-1", "../elsewhere"), "run_damaged", "../elsewhere"},
		"a point gone": {func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, "01-concurrency-1")) }, "no_run", "01-concurrency-1"},
		"none was begun": {func(t *testing.T, dir string) {
			change(SweepFile, `"done"`, `"waiting"`)(t, dir)
			change(SweepFile, `"partial"`, `"waiting"`)(t, dir)
		}, "run_empty", "no point"},
		"other targets": {change("02-concurrency-2/"+SettingsFile, `"north"`, `"south"`), "run_damaged", "point 2 has other targets"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := sweepFolder(t)
			c.damage(t, dir)
			_, err := Open(dir)
			refused(t, err, c.code, c.says)
		})
	}
}

func TestNamed(t *testing.T) {
	a, _ := kept(t)
	b, _ := kept(t)
	runs, err := Named([]string{a, b})
	if err != nil || len(runs) != 2 || runs[1].Name != b || len(runs[1].Run.Samples) != 5 {
		t.Fatalf("%+v, %v", runs, err)
	}
	c := filepath.Join(filepath.Dir(a), "other")
	if err := os.CopyFS(c, os.DirFS(a)); err != nil {
		t.Fatal(err)
	}
	if runs, err := Named([]string{a, c}); err != nil || runs[0].Name != "run" || runs[1].Name != "other" {
		t.Errorf("%+v, %v", runs, err)
	}
	_, err = Named([]string{a, a})
	refused(t, err, "run_twice", "named twice")
	_, err = Named([]string{a, sweepFolder(t)})
	refused(t, err, "run_is_sweep", "01-concurrency-1")
	remove(TracesFile)(t, b)
	_, err = Named([]string{a, b})
	refused(t, err, "run_damaged", "has lost its traces.jsonl")
}
