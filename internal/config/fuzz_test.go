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
		text := ps.Error()
		if !strings.Contains(string(src), "hunter2") && strings.Contains(text, "hunter2") {
			t.Errorf("the value of a variable is shown: %s", text)
		}
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\x07") {
			t.Errorf("a terminal must not be told this: %q", text)
		}
		for _, m := range cfg.Models {
			for _, target := range m.Targets {
				if _, ok := cfg.Provider(target.Provider); !ok || target.Weight <= 0 || target.Model == "" {
					t.Errorf("a target that cannot be used: %+v", target)
				}
			}
		}
	})
}
