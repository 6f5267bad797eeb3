package gateway_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
)

// pieces is a body that comes in pieces of its own choosing.
type pieces struct {
	left []byte
	draw *rand.Rand // nil: all at once
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := min(len(p.left), len(b))
	if p.draw != nil {
		n = min(n, 1+p.draw.IntN(64))
	}
	n = copy(b, p.left[:n])
	p.left = p.left[n:]
	return n, nil
}

// provider answers every request with one body.
type provider func() io.Reader

func (p provider) RoundTrip(r *http.Request) (*http.Response, error) {
	io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(p()), Request: r,
	}, nil
}

// relayed is what a caller gets of a body.
func relayed(t *testing.T, body []byte, draw *rand.Rand, path, ask string) string {
	t.Helper()
	d := weir.OpenAIChat
	if path == "/v1/messages" {
		d = weir.Anthropic
	}
	s, err := gateway.New(gateway.Config{
		Upstream: provider(func() io.Reader { return &pieces{body, draw} }),
		Routes: []gateway.Route{{
			Rescue: gateway.RescueMatch, Targets: []gateway.Target{{Target: weir.Target{Name: "A", URL: "http://a/v1", Dialect: d, Model: "model-A"}}},
			Plan: &route.Route{Name: "m", Targets: []route.Target{{Name: "A", Dialect: d, Keyed: true}}},
		}},
		Handling: gateway.Handling{Attempts: 1, HoldEvents: 64, HoldBytes: 1 << 18},
		Bounds:   gateway.Bounds{Event: 1 << 16},
	}, gateway.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(ask)))
	return w.Body.String()
}

// FuzzSplit holds that how a target's bytes arrive changes nothing of what its
// caller gets, whatever the bytes are.
func FuzzSplit(f *testing.F) {
	files, err := filepath.Glob("../dialect/testdata/streams/*.sse")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for i, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint64(i), false)
		f.Add(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")), uint64(i), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64, anthropic bool) {
		if len(body) > 1<<15 {
			return
		}
		path, ask := "/v1/chat/completions", plainBody
		if anthropic {
			path, ask = "/v1/messages", anthropicBody
		}
		whole := relayed(t, body, nil, path, ask)
		split := relayed(t, body, rand.New(rand.NewPCG(seed, 1)), path, ask)
		if lines(whole) != lines(split) {
			t.Errorf("at once:\n%q\nin pieces:\n%q", whole, split)
		}
	})
}

// lines makes the ends of lines alike, and leaves comments out: where the CR and
// the LF of one come in two reads, either may go down without the other, and a
// comment goes down if it is whole when there is something to be written.
func lines(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = regexp.MustCompile("(?m)^:.*$").ReplaceAllString(s, "")
	return regexp.MustCompile("\n+").ReplaceAllString(s, "\n")
}
