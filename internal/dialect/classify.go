package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"weir.dev/weir"
	"weir.dev/weir/internal/sse"
)

// Verdict is what an error was.
type Verdict struct {
	Outcome    weir.Outcome
	ErrorType  string // the detail: overloaded, quota_exhausted, context_length, content_filter, ..., or the provider's own word
	Message    string // the provider's words, bounded; empty if it sent none that a person would read
	Type, Code string // the provider's own, bounded; Google's status is a code
	RetryAfter weir.Opt[time.Duration]
	RetryAt    weir.Opt[time.Time] // set instead where the server named an instant and no Date to count from
}

// Classify judges a response by its status, header and (the beginning of) its
// body. A status in the 200s is judged by the error in its body; without one
// the outcome is ok.
func Classify(status int, header http.Header, body []byte) Verdict {
	if status >= 200 && status < 300 {
		raw := errorIn(body)
		if raw == nil {
			return Verdict{Outcome: weir.OK}
		}
		return classifyInBand(raw, header)
	}
	e := parseError(body)
	v := Verdict{Outcome: outcomeOf(status), ErrorType: e.detail(), Message: e.Message, Type: e.Type, Code: e.code()}
	if v.ErrorType == "" {
		v.ErrorType = statusDetail(status)
	}
	v.RetryAfter, v.RetryAt = retryAfter(header, body, v.Outcome == weir.RateLimited)
	return v
}

func outcomeOf(status int) weir.Outcome {
	switch {
	case status == http.StatusTooManyRequests:
		return weir.RateLimited
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden:
		return weir.Auth
	case status == http.StatusRequestTimeout, status >= 500, status < 400:
		return weir.UpstreamError
	}
	return weir.BadRequest
}

func statusDetail(status int) string {
	switch {
	case status == 529:
		return "overloaded"
	case status == http.StatusPaymentRequired:
		return "quota_exhausted"
	case status >= 300 && status < 400:
		return "redirect"
	}
	return ""
}

// classifyInBand judges an error inside a 200: a rate limit or the provider's
// failure, whatever code it names (METRICS.md, "Failures are data").
func classifyInBand(raw []byte, header http.Header) Verdict {
	e := parseError(raw)
	v := Verdict{Outcome: weir.UpstreamError, ErrorType: e.detail(), Message: e.Message, Type: e.Type, Code: e.code()}
	switch {
	case e.rateLimited():
		v.Outcome = weir.RateLimited
	case e.Type == "prompt_blocked":
		v.Outcome, v.ErrorType, v.Type = weir.BadRequest, "content_filter", "" // the type is ours
	}
	v.RetryAfter, v.RetryAt = retryAfter(header, raw, v.Outcome == weir.RateLimited)
	return v
}

// errorIn finds the error in a JSON body; nil if there is none.
func errorIn(body []byte) []byte {
	var rec record
	rec.reset()
	c := cursor{b: body}
	if rec.openAI(&c); c.bad || rec.fail == nil {
		return nil
	}
	return rec.fail
}

// providerError is an error as providers word it, in any of their forms.
type providerError struct {
	Type, Code, Status, Message string
	RetryDelay                  string
}

// parseError reads {"error":{...}}, {"error":"..."}, {"object":"error",...},
// {"type":"error","error":{...}}, the inner object alone, {"detail":...}, a list
// of one of these, and any of them framed as an event. What the inner object
// does not say may stand beside it.
func parseError(body []byte) providerError {
	body = unframed(body)
	var v any
	if json.Unmarshal(body, &v) != nil {
		return providerError{Message: plainText(body)}
	}
	for range 4 {
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			break
		}
		v = list[0]
	}
	return errorOf(v, 4)
}

func errorOf(v any, depth int) providerError {
	switch x := v.(type) {
	case string:
		return providerError{Message: bounded(x)}
	case map[string]any:
		outer := errorFields(x)
		if inner, ok := x["error"]; ok && inner != nil && depth > 0 {
			return errorOf(inner, depth-1).or(outer)
		}
		return outer
	}
	return providerError{}
}

// or fills what e does not say.
func (e providerError) or(outer providerError) providerError {
	return providerError{
		Type: cmp.Or(e.Type, outer.Type), Code: cmp.Or(e.Code, outer.Code), Status: cmp.Or(e.Status, outer.Status),
		Message: cmp.Or(e.Message, outer.Message), RetryDelay: cmp.Or(e.RetryDelay, outer.RetryDelay),
	}
}

// unframed is the data of an error body that came as an event.
func unframed(body []byte) []byte {
	start := bytes.TrimLeft(body, " \t\r\n")
	if !bytes.HasPrefix(start, []byte("data:")) && !bytes.HasPrefix(start, []byte("event:")) {
		return body
	}
	var r sse.Reader
	if ev, _, ok, err := r.Next(append(bytes.Clone(start), "\n\n"...)); ok && err == nil {
		return bytes.Clone(ev.Data)
	}
	return body
}

