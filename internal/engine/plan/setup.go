package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
)

// Lengths are how many tokens prompts and answers have.
type Lengths interface {
	Draw(rnd *rand.Rand) (prompt, output int)
	Mean() (prompt, output float64)
	Most() (prompt, output int)
}

// Setup is what is asked of which deployment.
type Setup struct {
	Deployment engine.Deployment
	Lengths    Lengths
	MaxTokens  int     // the limit that clients set, where it is more than the answer has
	Shared     float64 // first part of each prompt that is the same in all, from 0 to 1
}

// Load is how requests come. One of its fields is above 0.
type Load struct {
	Rate  float64 // requests a second, at random (Poisson)
	Users int     // each sends the next request when it has the last answer
}

// Effort is how much is simulated.
type Effort struct {
	Seeds    int    // runs, each with other lengths and arrivals
	Requests int    // that count, of each run; more where many are under way at once
	Seed     uint64 // what the seeds follow from
	// Watch is told of each run that ended, one at a time; nil: nobody is.
	Watch func(what string)
}

// What is added before a request can be scheduled: it comes over HTTP.
const (
	frontend      = 3 * time.Millisecond
	frontendToken = time.Microsecond
)

// Limits of what is simulated.
const (
	maxRate     = 10_000
	maxUsers    = 4096
	maxSeeds    = 1000
	maxRequests = 100_000
	maxTokens   = 100_000_000 // of a run's requests
)

func bad(hint, format string, args ...any) error {
	return &weir.Error{Code: "bad_plan", Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Check finds what is wrong before anything is simulated.
func (s Setup) Check() error {
	d := s.Deployment
	if _, err := engine.NewPhysics(d); err != nil && s.Missing() == 0 {
		return err
	}
	prompt, output := s.Lengths.Mean()
	switch {
	case !(prompt >= 1 && output >= 1):
		return bad("at least one token each", "prompts of %g tokens and answers of %g", prompt, output)
	case s.MaxTokens < 0:
		return bad("0, or what clients set", "a limit of %d tokens", s.MaxTokens)
	case prompt+output > float64(d.Model.Context):
		return bad("shorter ones, or another model", "prompts of %.0f tokens and answers of %.0f are longer than the context of %s, %d tokens", prompt, output, d.Model.Name, d.Model.Context)
	case !(s.Shared >= 0 && s.Shared <= 1):
		return bad("a share from 0 to 1", "a shared part of %g", s.Shared)
	}
	if missing := s.Missing(); missing > 0 {
		return bad("more devices, or fewer bytes per weight or KV element", "%s in %s with a request of %d tokens does not fit on %d %s: each lacks %.1f GB",
			d.Model.Name, d.Weights, s.Longest(), d.TP, d.GPU.Name, missing/1e9)
	}
	return nil
}

// CheckPrecision refuses weights that the device cannot run as they are.
func (s Setup) CheckPrecision() error {
	d := s.Deployment
	if d.GPU.Takes(d.Weights) {
		return nil
	}
	var own []string
	for w := range d.GPU.Math {
		own = append(own, string(w))
	}
	slices.Sort(own)
	return bad(strings.Join(own, " or ")+"; int8, int4 and mxfp4 are widened to bf16 on any device", "%s has no arithmetic in %s", d.GPU.Name, d.Weights)
}

// Missing is how many bytes each device lacks for the weights and one request;
// 0 where they fit, and where the number of devices makes no sense.
func (s Setup) Missing() float64 {
	if s.Deployment.TP < 1 {
		return 0
	}
	return s.Deployment.Missing(s.Longest())
}

// FewestDevices is how many of one node hold the model in each setup, with one
// request; a whole node where none do.
func FewestDevices(setups ...Setup) int {
	for _, tp := range []int{1, 2, 4} {
		fits := func(s Setup) bool {
			s.Deployment.TP = tp
			return s.Missing() == 0
		}
		if !slices.ContainsFunc(setups, func(s Setup) bool { return !fits(s) }) {
			return tp
		}
	}
	return 8
}

// Longest is how much KV the largest request needs at its end.
func (s Setup) Longest() int {
	prompt, output := s.Lengths.Most()
	return prompt + max(output, s.MaxTokens) + s.Deployment.Speculation.Drafts
}

// typical is the same of one of mean length, by what its scheduler sets aside.
func (s Setup) typical() float64 {
	prompt, output := s.Lengths.Mean()
	if p := s.Deployment.Profile; p.Policy == engine.NoEvict || p.Policy == engine.Static || p.Layout == engine.Contiguous {
		output = max(output, float64(s.MaxTokens))
	}
	return prompt + output
}

func (l Load) check() error {
	if (l.Rate > 0) == (l.Users > 0) || !(l.Rate >= 0 && l.Rate <= maxRate) || l.Users < 0 || l.Users > maxUsers {
		return bad(fmt.Sprintf("up to %d requests a second, or up to %d users", maxRate, maxUsers), "a load of %g requests a second and %d users", l.Rate, l.Users)
	}
	return nil
}

// String is the load in words.
func (l Load) String() string {
	if l.Users > 0 {
		return fmt.Sprintf("%d users", l.Users)
	}
	return fmt.Sprintf("%.4g requests/s", l.Rate)
}

// check bounds the effort, for requests of so many tokens.
func (e Effort) check(tokens float64) error {
	if e.Seeds < 2 || e.Seeds > maxSeeds || e.Requests < 20 || e.Requests > maxRequests {
		return bad(fmt.Sprintf("2 to %d seeds, 20 to %d requests each", maxSeeds, maxRequests), "%d seeds of %d requests", e.Seeds, e.Requests)
	}
	if tokens *= float64(e.Requests); tokens > maxTokens {
		return bad(fmt.Sprintf("at most %g: fewer requests or shorter ones", float64(maxTokens)), "a run of %.3g tokens", tokens)
	}
	return nil
}
