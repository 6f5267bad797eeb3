package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIdleFlags: a flag that would change nothing is refused, before anything is
// sent.
func TestIdleFlags(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data.jsonl")
	if err := os.WriteFile(data, []byte(`{"prompt":"a"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := "http://127.0.0.1:1/v1"
	for args, words := range map[string]string{
		"--rate 0":                          "--rate would change nothing|0 is no rate",
		"--rate=-1":                         "--rate -1",
		"--trace-speed 2":                   "--trace-speed|--trace",
		"--trace x --trace-speed 0":         "--trace-speed|0 is no speed",
		"--burstiness 0.5":                  "--burstiness|--rate",
		"--duration 0s":                     "--duration",
		"--over 0s":                         "--over",
		"--laps":                            "--laps|several targets",
		"--laps --rate 5":                   "--laps|a rate",
		"--input-tokens 9 --data " + data:   "--input-tokens|those of --data",
		"--input-tokens 256 --prompt hello": "--input-tokens|those of --prompt",
		"--content words --data " + data:    "--content|those of --data",
		"--calibrate each --prompt hello":   "--calibrate|those of --prompt",
		"--mix 9/9 --data " + data:          "--mix|--output-tokens",
		"--mix 9/9 --input-tokens 256":      "--input-tokens|--mix",
		"--mix 9/9 --output-tokens 128":     "--output-tokens|--mix",
		"--cache-gap 0s":                    "--cache-gap|--cache compare",
		"--no-stream --stall-timeout 5s":    "--stall-timeout|--first-output-timeout",
		"--ca x.pem --insecure":             "--ca|--insecure",
		"--rows targets":                    "--rows|-o csv",
		"--prompt=":                         "--prompt is empty",
		"--slo=":                            "--slo is empty",
		"--data=":                           "--data is empty",
		"--trace=":                          "--trace is empty",
		"--budget many --dry-run":           "--budget|2usd",
		"--system=\xff":                     "is not UTF-8",
	} {
		o := runWeir(t, append([]string{"bench", url, "--model", "m"}, strings.Fields(args)...)...)
		o.oneClearLine(t, 2, strings.Split(words, "|")...)
	}
	for args, words := range map[string]string{
		"bench groq/m --model x":                             "--model|groq/m has its own",
		"bench groq/m --dialect openai":                      "--dialect|groq/m has its own",
		"bench --all --model llama-3.3-70b --dialect openai": "--dialect|--all",
		"report runs/x --rows targets":                       "--rows|-o csv",
		"report runs/x --target a":                           "--target|another tool",
		"report --schema runs/x":                             "--schema",
		"report --schema -o json":                            "--schema",
		"demo --resume --save x":                             "--resume|begins anew",
	} {
		o := weirWith(t.Context(), map[string]string{"GROQ_API_KEY": "k"}, "", strings.Fields(args)...)
		o.oneClearLine(t, 2, strings.Split(words, "|")...)
	}
}
