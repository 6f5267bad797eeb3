package meter_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/meter"
)

// One line around http.Client measures whatever uses that client, SDKs
// included.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()

	client := &http.Client{Transport: &meter.Transport{Sink: func(t *weir.Trace) {
		fmt.Println(t.Outcome, t.Model, "output tokens:", t.Usage.Completion.Or(0), "ttft measured:", t.TTFT().Known())
	}}}

	resp, err := client.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","stream":true}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	// Output: ok m output tokens: 1 ttft measured: true
}
