package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/request"
)

// WallConfig is what a Wall is made from. Its zero value works.
type WallConfig struct {
	Profile Profile      // of requests that bring no mark; "": Full
	Clock   clock.Clock  // nil: clock.Plain
	MaxBody int64        // most bytes of a request's body; 0: 8 MiB
	MaxLog  int          // most attempts in the log; 0: 4096
	Log     *slog.Logger // one line per attempt at debug level; nil: none
}

// Wall is the provider side: an http.Handler that answers OpenAI chat and
// Anthropic Messages requests with the fault that the model is named after, or
// with Text for any other name. It has no goroutines of its own. Make one with
// NewWall, and serve it with Server: some faults need the bare connection.
type Wall struct {
	profile Profile
	clock   clock.Clock
	maxBody int64
	slog    *slog.Logger
	faults  map[string]fault
	order   []string // their ids
	log     logbook
	memory  memory
	routes  *http.ServeMux
}

var _ http.Handler = (*Wall)(nil)

// NewWall makes a wall.
func NewWall(c WallConfig) *Wall {
	w := &Wall{
		profile: c.Profile, clock: c.Clock, maxBody: c.MaxBody, slog: c.Log,
		faults: map[string]fault{}, log: logbook{limit: c.MaxLog}, memory: memory{seen: map[string]visits{}},
	}
	if w.profile == "" {
		w.profile = Full
	}
	if w.clock == nil {
		w.clock = clock.Plain{}
	}
	if w.maxBody <= 0 {
		w.maxBody = 8 << 20
	}
	if w.log.limit <= 0 {
		w.log.limit = 4096
	}
	if w.slog == nil {
		w.slog = slog.New(slog.DiscardHandler)
	}
	for _, f := range catalogue() {
		w.faults[f.id] = f
		w.order = append(w.order, f.id)
	}
	w.routes = w.newRoutes()
	return w
}

// ServeHTTP implements http.Handler.
func (w *Wall) ServeHTTP(rw http.ResponseWriter, r *http.Request) { w.routes.ServeHTTP(rw, r) }

// Server is an HTTP server for the wall, over HTTP/1.1 and unencrypted HTTP/2.
func (w *Wall) Server() *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second, Protocols: protocols, ConnContext: withConnection}
}

// connection is what the wall knows of the connection a request came over.
type connection struct {
	net.Conn
	requests atomic.Int64
}

type connectionKey struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{Conn: c})
}

// newRoutes has every path with and without /v1: clients differ in whether
// their base URL has it.
func (w *Wall) newRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, base := range []string{"/v1", ""} {
		mux.HandleFunc("POST "+base+"/chat/completions", w.answering(weir.OpenAIChat))
		mux.HandleFunc("POST "+base+"/messages", w.answering(weir.Anthropic))
		mux.HandleFunc("GET "+base+"/models", w.serveModels)
	}
	mux.HandleFunc("GET /faults/log", w.serveLog)
	mux.HandleFunc("GET /health", func(rw http.ResponseWriter, _ *http.Request) {
		writeJSON(rw, http.StatusOK, []byte(`{"status":"ok"}`))
	})
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		writeProblem(rw, weir.OpenAIChat, request.Problem{
			Status: http.StatusNotFound, Code: "unknown_url",
			Message: "there is no " + r.Method + " " + r.URL.Path + " (POST /v1/chat/completions or /v1/messages, GET /v1/models or /faults/log)",
		})
	})
	return mux
}

func (w *Wall) serveModels(rw http.ResponseWriter, _ *http.Request) {
	type entry struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []entry `json:"data"`
	}{Object: "list"}
	for _, id := range append([]string{healthyName}, w.order...) {
		list.Data = append(list.Data, entry{ID: id, Object: "model", OwnedBy: "weir-faults"})
	}
	body, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings and numbers only
	}
	writeJSON(rw, http.StatusOK, body)
}

// healthyName is what the documentation calls the fallback; any name that is no
// fault's does the same.
const healthyName = "good"

// faultOf finds the fault that a model is named after: S08, s08, openai/S08, and
// for one of its cases S08-clean. A name that looks like a fault and is none is
// an error, so that a typing error does not score as healthy.
func (w *Wall) faultOf(model string) (f fault, variant string, err error) {
	name := model[strings.LastIndexByte(model, '/')+1:]
	id, variant, _ := strings.Cut(name, "-")
	id = strings.ToUpper(id)
	f, ok := w.faults[id]
	variant = strings.ToLower(variant)
	switch {
	case ok && (variant == "" || slices.Contains(f.known(), variant)):
		return f, variant, nil
	case ok:
		return f, "", &weir.Error{
			Code: "model_not_found", Message: fmt.Sprintf("there is no case %q of %s", variant, id),
			Hint: "its cases: " + strings.Join(append([]string{"the plain " + id}, f.known()...), ", "),
		}
	case len(id) == 3 && (id[0] == 'S' || id[0] == 'W') && strings.Trim(id[1:], "0123456789") == "":
		return f, "", &weir.Error{
			Code: "model_not_found", Message: fmt.Sprintf("there is no fault %q", model),
			Hint: fmt.Sprintf("%s to %s; any other name is a healthy model", w.order[0], w.order[len(w.order)-1]),
		}
	}
	return fault{serve: (*exchange).healthy}, "", nil
}

// answering handles the requests of one dialect.
func (w *Wall) answering(d weir.Dialect) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		e, bad := w.receive(d, rw, r)
		if bad != nil {
			writeProblem(rw, d, *bad)
			return
		}
		serve := e.fault.serve
		if !e.asked.Stream && e.fault.whole != nil {
			serve = e.fault.whole
		}
		err := serve(e)
		e.close(err)
		if errors.Is(err, errCut) {
			panic(http.ErrAbortHandler)
		}
	}
}

// receive reads a request and enters it in the log; its error is a problem to
// answer with.
func (w *Wall) receive(d weir.Dialect, rw http.ResponseWriter, r *http.Request) (*exchange, *request.Problem) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, w.maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &request.Problem{
			Status: http.StatusRequestEntityTooLarge, Code: "body_too_large",
			Message: "the body is larger than " + strconv.FormatInt(w.maxBody, 10) + " bytes",
		}
	case err != nil:
		return nil, problem(http.StatusBadRequest, "body_unreadable", err)
	}
	asked, err := request.Decode(d, body)
	if err != nil {
		return nil, problem(http.StatusBadRequest, "bad_request", err)
	}
	f, variant, err := w.faultOf(asked.Model)
	if err != nil {
		return nil, problem(http.StatusNotFound, "model_not_found", err)
	}
	m, marked := findMark(body)
	if !marked {
		m = mark{Variant: variant, Profile: w.profile}
	}
	return w.newExchange(rw, r, f, asked, m, body), nil
}

// problem is an error of ours as a provider's; it keeps the code of a weir.Error.
func problem(status int, code string, err error) *request.Problem {
	if e, ok := errors.AsType[*weir.Error](err); ok {
		code = e.Code
	}
	return &request.Problem{Status: status, Code: code, Message: err.Error()}
}

func writeProblem(rw http.ResponseWriter, d weir.Dialect, p request.Problem) {
	writeJSON(rw, p.Status, request.AppendProblem(nil, d, p))
}

// writeJSON writes a body whole. A client that has left is nobody's problem.
func writeJSON(rw http.ResponseWriter, status int, body []byte) {
	rw.Header().Set("Content-Type", "application/json")
	rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(status)
	_, _ = rw.Write(body)
}
