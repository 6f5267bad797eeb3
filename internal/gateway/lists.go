package gateway

import (
	"encoding/json"
	"net/http"
	"time"

	"weir.dev/weir"
)

// serveModels lists the routes that the caller's key may use, in the form of
// OpenAI or Anthropic.
func (s *Server) serveModels(w http.ResponseWriter, r *http.Request) {
	p := s.plant.Load()
	who, ok := p.tenants.Who(secretOf(r.Header))
	if !ok {
		writeProblem(w, dialectOf(r), &problem{status: http.StatusUnauthorized, code: "invalid_api_key", message: "no key, or one that is not known here (Authorization: Bearer KEY, or x-api-key)"})
		return
	}
	type entry struct {
		ID      string `json:"id"`
		Object  string `json:"object,omitempty"`
		Created int64  `json:"created,omitempty"`
		OwnedBy string `json:"owned_by,omitempty"`
		Type    string `json:"type,omitempty"`
		Name    string `json:"display_name,omitempty"`
		At      string `json:"created_at,omitempty"`
	}
	list := []entry{}
	anthropic := dialectOf(r) == weir.Anthropic
	for _, at := range p.order {
		switch {
		case !who.May(at.name):
		case anthropic:
			list = append(list, entry{ID: at.name, Type: "model", Name: at.name, At: "1970-01-01T00:00:00Z"})
		default:
			list = append(list, entry{ID: at.name, Object: "model", Created: 1, OwnedBy: "weir"})
		}
	}
	if anthropic {
		writeJSON(w, http.StatusOK, map[string]any{"data": list, "has_more": false})
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

// serveHealthz tells that the process lives.
func (s *Server) serveHealthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// serveReadyz tells whether requests are welcome: not while the gateway drains,
// nor with no target that could take one. A target that was never asked is
// unknown, which is not healthy and yet of use.
func (s *Server) serveReadyz(w http.ResponseWriter, _ *http.Request) {
	now, status, code := time.Now(), "ready", http.StatusOK
	usable := 0
	for _, at := range s.plant.Load().order {
		usable += s.fleet.Usable(at.Plan, now)
	}
	switch {
	case s.flights.isDraining():
		status, code = "draining", http.StatusServiceUnavailable
	case usable == 0:
		status, code = "no_usable_target", http.StatusServiceUnavailable
	}
	states := map[weir.HealthState]int{}
	for _, h := range s.Health(now) {
		states[h.State]++
	}
	writeJSON(w, code, map[string]any{"status": status, "usable_targets": usable, "targets": states})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller that has left is told nothing
}
