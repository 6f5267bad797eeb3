package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"weir.dev/weir/internal/config"
)

// TestDocumentedCommandsParse: every weir command in the documentation and in
// the help's examples is one that this binary takes.
func TestDocumentedCommandsParse(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"help": strings.Join([]string{
		benchCmd{}.Help(), reportCmd{}.Help(), simCmd{}.Help(), simServeCmd{}.Help(), simValidateCmd{}.Help(), simPlanCmd{}.Help(), simAblateCmd{}.Help(), inspectCmd{}.Help(), demoCmd{}.Help(),
		faultsCmd{}.Help(), faultsRunCmd{}.Help(), faultsServeCmd{}.Help(), checkCmd{}.Help(), keysCmd{}.Help(), keysNewCmd{}.Help(), gatewayCmd{}.Help(), doctorCmd{}.Help(),
	}, "\n")}
	for _, f := range append(files, "../../README.md") {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[f] = string(b)
	}
	n := 0
	for from, text := range texts {
		for _, args := range commandsIn(text) {
			n++
			var cmds commands
			parser, err := kong.New(&cmds, kong.Vars{"version": "v", "dialects": dialectNames(), "wall": wallAddress}, kong.Exit(func(int) {}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(spoken(args)); err != nil {
				t.Errorf("%s: weir %q: %v", from, args, err)
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d commands found", n)
	}
}

var (
	word     = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)
	pipeline = regexp.MustCompile(`(^|[|$] *)weir `)
)

// commandsIn finds lines that call weir, as in a shell: continued by \, ended
// by #, > or |.
func commandsIn(text string) (out [][]string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		at := pipeline.FindStringIndex(line)
		if at == nil || strings.Contains(line, "`") || strings.Contains(line, "COMMAND") || strings.Contains(line, "URL...") {
			continue
		}
		var args []string
		for _, w := range word.FindAllString(line[at[1]:], -1) {
			if w == ">" || w == "|" || strings.HasPrefix(w, "#") {
				break
			}
			args = append(args, strings.Trim(w, `'"`))
		}
		out = append(out, args)
	}
	return out
}

// TestGatewayRecipes: every config in docs/gateway.md is one that can be used, and
// without a warning but for where it listens.
func TestGatewayRecipes(t *testing.T) {
	text := string(readFile(t, "../../docs/gateway.md"))
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(blocks) < 7 {
		t.Errorf("only %d configs found", len(blocks))
	}
	for _, b := range blocks {
		cfg, problems := config.Load("gateway.md", []byte(b[1]), world(&process{env: func(string) (string, bool) { return "", false }}))
		if len(problems) > 0 || len(cfg.Routes) == 0 || len(cfg.Warnings) > 0 {
			t.Errorf("%s%v%v", b[1], problems, cfg.Warnings)
		}
	}
}
