package sim

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim/cast"
	"weir.dev/weir/meter"
)

// Over a real socket, on the precise clock, the meter reads the engine's times:
// no token early, and no drift over 200 of them.
func TestRealSocketKeepsTheEnginesTimes(t *testing.T) {
	t.Parallel()
	const tokens, yaml = 200, `cache: {policy: "off"}, network: {rtt: 4ms}`
	p := personality(t, yaml)
	want := steps(t, p, engine.Request{Arrival: 0, Prompt: 1000, Output: tokens})[0]
	precise, err := clock.NewPrecise()
	if err != nil {
		t.Fatal(err)
	}
	defer precise.Close()
	sim, err := New(Config{Clock: precise, Providers: []cast.Personality{p}})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	server := httptest.NewServer(sim)
	defer server.Close()
	e, err := request.Encode(server.URL+"/p/v1", weir.OpenAIChat, request.Spec{
		Model: "llama-3.3-70b", MaxTokens: tokens, Stream: true, Messages: []request.Message{{Role: "user", Text: strings.Repeat("a", 4000)}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	traces := make(chan *weir.Trace, 1)
	base := meter.NewTransport(meter.Options{Stamp: true})
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: &meter.Transport{Base: base, Sink: func(t *weir.Trace) { traces <- t }}}
	resp, err := client.Post(e.URL, "application/json", bytes.NewReader(e.Body))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.Trailer.Get(truthHeader) == "" {
		t.Errorf("no truth in the trailer %v", resp.Trailer)
	}
	trace := <-traces
	var late []time.Duration
	for _, k := range trace.Ticks {
		if k.Kind.Output() {
			late = append(late, k.At-want[len(late)]-4*time.Millisecond)
		}
	}
	if len(late) != tokens {
		t.Fatalf("%d tokens", len(late))
	}
	// The engine's clock began when the request had arrived.
	for i, d := range late {
		if d < 0 {
			t.Errorf("token %d is early by %v", i, -d)
		}
	}
	// A busy machine makes tokens late, but none of them makes the later ones so:
	// the best of the last are as good as the best of the first.
	if first, last := slices.Min(late[:tokens/4]), slices.Min(late[3*tokens/4:]); last > first+5*time.Millisecond {
		t.Errorf("the last tokens are late by %v at best, the first by %v: the pace drifts", last, first)
	}
}
