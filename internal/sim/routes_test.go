package sim

import (
	"io"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

func TestRefusals(t *testing.T) {
	withRig(t, Config{MaxBody: 300}, func(t *testing.T, r *rig) {
		for _, c := range []struct {
			d            weir.Dialect
			body         string
			status       int
			code, reason string
		}{
			{weir.OpenAIChat, ``, 400, "bad_json", "the body is not JSON"},
			{weir.OpenAIChat, `{"messages":[]}`, 400, "missing_model", "you must provide a model"},
			{weir.OpenAIChat, `{"model":"sim"}`, 400, "missing_messages", "you must provide messages"},
			{weir.OpenAIChat, `{"model":"x","messages":[{"role":"user","content":"x"}]}`, 404, "model_not_found", `the model \"x\" does not exist (one of fast, sim, slow, spiky, thinker, or a plan`},
			{weir.OpenAIChat, `{"model":"ttft=x","messages":[{"role":"user","content":"x"}]}`, 400, "bad_plan", "plan: ttft=x is not possible (ttft is a duration"},
			{weir.OpenAIChat, `{"model":"` + strings.Repeat("x", 300) + `"}`, 413, "body_too_large", "the body is larger than 300 bytes"},
			{weir.Anthropic, `{"model":"x","messages":[{"role":"user","content":"x"}]}`, 404, "not_found_error", "does not exist"},
		} {
			got := r.post(t.Context(), c.d, c.body)
			if got.status != c.status || !strings.Contains(got.body, `"`+c.code+`"`) || !strings.Contains(got.body, c.reason) {
				t.Errorf("%s: %d %s, want %d, %s, %s", c.body, got.status, got.body, c.status, c.code, c.reason)
			}
		}
	})
}

func TestOtherRoutes(t *testing.T) {
	withRig(t, Config{Models: map[string]Plan{"b": {}, "a": {}}}, func(t *testing.T, r *rig) {
		for path, want := range map[string]string{
			"/v1/models":     `200 {"object":"list","data":[{"id":"a","object":"model","created":0,"owned_by":"weir-sim"},{"id":"b","object":"model","created":0,"owned_by":"weir-sim"}]}`,
			"/v1/models/b":   `200 {"id":"b","object":"model","created":0,"owned_by":"weir-sim"}`,
			"/v1/models/x/y": `404 {"error":{"message":"the model \"x/y\" does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}`,
			"/health":        `200 {"status":"ok"}`,
			"/x/health":      `404 {"error":{"message":"there is no simulated provider \"x\"","type":"invalid_request_error","param":null,"code":"unknown_url"}}`,
			"/v1/x":          `404 {"error":{"message":"there is no GET /v1/x (POST /v1/chat/completions or /v1/messages, GET /v1/models or /health)","type":"invalid_request_error","param":null,"code":"unknown_url"}}`,
		} {
			resp, err := r.client.Get("http://sim" + path)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if got := resp.Status[:4] + string(body); got != want {
				t.Errorf("%s:\n got %s\nwant %s", path, got, want)
			}
		}
	})
}

// What clients put in model names must not fill the memory.
func TestPlansInModelNamesAreBounded(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxModels {
		name := "gap=1ms,ttft=" + time.Duration(i).String()
		if _, n, err := s.begin(request.Asked{Model: name}); err != nil || i < maxModels/2 && n != 0 {
			t.Fatalf("%s: request %d, error %v", name, n, err)
		}
	}
	if len(s.models) != maxModels {
		t.Errorf("%d models remembered, want %d", len(s.models), maxModels)
	}
}