func errorFields(x map[string]any) providerError {
	e := providerError{Type: text(x["type"]), Code: text(x["code"]), Status: text(x["status"]), Message: text(x["message"])}
	if e.Type == "error" {
		e.Type = ""
	}
	e.Type = cmp.Or(e.Type, text(x["error_type"]))
	e.Status = cmp.Or(e.Status, text(x["status_code"]))
	for _, key := range []string{"detail", "error_message", "msg", "message"} {
		if e.Message == "" {
			e.Message = saying(x[key])
		}
	}
	if list, ok := x["details"].([]any); ok {
		for _, d := range list {
			if m, ok := d.(map[string]any); ok && strings.HasSuffix(text(m["@type"]), "RetryInfo") {
				e.RetryDelay = text(m["retryDelay"])
			}
		}
	}
	return e
}

// saying finds the words in what stands where a message is expected: FastAPI's
// list of details, Mistral's object.
func saying(v any) string {
	switch x := v.(type) {
	case string:
		return bounded(x)
	case []any:
		if len(x) > 0 {
			return saying(x[0])
		}
	case map[string]any:
		for _, key := range []string{"msg", "message", "detail"} {
			if s := saying(x[key]); s != "" {
				return s
			}
		}
	}
	return ""
}

func text(v any) string {
	switch x := v.(type) {
	case string:
		return bounded(x)
	case float64:
		b, _ := json.Marshal(x)
		return string(b)
	}
	return ""
}

// bounded keeps what a person reads of a message: 500 bytes, one line, and
// nothing that turns the direction of the text around it.
func bounded(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }), " ")
	if len(s) > 500 {
		s = s[:500]
		for !utf8.ValidString(s) && len(s) > 0 {
			s = s[:len(s)-1]
		}
		s += "..."
	}
	return s
}

// plainText is a message that is not JSON; a page is no message.
func plainText(body []byte) string {
	s := strings.TrimSpace(string(body[:min(len(body), 2000)]))
	if strings.HasPrefix(s, "<") || !utf8.ValidString(s) {
		return ""
	}
	return bounded(s)
}

// code is the code in words, where there is one, else its number.
func (e providerError) code() string {
	if _, err := strconv.Atoi(e.Code); err == nil && word(e.Status) != "" {
		return e.Status
	}
	return cmp.Or(e.Code, e.Status)
}

func (e providerError) rateLimited() bool {
	return e.Code == "429" || e.Status == "429" || has(e.Code+" "+e.Type+" "+e.Status, "rate_limit", "ratelimit", "resource_exhausted", "too_many_requests", "toomanyrequests", "throttl", "insufficient_quota")
}

// details lists what an error is about, by the words providers use for it; the
// first that fits counts.
var details = []struct {
	detail string
	words  []string // in code, type or status
	says   []string // in the message
}{
	{"quota_exhausted", []string{"insufficient_quota", "quota_exceeded", "billing", "insufficient_credits", "payment_required"}, []string{"credit balance", "insufficient credits", "insufficient_quota", "insufficient balance"}},
	{"context_length", []string{"context_length", "context_window", "context_error"}, []string{"context length", "context window", "prompt is too long", "prompt too long", "maximum number of tokens", "fit into the context", "exceeds the available context"}},
	{"content_filter", []string{"content_filter", "content_policy", "responsibleaipolicy", "prompt_blocked", "moderation"}, []string{"content management policy", "content policy", "safety system"}},
	{"overloaded", []string{"overloaded", "engine_overloaded"}, []string{"overloaded"}},
	{"rate_limit", []string{"rate_limit", "ratelimit", "resource_exhausted", "too_many_requests", "throttl"}, nil},
	{"model_not_found", []string{"model_not_found", "deploymentnotfound"}, []string{"model not found", "does not exist", "' not found"}},
	{"invalid_key", []string{"invalid_api_key", "authentication_error", "unauthenticated", "invalid_key"}, []string{"api key not valid", "invalid api key", "incorrect api key"}},
}

// detail names what the error is about, or gives the provider's own word.
func (e providerError) detail() string {
	id, message := strings.ToLower(e.Code+" "+e.Type+" "+e.Status), strings.ToLower(e.Message)
	for _, d := range details {
		if has(id, d.words...) || has(message, d.says...) {
			return d.detail
		}
	}
	for _, own := range []string{e.Type, e.Status, e.Code} {
		if w := word(own); w != "" {
			return w
		}
	}
	return ""
}

func has(s string, words ...string) bool {
	s = strings.ToLower(s)
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// word makes a provider's error type fit for a label: lower case, no blanks,
// at most 48 bytes, not a bare number.
func word(s string) string {
	letters := 0
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			letters++
			return r
		case r >= 'A' && r <= 'Z':
			letters++
			return r + 'a' - 'A'
		case r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		case r == ' ':
			return '_'
		}
		return -1
	}, s)
	if letters == 0 {
		return ""
	}
	return s[:min(len(s), 48)]
}
