package promptcache

import "time"

// Kind is how a rule chooses where a prompt may be cut.
type Kind string

// The kinds.
const (
	Off    Kind = "off"    // nothing is kept
	Engine Kind = "engine" // whatever whole blocks the engine still holds
	Steps  Kind = "steps"  // from Minimum on, in steps of Step tokens
	Marks  Kind = "marks"  // up to where the request says
	Units  Kind = "units"  // whole units: a prompt's end, every Step tokens, and what two prompts were seen to share
)

// Rule is how a provider keeps prompts.
type Rule struct {
	Kind    Kind
	Minimum int           // tokens that a prompt needs to be kept, and found
	Step    int           // of Steps and Units
	TTL     time.Duration // since it was last used; 0: as long as there is room
	// PerMinute is how many requests that begin alike, and have one key, go to one
	// machine in a minute before the next machine, which has its own cache, gets
	// the rest. 0: there is one machine.
	PerMinute int
}

// Profiles are the rules of providers, by name. Where each is documented, and
// what is not: docs/sim.md.
func Profiles() map[string]Rule {
	return map[string]Rule{
		"off":       {Kind: Off},
		"engine":    {Kind: Engine},
		"openai":    {Kind: Steps, Minimum: 1024, Step: 128, TTL: 10 * time.Minute, PerMinute: 15},
		"gemini":    {Kind: Steps, Minimum: 2048, Step: 16, TTL: 10 * time.Minute},
		"anthropic": {Kind: Marks, Minimum: 1024, TTL: 5 * time.Minute},
		"deepseek":  {Kind: Units, Minimum: 64, Step: 4096, TTL: 4 * time.Hour},
	}
}

const (
	affinity = 256 // tokens by which a request is sent to a machine
	lookback = 20  // ends before a mark where something kept earlier is looked for
	maxMarks = 4   // of a request; the last ones count
	seenStep = 64  // tokens in which what prompts share is measured
)
