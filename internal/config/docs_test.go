package config

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page has every key, and its examples are sound.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	var look func(s *spec)
	look = func(s *spec) {
		for _, k := range s.keys {
			if !regexp.MustCompile("`(?:auth\\.)?" + k.name + "[`:]|\\b" + k.name + ":").MatchString(page) {
				t.Errorf("docs/config.md says nothing of %s", k.name)
			}
			look(k.spec)
		}
		if s.elem != nil {
			look(s.elem)
		}
	}
	look(root())
	for _, d := range dialects() {
		if !strings.Contains(page, "`"+d+"`") {
			t.Errorf("docs/config.md says nothing of the dialect %s", d)
		}
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(examples) != 2 {
		t.Errorf("%d examples", len(examples))
	}
	w := testWorld()
	w.ReadFile = func(string) ([]byte, error) { return []byte("key\n"), nil }
	for _, x := range examples {
		if _, ps := Load("weir.yaml", []byte(x[1]), w); ps.Err() != nil {
			t.Errorf("%v\n%s", ps, x[1])
		}
	}
	shown := regexp.MustCompile("(?s)```\n(weir.yaml:.*?)```").FindStringSubmatch(page)
	src := "providers:\n\n\n  mine: {base_url: http://h/v1, dialect: opnai, api_key: a-key}\n"
	if _, ps := Load("weir.yaml", []byte(src), w); shown == nil || ps.Error()+"\n" != shown[1] {
		t.Errorf("the error is now\n%v", ps)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"base_url", "api_key", "dialect", "headers"}
	for in, want := range map[string]string{
		"baseURL": "base_url", "base-url": "base_url", "url": "base_url", "apikey": "api_key", "key": "api_key", "header": "headers",
		"dailect": "dialect", "weight": "", "": "", strings.Repeat("x", 100): "",
	} {
		if got := nearest(in, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
