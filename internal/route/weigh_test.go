package route_test

import (
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/route"
)

func TestWeigh(t *testing.T) {
	for _, c := range []struct {
		outcome weir.Outcome
		detail  string
		status  int
		want    route.Effect
	}{
		{weir.OK, "", 200, route.Success},
		{weir.ConnectError, "refused", 0, route.Failure},
		{weir.TimeoutConnect, "", 0, route.Failure},
		{weir.TimeoutFirstOutput, "", 200, route.Failure},
		{weir.TimeoutStall, "", 200, route.Failure},
		{weir.TimeoutTotal, "", 200, route.Failure},
		{weir.Truncated, "", 200, route.Failure},
		{weir.EmptyResponse, "", 200, route.Failure},
		{weir.Malformed, "", 200, route.Failure},
		{weir.NotStreamed, "", 200, route.Failure},
		{weir.UpstreamError, "", 500, route.Failure},
		{weir.UpstreamError, "overloaded", 529, route.Failure},
		{weir.UpstreamError, "", 408, route.Failure},
		{weir.UpstreamError, "redirect", 302, route.Failure},
		{weir.UpstreamError, "server_error", 200, route.Failure}, // inside a 200
		{weir.UpstreamError, "invalid_request_error", 400, route.Neutral},
		{weir.UpstreamError, "quota_exhausted", 200, route.Quota},
		{weir.UpstreamError, "content_filter", 200, route.Neutral},
		{weir.UpstreamError, "", 429, route.CoolDown},
		{weir.RateLimited, "rate_limit", 429, route.CoolDown},
		{weir.RateLimited, "", 200, route.CoolDown},
		{weir.RateLimited, "quota_exhausted", 429, route.Quota},
		{weir.Auth, "invalid_key", 401, route.Key},
		{weir.Auth, "", 401, route.Key},
		{weir.Auth, "payment", 402, route.Quota},
		{weir.Auth, "quota_exhausted", 402, route.Quota},
		{weir.Auth, "", 403, route.Key},
		{weir.Auth, "content_filter", 403, route.Neutral},
		{weir.BadRequest, "", 400, route.Neutral},
		{weir.BadRequest, "quota_exhausted", 400, route.Quota}, // "credit balance is too low"
		{weir.BadRequest, "invalid_key", 400, route.Key},       // Gemini's
		{weir.BadRequest, "context_length", 400, route.Neutral},
		{weir.BadRequest, "content_filter", 400, route.Neutral},
		{weir.BadRequest, "model_not_found", 404, route.Neutral},
		{weir.BadRequest, "", 422, route.Neutral},
		{weir.Canceled, "", 200, route.Neutral},
		{weir.Abandoned, "", 0, route.Neutral},
	} {
		if got := route.Weigh(c.outcome, c.detail, c.status); got != c.want {
			t.Errorf("%s %q %d: %s, want %s", c.outcome, c.detail, c.status, got, c.want)
		}
	}
	for _, o := range weir.Outcomes() {
		if route.Weigh(o, "", 0) == route.Success && o != weir.OK {
			t.Errorf("%s is a success", o)
		}
	}
}
