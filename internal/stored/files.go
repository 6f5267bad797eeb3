package stored

import (
	"weir.dev/weir/internal/report"
)

// The files of a run's folder.
const (
	SettingsFile = "settings.json"
	TracesFile   = "traces.jsonl"
	SummaryFile  = "summary.json"
	PageFile     = "report.html"
)

// SettingsSchema names the form of settings.json.
const SettingsSchema = "weir.dev/settings/1"

// Opening is what settings.json holds: what was asked, and by whom it was
// begun to be measured.
type Opening struct {
	Schema         string `json:"schema"`
	MetricsVersion int    `json:"metrics_version"`
	Version        string `json:"weir_version"`
	report.Settings
}

// A sweep's index, and the name of its form.
const (
	SweepFile   = "sweep.json"
	IndexSchema = "weir.dev/sweep-index/1"
)

// How far a point of a sweep is.
const (
	PointWaiting = "waiting"
	PointRunning = "running"
	PointPartial = "partial" // interrupted, or the budget was reached in it
	PointDone    = "done"
)

// SweepIndex is what sweep.json holds: which folder has which point.
type SweepIndex struct {
	Schema string       `json:"schema"`
	Over   string       `json:"over"`
	Points []IndexPoint `json:"points"`
}

// IndexPoint is one point of a sweep in its index.
type IndexPoint struct {
	Point  float64 `json:"point"`
	Folder string  `json:"folder"` // beside the index
	State  string  `json:"state"`  // waiting, running, partial or done
}
