//go:build real

package real

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weir.dev/weir/internal/engine"
)

const (
	shortPrompt, longPrompt = 32, 256 // what the fit sees
	batchPrompt             = 64
	answerTokens            = 64
)

// TestPhysicsFollowsRealEngine fits a device to three measurements of the real
// engine (the first token of a short and of a long prompt, the time per token of
// one stream) and holds what the simulator then says of other prompts, and of
// two and four streams, against what the engine does. docs/physics.md has the
// table of a run. What is asserted is what a wrong scheduler or a wrong roofline
// breaks; the errors themselves are printed, whatever they are.
func TestPhysicsFollowsRealEngine(t *testing.T) {
	envFile, weir := os.Getenv("WEIR_REAL_ENV"), os.Getenv("WEIR_BIN")
	if envFile == "" || weir == "" {
		t.Fatal("WEIR_REAL_ENV (install.sh writes it) and WEIR_BIN must be set: run `make real`")
	}
	weir, err := filepath.Abs(weir)
	if err != nil {
		t.Fatal(err)
	}
	base, model := startEngine(t, envFile)
	measure := func(concurrency, requests, input, output int) (ttft, tpot, prompt float64) {
		var first, step, in []float64
		for _, r := range runBench(t, weir, base+"/v1", model, concurrency, requests, input, output) {
			if r.Outcome != "ok" || r.TTFT == nil || r.TPOT == nil || r.PromptTokens == nil {
				t.Fatalf("C=%d, %d in: a request without figures: %+v", concurrency, input, r)
			}
			first, step, in = append(first, *r.TTFT), append(step, *r.TPOT), append(in, float64(*r.PromptTokens))
		}
		return median(first), median(step), median(in)
	}

	lengths := []int{shortPrompt, 64, 128, longPrompt, 512, 1024}
	real, tokens := map[int]float64{}, map[int]int{}
	for _, n := range lengths {
		var in float64
		real[n], _, in = measure(1, 7, n, 8)
		tokens[n] = int(math.Round(in))
	}
	_, one, in := measure(1, 7, batchPrompt, answerTokens)
	d, err := engine.Fitted(thisMachine(t), engine.Measured{
		Short: tokens[shortPrompt], Long: tokens[longPrompt], ShortTTFT: ms(real[shortPrompt]), LongTTFT: ms(real[longPrompt]),
		TPOT: ms(one), Context: int(in) + answerTokens/2,
	})
	if err != nil {
		t.Fatal(err)
	}

	var table strings.Builder
	fmt.Fprintf(&table, "| | engine | simulated | error |\n|---|---|---|---|\n")
	say := func(what string, got, want float64) float64 {
		e := want/got - 1
		fmt.Fprintf(&table, "| %s | %.1f ms | %.1f ms | %+.1f %% |\n", what, got, want, 100*e)
		return math.Abs(e)
	}
	for _, n := range lengths {
		simulated, _ := simulate(t, d, 1, tokens[n], 8)
		what, fitted := fmt.Sprintf("ttft, 1 stream, %d tokens", tokens[n]), n == shortPrompt || n == longPrompt
		if fitted {
			what += " (fitted)"
		}
		if e := say(what, real[n], simulated); fitted && e > 0.02 || e > 0.5 {
			t.Errorf("%s: off by %.0f %%", what, 100*e)
		}
	}
	last := 0.0
	for _, c := range []int{1, 2, 4} {
		ttft, tpot := 0.0, one
		if c > 1 {
			ttft, tpot, _ = measure(c, 6*c, batchPrompt, answerTokens)
		}
		first, got := simulate(t, d, c, int(in), answerTokens)
		what := fmt.Sprintf("tpot, %d streams", c)
		if c == 1 {
			what += " (fitted)"
		}
		if e := say(what, tpot, got); e > 1 {
			t.Errorf("%s: off by %.0f %%", what, 100*e)
		}
		if c > 1 {
			say(fmt.Sprintf("ttft, %d streams", c), ttft, first)
		}
		if got < last {
			t.Errorf("%s: simulated %.1f ms, faster than with fewer", what, got)
		}
		last = got
	}
	fmt.Printf("\nfitted: %.1f GFLOP/s, %.2f GB/s, %v before the scheduler\n%s\n", d.GPU.Math[engine.BF16].Peak/1e9, d.GPU.Bandwidth/1e9, d.Profile.Frontend.Round(10*time.Microsecond), table.String())
}

// thisMachine is llama.cpp as test/server starts it, on a device of unknown
// rates. Its four slots share one batch of up to 2,048 tokens in a step.
func thisMachine(t *testing.T) engine.Deployment {
	m, ok := engine.ModelNamed("gemma-3-270m")
	if !ok {
		t.Fatal("gemma-3-270m is not in the table of models")
	}
	return engine.Deployment{
		Model: m, TP: 1, Weights: engine.INT4, KV: engine.BF16,
		GPU: engine.GPU{
			Name: "cpu", Source: "fitted", Memory: 16e9, DevicesOnNode: 1,
			PrefillShare: 0.6,
		}, // of the matrices' rate: 0.48 to 0.80 of the peak, as on Hopper
		Profile: engine.Profile{
			Name: "llama.cpp", Source: "tools/server/server-context.cpp, update_slots; defaults of llama-server",
			Policy: engine.Continuous, Layout: engine.Paged, Chunked: true,
			TokenBudget: 2048, MaxSeqs: 4, BlockTokens: 16, MemoryShare: 0.9,
		},
	}
}

// simulate is a closed loop like the bench's: each user sends the next request
// when it has the last answer. It gives the medians, in ms.
func simulate(t *testing.T, d engine.Deployment, users, prompt, output int) (ttft, tpot float64) {
	t.Helper()
	e, err := engine.New(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	type call struct{ sent, first time.Duration }
	calls := map[engine.ID]*call{}
	send := func(at time.Duration) {
		id, err := e.Submit(engine.Request{Arrival: at, Prompt: prompt, Output: output})
		if err != nil {
			t.Fatal(err)
		}
		calls[id] = &call{sent: at}
	}
	for range users {
		send(0)
	}
	var first, step []float64
	for now, done := time.Duration(0), 0; done < 10*users; {
		events, next, ok := e.Step(now)
		for _, ev := range events {
			c := calls[ev.Request]
			switch {
			case ev.Kind == engine.Token && ev.First():
				c.first = ev.At
			case ev.Kind == engine.Finished:
				first = append(first, float64(c.first-c.sent)/1e6)
				step = append(step, float64(ev.At-c.first)/1e6/float64(output-1))
				done++
				send(ev.At)
			}
		}
		if !ok && len(events) == 0 {
			t.Fatal("the engine has nothing to do")
		}
		now = next
	}
	return median(first), median(step)
}

func ms(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }
