package sim

import (
	"encoding/json"
	"net/http"
	"strconv"

	"weir.dev/weir"
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
	list := struct {
		Object string   `json:"object"`
		Data   []listed `json:"data"`
	}{Object: "list", Data: []listed{}}
	if name := r.PathValue("provider"); name != "" {
		p, problem := s.find(r, name)
		if problem != nil {
			writeProblem(w, weir.OpenAIChat, *problem)
			return
		}
		for _, model := range p.Models() {
			list.Data = append(list.Data, entry(model, p))
		}
	} else {
		for _, name := range s.names {
			list.Data = append(list.Data, entry(name, s.providers[name]))
		}
	}
	body, err := json.Marshal(list)
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
