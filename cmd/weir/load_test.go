package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An open loop sends at its rate, whatever the answers, and says how well.
func TestRate(t *testing.T) {
	env, _ := provider(t)
	o := weirWith(t.Context(), env, "", "bench", "llamacpp/fast", "--rate", "50", "--burstiness", "0", "-n", "50", "--output-tokens", "4", "-o", "json")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	s := o.summary(t).Targets[0]
	if s.Requests != 50 || s.Asked.Or(0) != 50 || math.Abs(s.Achieved.Or(0)-50) > 5 {
		t.Errorf("%d requests, asked %v, achieved %v", s.Requests, s.Asked, s.Achieved)
	}
}

func TestTraceFile(t *testing.T) {
	env, _ := provider(t)
	file := filepath.Join(t.TempDir(), "load.jsonl")
	lines := `{"timestamp_ms":0,"input_tokens":30,"output_tokens":3}` + "\n" + `{"timestamp_ms":100,"input_tokens":60,"output_tokens":6}` + "\n"
	if err := os.WriteFile(file, []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	o := weirWith(t.Context(), env, "", "bench", "llamacpp/fast", "--trace", file, "-o", "json")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	var lengths []int
	for _, r := range o.summary(t).Requests {
		if !r.Warmup {
			lengths = append(lengths, r.Completion.Or(0))
		}
	}
	if len(lengths) != 2 || lengths[0]+lengths[1] != 9 {
		t.Errorf("answers of %v tokens, want 3 and 6", lengths)
	}
}

func TestLoadErrors(t *testing.T) {
	for args, want := range map[string]string{
		"--rate 5 --rate-schedule 1@1s": "one of them",
		"--rate-schedule fast":          "--rate-schedule",
		"--trace nowhere":               "--trace",
		"--rate 5 --ramp 1s -n 5":       "ramp",
		"--concurrency 0":               "--concurrency",
		"--duration -1s":                "duration",
	} {
		o := runWeir(t, append([]string{"bench", "http://127.0.0.1:1/v1", "--model", "m"}, strings.Fields(args)...)...)
		if o.code != 2 || !strings.Contains(o.err, want) {
			t.Errorf("%s: %+v", args, o)
		}
	}
}
