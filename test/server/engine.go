package server

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// ReadEnv reads the NAME=VALUE lines of a file that an install.sh wrote. Each
// of the names in want must have a value.
func ReadEnv(name string, want ...string) (map[string]string, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			env[k] = v
		}
	}
	for _, k := range want {
		if env[k] == "" {
			return nil, fmt.Errorf("%s: no %s=", name, k)
		}
	}
	return env, nil
}

// Engine starts the real engine that the real.env of test/real/install.sh
// names, and gives the name of its model. It has four slots, and flags beside
// those that make its figures comparable, such as --metrics.
func Engine(ctx context.Context, envFile string, log io.Writer, flags ...string) (s *Server, model string, err error) {
	env, err := ReadEnv(envFile, "SERVER", "MODEL", "MODEL_NAME")
	if err != nil {
		return nil, "", err
	}
	// One core is left to the client: engine threads spin, and with every core
	// taken they slow each other tenfold as soon as anything else runs.
	threads := strconv.Itoa(min(4, max(1, runtime.NumCPU()-1)))
	s, err = start(ctx, log, "/health", func(port string) *exec.Cmd {
		var args []string
		if a := env["SERVER_ARGS"]; a != "" {
			args = append(args, a)
		}
		// No prompt cache: every prompt is computed whole (the nonce comes first
		// anyway), and nothing is saved between requests, before the clock starts.
		args = append(args, "--model", env["MODEL"], "--alias", env["MODEL_NAME"], "--host", "127.0.0.1", "--port", port,
			"--threads", threads, "--parallel", "4", "--ctx-size", "8192",
			"--no-cache-prompt", "--cache-ram", "0", "--ctx-checkpoints", "0")
		return exec.Command(env["SERVER"], append(args, flags...)...)
	})
	return s, env["MODEL_NAME"], err
}

// Sim starts weir sim with models of the form NAME=PLAN. The command is the
// binary, with what may stand before it, such as chrt.
func Sim(ctx context.Context, command []string, log io.Writer, models ...string) (*Server, error) {
	return simulate(ctx, command, log, "--model", models)
}

// Providers starts weir sim with simulated providers; NAME is at URL/NAME.
func Providers(ctx context.Context, command []string, log io.Writer, names ...string) (*Server, error) {
	return simulate(ctx, command, log, "--provider", names)
}

func simulate(ctx context.Context, command []string, log io.Writer, flag string, values []string) (*Server, error) {
	return start(ctx, log, "/health", func(port string) *exec.Cmd {
		args := append(slices.Clone(command[1:]), "sim", "--listen", "127.0.0.1:"+port)
		for _, v := range values {
			args = append(args, flag, v)
		}
		return exec.Command(command[0], args...)
	})
}
