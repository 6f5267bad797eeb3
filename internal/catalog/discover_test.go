package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir.dev/weir"
)

// listAt serves one answer and asks for the models there.
func listAt(t *testing.T, d weir.Dialect, base string, h http.HandlerFunc) ([]Model, error) {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	return Models(t.Context(), srv.Client().Transport, weir.Target{Name: "groq/m", URL: srv.URL + base, Dialect: d})
}

func TestModelsInEveryForm(t *testing.T) {
	created := time.Date(2025, 8, 5, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, base, path string
		dialect          weir.Dialect
		body             string
		want             []Model
	}{
		{
			"openai", "/v1", "/v1/models", weir.OpenAIChat,
			`{"object":"list","data":[{"id":"b","object":"model","created":1754352000,"owned_by":"x"},{"id":"a","owned_by":null}]}`,
			[]Model{{ID: "a"}, {ID: "b", Owner: "x", Created: created}},
		},
		{
			"vllm", "", "/v1/models", weir.OpenAIChat,
			`{"data":[{"id":"q","max_model_len":32768}]}`,
			[]Model{{ID: "q", Context: weir.Some(32768)}},
		},
		{
			"llama.cpp has two lists", "/v1", "/v1/models", weir.OpenAIChat,
			`{"models":[{"name":"other"}],"data":[{"id":"q"}]}`,
			[]Model{{ID: "q"}},
		},
		{
			"a full path", "/v1/chat/completions", "/v1/models", weir.OpenAIChat, `{"data":[{"id":"q"}]}`, []Model{{ID: "q"}},
		},
		{
			"completions", "/v1", "/v1/models", weir.OpenAICompletions, `{"data":[]}`, nil,
		},
		{
			"responses", "/v1", "/v1/models", weir.OpenAIResponses, `{"data":[{"id":"q"}]}`, []Model{{ID: "q"}},
		},
		{
			"together", "/v1", "/v1/models", weir.OpenAIChat,
			`[{"id":"Austism/x","object":"model","created":1754352000,"type":"chat","display_name":"X (13B)","organization":"Austism","context_length":2048}]`,
			[]Model{{ID: "Austism/x", Title: "X (13B)", Owner: "Austism", Kind: "chat", Context: weir.Some(2048), Created: created}},
		},
		{
			"anthropic", "", "/v1/models", weir.Anthropic,
			`{"data":[{"id":"claude-x","type":"model","display_name":"Claude X","created_at":"2025-08-05T00:00:00Z","max_input_tokens":200000}],"has_more":false,"last_id":"claude-x"}`,
			[]Model{{ID: "claude-x", Title: "Claude X", Context: weir.Some(200000), Created: created}},
		},
		{
			"gemini", "/v1beta", "/v1beta/models", weir.Gemini,
			`{"models":[{"name":"models/gemini-x","displayName":"Gemini X","inputTokenLimit":1048576}]}`,
			[]Model{{ID: "gemini-x", Title: "Gemini X", Context: weir.Some(1048576)}},
		},
		{
			"ollama", "", "/api/tags", weir.Ollama,
			`{"models":[{"name":"llama3.1:8b","model":"llama3.1:8b","details":{"quantization_level":"Q4_K_M"}}]}`,
			[]Model{{ID: "llama3.1:8b", Quantisation: "Q4_K_M"}},
		},
		{
			"cloudflare", "/v1", "/v1/models", weir.OpenAIChat,
			`{"success":true,"result":[{"id":"0f00-uuid","name":"@cf/meta/x"}]}`,
			[]Model{{ID: "@cf/meta/x"}},
		},
		{
			"odd entries", "/v1", "/v1/models", weir.OpenAIChat,
			`{"data":[{"id":7},{"id":"q\u0000\u001b[2J","context_length":"many","created":-1},{},{"id":"q2","context_length":1e300}]}`,
			[]Model{{ID: "q2"}, {ID: "q[2J"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := listAt(t, c.dialect, c.base, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet || r.URL.Path != c.path || r.ContentLength > 0 {
					t.Errorf("%s %s", r.Method, r.URL)
				}
				if v := r.Header.Get("Anthropic-Version"); (v != "") != (c.dialect == weir.Anthropic) {
					t.Errorf("anthropic-version %q", v)
				}
				_, _ = io.WriteString(w, c.body)
			})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got, cmp.AllowUnexported(weir.Opt[int]{}), cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestModelsURL(t *testing.T) {
	for _, c := range []struct {
		base    string
		dialect weir.Dialect
		want    string
	}{
		{"https://api.cloudflare.com/client/v4/accounts/a1/ai/v1", weir.OpenAIChat, "https://api.cloudflare.com/client/v4/accounts/a1/ai/models/search"},
		{"https://r.openai.azure.com/openai/v1?api-version=preview", weir.OpenAIChat, "https://r.openai.azure.com/openai/v1/models?api-version=preview"},
		{"https://h/v1beta/models", weir.Gemini, "https://h/v1beta/models?pageSize=1000"},
		{"https://h/v1/messages", weir.Anthropic, "https://h/v1/models?limit=1000"},
		{"https://ollama.com", weir.Ollama, "https://ollama.com/api/tags"},
	} {
		got, _, err := modelsURL(weir.Target{Name: "t", URL: c.base, Dialect: c.dialect})
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.base, got, err, c.want)
		}
	}
}

func TestModelsFollowPages(t *testing.T) {
	var asked []string
	got, err := listAt(t, weir.Anthropic, "", func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		after := r.URL.Query().Get("after_id")
		next := map[string]string{"": "a", "a": "b", "b": "c"}[after]
		fmt.Fprintf(w, `{"data":[{"id":%q}],"has_more":%t,"last_id":%q}`, next, next != "c", next)
	})
	if err != nil || len(got) != 3 || got[2].ID != "c" {
		t.Errorf("%v, %v", got, err)
	}
	if d := cmp.Diff([]string{"limit=1000", "after_id=a&limit=1000", "after_id=b&limit=1000"}, asked); d != "" {
		t.Error(d)
	}
	got, err = listAt(t, weir.Gemini, "/v1beta", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("pageToken") == "" {
			_, _ = io.WriteString(w, `{"models":[{"name":"models/a"}],"nextPageToken":"t&2"}`)
			return
		}
		_, _ = io.WriteString(w, `{"models":[{"name":"models/`+r.URL.Query().Get("pageToken")+`"}]}`)
	})
	if err != nil || len(got) != 2 || got[1].ID != "t&2" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestModelsEnd(t *testing.T) {
	requests := 0
	_, err := listAt(t, weir.Anthropic, "", func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = io.WriteString(w, `{"data":[{"id":"same"}],"has_more":true,"last_id":"same"}`)
	})
	if err == nil || requests != maxPages {
		t.Errorf("a list without end: %v after %d requests", err, requests)
	}
	_, err = listAt(t, weir.OpenAIChat, "/v1", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[`)
		for range 17 << 4 {
			if _, err := io.WriteString(w, strings.Repeat(" ", 64<<10)); err != nil {
				return
			}
		}
	})
	if err == nil || !strings.Contains(err.Error(), "larger than 16 MB") {
		t.Errorf("a list without bounds: %v", err)
	}
}

func TestModelsErrors(t *testing.T) {
	const canary = "gsk-canary-0123456789"
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if code/100 == 3 {
				w.Header().Set("Location", "https://evil.test/login?"+canary)
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		code    string
		says    []string
	}{
		{"401", status(401, "bad key "+canary), "unauthorized", []string{"groq/m refuses the key: 401", "GROQ_API_KEY"}},
		{"403", status(403, canary), "unauthorized", []string{"403", "GROQ_API_KEY"}},
		{"404", status(404, canary), "no_model_list", []string{"404", "base URL"}},
		{"429", status(429, canary), "no_model_list", []string{"429", "later"}},
		{"500", status(500, canary), "no_model_list", []string{"500", "later"}},
		{"redirect", status(302, canary), "no_model_list", []string{"302", "redirect to evil.test"}},
		{"html", status(200, "\n <!DOCTYPE html><p>"+canary), "bad_model_list", []string{"is HTML"}},
		{"text", status(200, canary), "bad_model_list", []string{"is no list of models"}},
		{"another object", status(200, `{"error":"`+canary+`"}`), "bad_model_list", []string{"is no list"}},
		{"data is no list", status(200, `{"data":{"id":"`+canary+`"}}`), "bad_model_list", []string{"is no list"}},
		{"entries are no objects", status(200, `["`+canary+`"]`), "bad_model_list", []string{"is no list"}},
		{"no entry has a name", status(200, `{"data":[{"x":1}]}`), "bad_model_list", []string{"is no list"}},
		{"empty", status(200, ""), "bad_model_list", []string{"is no list"}},
		{"cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"data":[`)
		}, "unreachable", []string{"reading the models of groq/m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := listAt(t, weir.OpenAIChat, "/v1?token="+canary, c.handler)
			var e *weir.Error
			if !errors.As(err, &e) || e.Code != c.code || got != nil {
				t.Fatalf("%v, %v, want %s", got, err, c.code)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v, want it to say %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("the key is in %v", err)
			}
		})
	}
}

