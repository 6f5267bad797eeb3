package cast

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"weir.dev/weir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPresets(t *testing.T) {
	all := Presets()
	if len(all) < 8 {
		t.Fatalf("%d presets", len(all))
	}
	for _, p := range all {
		d, err := p.Deployment()
		if err != nil || d.Profile.Frontend == 0 || d.Profile.PrefixCache == (p.Cache.Policy == "off") {
			t.Errorf("%s: %v %+v", p.Name, err, d.Profile)
		}
	}
}

func TestParse(t *testing.T) {
	all, err := Parse("f.yaml", []byte(`
providers:
  plain:
  mine:
    like: harbor
    gpu: H100-SXM
    network: {rtt: 5ms}
    cache: {ttl: 30s}
    faults:
      - {from: 3m, to: 5m, slower: 3}
`))
	if err != nil {
		t.Fatal(err)
	}
	mine, plain := all[0], all[1]
	if plain.Name != "plain" || plain.TP != 4 || plain.Cache.Policy != "engine" || plain.Limits.Headers != "openai" {
		t.Errorf("%+v", plain)
	}
	// What is not said is the preset's, also within a part that is.
	if mine.GPU != "H100-SXM" || mine.Engine != "trtllm" || mine.Network != (Network{RTT: 5 * time.Millisecond, Jitter: 400 * time.Microsecond}) {
		t.Errorf("%+v", mine)
	}
	if mine.Cache.Policy != "engine" || *mine.Cache.TTL != 30*time.Second || len(mine.Faults) != 1 || mine.Faults[0].Slower != 3 {
		t.Errorf("%+v", mine)
	}
}

// Each bad file has its message beside it.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(name, ".yaml") + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse("f.yaml", src)
		var e *weir.Error
		if !errors.As(err, &e) || e.Code != "bad_personality" || e.Message != strings.TrimSuffix(string(want), "\n") {
			t.Errorf("%s:\n got %v\nwant %s", name, err, want)
		}
	}
}

// The page has every key, its example is sound, and its error is what is said.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../../docs/sim.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for _, key := range keys(reflect.TypeFor[Personality]()) {
		if !regexp.MustCompile("`[a-z_.]*"+key+"`").MatchString(page) && !slices.Contains([]string{"network", "background", "answer", "cache", "limits", "coalesce", "price", "wire"}, key) {
			t.Errorf("docs/sim.md says nothing of %s", key)
		}
	}
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(page)
	all, err := Parse("mine.yaml", []byte(example[1]))
	if err != nil || len(all) != 1 || len(all[0].Faults) != 2 {
		t.Errorf("%v %+v", err, all)
	}
	shown := regexp.MustCompile("(?s)```\n(mine.yaml:.*?)\n```").FindStringSubmatch(page)
	if _, err := Parse("mine.yaml", []byte("providers:\n  mine:\n    gpu: h100-smx\n")); err == nil || err.Error() != shown[1] {
		t.Errorf("the error is now\n%v", err)
	}
	for _, p := range Presets() {
		if !strings.Contains(page, p.Name) {
			t.Errorf("docs/sim.md says nothing of the preset %s", p.Name)
		}
	}
}

func TestNamed(t *testing.T) {
	if _, err := Named(Presets(), "harbour"); err == nil || !strings.HasPrefix(err.Error(), `there is no simulated provider "harbour" (did you mean harbor? one of `) {
		t.Error(err)
	}
	if two, err := Named(Presets(), "harbor", "cascade"); err != nil || len(two) != 2 || two[0].Name != "harbor" {
		t.Error(two, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(presetsFile))
	f.Add("providers: {a: {like: harbor, network: {rtt: 1ms}, faults: [{from: 1s, to: 2s, cut: 0}], price: {input: .inf}}}")
	f.Add("providers:\n  a: [1]\n  b: &x {}\n")
	f.Fuzz(func(t *testing.T, src string) {
		all, err := Parse("f", []byte(src))
		if (err == nil) != (len(all) > 0) {
			t.Errorf("%d providers, %v", len(all), err)
		}
		for _, p := range all {
			if _, err := p.Deployment(); err != nil {
				t.Errorf("%s passed the checks: %v", p.Name, err)
			}
		}
	})
}
