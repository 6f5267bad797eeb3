package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the pages anew")

// TestCommandPages: docs/cli has a page for each command, which is its help.
// go test ./cmd/weir -run CommandPages -update writes them.
func TestCommandPages(t *testing.T) {
	for _, name := range []string{"bench", "report", "inspect", "sim", "sim serve", "sim plan", "sim ablate", "sim validate", "faults", "faults run", "faults serve", "demo", "gateway", "doctor", "providers", "models", "check", "keys", "keys new", "completion"} {
		help := runWeir(t, append(strings.Fields(name), "--help")...)
		want := "# weir " + name + "\n\nWritten from `weir " + name + " --help`.\n\n```\n" + strings.TrimRight(help.out, "\n") + "\n```\n"
		path := filepath.Join("..", "..", "docs", "cli", strings.ReplaceAll(name, " ", "-")+".md")
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s is not what weir %s --help says (%v): go test ./cmd/weir -run CommandPages -update", path, name, err)
		}
	}
}

// The bash script is run by a real bash.
func TestCompletion(t *testing.T) {
	script := filepath.Join(t.TempDir(), "weir.bash")
	if err := os.WriteFile(script, []byte(runWeir(t, "completion", "bash").out), 0o666); err != nil {
		t.Fatal(err)
	}
	complete := func(words string) string {
		out, err := exec.CommandContext(context.Background(), "bash", "-c",
			`source "$1"; COMP_WORDS=($2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weir; echo "${COMPREPLY[@]}"`, "bash", script, words).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := complete("weir be"); got != "bench" {
		t.Errorf("be: %q", got)
	}
	if got := complete("weir sim --lis"); got != "--listen" {
		t.Errorf("--lis of the default command: %q", got)
	}
	if got := complete("weir bench --conc"); got != "--concurrency" {
		t.Errorf("--conc: %q", got)
	}
	for _, shell := range []string{"zsh", "fish"} {
		if out := runWeir(t, "completion", shell); out.code != 0 || !strings.Contains(out.out, "bench") {
			t.Errorf("%s: %+v", shell, out)
		}
	}
}
