package config

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"weir.dev/weir"
)

// Config is what a file says. What it leaves out is filled in where a preset
// or a default says it. All lists are in the order of the file.
type Config struct {
	// Providers are those of the file, then presets that only a target names.
	Providers []Provider
	Models    []Model

	Routes  []Route
	Keys    []Key  // of callers; none: who reaches Listen is let in
	Listen  string // host:port for callers
	Admin   string // host:port for the page, API, log and metrics; empty: none
	Gateway Gateway

	// Warnings are what is sound and yet most likely not meant.
	Warnings Problems
}

// Provider is a place that serves models, and how to get in.
type Provider struct {
	Name    string
	Preset  bool   // Name is that of a preset; what is empty below is the preset's
	BaseURL string // may hold placeholders of the preset that Params does not fill, such as {resource}
	Dialect weir.Dialect
	Params  map[string]string // fills the preset's placeholders; already done in BaseURL
	APIKey  Secret            // not given: the preset's variable
	Auth    *Auth             // nil: APIKey
	Headers []Header
}

// Header is a header of every request to a provider.
type Header struct {
	Name  string
	Value Secret
}

// Auth is a command that prints a token. An argument may hold a secret, so it
// prints itself as "[command]".
type Auth struct {
	Command []string
	Refresh time.Duration // how long a token is used; 0: until a 401
}

// Model is a name of the user's own for weights, and who serves them.
type Model struct {
	Name    string
	Targets []Target
}

// Target is a model at a provider.
type Target struct {
	Provider string
	Model    string // the provider's name for it
	Weight   float64
	Context  weir.Opt[int] // tokens, prompt and answer together
	Price    weir.Price    // the zero value: nothing is said

	Prefill       bool // goes on with an answer whose beginning it is given
	NoTools       bool
	NoImages      bool
	DrainForUsage bool   // read on for the usage after the caller has left
	Limits        Limits // complete
	Breaker       Breaker
	Cooldown      Cooldown
}

// Name is what the target is called in tables, logs and answers.
func (t Target) Name() string { return t.Provider + "/" + t.Model }

// Provider returns the provider with this name.
func (c *Config) Provider(name string) (Provider, bool) {
	for _, p := range c.Providers {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

// Model returns the targets of the model with this name.
func (c *Config) Model(name string) ([]Target, bool) {
	for _, m := range c.Models {
		if m.Name == name {
			return m.Targets, true
		}
	}
	return nil, false
}

// Route returns the route with this name.
func (c *Config) Route(name string) (Route, bool) {
	for _, r := range c.Routes {
		if r.Name == name {
			return r, true
		}
	}
	return Route{}, false
}

// Format implements fmt.Formatter: no verb shows an argument.
func (a Auth) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[command]") }

// MarshalJSON hides the arguments.
func (a Auth) MarshalJSON() ([]byte, error) { return json.Marshal("[command]") }
