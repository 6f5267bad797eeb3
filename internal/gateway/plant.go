package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/meter"
)

// plant is a Config made ready. Requests hold on to the one they began with.
type plant struct {
	config  Config
	bounds  Bounds
	tenants *tenant.Gate
	retries *route.RetryBudget
	meter   *meter.Transport
	redact  func(string) string
	byName  map[string]*site
	order   []*site
}

// site is a route made ready.
type site struct {
	Route
	Handling

	name    string
	targets []*target
	bytes   ratio // of prompts, per token
}

// target is a Target made ready.
type target struct {
	*Target

	streams, wholes endpoint
	refusesUsage    atomic.Bool // it was seen to refuse stream_options
}

// endpoint is where requests to a target go and what they carry.
type endpoint struct {
	url    string
	header http.Header
}

func (s *Server) build(c Config) (*plant, error) {
	p := &plant{
		config: c, bounds: c.Bounds.orDefault(), tenants: c.Tenants, redact: c.Redact,
		retries: &route.RetryBudget{Share: c.Retries.Share, Floor: c.Retries.Floor}, byName: make(map[string]*site, len(c.Routes)),
	}
	if p.tenants == nil {
		p.tenants = tenant.New(nil)
	}
	if p.redact == nil {
		p.redact = func(text string) string { return text }
	}
	if c.Handling == (Handling{}) {
		c.Handling = DefaultHandling()
	}
	p.meter = &meter.Transport{Base: c.Upstream, LineCap: p.bounds.Event}
	for _, r := range c.Routes {
		at, err := newSite(r, c.Handling)
		if err != nil {
			return nil, err
		}
		if p.byName[at.name] != nil {
			return nil, &weir.Error{Code: "duplicate_route", Message: fmt.Sprintf("there are two routes named %q", at.name)}
		}
		p.byName[at.name] = at
		p.order = append(p.order, at)
	}
	return p, nil
}

func newSite(r Route, h Handling) (*site, error) {
	at := &site{Route: r, Handling: r.Handling, name: r.Plan.Name}
	if at.Handling == (Handling{}) {
		at.Handling = h
	}
	if at.Rescue == "" {
		at.Rescue = NoRescue
	}
	if len(r.Targets) != len(r.Plan.Targets) {
		return nil, &weir.Error{Code: "bad_route", Message: fmt.Sprintf("route %q: %d targets, and a plan of %d", at.name, len(r.Targets), len(r.Plan.Targets))}
	}
	for i := range r.Targets {
		t, err := newTarget(&r.Targets[i])
		if err != nil {
			return nil, err
		}
		at.targets = append(at.targets, t)
	}
	return at, nil
}

func newTarget(c *Target) (*target, error) {
	t := &target{Target: c}
	t.refusesUsage.Store(c.NoStreamOptions)
	var err error
	if t.streams, err = newEndpoint(c, true); err != nil {
		return nil, err
	}
	if t.wholes, err = newEndpoint(c, false); err != nil {
		return nil, err
	}
	return t, nil
}

// newEndpoint has the URL and headers that a request written by us would have.
func newEndpoint(c *Target, stream bool) (endpoint, error) {
	e, err := request.Encode(c.URL, c.Dialect, request.Spec{Model: c.Model, Stream: stream, Messages: []request.Message{{Role: request.RoleUser, Text: "."}}}, nil)
	if err != nil {
		return endpoint{}, &weir.Error{Code: "bad_target", Message: "target " + c.Name + " cannot be asked", Err: err}
	}
	e.Header.Set("User-Agent", "weir")
	return endpoint{e.URL, e.Header}, nil
}

// at is the endpoint of another operation of the same API.
func (e endpoint) at(path string) endpoint {
	for _, own := range []string{"/chat/completions", "/completions", "/responses"} {
		if i := strings.LastIndex(e.url, own); i >= 0 {
			return endpoint{e.url[:i] + path + e.url[i+len(own):], e.header}
		}
	}
	return e
}

func speaksOpenAI(d weir.Dialect) bool {
	return d == weir.OpenAIChat || d == weir.OpenAICompletions || d == weir.OpenAIResponses
}
