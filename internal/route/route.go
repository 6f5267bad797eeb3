package route

import (
	"sync/atomic"
	"time"

	"weir.dev/weir"
)

// Policy orders the targets of a route.
type Policy string

// The policies.
const (
	Fixed     Policy = "fixed"      // as configured
	Weighted  Policy = "weighted"   // drawn by weight, the rest too
	LeastBusy Policy = "least_busy" // of two drawn, the one with fewer requests in flight for its weight
	SLO       Policy = "slo"        // as configured; those that break the SLO for prompts of this size come last
)

// Policies is the closed list, in the order help texts show it.
func Policies() []Policy { return []Policy{Fixed, Weighted, LeastBusy, SLO} }

// Route is a model's name for callers, and the targets that serve it. It must
// not be copied, nor changed once it was planned with; a reload makes a new
// one. In every setting zero is the default.
type Route struct {
	Name    string
	Policy  Policy   // Fixed
	Targets []Target // in order

	// SLO is what policy slo keeps: those of its objectives that [Judges] names.
	// Attainment is the share of requests that has to meet an objective without
	// a percentile of its own; 0.95.
	SLO        weir.SLO
	Attainment float64
	Explore    float64 // share of requests that try a slow target again; 0.02, below 0 none

	// The first-output deadline is what this route's targets were seen to take,
	// within these bounds; see docs/routing.md.
	MinFirstOutput time.Duration // 2 s
	MaxFirstOutput time.Duration // 120 s
	Cold           time.Duration // for a target that is not known yet; 10 s
	ColdPer1K      time.Duration // and so much per thousand tokens of the prompt; 500 ms
	WholePerToken  time.Duration // for each token that an answer in one piece may have; 50 ms
	Factor         float64       // on the measured quantile; 1.5
	Grace          time.Duration // first output of the last candidate; MaxFirstOutput, below 0 no more than another

	Limits Limits // of targets that set none. A FirstOutput is fixed, whatever was measured; below 0: no limit
	Refuse bool   // give no target that is out of use, even where there is no other

	bound atomic.Pointer[binding]
}

// Target is one place of a route's model. What is known of it is kept by Name,
// over reloads and over routes.
type Target struct {
	Name       string
	Provider   string // the failure domain; empty: its own
	Dialect    weir.Dialect
	Weight     float64       // 1
	Context    weir.Opt[int] // tokens that fit
	Keyed      bool          // has a key, or needs none
	Credential string        // changes when its key does, such as a fingerprint; never the key. A new one ends bad_key and out_of_quota
	NoTools    bool
	NoImages   bool
	Limits     Limits // of zero fields: the route's
	Health     HealthSettings
}

// HealthSettings say when a target is out of use. Zero is the default.
type HealthSettings struct {
	Failures    int           // so many in a row open the breaker; 5, below 0 none do
	ErrorRate   float64       // or this share of the outcomes in the window; 0.5, below 0 none
	MinOutcomes int           // with at least so many in it; 20
	Window      time.Duration // 30 s
	OpenFor     time.Duration // the first time, then doubling; 5 s
	OpenMax     time.Duration // up to this; also so long closed, and it begins at OpenFor again; 20 s
	CoolMin     time.Duration // a cool-down's least, also without Retry-After; 1 s
	CoolMax     time.Duration // and most; 10 min
	Recheck     time.Duration // bad key, quota: one request finds out after so long; 5 min
	HalfLife    time.Duration // of what was measured; 60 s
}
