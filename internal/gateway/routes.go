package gateway

import (
	"net/http"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
)

// operation is one of the calls that the gateway serves.
type operation struct {
	name    journal.Operation
	dialect weir.Dialect // the caller's
	path    string       // of the API, below its base
	reads   weir.Dialect // how answers are read; empty: they are not
}

// routes are all paths on the callers' port, those of the API with and without
// /v1: clients differ in whether their base URL has it.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, op := range []operation{
		{journal.Chat, weir.OpenAIChat, "/chat/completions", weir.OpenAIChat},
		{journal.TextCompletion, weir.OpenAICompletions, "/completions", weir.OpenAICompletions},
		{journal.Embeddings, weir.OpenAICompletions, "/embeddings", ""},
		{journal.Chat, weir.OpenAIResponses, "/responses", weir.OpenAIResponses},
		{journal.Chat, weir.Anthropic, "/messages", weir.Anthropic},
	} {
		handle := s.serve(op)
		mux.HandleFunc("POST /v1"+op.path, handle)
		mux.HandleFunc("POST "+op.path, handle)
	}
	mux.HandleFunc("GET /v1/models", s.serveModels)
	mux.HandleFunc("GET /models", s.serveModels)
	mux.HandleFunc("GET /healthz", s.serveHealthz)
	mux.HandleFunc("GET /readyz", s.serveReadyz)
	mux.HandleFunc("/", s.serveUnknown)
	return mux
}

// guarded is what holds on every path, known or not.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			// net/http reads the rest of a body after the answer, for as long as that takes.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.plant.Load().bounds.ReadBody))
		}
		if len(r.TransferEncoding) > 0 {
			// With a length beside it the connection has to end (RFC 9112, 6.1), and net/http does not tell of one.
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) serveUnknown(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, dialectOf(r), &problem{
		status: http.StatusNotFound, code: "unknown_url",
		message: "there is no " + r.Method + " " + r.URL.Path + " (POST /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/responses or /v1/messages; GET /v1/models)",
	})
}
