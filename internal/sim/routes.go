package sim

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// newRoutes has every path with and without /v1: clients differ in whether
// their base URL has it. Under /NAME stands the provider of that name alone.
func (s *Server) newRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, of := range []string{"", "/{provider}"} {
		for _, base := range []string{"/v1", ""} {
			mux.HandleFunc("POST "+of+base+"/chat/completions", s.answering(weir.OpenAIChat))
			mux.HandleFunc("POST "+of+base+"/completions", s.answering(weir.OpenAICompletions))
			mux.HandleFunc("POST "+of+base+"/responses", s.answering(weir.OpenAIResponses))
			mux.HandleFunc("POST "+of+base+"/messages", s.answering(weir.Anthropic))
			mux.HandleFunc("GET "+of+base+"/models", s.listModels)
		}
		mux.HandleFunc("GET "+of+"/v1/models/{model...}", s.showModel)
		mux.HandleFunc("POST "+of+"/v1beta/models/{call...}", s.answering(weir.Gemini))
		mux.HandleFunc("GET "+of+"/health", s.healthy)
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, weir.OpenAIChat, request.Problem{
			Status:  http.StatusNotFound,
			Code:    "unknown_url",
			Message: "there is no " + r.Method + " " + r.URL.Path + " (POST /v1/chat/completions or /v1/messages, GET /v1/models or /health)",
		})
	})
	return mux
}

// healthy is what clients ask before they begin; a provider that there is not
// has no health.
func (s *Server) healthy(w http.ResponseWriter, r *http.Request) {
	if name := r.PathValue("provider"); name != "" && s.providers[name] == nil {
		writeProblem(w, weir.OpenAIChat, request.Problem{Status: http.StatusNotFound, Code: "unknown_url", Message: fmt.Sprintf("there is no simulated provider %q", name)})
		return
	}
	writeJSON(w, http.StatusOK, []byte(`{"status":"ok"}`))
}

// read reads a request; its error is a problem to answer with.
func (s *Server) read(d weir.Dialect, w http.ResponseWriter, r *http.Request) (request.Asked, *request.Problem) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return request.Asked{}, &request.Problem{
			Status:  http.StatusRequestEntityTooLarge,
			Code:    "body_too_large",
			Message: "the body is larger than " + strconv.FormatInt(s.maxBody, 10) + " bytes",
		}
	case err != nil:
		return request.Asked{}, problem(http.StatusBadRequest, "body_unreadable", err)
	}
	asked, err := decodeApart(d, body)
	if err != nil {
		return request.Asked{}, problem(http.StatusBadRequest, "bad_request", err)
	}
	if d == weir.Gemini {
		return asked, readCall(&asked, r)
	}
	return asked, nil
}

// decodeApart decodes on a stack of its own: encoding/json needs a deep one,
// which the handler would keep for as long as it streams.
func decodeApart(d weir.Dialect, body []byte) (asked request.Asked, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		asked, err = request.Decode(d, body)
	}()
	<-done
	return asked, err
}

// readCall takes what Gemini says in the path: MODEL:METHOD.
func readCall(asked *request.Asked, r *http.Request) *request.Problem {
	i := strings.LastIndexByte(r.PathValue("call"), ':')
	call := r.PathValue("call")
	if i > 0 {
		asked.Model, call = call[:i], call[i+1:]
	}
	switch {
	case i > 0 && call == "generateContent":
		return nil
	case i <= 0 || call != "streamGenerateContent":
		return &request.Problem{Status: http.StatusNotFound, Message: "there is no " + r.URL.Path + " (MODEL:generateContent or MODEL:streamGenerateContent)"}
	}
	asked.Stream, asked.Array = true, r.URL.Query().Get("alt") != "sse"
	return nil
}

// problem is an error of ours as a provider's; it keeps the code of a weir.Error.
func problem(status int, code string, err error) *request.Problem {
	if e, ok := errors.AsType[*weir.Error](err); ok {
		code = e.Code
	}
	return &request.Problem{Status: status, Code: code, Message: err.Error()}
}

// noModel is a model that there is not, or a plan in its place that is wrong.
func noModel(err error) *request.Problem {
	p := problem(http.StatusNotFound, "model_not_found", err)
	if p.Code == badPlan {
		p.Status = http.StatusBadRequest
	}
	return p
}

func writeProblem(w http.ResponseWriter, d weir.Dialect, p request.Problem) {
	writeJSON(w, p.Status, request.AppendProblem(nil, d, p))
}

// setRetryAfter says when to come back: in whole seconds as the standard has
// it, and to the millisecond as OpenAI does where seconds would say too much.
func setRetryAfter(h http.Header, d time.Duration) {
	if d <= 0 {
		return
	}
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
	if d%time.Second != 0 {
		h.Set("Retry-After-Ms", strconv.FormatInt(max(1, d.Milliseconds()), 10))
	}
}

// writeJSON writes a body whole. A client that has left is nobody's problem.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
