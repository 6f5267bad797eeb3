package stored

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// Folder is what one folder holds: a run, or a sweep.
type Folder struct {
	Dir   string
	Run   *Run   // nil: it is a sweep
	Sweep *Sweep // nil: it is a run
}

// Run is a stored run.
type Run struct {
	report.Run

	// Kept are the figures as they were kept. It is there only where the raw
	// traces are gone: else figures are computed from those.
	Kept *report.Summary
}

// Summary is the run in figures.
func (r *Run) Summary() *report.Summary {
	if r.Kept != nil {
		return r.Kept
	}
	return report.Summarise(r.Run)
}

// Sweep is a stored sweep: the runs at the first of its points.
type Sweep struct {
	Over  string
	Asked []float64
	Runs  []*Run
}

// Report is the sweep in figures.
func (s *Sweep) Report() *report.Sweep {
	var runs []*report.Summary
	for _, r := range s.Runs {
		runs = append(runs, r.Summary())
	}
	return report.NewSweep(s.Over, s.Asked, runs)
}

const (
	maxJSON  = 64 << 20 // bytes of a file that is read whole
	maxIndex = 1 << 20
	maxRuns  = 20 // that are named of a folder of folders
)

// Open reads a folder. Errors are of a folder that is none, or of a run that
// this version does not judge; what is only damaged is in the run's Lost.
func Open(dir string) (*Folder, error) {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, &weir.Error{Code: "no_run", Message: "there is no run folder " + dir, Hint: holds, Err: err}
	case !info.IsDir():
		return nil, &weir.Error{Code: "no_run", Message: dir + " is a file", Hint: "name the folder that it is in"}
	}
	index, err := read(dir, SweepFile, maxIndex)
	if err == nil {
		s, err := openSweep(dir, index)
		return &Folder{Dir: dir, Sweep: s}, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r, err := openRun(dir)
	return &Folder{Dir: dir, Run: r}, err
}

const holds = "a run folder is what weir bench --save DIR makes: it holds settings.json, traces.jsonl and summary.json, that of a sweep sweep.json and a folder a point"

// read is a file of the folder, whole.
func read(dir, name string, most int64) ([]byte, error) {
	f, err := openFile(dir, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	err = errors.Join(err, f.Close())
	switch {
	case err != nil:
		return nil, fmt.Errorf("run folder: %w", err)
	case int64(len(b)) > most:
		return nil, &weir.Error{Code: "run_damaged", Message: fmt.Sprintf("%s is larger than %d bytes", filepath.Join(dir, name), most), Hint: holds}
	}
	return b, nil
}

// openRun reads a run's settings, traces and summary.
func openRun(dir string) (*Run, error) {
	var (
		opening  Opening
		kept     report.Summary
		settings = document{dir: dir, name: SettingsFile, schema: SettingsSchema, into: &opening}
		summary  = document{dir: dir, name: SummaryFile, schema: report.Schema, into: &kept}
	)
	if err := settings.load(); err != nil {
		return nil, err
	}
	if err := summary.load(); err != nil {
		return nil, err
	}
	r := &Run{}
	switch {
	case settings.whole:
		r.Version, r.Settings = opening.Version, opening.Settings
	case summary.whole:
		r.Version, r.Settings = kept.Version, kept.Settings
		r.lose("%s; what was asked is taken from %s", settings.why, SummaryFile)
	case settings.missing && summary.missing && !exists(dir, TracesFile):
		return nil, foreign(dir)
	default:
		return nil, &weir.Error{Code: "run_damaged", Message: fmt.Sprintf("%s: %s, and %s: what was asked is not known", dir, settings.why, summary.why), Hint: holds}
	}
	if err := checkSettings(dir, &r.Settings); err != nil {
		return nil, err
	}
	n, err := r.readTraces(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && summary.whole:
		return r, r.asKept(dir, &kept)
	case errors.Is(err, fs.ErrNotExist):
		return nil, &weir.Error{Code: "run_damaged", Message: fmt.Sprintf("%s: %s is not there, and %s", dir, TracesFile, summary.why), Hint: holds}
	case err != nil:
		return nil, err
	}
	if summary.whole {
		r.ended(&kept, n)
	} else {
		r.killed(summary.missing, summary.why)
	}
	return r, nil
}

// asKept shows a run whose traces are gone as it was judged.
func (r *Run) asKept(dir string, kept *report.Summary) error {
	sound := len(kept.Targets) == len(kept.Settings.Targets)
	for i := 0; sound && i < len(kept.Targets); i++ {
		sound = kept.Targets[i].Name == kept.Settings.Targets[i].Name
	}
	if v := kept.Verdict; v != nil {
		sound = sound && (v.Why != "" || len(v.Metrics) > 0)
		for _, m := range v.Metrics {
			sound = sound && len(m.Duels) > 0
		}
	}
	if !sound {
		return &weir.Error{Code: "run_damaged", Message: fmt.Sprintf("%s: %s is not there, and %s does not agree with itself", dir, TracesFile, SummaryFile), Hint: holds}
	}
	r.lose("%s is not there; these are the figures as they were kept, and of no request anything is known", TracesFile)
	kept.Lost = r.Lost
	r.Kept = kept
	return nil
}

func (r *Run) lose(format string, args ...any) { r.Lost = append(r.Lost, fmt.Sprintf(format, args...)) }

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// foreign says what a folder lacks to be a run's, and which folders in it are.
func foreign(dir string) error {
	e := &weir.Error{Code: "no_run", Message: dir + " is no run folder", Hint: holds}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return e
	}
	var inside []string
	for _, d := range entries {
		below := filepath.Join(dir, d.Name())
		if d.IsDir() && len(inside) < maxRuns && (exists(below, SettingsFile) || exists(below, SweepFile)) {
			inside = append(inside, below)
		}
	}
	if len(inside) > 0 {
		e.Hint = "there are runs in it: " + strings.Join(inside, ", ")
	}
	return e
}

