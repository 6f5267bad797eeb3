package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim/provider"
)

// listed is a model in the list: OpenAI's fields, vLLM's max_model_len, the
// price per token as OpenRouter has it.
type listed struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	OwnedBy string   `json:"owned_by"`
	Window  int      `json:"max_model_len,omitempty"`
	Pricing *pricing `json:"pricing,omitempty"`
}

type pricing struct {
	Prompt     string `json:"prompt,omitempty"`
	Completion string `json:"completion,omitempty"`
	CacheRead  string `json:"input_cache_read,omitempty"`
}

func (s *Server) listModels(w http.ResponseWriter, r *http.Request) {
	all, problem := s.listed(r)
	if problem != nil {
		writeProblem(w, weir.OpenAIChat, *problem)
		return
	}
	writeAsJSON(w, struct {
		Object string   `json:"object"`
		Data   []listed `json:"data"`
	}{"list", all})
}

func (s *Server) showModel(w http.ResponseWriter, r *http.Request) {
	all, problem := s.listed(r)
	if problem != nil {
		writeProblem(w, weir.OpenAIChat, *problem)
		return
	}
	model := r.PathValue("model")
	i := slices.IndexFunc(all, func(e listed) bool { return e.ID == model })
	if i < 0 {
		writeProblem(w, weir.OpenAIChat, request.Problem{Status: http.StatusNotFound, Message: fmt.Sprintf("the model %.100q does not exist", model)})
		return
	}
	writeAsJSON(w, all[i])
}

// listed is what the server, or the provider in the path, lists.
func (s *Server) listed(r *http.Request) ([]listed, *request.Problem) {
	all := []listed{}
	if name := r.PathValue("provider"); name != "" {
		p, problem := s.find(r, name)
		if problem != nil {
			return nil, problem
		}
		for _, model := range p.Models() {
			all = append(all, entry(model, p))
		}
		return all, nil
	}
	for _, name := range s.names {
		all = append(all, entry(name, s.providers[name]))
	}
	return all, nil
}

func writeAsJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers only
	}
	writeJSON(w, http.StatusOK, body)
}

// entry describes a model of a provider, or of a plan where p is nil.
func entry(name string, p *provider.Provider) listed {
	e := listed{ID: name, Object: "model", OwnedBy: "weir-sim"}
	if p == nil {
		return e
	}
	e.OwnedBy, e.Window = p.Name, p.Window
	if c := p.Price; c.Input != nil || c.Output != nil || c.Cached != nil {
		e.Pricing = &pricing{Prompt: perToken(c.Input), Completion: perToken(c.Output), CacheRead: perToken(c.Cached)}
	}
	return e
}

// perToken is a price per million tokens as one per token.
func perToken(perMillion *float64) string {
	if perMillion == nil {
		return ""
	}
	const digits = 12 // without the error of the division
	short, _ := strconv.ParseFloat(strconv.FormatFloat(*perMillion/1e6, 'g', digits, 64), 64)
	return strconv.FormatFloat(short, 'f', -1, 64)
}
