package config

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name, or writes it there with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/config -update writes it)", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// planted is the secret that no output may hold.
const planted = "hunter2hunter2"

// testWorld has what the files of testdata refer to.
func testWorld() World {
	env := map[string]string{
		"MINE_KEY": planted + "-mine", "AZURE_KEY": planted + "-azure", "EMPTY": "", "HOST": "h.example", "TWO": "2",
		"WAIT": "250ms", "NOT_A_URL": planted, "TWO_WORDS": planted + " " + planted, "LINES": planted + "\nx",
	}
	files := map[string]string{"key.txt": planted + "-file\n", "empty.txt": "\n", "binary": "\xff\x00"}
	presets := map[string]Preset{
		"fireworks": {BaseURL: "https://api.fireworks.ai/inference/v1", Dialect: "openai-chat"},
		"groq":      {BaseURL: "https://api.groq.com/openai/v1", Dialect: "openai-chat"},
		"azure":     {Dialect: "openai-chat"},
		"vertex":    {BaseURL: "https://{location}-x.example/v1/projects/{project}/locations/{location}", Dialect: "openai-chat", Params: []string{"project", "location"}},
	}
	return World{
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		ReadFile: func(path string) ([]byte, error) {
			if path == "/locked.txt" {
				return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
			}
			text, ok := files[filepath.Base(path)]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
			}
			return []byte(text), nil
		},
		Preset:  func(name string) (Preset, bool) { p, ok := presets[name]; return p, ok },
		Presets: []string{"azure", "fireworks", "groq", "vertex"},
	}
}

// each runs f for every config in a folder of testdata.
func each(t *testing.T, folder string, f func(t *testing.T, name string, src []byte)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in testdata/%s: %v", folder, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f(t, name, src)
		})
	}
}

func TestBad(t *testing.T) {
	each(t, "bad", func(t *testing.T, name string, src []byte) {
		cfg, ps := Load(name+".yaml", src, testWorld())
		if len(ps) == 0 || ps.Err() == nil {
			t.Fatal("no problem found")
		}
		if cfg == nil {
			t.Fatal("no config")
		}
		text := ps.Error() + "\n"
		golden(t, filepath.Join("bad", name+".txt"), text)
		if strings.Contains(text+fmt.Sprintf("%+v %#v", ps, cfg), planted) {
			t.Errorf("the secret is shown:\n%s", text)
		}
		if !slices.IsSortedFunc(ps, func(a, b Problem) int { return a.Line - b.Line }) {
			t.Error("not from top to end")
		}
	})
}

func TestGood(t *testing.T) {
	each(t, "good", func(t *testing.T, name string, src []byte) {
		cfg, ps := Load(name+".yaml", src, testWorld())
		if err := ps.Err(); err != nil {
			t.Fatal(err)
		}
		text := dump(cfg)
		golden(t, filepath.Join("good", name+".txt"), text)
		if strings.Contains(text, planted) {
			t.Error("the secret is shown")
		}
	})
}

// What is sound and most likely not meant.
func TestDoubtful(t *testing.T) {
	each(t, "doubtful", func(t *testing.T, name string, src []byte) {
		cfg, ps := Load(name+".yaml", src, testWorld())
		if err := ps.Err(); err != nil {
			t.Fatal(err)
		}
		if len(cfg.Warnings) == 0 || len(cfg.Warnings.Except(Doubtful)) != 0 {
			t.Errorf("warnings: %+v", cfg.Warnings)
		}
		golden(t, filepath.Join("doubtful", name+".txt"), cfg.Warnings.Error()+"\n")
	})
}

