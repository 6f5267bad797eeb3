//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"weir.dev/weir"
)

// totals are an engine's own counters since it started.
type totals struct{ promptTokens, promptSeconds, tokens, tokenSeconds float64 }

// counters are where an engine's totals stand in its /metrics.
type counters struct {
	path                                              string // after its URL
	promptTokens, promptSeconds, tokens, tokenSeconds string // names, with their labels
}

// llamaCounters are llama.cpp's.
var llamaCounters = counters{
	"/metrics", "llamacpp:prompt_tokens_total", "llamacpp:prompt_seconds_total",
	"llamacpp:tokens_predicted_total", "llamacpp:tokens_predicted_seconds_total",
}

// vllmCounters are those that weir sim has under vLLM's names, of one provider
// with one engine.
func vllmCounters(provider, model string) counters {
	of := fmt.Sprintf(`{engine="0",model_name=%q,provider=%q}`, model, provider)
	return counters{
		"/metrics", "vllm:prompt_tokens_total" + of, "vllm:time_to_first_token_seconds_sum" + of,
		"vllm:generation_tokens_total" + of, "vllm:inter_token_latency_seconds_sum" + of,
	}
}

// read asks the engine.
func (c counters) read(ctx context.Context, base string) (totals, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+c.path, nil)
	if err != nil {
		return totals{}, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return totals{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return totals{}, fmt.Errorf("the engine's /metrics says %s", resp.Status)
	}
	var t totals
	want := map[string]*float64{
		c.promptTokens: &t.promptTokens, c.promptSeconds: &t.promptSeconds, c.tokens: &t.tokens, c.tokenSeconds: &t.tokenSeconds,
	}
	lines := bufio.NewScanner(io.LimitReader(resp.Body, 1<<22))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		p := want[name]
		if p == nil {
			continue
		}
		if *p, err = strconv.ParseFloat(value, 64); err != nil {
			return totals{}, fmt.Errorf("the engine's %s: %w", name, err)
		}
		delete(want, name)
	}
	for name := range want {
		return totals{}, fmt.Errorf("the engine's /metrics has no %s", name)
	}
	return t, lines.Err()
}

// since is what the engine says of the requests between two readings: time from
// when a slot took one to its first token, time per token after the first, both
// means, warm-up included. A request that waits for a slot waits before it.
func (t totals) since(before totals, requests int) figures {
	n := float64(requests)
	return figures{
		TTFTMean: ratio(weir.Some(1000*(t.promptSeconds-before.promptSeconds)), weir.Some(n)),
		TPOT:     ratio(weir.Some(1000*(t.tokenSeconds-before.tokenSeconds)), weir.Some(t.tokens-before.tokens-n)),
		In:       ratio(weir.Some(t.promptTokens-before.promptTokens), weir.Some(n)),
		Out:      ratio(weir.Some(t.tokens-before.tokens), weir.Some(n)),
	}
}
