package work

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

func oneRecord(t *testing.T, turns Turns) *Dataset {
	t.Helper()
	d, err := Read(strings.NewReader(`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`), ReadOptions{Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCheck(t *testing.T) {
	one, each := oneRecord(t, LastTurn), oneRecord(t, EachTurn)
	f := func(want string, change func(*Plan)) {
		t.Helper()
		p := words(256, 128)
		change(&p)
		err := p.Check()
		var e *weir.Error
		if want == "" && err != nil || want != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, not %q", err, want)
		}
		if _, serr := p.Source(1, ""); (serr == nil) != (err == nil) {
			t.Errorf("Source says %v", serr)
		}
	}
	f("", func(*Plan) {})
	f("no lengths", func(p *Plan) { p.Lengths = nil })
	f("", func(p *Plan) { p.Lengths, p.Prompt = nil, "x" })
	f("", func(p *Plan) { p.Lengths, p.Data = nil, one })
	f("", func(p *Plan) { p.Lengths, p.Prompt = OnePair(Length{}, Fixed(5)), "x" })
	f("length 0", func(p *Plan) { p.Lengths = OnePair(Fixed(0), Fixed(5)) })
	f("length 0", func(p *Plan) { p.Lengths = OnePair(Fixed(1), Fixed(0)) })
	f("a weight of", func(p *Plan) { p.Lengths = Lengths{{0, Fixed(1), Fixed(1)}, {1, Fixed(1), Fixed(1)}} })
	f(`content class "poems"`, func(p *Plan) { p.Class = "poems" })
	f(`cache policy "hot"`, func(p *Plan) { p.Cache = "hot" })
	f("a prompt and a data set", func(p *Plan) { p.Prompt, p.Data = "x", one })
	f("a data set without a record", func(p *Plan) { p.Data = &Dataset{} })
	f("an image beside a data set", func(p *Plan) { p.Data, p.Image = one, []string{"https://h/x.png"} })
	f("a shared prefix of 120 %", func(p *Plan) { p.Share = 1.2 })
	f("a shared prefix of NaN %", func(p *Plan) { p.Share = math.NaN() })
	f("a shared prefix of a text", func(p *Plan) { p.Share, p.Prompt = 0.5, "x" })
	f("-1 turns", func(p *Plan) { p.Turns = -1 })
	f("turns of a text", func(p *Plan) { p.Turns, p.Prompt = 2, "x" })
	f("a think time without turns", func(p *Plan) { p.Think.Mean = 1 })
	f("", func(p *Plan) { p.Think.Mean, p.Data = 1, each })
	f("think time -1ns", func(p *Plan) { p.Think.Mean, p.Turns = -1, 2 })
	f("cold caches and a shared", func(p *Plan) { p.Share, p.Cache = 0.5, CacheCold })
	f("pairs with a shared prefix", func(p *Plan) { p.Share, p.Cache = 0.5, CacheCompare })
	f("pairs of turns", func(p *Plan) { p.Turns, p.Cache = 2, CacheCompare })
	f("pairs of turns", func(p *Plan) { p.Data, p.Cache = each, CacheCompare })
	f("a gap without pairs", func(p *Plan) { p.Gap = 1 })
	f("a gap of -1s", func(p *Plan) { p.Gap, p.Cache = -time.Second, CacheCompare })
	f("", func(p *Plan) { p.Gap, p.Cache, p.Data = time.Second, CacheCompare, one })
}

func TestParseNames(t *testing.T) {
	for _, c := range Classes() {
		if got, err := ParseClass(string(c)); got != c || err != nil {
			t.Error(got, err)
		}
	}
	for _, s := range []string{"", "cold", "warm", "compare", "any"} {
		if got, err := ParseCache(s); string(got) != s || err != nil {
			t.Error(got, err)
		}
	}
	for _, s := range []string{"", "first", "last", "each"} {
		if got, err := ParseTurns(s); string(got) != s || err != nil {
			t.Error(got, err)
		}
	}
	if _, err := ParseClass(""); err == nil {
		t.Error("no class is a class")
	}
	if _, err := ParseTurns("all"); err == nil || !strings.Contains(err.Error(), `"all"`) {
		t.Error(err)
	}
}

// TestID: it holds what is asked, stays over releases, and changes with each
// part of it.
func TestID(t *testing.T) {
	base := words(256, 128)
	id := base.ID()
	if id != "4bde2122ca24" {
		t.Errorf("the id of the plain workload became %s: saved runs no longer compare", id)
	}
	for name, change := range map[string]func(*Plan){
		"class":   func(p *Plan) { p.Class = RandomWords },
		"turns":   func(p *Plan) { p.Turns = 1 },
		"mix":     func(p *Plan) { p.Lengths[0].Weight = 5 },
		"mix 100": func(p *Plan) { p.Lengths, _ = ParseLengths("256/128") },
	} {
		p := words(256, 128)
		if change(&p); p.ID() != id {
			t.Errorf("%s says the same and changed the id", name)
		}
	}
	ids := map[string]string{id: "base"}
	for name, change := range map[string]func(*Plan){
		"class":     func(p *Plan) { p.Class = Code },
		"input":     func(p *Plan) { p.Lengths = OnePair(Fixed(257), Fixed(128)) },
		"output":    func(p *Plan) { p.Lengths = OnePair(Fixed(256), Fixed(129)) },
		"deviation": func(p *Plan) { p.Lengths = OnePair(Length{256, 9, 1, 300}, Fixed(128)) },
		"bound":     func(p *Plan) { p.Lengths = OnePair(Length{256, 9, 1, 301}, Fixed(128)) },
		"mix":       func(p *Plan) { p.Lengths, _ = ParseLengths("50%:256/128,50%:1/1") },
		"weights":   func(p *Plan) { p.Lengths, _ = ParseLengths("60%:256/128,40%:1/1") },
		"prompt":    func(p *Plan) { p.Prompt = "x" },
		"data":      func(p *Plan) { p.Data = oneRecord(t, LastTurn) },
		"each":      func(p *Plan) { p.Data = oneRecord(t, EachTurn) },
		"system":    func(p *Plan) { p.System = "x" },
		"image":     func(p *Plan) { p.Image = []string{"https://h/x.png"} },
		"cold":      func(p *Plan) { p.Cache = CacheCold },
		"warm":      func(p *Plan) { p.Cache = CacheWarm },
		"any":       func(p *Plan) { p.Cache = CacheAny },
		"compare":   func(p *Plan) { p.Cache = CacheCompare },
		"gap":       func(p *Plan) { p.Cache, p.Gap = CacheCompare, 1 },
		"share":     func(p *Plan) { p.Share = 0.5 },
		"sessions":  func(p *Plan) { p.Turns = 2 },
		"think":     func(p *Plan) { p.Turns, p.Think.Mean = 2, 1 },
	} {
		p := words(256, 128)
		change(&p)
		if other, taken := ids[p.ID()]; taken {
			t.Errorf("%s and %s have one id", name, other)
		}
		ids[p.ID()] = name
	}
}

// TestRecipe: the texts of a seed are part of what an id says. If this fails
// on purpose, raise recipe.
func TestRecipe(t *testing.T) {
	for class, want := range map[Class]string{
		RandomWords: "[332532971725] this cat one ice ten war for have are tip put when new due look their into\n\nGo on with this list of words.",
		Prose:       "[332532971725] \"I have quietly seen such a farmer,\" said Martin, \"so clean and so full.\"\n\nGo on with this story.",
		Code:        "[332532971725] type Label struct {\n\troute string\n\tkey []int // pending\n\tcache map[string]rune\n}\n\n\n\nGo on with this code.",
	} {
		p := words(40, 8)
		p.Class = class
		if got := firstText(mustSource(t, p, 1, "").Prompt(0, 0, nil)); got != want {
			t.Errorf("%s: %q", class, got)
		}
	}
}