func TestModelsWithAuth(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"data":[{"id":"q"}]}`)
	}))
	defer srv.Close()
	target := weir.Target{Name: "t", URL: srv.URL + "/v1", Dialect: weir.OpenAIChat}
	auth := &Auth{Base: srv.Client().Transport}
	if err := auth.Add(target, "k"); err != nil {
		t.Fatal(err)
	}
	if got, err := Models(t.Context(), auth, target); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Models(gone, auth, target); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := Models(t.Context(), auth, weir.Target{Name: "t", URL: "nonsense", Dialect: weir.OpenAIChat}); err == nil {
		t.Error("no error for a bad URL")
	}
}

func FuzzReadPage(f *testing.F) {
	for _, s := range []string{`[{"id":"a"}]`, `{"data":[{"id":"a","created":1e30}],"has_more":true,"last_id":"a"}`, `{"models":[{"name":"models/a","details":{}}],"nextPageToken":"x"}`, `{"result":[{"name":"a"}]}`, `[`, `null`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, ok := readPage(body)
		if !ok && (p.models != nil || p.next != nil) {
			t.Errorf("%+v although it is no page", p)
		}
		for _, m := range p.models {
			if m.ID == "" {
				t.Errorf("a model without an ID: %+v", m)
			}
		}
	})
}
