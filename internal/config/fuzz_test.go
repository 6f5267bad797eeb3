package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever the file: Load ends, its problems point into the file, and no value
// of a variable or file is in them.
func FuzzLoad(f *testing.F) {
	paths, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range append(paths, "example.yaml") {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		cfg, ps := Load("weir.yaml", src, testWorld())
		if cfg == nil {
			t.Fatal("no config")
		}
		lines := strings.Split(strings.TrimPrefix(strings.ReplaceAll(string(src), "\r\n", "\n"), "\ufeff"), "\n")
		for _, p := range ps {
			if p.Message == "" || p.Line < 0 || p.Line > len(lines) || p.Line > 0 && p.Column < 1 {
				t.Errorf("a problem without a place: %+v", p)
			}
			if p.Line > 0 && p.Column > utf8.RuneCountInString(lines[p.Line-1])+2 {
				t.Errorf("column %d of %q", p.Column, lines[p.Line-1])
			}
		}
		text := ps.Error() + cfg.Warnings.Error()
		if !strings.Contains(string(src), "hunter2") && strings.Contains(text, "hunter2") {
			t.Errorf("the value of a variable is shown: %s", text)
		}
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\x07") {
			t.Errorf("a terminal must not be told this: %q", text)
		}
		for _, m := range cfg.Models {
			usable(t, cfg, m.Targets)
		}
		for _, r := range cfg.Routes {
			usable(t, cfg, r.Targets)
			if len(r.Targets) == 0 || r.Handling.Attempts < 1 || r.Attainment <= 0 || r.Attainment > 1 {
				t.Errorf("a route that cannot be used: %+v", r)
			}
		}
		for _, k := range cfg.Keys {
			if k.SHA256 == [32]byte{} || k.Name == "" || k.RPM.Or(1) < 1 || k.TPM.Or(1) < 1 {
				t.Errorf("a key that cannot be used: %+v", k)
			}
		}
	})
}

func usable(t *testing.T, cfg *Config, targets []Target) {
	t.Helper()
	for _, target := range targets {
		if _, ok := cfg.Provider(target.Provider); !ok || target.Weight <= 0 || target.Model == "" || target.Limits.Connect <= 0 || target.Breaker.Failures < 1 {
			t.Errorf("a target that cannot be used: %+v", target)
		}
	}
}

// A quantity is read within its bounds, or refused in words.
func FuzzQuantity(f *testing.F) {
	for _, word := range []string{"10s", "1h2m", "off", "32MiB", "1.5 kB", "95%", "0.5", "1e-9", "true", "7", "0", "-1", "1e400", "50usd/day", "0.1 USD / month"} {
		f.Add(word)
	}
	keys := append(settingKeys(), routeSpec().keys...)
	f.Fuzz(func(t *testing.T, word string) {
		if b, fault := parseBudget(&scalar{name: "budget", text: word}); fault == nil && (b.USD <= 0 || b.USD > maxBudget || b.Period == "") {
			t.Errorf("%q: %+v", word, b)
		}
		for _, k := range keys {
			if k.kind == text || k.kind == object || k.kind == list || k.kind == later {
				continue
			}
			x, fault := k.quantity(&scalar{name: k.name, raw: word, text: word})
			switch {
			case fault != nil && fault.msg == "":
				t.Errorf("%s: %q is refused without a word", k.name, word)
			case fault == nil && (x < 0 || x == 0 && !k.off && k.kind != toggle || k.most > 0 && x > k.most):
				t.Errorf("%s: %q is %v", k.name, word, x)
			}
		}
	})
}
