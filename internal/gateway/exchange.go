package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/oklog/ulid/v2"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/internal/splice"
)

// exchange is one request on its way. It belongs to the goroutine that serves
// it, but for what downstream guards.
type exchange struct {
	operation
	server *Server
	plant  *plant

	w       http.ResponseWriter
	r       *http.Request
	ctx     context.Context // ends when the caller leaves, or the process has to
	cancel  context.CancelCauseFunc
	arrived time.Time

	tenant *tenant.Tenant
	hold   tenant.Hold
	body   []byte
	asked  splice.Request
	model  string // the caller's name of it
	site   *site

	ask      route.Ask
	plan     route.Plan
	deadline time.Time // of the request; zero: none
	own      bool      // the deadline is the caller's own
	down     downstream
	record   *journal.Record
	tried    tries
}

// serve handles the requests for one operation.
func (s *Server) serve(op operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{operation: op, server: s, plant: s.plant.Load(), w: w, r: r, arrived: time.Now()}
		x.record = &journal.Record{
			ID: ulid.Make().String(), At: x.arrived, Operation: op.name, Dialect: op.dialect, Cost: weir.Some(0.0),
		}
		w.Header().Set("X-Weir-Request-Id", x.record.ID)
		x.ctx, x.cancel = context.WithCancelCause(r.Context())
		defer x.cancel(nil)
		if !s.flights.add(x) {
			w.Header().Set("Connection", "close")
			x.refuse(&problem{status: http.StatusServiceUnavailable, code: "shutting_down", message: "the gateway is shutting down", again: weir.Some(true), retryAfter: weir.Some(time.Second)})
			return
		}
		defer s.flights.remove(x)
		x.run()
	}
}

// run serves the request, from its key to its record.
func (x *exchange) run() {
	defer x.hold.Refund() // where nothing else has ended it
	if p := x.admit(); p != nil {
		x.refuse(p)
		return
	}
	x.plant.retries.Request(x.arrived)
	x.race()
	x.settle()
	x.close()
}

// refuse ends a request that no target has seen.
func (x *exchange) refuse(p *problem) {
	writeProblem(x.w, x.dialect, p)
	x.record.Outcome, x.record.ErrorType, x.record.ErrorMessage = weir.BadRequest, p.code, p.message
	switch p.status {
	case http.StatusTooManyRequests:
		x.record.Outcome = weir.RateLimited
	case http.StatusUnauthorized, http.StatusForbidden:
		x.record.Outcome = weir.Auth
	case http.StatusServiceUnavailable:
		x.record.Outcome = weir.UpstreamError
	}
	if x.r.Context().Err() != nil {
		x.record.Outcome = weir.Canceled
	}
	x.record.Status = weir.Some(p.status)
	x.close()
}

// since is the offset of an instant from the request's arrival.
func (x *exchange) since(at time.Time) weir.Span { return weir.SpanOf(at.Sub(x.arrived)) }
