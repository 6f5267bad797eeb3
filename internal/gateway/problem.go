package gateway

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// problem is an error as a caller is told it.
type problem struct {
	status  int
	code    string
	message string

	retryAfter weir.Opt[time.Duration]
	again      weir.Opt[bool] // x-should-retry, which the SDKs of OpenAI and Anthropic obey
	body       []byte         // the target's own words; they go before message
	bodyType   string
}

// writeProblem answers with p in the caller's dialect.
func writeProblem(w http.ResponseWriter, d weir.Dialect, p *problem) {
	h, body, kind := w.Header(), p.body, p.bodyType
	if body == nil {
		body, kind = request.AppendProblem(nil, d, p.said(d)), "application/json"
	}
	if wait, ok := p.retryAfter.Get(); ok {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		h.Set("Retry-After-Ms", strconv.FormatInt(int64(math.Ceil(float64(wait)/float64(time.Millisecond))), 10))
	}
	if again, ok := p.again.Get(); ok {
		h.Set("X-Should-Retry", strconv.FormatBool(again))
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.status)
	_, _ = w.Write(body) // a caller that has left is told nothing
}

// said is p in the words of a dialect. Anthropic's error types are a closed
// list, which follows from the status; OpenAI's are not, and there ours says
// more.
func (p *problem) said(d weir.Dialect) request.Problem {
	said := request.Problem{Status: p.status, Message: p.message, Code: p.code}
	if d != weir.Anthropic && p.status >= 500 {
		said.Type = "upstream_error"
	}
	return said
}

// dialectOf guesses how a caller wants to be told of an error where it is not
// known what it asks for.
func dialectOf(r *http.Request) weir.Dialect {
	if r.Header.Get("Anthropic-Version") != "" || strings.HasSuffix(r.URL.Path, "/messages") {
		return weir.Anthropic
	}
	return weir.OpenAIChat
}