// dump prints a config, one value a line.
func dump(c *Config) string {
	var b strings.Builder
	for _, p := range c.Providers {
		fmt.Fprintf(&b, "provider %s preset=%t %s %s params=%v key=%v auth=%+v", p.Name, p.Preset, p.BaseURL, p.Dialect, p.Params, p.APIKey, p.Auth)
		for _, h := range p.Headers {
			fmt.Fprintf(&b, " %s=%v", h.Name, h.Value)
		}
		b.WriteByte('\n')
	}
	for _, m := range c.Models {
		for _, t := range m.Targets {
			context, price := "unknown", "unknown"
			if n, ok := t.Context.Get(); ok {
				context = fmt.Sprint(n)
			}
			if t.Price.Input.Known() {
				price = fmt.Sprintf("in %v cached %v write %v out %v reasoning %v request %v", t.Price.Input.Or(0), opt(t.Price.CachedInput), opt(t.Price.CacheWrite), t.Price.Output.Or(0), opt(t.Price.Reasoning), opt(t.Price.Request))
			}
			fmt.Fprintf(&b, "model %s: %s/%s weight %v context %s price %s\n", m.Name, t.Provider, t.Model, t.Weight, context, price)
		}
	}
	if len(c.Routes) > 0 {
		dumpGateway(&b, c)
	}
	return b.String()
}

func dumpGateway(b *strings.Builder, c *Config) {
	fmt.Fprintf(b, "listen %q admin %q\ngateway %+v\n", c.Listen, c.Admin, c.Gateway)
	for _, r := range c.Routes {
		targets := r.Targets
		r.Targets = nil
		fmt.Fprintf(b, "route %+v\n", r)
		for _, t := range targets {
			fmt.Fprintf(b, "  %s weight %v context %v prefill %t no tools %t no images %t drain %t\n    %+v %+v %+v\n",
				t.Name(), t.Weight, t.Context, t.Prefill, t.NoTools, t.NoImages, t.DrainForUsage, t.Limits, t.Breaker, t.Cooldown)
		}
	}
	for _, k := range c.Keys {
		fmt.Fprintf(b, "key %s %x routes=%v rpm=%v tpm=%v budget=%v\n", k.Name, k.SHA256[:4], k.Routes, k.RPM, k.TPM, k.Budget)
	}
	fmt.Fprintf(b, "warnings %d\n", len(c.Warnings))
}

func opt(x weir.Opt[float64]) string {
	if v, ok := x.Get(); ok {
		return fmt.Sprint(v)
	}
	return "unknown"
}

