//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"weir.dev/weir/internal/imports"
	"weir.dev/weir/internal/reconcile"
	"weir.dev/weir/test/server"
)

// load is what every tool is asked to do, the same for all.
type load struct{ concurrency, requests, in, out int }

// job is one run of one tool.
type job struct {
	load
	warmup     int
	url, model string
	tokenizer  tokenizer
	output     string // the file that the tool writes
	longest    time.Duration
	directory  string   // where it runs
	front      []string // what stands before the command
}

// tokenizer is what install.sh made: a folder, which is also in a model hub's
// cache, under a name.
type tokenizer struct{ folder, name, hub string }

// tool is one benchmark tool.
type tool struct {
	name   string
	key    string // of its program in peers.env; with _VERSION its version, with _WHY why there is none
	output string // the file's name
	args   func(job) []string

	imported string // the file or folder that package imports opens; "" for our own run
	words    words
	as       reconcile.Tool // its definitions
	rates    func(file string) (figures, error)

	program, version, why string
}

// tools are in the order of the table, ours first. The Rust form of vllm bench
// serve is in the same wheel as the Python one, and still takes a role-only
// chunk for the first token, as that did up to 0.32.
func tools() []*tool {
	vllm := words{ttft: "ttft", tpot: "tpot", itl: "itl"}
	return []*tool{
		{name: "weir bench", key: "WEIR", output: "summary.json", args: weirArgs},
		{
			name: "aiperf", key: "AIPERF", output: "profile_export_aiperf.json", args: aiperfArgs, imported: "profile_export.jsonl", as: reconcile.AIPerf, rates: aiperfRates,
			words: words{ttft: "time_to_first_token", itl: "inter_token_latency", gap: "inter_chunk_latency"},
		},
		{
			name: "guidellm", key: "GUIDELLM", output: "benchmarks.json", args: guidellmArgs, imported: "benchmarks.json", as: reconcile.GuideLLM, rates: guidellmRates,
			words: words{ttft: "time_to_first_token_ms", tpot: "time_per_output_token_ms", itl: "inter_token_latency_ms"},
		},
		{name: "vllm bench serve", key: "VLLM", output: "vllm.json", args: vllmArgs, imported: "vllm.json", as: reconcile.VLLM, words: vllm, rates: vllmRates},
		{name: "vllm bench serve (Rust)", key: "VLLM_RS", output: "vllm-rs.json", args: vllmArgs, imported: "vllm-rs.json", as: reconcile.VLLM032, words: vllm, rates: vllmRates},
	}
}

// find looks the tools and their tokenizer up in the file that install.sh wrote.
func find(all []*tool, envFile string) (tokenizer, error) {
	env, err := server.ReadEnv(envFile)
	if err != nil {
		return tokenizer{}, err
	}
	for _, t := range all {
		t.program, t.version, t.why = env[t.key], env[t.key+"_VERSION"], env[t.key+"_WHY"]
		if t.program == "" && t.why == "" {
			t.why = "not in " + envFile
		}
	}
	return tokenizer{env["TOKENIZER"], env["TOKENIZER_NAME"], env["HF_HOME"]}, nil
}

// run lets the tool do the job and reads what it wrote.
func (t *tool) run(ctx context.Context, j job) (figures, error) {
	j.output = filepath.Join(j.directory, t.output)
	if err := os.MkdirAll(j.directory, 0o755); err != nil {
		return figures{}, err
	}
	if err := t.call(ctx, j); err != nil {
		return figures{}, err
	}
	if t.imported == "" {
		return readWeir(j.output)
	}
	return t.read(j.directory)
}

// read imports what the tool wrote into the folder.
func (t *tool) read(folder string) (figures, error) {
	runs, err := imports.Open(filepath.Join(folder, t.imported))
	if err != nil {
		return figures{}, err
	}
	if len(runs) != 1 || runs[0].OK() == 0 {
		return figures{}, errNoRequests
	}
	f := t.words.printed(runs[0])
	rates, err := t.rates(filepath.Join(folder, t.output))
	f.TokenRate, f.RequestRate = rates.TokenRate, rates.RequestRate
	if rates.Good.Known() {
		f.Good = rates.Good
	}
	return f, err
}

func (t *tool) call(ctx context.Context, j job) error {
	log, err := os.Create(j.directory + ".log")
	if err != nil {
		return err
	}
	defer log.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, j.longest, fmt.Errorf("not done after %v", j.longest))
	defer cancel()
	command := slices.Concat(j.front, []string{t.program}, t.args(j))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = j.directory, log, log
	// What it starts is in a group of its own and ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1", "HF_HUB_DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1",
		"HF_HOME="+j.tokenizer.hub, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "NO_COLOR=1")
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("%w: %s", err, lastLine(log.Name()))
	}
	return nil
}

// lastLine is the last line of a log that is not empty, or where to look.
func lastLine(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return errors.New("see " + name).Error()
	}
	return last[:min(len(last), 300)]
}