// document is one of the JSON files of a folder.
type document struct {
	dir, name, schema string
	into              any

	whole, missing bool
	why            string // it is not whole
}

// load reads it. Only another version is an error.
func (d *document) load() error {
	b, err := read(d.dir, d.name, maxJSON)
	if err != nil {
		d.missing = errors.Is(err, fs.ErrNotExist)
		if d.why = d.name + " cannot be read: " + err.Error(); d.missing {
			d.why = d.name + " is not there"
		}
		return nil
	}
	var form form
	if err := json.Unmarshal(b, &form); err != nil {
		d.why = fmt.Sprintf("%s is damaged (%v)", d.name, err)
		return nil
	}
	if err := form.check(filepath.Join(d.dir, d.name), d.schema); err != nil {
		return err
	}
	if err := json.Unmarshal(b, d.into); err != nil {
		d.why = fmt.Sprintf("%s is damaged (%v)", d.name, err)
		return nil
	}
	d.whole = true
	return nil
}

// form is in which form a file is, and by which definitions.
type form struct {
	Schema         string `json:"schema"`
	MetricsVersion *int   `json:"metrics_version"` // an index has none
	Version        string `json:"weir_version"`
}

func (f *form) check(path, schema string) error {
	family, _, _ := strings.Cut(schema[len("weir.dev/"):], "/")
	by := ""
	if f.Version != "" {
		by = ", written by weir " + f.Version
	}
	switch {
	case f.Schema == "":
		return &weir.Error{Code: "no_run", Message: path + " has no schema: it is not of a run that weir kept", Hint: holds}
	case f.Schema != schema && !strings.HasPrefix(f.Schema, "weir.dev/"+family+"/"):
		return &weir.Error{Code: "no_run", Message: fmt.Sprintf("%s is %q, not %q", path, f.Schema, schema), Hint: holds}
	case f.Schema != schema:
		return &weir.Error{
			Code: "other_version", Message: fmt.Sprintf("%s has the form %s%s; this version reads %s", path, f.Schema, by, schema),
			Hint: "report it with the version of weir that kept it",
		}
	case f.MetricsVersion != nil && *f.MetricsVersion != weir.MetricsVersion:
		return &weir.Error{
			Code: "other_version", Message: fmt.Sprintf("%s is measured by metrics version %d%s; this version has %d", path, *f.MetricsVersion, by, weir.MetricsVersion),
			Hint: "figures of different definitions are never compared: report it with the version of weir that kept it",
		}
	}
	return nil
}
