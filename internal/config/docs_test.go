package config

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const docsPage = "../../docs/config.md"

// tabled are the tables of the page that are made of the table of keys.
func tabled() map[string]string {
	return map[string]string{
		"routes":  rows("key of a route", routeSpec().keys, func(k key) bool { return k.def != "" || k.name == "model" || k.name == "policy" || k.name == "slo" }),
		"keys":    rows("key of an item", keySpec().keys, nil),
		"gateway": rows("key of gateway", settingKeys(), nil),
	}
}

func rows(title string, keys []key, pick func(key) bool) string {
	perRoute := map[string]bool{}
	for _, k := range routeSpec().keys {
		perRoute[k.name] = true
	}
	var b strings.Builder
	b.WriteString("| " + title + " | what | default |\n|---|---|---|\n")
	var add func(path string, keys []key)
	add = func(path string, keys []key) {
		for _, k := range keys {
			def, what := k.def, k.doc
			switch {
			case path == "" && pick != nil && !pick(k):
				continue
			case k.required:
				def = "required"
			case def != "":
				def = "`" + def + "`"
			}
			if pick == nil && path == "" && perRoute[k.name] && k.name != "name" {
				what += " Also of a route."
			}
			b.WriteString("| `" + path + k.name + "` | " + strings.ReplaceAll(what, "|", "\\|") + " | " + def + " |\n")
			add(path+k.name+".", k.keys)
		}
	}
	add("", keys)
	return b.String()
}

// The tables of the page are those of the keys.
func TestDocsTables(t *testing.T) {
	b, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for name, table := range tabled() {
		block := regexp.MustCompile("(?s)(<!-- " + name + ": [^\n]*-->\n)(.*?)(<!-- end -->)")
		m := block.FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("the page has no place for %s", name)
		}
		if m[2] != table && !*update {
			t.Errorf("the table of %s is not that of the keys: go test ./internal/config -update", name)
		}
		page = strings.Replace(page, m[0], m[1]+table+m[3], 1)
	}
	if *update {
		if err := os.WriteFile(docsPage, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The page has every key, and its examples are sound.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	var look func(s *spec)
	look = func(s *spec) {
		for _, k := range s.keys {
			if !regexp.MustCompile("`(?:[a-z_]+\\.)?" + k.name + "[`:]|\\b" + k.name + ":").MatchString(page) {
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
	if len(examples) != 4 {
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
