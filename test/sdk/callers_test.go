package sdk

import (
	"os"
	"os/exec"
	"testing"

	"weir.dev/weir/test/callers"
)

// TestNodeCallers holds weir gateway against the clients for Node.
func TestNodeCallers(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatalf("%v: the clients need Node 20 or newer: run `make deps`", err)
	}
	for _, client := range []string{"openai", "@anthropic-ai/sdk", "ai", "@ai-sdk/openai", "@ai-sdk/anthropic", "@ai-sdk/openai-compatible"} {
		if _, err := os.Stat("node_modules/" + client + "/package.json"); err != nil {
			t.Fatalf("test/sdk/node_modules has no %s: run `make deps`", client)
		}
	}
	callers.Run(t, callers.Command("node", "callers.mjs"), callers.Node())
}
