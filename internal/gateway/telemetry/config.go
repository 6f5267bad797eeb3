package telemetry

import (
	"weir.dev/weir"
)

// Config holds the names that may be labels. Whatever else a record names is
// counted as "other", and nothing as "none".
type Config struct {
	Routes  []Route
	Targets []Target
	Keys    []string // names
}

// Route is a route whose requests are counted.
type Route struct {
	Name string
	SLO  weir.SLO // its bounds on ttft, tpot and output_speed are bounds of buckets
}

// Target is a target whose attempts are counted.
type Target struct {
	Name     string
	Provider string // as the configuration names it
	Model    string // the target's name of it
}

// Sources are what is looked up each time the metrics are read. One that is nil
// has no metric. They are called from several goroutines.
type Sources struct {
	Targets     func() []TargetState
	InFlight    func() int     // requests
	RetryBudget func() float64 // retries that may be made at once
	Dropped     func() uint64  // records that are missing in the request log's file
}

// TargetState is how a target stands.
type TargetState struct {
	Target   string
	State    string // one of States; else it is shown as unknown
	InFlight int    // attempts
}

// States are those that a target can be in.
func States() []string {
	return []string{"closed", "half_open", "open", "cooling_down", "out_of_quota", "bad_key", "no_key", "unknown"}
}

// The values of labels that stand for names outside of the configuration.
const (
	none  = "none"
	other = "other"
)
