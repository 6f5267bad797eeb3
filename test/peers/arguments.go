//go:build unix

package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
)

// vllmArgs are those of vllm bench serve, the same for its Python and its Rust
// form.
func vllmArgs(j job) []string {
	n := strconv.Itoa
	return []string{
		"bench", "serve", "--backend", "openai-chat", "--base-url", j.url, "--endpoint", "/v1/chat/completions",
		"--model", j.model, "--tokenizer", j.tokenizer.folder, "--dataset-name", "random",
		"--random-input-len", n(j.in), "--random-output-len", n(j.out), "--ignore-eos",
		"--num-prompts", n(j.requests), "--max-concurrency", n(j.concurrency), "--num-warmups", n(j.warmup),
		"--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "50,99",
		"--save-result", "--save-detailed", "--result-dir", filepath.Dir(j.output), "--result-filename", filepath.Base(j.output), "--disable-tqdm",
	}
}

// guidellmArgs ask for a closed loop. Its request limit holds the warm-up, which
// is then left out of the figures.
func guidellmArgs(j job) []string {
	return []string{
		"run", "--backend", object(map[string]any{"kind": "openai_http", "target": j.url, "model": j.model}),
		"--profile", object(map[string]any{
			"kind": "concurrent", "streams": []int{j.concurrency},
			"warmup": map[string]any{"value": j.warmup, "mode": "requests"},
		}),
		"--constraint", object(map[string]any{"kind": "max_requests", "count": j.requests + j.warmup}),
		"--data", object(map[string]any{"kind": "synthetic_text", "prompt_tokens": j.in, "output_tokens": j.out}),
		"--tokenizer", object(map[string]any{"kind": "huggingface_auto", "model": j.tokenizer.folder}),
		"--output", object(map[string]any{"kind": "json", "path": j.output}), "--disable-console",
	}
}

func object(fields map[string]any) string {
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(b)
}

// aiperfArgs take token counts from the server's usage: with the made-up
// tokenizer its own counts would be of other tokens than the model's.
func aiperfArgs(j job) []string {
	n := strconv.Itoa
	return []string{
		"profile", "--model", j.model, "--url", j.url, "--endpoint-type", "chat", "--streaming", "--use-server-token-count",
		"--tokenizer", j.tokenizer.name, "--isl", n(j.in), "--isl-stddev", "0", "--osl", n(j.out), "--osl-stddev", "0",
		"--extra-inputs", "ignore_eos:true", "--extra-inputs", "max_tokens:" + n(j.out),
		"--request-count", n(j.requests), "--concurrency", n(j.concurrency), "--warmup-request-count", n(j.warmup),
		"--random-seed", "42", "--artifact-dir", filepath.Dir(j.output), "--ui", "none",
	}
}
