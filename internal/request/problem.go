package request

import (
	"net/http"
	"strconv"
	"time"

	"weir.dev/weir"
)

// Problem is an error as a provider says it.
type Problem struct {
	Status  int           // HTTP status; inside a stream the one it would have been
	Message string        // for people
	Type    string        // empty: the dialect's own for the status
	Code    string        // OpenAI's code; empty: its own for the status, or null
	Retry   time.Duration // when to come back, for Google's body; 0: not said
}

// statusOverloaded is Anthropic's 529.
const statusOverloaded = 529

// AppendProblem appends an error body in the dialect d: Anthropic's form for
// anthropic, Google's for gemini, OpenAI's for all others.
func AppendProblem(dst []byte, d weir.Dialect, p Problem) []byte {
	if d == weir.Gemini {
		return appendGoogleProblem(dst, p)
	}
	if d == weir.Anthropic {
		dst = append(dst, `{"type":"error","error":{"type":`...)
		dst = appendString(dst, or(p.Type, anthropicType(p.Status)))
		return append(appendString(append(dst, `,"message":`...), p.Message), "}}"...)
	}
	dst = appendString(append(dst, `{"error":{"message":`...), p.Message)
	dst = appendString(append(dst, `,"type":`...), or(p.Type, openAIType(p.Status)))
	dst = append(dst, `,"param":null,"code":`...)
	if code := or(p.Code, openAICode(p.Status)); code != "" {
		dst = appendString(dst, code)
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, "}}"...)
}

func appendGoogleProblem(dst []byte, p Problem) []byte {
	dst = strconv.AppendInt(append(dst, `{"error":{"code":`...), int64(p.Status), 10)
	dst = appendString(append(dst, `,"message":`...), p.Message)
	dst = appendString(append(dst, `,"status":`...), or(p.Type, googleStatus(p.Status)))
	if p.Retry > 0 {
		dst = append(dst, `,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"`...)
		dst = append(strconv.AppendFloat(dst, p.Retry.Seconds(), 'f', -1, 64), `s"}]`...)
	}
	return append(dst, "}}"...)
}

// googleStatus is the google.rpc.Code of an HTTP status.
func googleStatus(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	}
	if status >= 500 {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}

func anthropicType(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusServiceUnavailable, statusOverloaded:
		return "overloaded_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

func openAIType(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

func openAICode(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "invalid_api_key"
	case http.StatusNotFound:
		return "model_not_found"
	case http.StatusTooManyRequests:
		return "rate_limit_exceeded"
	}
	return ""
}

func or(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}
