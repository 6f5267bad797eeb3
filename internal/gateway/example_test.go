package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/meter"
)

func Example() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"x","model":"small-1","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`)
	}))
	defer provider.Close()

	target := weir.Target{Name: "here/small", URL: provider.URL + "/v1", Dialect: weir.OpenAIChat, Model: "small"}
	connections := meter.NewTransport(meter.Options{})
	connections.ReadBufferSize = 4 << 10
	defer connections.CloseIdleConnections()
	keys := &catalog.Auth{Base: connections}
	if err := keys.Add(target, "sk-of-the-provider"); err != nil {
		fmt.Println(err)
	}
	s, err := gateway.New(gateway.Config{
		Routes: []gateway.Route{{
			Targets: []gateway.Target{{Target: target}},
			Plan:    &route.Route{Name: "chat", Targets: []route.Target{{Name: target.Name, Dialect: target.Dialect, Keyed: true}}},
		}},
		Upstream: keys, Redact: keys.Redact,
	}, gateway.Parts{})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"model":"chat","messages":[{"role":"user","content":"hi"}]}`)))
	fmt.Println(w.Code, w.Header().Get("X-Weir-Target"), w.Body)
	// Output:
	// 200 here/small {"id":"x","model":"small-1","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}
}
