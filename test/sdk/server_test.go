package sdk

import (
	"net/http/httptest"
	"testing"
	"time"

	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/sim"
)

// What every request asks, and what the simulator says its tokens are: four
// characters are one.
const (
	prompt       = "how high does the water stand now"
	promptTokens = (len(prompt) + 3) / 4
)

// startSim serves a simulator on the loopback interface and returns its URL. At
// the end it must let go of every call at once, abandoned ones included.
func startSim(t *testing.T) (*sim.Server, string) {
	t.Helper()
	plan, err := sim.ParsePlan("ttft=5ms,gap=1ms,tokens=12,eos=12")
	if err != nil {
		t.Fatal(err)
	}
	handler, err := sim.New(sim.Config{Clock: clock.Plain{}, Seed: 1, Models: map[string]sim.Plan{"river-70b": plan}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		start := time.Now()
		server.Close() // waits for the handlers
		if waited := time.Since(start); waited > 5*time.Second {
			t.Errorf("the simulator held on to a call for %v after its caller had left", waited)
		}
	})
	return handler, server.URL
}
