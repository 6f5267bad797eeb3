package faults

import (
	"net/http"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

func tooLong() fault {
	const code = "context_length_exceeded"
	return fault{
		id: "S12", what: "400 context_length_exceeded",
		want: "never the same size to the same model again; a larger window if configured",
		serve: func(e *exchange) error {
			return e.refuse(request.Problem{
				Status: http.StatusBadRequest, Code: code,
				Message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. (" + code + ")",
			})
		},
		judge: func(r *ruling, s sight) {
			sizes := map[int]int{}
			for _, a := range s.faulty() {
				sizes[a.PromptChars]++
			}
			for chars, n := range sizes {
				r.require(n == 1, "%d characters were sent %d times to a model that had said they are too many", chars, n)
			}
			r.advise(s.Ended != Failed || mentions(s, "context"), "the error does not say that the prompt is too long: %s", s.Error.Or(""))
			if s.Ended == Failed {
				r.note("a target with a larger window would have answered")
			}
		},
	}
}

func refused() fault {
	const code = "content_policy_violation"
	return fault{
		id: "S13", what: "400 content_policy_violation", want: "not retried, not routed around, reason passed on",
		serve: func(e *exchange) error {
			return e.refuse(request.Problem{
				Status: http.StatusBadRequest, Code: code,
				Message: "Your request was rejected as a result of our safety system. (" + code + ")",
			})
		},
		judge: func(r *ruling, s sight) {
			r.require(len(s.faulty()) == 1, "tried %d times", len(s.faulty()))
			r.require(len(s.fallback()) == 0, "routed around: the fallback was asked")
			if s.Ended == Failed && mentions(s, "safety system") || mentions(s, code) {
				r.pass("the reason was passed on")
			} else {
				r.note("the reason is lost: %s", s.Error.Or(""))
			}
		},
	}
}

func mentions(s sight, word string) bool {
	return strings.Contains(strings.ToLower(s.Error.Or("")), word)
}

func longPrompts() fault {
	return fault{
		id: "W11", what: "100 KB to 1 MB prompts with cache markers",
		want:  "upstream body byte-identical but for model and stream_options",
		alone: true,
		serve: (*exchange).healthy,
		cases: []ask{
			{variant: "100k", body: longBody(100_000)},
			{variant: "1m", body: longBody(1_000_000)},
			{variant: "anthropic-100k", body: longBody(100_000), path: "/messages"},
		},
		judge: func(r *ruling, s sight) {
			for _, a := range s.Attempts {
				if s.path != "" && a.Dialect != weir.Anthropic {
					r.skip("the endpoint translated the request to %s", a.Dialect)
					return
				}
				r.require(a.RestSHA256 == s.sent, "the body at %s (%d bytes) is not the caller's (%d bytes) beyond model and stream_options", a.Model, a.BodyBytes, s.sentBytes)
			}
		},
	}
}

// longBody makes requests that do not survive being decoded and written again:
// blanks, an unusual order, numbers in unusual forms, escapes, unknown members.
func longBody(size int) func(model, mark string) []byte {
	return func(model, mark string) []byte {
		const sentence = `The gate at caf\u00e9 \"Nord\" stands at 0.10 m \/ 1e-7; \ud83c\udf0a é. `
		long := strings.Repeat(sentence, size/len(sentence)+1)
		return []byte(`{ "temperature":1.0, "top_p" : 1e0,"messages":[ {"role":"user","content":[{"type":"text","text":"` + mark +
			` ` + long + `","cache_control":{"type":"ephemeral"}},{"cache_control": {"ttl":"1h","type":"ephemeral"},"text":"Say the text.","type":"text"}]}],` +
			"\n\t\"model\":" + quote(model) + `,"metadata":{"user_id":"u\u002d1"},"x_unknown":{"b":1,"a":[0.10,12345678901234567890]} , "max_tokens":100,"stream":true}`)
	}
}
