package sim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim/promptcache"
	"weir.dev/weir/internal/sim/provider"
)

// startProviders starts those that the configuration names.
func (s *Server) startProviders(c Config) error {
	s.registry = prometheus.NewRegistry()
	s.lateness = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "weir_sim_lateness_seconds", Help: "Wall time from when an event was due to the end of its write: how far this machine keeps up.",
		Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 7.5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 1},
	})
	s.registry.MustRegister(s.lateness)
	s.providers = map[string]*provider.Provider{}
	for _, one := range c.Providers {
		if slices.Contains([]string{"v1", "v1beta"}, one.Name) {
			return badProvider("a provider cannot be named "+one.Name, "a name that is no part of an API's path")
		}
		_, isModel := s.models[one.Name]
		if _, twice := s.providers[one.Name]; twice || isModel {
			return badProvider(fmt.Sprintf("there are two of the name %q", one.Name), "give one of them another name")
		}
		p, err := provider.Start(provider.Config{Personality: one, Clock: s.clock, Speed: c.Speed, Seed: s.modelSeed(one.Name), Metrics: s.registry})
		if err != nil {
			return err
		}
		s.providers[one.Name] = p
		s.names = append(s.names, one.Name)
	}
	slices.Sort(s.names)
	return nil
}

func badProvider(message, hint string) error {
	return &weir.Error{Code: "bad_provider", Message: message, Hint: hint}
}

// Names are those of the models with plans and of the providers, sorted.
func (s *Server) Names() []string { return slices.Clone(s.names) }

// Close ends the simulated providers. A server without any needs none.
func (s *Server) Close() {
	for _, p := range s.providers {
		p.Close()
	}
}

// find is the provider that a request is for, or nil where it is for a plan:
// the one in the path, else the one that the model names, by its own name or as
// the only one that serves that model.
func (s *Server) find(r *http.Request, model string) (*provider.Provider, *request.Problem) {
	if name := r.PathValue("provider"); name != "" {
		p, ok := s.providers[name]
		switch {
		case !ok:
			return nil, &request.Problem{Status: http.StatusNotFound, Code: "unknown_url", Message: fmt.Sprintf("there is no simulated provider %q", name)}
		case model != name && !slices.Contains(p.Models(), model):
			return nil, &request.Problem{Status: http.StatusNotFound, Message: fmt.Sprintf("the model %q does not exist here (one of %s)", model, strings.Join(p.Models(), ", "))}
		}
		return p, nil
	}
	if p, ok := s.providers[model]; ok {
		return p, nil
	}
	var only *provider.Provider
	for _, p := range s.providers {
		if slices.Contains(p.Models(), model) {
			if only != nil {
				return nil, &request.Problem{Status: http.StatusNotFound, Message: fmt.Sprintf("several providers serve %q: name the provider in its place, or use /PROVIDER/v1", model)}
			}
			only = p
		}
	}
	return only, nil
}

// admit takes a request to a simulated provider. It is nil where the client got
// a refusal.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, p *provider.Provider, asked request.Asked) *live {
	var prompt promptcache.Prompt
	for _, part := range asked.Parts {
		prompt.Add(part.Role, part.Text, markOf(part))
	}
	a, refusal, quota := p.Ask(r.Context(), provider.Ask{Prompt: &prompt, CacheKey: asked.CacheKey, MaxTokens: asked.MaxTokens, IgnoreEOS: asked.IgnoreEOS})
	setQuota(w.Header(), p.Limits.Headers, quota, p.Now())
	if refusal != nil {
		if p.Wait(r.Context(), refusal.Due) == nil {
			s.refuseLive(w, r, p, asked.Dialect, *refusal)
		}
		return nil
	}
	return s.newLive(w, p, a, asked)
}

func markOf(p request.Part) promptcache.Mark {
	switch {
	case p.Hour:
		return promptcache.KeepHour
	case p.Marked:
		return promptcache.Keep
	}
	return promptcache.NoMark
}

func (s *Server) refuseLive(w http.ResponseWriter, r *http.Request, p *provider.Provider, d weir.Dialect, refusal provider.Refusal) {
	problem := request.Problem{Status: refusal.Status, Message: "simulated: this provider is failing for now", Retry: refusal.RetryAfter}
	switch {
	case refusal.TooLong:
		problem = tooLong(d, refusal, p.Window)
	case refusal.TooLarge:
		problem.Message = fmt.Sprintf("request too large: %d tokens, the limit is %d per minute", refusal.Prompt+refusal.Output, p.Limits.Tokens)
	case refusal.Status == http.StatusTooManyRequests:
		problem.Message = "rate limit reached: try again in " + refusal.RetryAfter.Round(time.Millisecond).String()
	}
	if p.Limits.Headers != "none" && d != weir.Gemini { // Google says it in the body
		setRetryAfter(w.Header(), refusal.RetryAfter)
	}
	s.refuse(w, r, d, problem)
}

// tooLong says that a request is longer than the context as the provider would.
func tooLong(d weir.Dialect, r provider.Refusal, window int) request.Problem {
	p := request.Problem{Status: http.StatusBadRequest}
	switch d {
	case weir.Anthropic:
		p.Message = fmt.Sprintf("input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input length or `max_tokens` and try again", r.Prompt, r.Output, window)
		if r.Prompt >= window {
			p.Message = fmt.Sprintf("prompt is too long: %d tokens > %d maximum", r.Prompt, window)
		}
	case weir.Gemini:
		p.Message = fmt.Sprintf("Unable to submit request because it has a maxOutputTokens value of %d but the supported range is from 1 (inclusive) to %d (exclusive). Update the value and try again.", r.Output, window-r.Prompt+1)
		if r.Prompt >= window {
			p.Message = fmt.Sprintf("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", r.Prompt, window)
		}
	default:
		p.Code = "context_length_exceeded"
		p.Message = fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.",
			window, r.Prompt+r.Output, r.Prompt, r.Output)
	}
	return p
}
