package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/route"
)

// admit takes a request in: whose it is, what it asks for, which route serves
// it, and whether its key has enough left for it.
func (x *exchange) admit() *problem {
	var ok bool
	if x.tenant, ok = x.plant.tenants.Who(secretOf(x.r.Header)); !ok {
		return &problem{status: http.StatusUnauthorized, code: "invalid_api_key", message: "no key, or one that is not known here (Authorization: Bearer KEY, or x-api-key)"}
	}
	x.record.Key = x.tenant.Name()
	if p := x.read(); p != nil {
		return p
	}
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Time{}) // a writer without deadlines is a test's
	if p := x.parse(); p != nil {
		return p
	}
	if p := x.find(); p != nil {
		return p
	}
	if p := x.need(); p != nil {
		return p
	}
	return x.reserve()
}

// secretOf is the key of a caller, in whichever header its SDK puts it.
func secretOf(h http.Header) string {
	if scheme, secret, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(secret)
	}
	if secret := h.Get("X-Api-Key"); secret != "" {
		return secret
	}
	return h.Get("Api-Key")
}

// read takes in the body, whole and before anything is sent: it may have to be
// sent again, and only once it is read does net/http notice a caller that leaves.
func (x *exchange) read() *problem {
	limit := int64(x.plant.bounds.Body)
	if x.r.ContentLength > limit {
		return tooLarge(limit)
	}
	var b bytes.Buffer
	if n := x.r.ContentLength; n > 0 {
		b.Grow(int(n) + bytes.MinRead)
	}
	_, err := b.ReadFrom(http.MaxBytesReader(x.w, x.r.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(limit)
	case err != nil:
		return &problem{status: http.StatusRequestTimeout, code: "body_unreadable", message: "the body did not come whole"}
	}
	x.body = b.Bytes()
	return nil
}

// parse reads of the body what the gateway has to know.
func (x *exchange) parse() *problem {
	if err := x.asked.Read(x.body); err != nil {
		return &problem{status: http.StatusBadRequest, code: "invalid_json", message: "the body is not a JSON object: " + err.Error()}
	}
	return nil
}

func tooLarge(limit int64) *problem {
	return &problem{status: http.StatusRequestEntityTooLarge, code: "body_too_large", message: "the body is larger than " + strconv.FormatInt(limit, 10) + " bytes"}
}

// find looks up the route that the model names.
func (x *exchange) find() *problem {
	x.asked.Stream = x.asked.Stream && x.reads != "" // embeddings do not stream
	x.model = string(x.asked.Model)
	x.record.Asked = x.model
	if x.model == "" {
		return &problem{status: http.StatusBadRequest, code: "no_model", message: "model is missing, or no string"}
	}
	if x.site = x.plant.byName[x.model]; x.site == nil || !x.tenant.May(x.model) {
		return &problem{status: http.StatusNotFound, code: "model_not_found", message: fmt.Sprintf("there is no route %.100q for this key (GET /v1/models lists them)", x.model)}
	}
	x.record.Route, x.record.Stream = x.site.name, x.asked.Stream
	return x.limitTime()
}

// timeoutHeader is a caller's own limit on the whole request, in milliseconds.
const timeoutHeader = "X-Weir-Timeout-Ms"

// limitTime sets the request's deadline: the sooner of the caller's and the
// route's.
func (x *exchange) limitTime() *problem {
	limit := x.site.Deadline
	if v := x.r.Header.Get(timeoutHeader); v != "" {
		ms, err := strconv.ParseUint(v, 10, 31)
		if err != nil || ms == 0 {
			return &problem{status: http.StatusBadRequest, code: "bad_timeout", message: timeoutHeader + " has to be a whole number of milliseconds above 0"}
		}
		if own := time.Duration(ms) * time.Millisecond; limit == 0 || own < limit {
			limit, x.own = own, true
		}
	}
	if limit > 0 {
		x.deadline = x.arrived.Add(limit)
	}
	return nil
}

// need says what a target has to be able to do.
func (x *exchange) need() *problem {
	x.ask = route.Ask{
		InputTokens: x.site.bytes.tokens(len(x.asked.Prompt)), Dialect: x.dialect, Stream: x.asked.Stream,
		Tools: x.asked.Tools, Images: x.asked.Images,
	}
	if n := x.asked.MaxTokens; n > 0 {
		x.ask.OutputTokens = weir.Some(n)
	}
	if id := string(x.asked.PreviousResponse); id != "" {
		pin := x.server.pins.of(id)
		if pin.target != "" && pin.tenant != x.tenant.Name() {
			return &problem{status: http.StatusNotFound, code: "previous_response_not_found", message: "there is no response of this id for this key"}
		}
		x.ask.Pin = pin.target
	}
	x.record.InputTokens = weir.Some(x.ask.InputTokens)
	return nil
}

// reserve takes what the request may use from its key's limits.
func (x *exchange) reserve() *problem {
	output := x.most()
	hold, refusal := x.tenant.Reserve(x.arrived, x.ask.InputTokens+output, x.dearest(output))
	if refusal == nil {
		x.hold = hold
		return nil
	}
	x.record.Refused = string(refusal.Limit)
	return &problem{
		status: http.StatusTooManyRequests, code: refusal.Err().Code, message: refusal.Message,
		retryAfter: refusal.RetryAfter, again: weir.Some(refusal.RetryAfter.Known()),
	}
}

// most is how many tokens the answer may have, by whichever of its limits a
// target goes: calls at once are not to get past a limit by saying little. Where
// the request names none it is an assumption, which alone is no reason to refuse
// a call that the key's tokens a minute could never hold.
func (x *exchange) most() int {
	if n := x.asked.MostTokens(); n > 0 || x.name == journal.Embeddings {
		return n
	}
	n := x.plant.bounds.Output * x.asked.N
	if limit := x.tenant.TokensPerMinute(); limit > 0 {
		n = min(n, max(0, limit-x.ask.InputTokens))
	}
	return n
}

// dearest is what the request costs at most, at any of the route's targets. It
// is not known where a price is not.
func (x *exchange) dearest(output int) weir.Opt[float64] {
	usage := weir.Usage{Prompt: weir.Some(x.ask.InputTokens), Completion: weir.Some(output)}
	most := weir.None[float64]()
	for _, t := range x.site.targets {
		cost := costOf(t, usage)
		if !cost.Known() {
			return cost
		}
		if cost.Or(0) >= most.Or(0) {
			most = cost
		}
	}
	return most
}

// without leaves out targets that the request must not go to again.
func (x *exchange) without(target string) {
	if !slices.Contains(x.ask.Without, target) {
		x.ask.Without = append(x.ask.Without, target)
	}
}
