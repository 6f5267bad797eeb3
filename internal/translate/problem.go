package translate

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/request"
)

// Problem turns the body of a target's error, in any dialect, into that of the
// caller's dialect to. The status is the response's and stays as it is. The
// message is kept as dialect.Classify reads it, at most 500 bytes; so are the
// type and the code, where the caller's dialect has a place for them.
func Problem(to weir.Dialect, status int, header http.Header, body []byte) []byte {
	return request.AppendProblem(nil, to, fitted(problem(status, dialect.Classify(status, header, body)), to))
}

// statusOverloaded is Anthropic's.
const statusOverloaded = 529

// problem says what a verdict does. A status of 0 is guessed.
func problem(status int, v dialect.Verdict) request.Problem {
	if n, err := strconv.Atoi(v.Code); err == nil {
		v.Code = ""
		if status == 0 && n >= 400 && n <= 599 {
			status = n
		}
	}
	if status == 0 {
		status = guessed(v)
	}
	p := request.Problem{Status: status, Message: v.Message, Type: v.Type, Code: cmp.Or(v.Code, codes[v.ErrorType])}
	if p.Message == "" {
		p.Message = cmp.Or(http.StatusText(status), "the target failed")
	}
	return p
}

func guessed(v dialect.Verdict) int {
	switch {
	case v.Outcome == weir.RateLimited:
		return http.StatusTooManyRequests
	case v.Outcome == weir.BadRequest:
		return http.StatusBadRequest
	case v.ErrorType == "overloaded":
		return statusOverloaded
	}
	return http.StatusBadGateway
}

// codes are OpenAI's for what its SDKs and their users tell apart by code.
var codes = map[string]string{
	"context_length":  "context_length_exceeded",
	"content_filter":  "content_filter",
	"quota_exhausted": "insufficient_quota",
	"model_not_found": "model_not_found",
	"invalid_key":     "invalid_api_key",
}

var anthropicTypes = []string{
	"invalid_request_error", "authentication_error", "billing_error", "permission_error", "not_found_error",
	"request_too_large", "rate_limit_error", "timeout_error", "api_error", "overloaded_error",
}

// fitted has no type that the dialect to does not know: it then has its own for
// the status.
func fitted(p request.Problem, to weir.Dialect) request.Problem {
	if to == weir.Anthropic && !slices.Contains(anthropicTypes, p.Type) {
		p.Type = ""
	}
	return p
}

// upstreamProblem is one that the target did not say itself.
func upstreamProblem(message, code string) request.Problem {
	return request.Problem{Status: http.StatusBadGateway, Message: message, Code: code}
}