func TestLoadFillsIn(t *testing.T) {
	src, err := os.ReadFile("testdata/good/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, ps := Load("conf/weir.yaml", src, testWorld())
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	a, _ := cfg.Provider("a")
	if got := a.APIKey.Reveal(); got != planted+"-file" {
		t.Errorf("key from a file: %q", got)
	}
	var headers []string
	for _, h := range a.Headers {
		headers = append(headers, h.Name+": "+h.Value.Reveal())
	}
	if d := cmp.Diff([]string{"X-Team: costs ${5}, h.example", "X-Lines: one two"}, headers); d != "" {
		t.Errorf("headers (-want +got):\n%s", d)
	}
	b, _ := cfg.Provider("b")
	if d := cmp.Diff([]string{"gcloud", "auth", "print-access-token", "--account=h.example"}, b.Auth.Command); d != "" {
		t.Errorf("command (-want +got):\n%s", d)
	}
	targets, ok := cfg.Model("m")
	if !ok || len(targets) != 2 || targets[1].Weight != 2 || targets[0].Weight != 0.5 {
		t.Errorf("targets: %+v", targets)
	}
	if p := targets[0].Price; p.Input != weir.Some(0.0) || p.CacheWrite != weir.Some(1.25) {
		t.Errorf("price: %+v", p)
	}
	if p := targets[1].Price; p.Input.Known() || targets[1].Context.Known() {
		t.Errorf("what was not said is known: %+v", targets[1])
	}
	if g, ok := cfg.Provider("groq"); !ok || !g.Preset || g.BaseURL == "" {
		t.Errorf("a preset that only a target names: %+v", g)
	}
	if _, ok := cfg.Provider("nobody"); ok {
		t.Error("nobody is a provider")
	}
	if _, ok := cfg.Model("nothing"); ok {
		t.Error("nothing is a model")
	}
}

func TestFilesAreRelativeToTheConfig(t *testing.T) {
	var asked []string
	w := World{ReadFile: func(path string) ([]byte, error) {
		asked = append(asked, filepath.ToSlash(path))
		return []byte("k"), nil
	}}
	Load("etc/weir.yaml", []byte("providers:\n  a: {base_url: http://h, api_key: '${file:keys/a}'}\n  b: {base_url: http://h, api_key: '${file:/run/b}'}\n"), w)
	if d := cmp.Diff([]string{"etc/keys/a", "/run/b"}, asked); d != "" {
		t.Errorf("paths (-want +got):\n%s", d)
	}
}

// What is sound stays usable, so that a variable that is not set matters only
// to who uses its provider.
func TestRestIsKept(t *testing.T) {
	const src = "providers:\n  a: {base_url: http://a, api_key: '${NOT_SET}'}\n  b: {base_url: http://b}\n" +
		"models:\n  m: {targets: [{provider: a, model: x}, {provider: b, model: x}]}\n"
	cfg, ps := Load("weir.yaml", []byte(src), testWorld())
	if len(ps) != 1 || ps[0].Code != UnsetVariable || ps[0].Path != "providers.a.api_key" || ps[0].Line != 2 || ps[0].Column != 37 {
		t.Errorf("problems: %+v", ps)
	}
	if rest := ps.Except(UnsetVariable); rest.Err() != nil {
		t.Errorf("except unset variables: %v", rest)
	}
	if targets, _ := cfg.Model("m"); len(targets) != 2 {
		t.Errorf("targets: %+v", targets)
	}
	if a, ok := cfg.Provider("a"); !ok || a.APIKey.Given() {
		t.Errorf("a: %+v", a)
	}
}

func TestBounds(t *testing.T) {
	target := "{provider: groq, model: x}"
	for name, c := range map[string]struct{ src, want string }{
		"too large":      {strings.Repeat("#\n", maxBytes/2) + "#", "larger than 1 MiB"},
		"too many words": {strings.Repeat("a: b\n", maxTokens), "holds too much"},
		"dashes":         {strings.Repeat("- ", 50_000), "nested too deep"},
		"brackets":       {strings.Repeat("[", 50_000), "nested too deep"},
		"braces":         {strings.Repeat("{a: ", 50_000), "nested too deep"},
		"questions":      {strings.Repeat("? ", 50_000), "nested too deep"},
		"tags":           {"a: " + strings.Repeat("!!str ", 50_000), "nested too deep"},
		"bomb": {
			"models:\n  a: {targets: &a [" + strings.Repeat(target+", ", 2000) + target + "]}\n" +
				strings.Repeat("  b: {targets: *a}\n", 2) + strings.Join(names("  b%d: {targets: *a}\n", 2000), ""), "aliases make this file too large",
		},
		"merge bomb": {
			"providers:\n  a: &a {base_url: http://h, headers: &h {" + strings.Join(names("X-%d: a, ", 2000), "") + "}}\n" +
				strings.Join(names("  b%d: {<<: *a, headers: {<<: *h}}\n", 2000), ""), "aliases make this file too large",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, ps := Load("weir.yaml", []byte(c.src), testWorld())
			if text := ps.Error(); !strings.Contains(text, c.want) || len(text) > 100_000 {
				t.Errorf("%d bytes, which begin with %.300s", len(text), text)
			}
		})
	}
}

func names(format string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(format, i))
	}
	return out
}

func TestManyProblemsAreCounted(t *testing.T) {
	_, ps := Load("weir.yaml", []byte(strings.Join(names("odd%d: 1\n", 250), "")), World{})
	if len(ps) != maxProblems+1 || ps[maxProblems].Message != "and 150 more problems" {
		t.Errorf("%d problems, the last: %v", len(ps), ps[len(ps)-1])
	}
}
