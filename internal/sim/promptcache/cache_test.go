package promptcache

import (
	"strings"
	"testing"
	"time"
)

// text is so many tokens that are unlike those of any other letter.
func text(letter string, tokens int) string { return strings.Repeat(letter, tokens*charsPerToken) }

func prompt(parts ...string) *Prompt {
	var p Prompt
	for _, s := range parts {
		mark := NoMark
		switch {
		case strings.HasSuffix(s, "!!"):
			mark = KeepHour
		case strings.HasSuffix(s, "!"):
			mark = Keep
		}
		p.Add("user", strings.TrimRight(s, "!"), mark)
	}
	return &p
}

func TestNamesAreSharedAsFarAsTheTextIs(t *testing.T) {
	a, b := prompt(text("a", 5), text("b", 5)), prompt(text("a", 5), text("c", 5))
	for i := range 10 {
		if same := a.Names[i] == b.Names[i]; same != (i < 5) {
			t.Errorf("token %d: same is %v", i, same)
		}
	}
	var system Prompt
	system.Add("system", text("a", 5), NoMark)
	if system.Names[0] == a.Names[0] {
		t.Error("roles are told apart nowhere")
	}
	if p := prompt("abcde"); p.Tokens() != 2 || len(p.Names) != 1 || prompt().Tokens() != 1 {
		t.Errorf("%d tokens, %d names", p.Tokens(), len(p.Names))
	}
}

func TestRules(t *testing.T) {
	shared := text("a", 1500)
	type use struct {
		parts       []string
		at          time.Duration
		read, write int
	}
	for name, uses := range map[string][]use{
		"off": {{[]string{shared}, 0, 0, 0}, {[]string{shared}, 1, 0, 0}},
		"openai": {
			{[]string{shared, text("b", 9)}, 0, 0, 0},
			{[]string{shared, text("c", 9)}, time.Minute, 1408, 0},
			{[]string{text("a", 1000)}, time.Minute, 0, 0},
			{[]string{shared}, 12 * time.Minute, 0, 0}, // 11 minutes later
		},
		"gemini": {
			{[]string{text("a", 2047)}, 0, 0, 0},
			{[]string{text("a", 2047)}, 0, 0, 0},
			{[]string{text("a", 2100)}, 0, 0, 0},
			{[]string{text("a", 2100)}, 0, 2096, 0},
		},
		"anthropic": {
			{[]string{shared, "x"}, 0, 0, 0}, // no mark
			{[]string{shared + "!", "x"}, 0, 0, 1500},
			{[]string{shared + "!", "y"}, 4 * time.Minute, 1500, 0},
			{[]string{shared + "!", "y"}, 8 * time.Minute, 1500, 0}, // the use renewed it
			{[]string{shared, text("q", 80), text("r", 20) + "!", "z"}, 9 * time.Minute, 1500, 100},
			{[]string{shared + "!"}, 15 * time.Minute, 0, 1500}, // too late
			{[]string{text("s", 900) + "!"}, 15 * time.Minute, 0, 0},
		},
		"deepseek": {
			{[]string{shared, text("b", 100)}, 0, 0, 0},
			{[]string{shared, text("b", 100), text("x", 50)}, 0, 1600, 0}, // all of the first
			{[]string{shared, text("c", 100)}, 0, 0, 0},                   // shares 1500, but no unit
			{[]string{shared, text("d", 100)}, 0, 1472, 0},                // which it became, in steps of 64
		},
	} {
		c := New(Profiles()[name])
		for i, u := range uses {
			if h := c.Use(prompt(u.parts...), "", u.at); !h.Limited || h.Read != u.read || h.Write != u.write {
				t.Errorf("%s, request %d: %+v, want %d read and %d written", name, i, h, u.read, u.write)
			}
		}
	}
}

// A mark for an hour outlives the five minutes, each use renews it, and what is
// written is told apart.
func TestMarksForAnHour(t *testing.T) {
	c := New(Profiles()["anthropic"])
	system, turn := text("a", 1500)+"!!", text("b", 100)+"!"
	for _, u := range []struct {
		at   time.Duration
		want Hit
	}{
		{0, Hit{Limited: true, Write: 1600, Hour: 1500}},
		{time.Minute, Hit{Limited: true, Read: 1600}},
		{30 * time.Minute, Hit{Limited: true, Read: 1500, Write: 100}}, // the turn's five minutes are over
		{89 * time.Minute, Hit{Limited: true, Read: 1500, Write: 100}},
		{150 * time.Minute, Hit{Limited: true, Write: 1600, Hour: 1500}},
	} {
		if h := c.Use(prompt(system, turn), "", u.at); h != u.want {
			t.Errorf("at %v: %+v, want %+v", u.at, h, u.want)
		}
	}
	if h := c.Use(prompt(text("a", 1500)+"!"), "", 151*time.Minute); h.Read != 1500 || h.Hour != 0 {
		t.Errorf("under a mark for five minutes: %+v", h)
	}
	if h := c.Use(prompt(text("a", 1500)+"!"), "", 200*time.Minute); h.Read != 1500 {
		t.Errorf("a shorter mark cut the hour short: %+v", h)
	}
}

// More than 15 requests a minute that begin alike overflow to a machine that
// has not seen them.
func TestOverflow(t *testing.T) {
	c := New(Profiles()["openai"])
	p := prompt(text("a", 2000))
	for i := range 40 {
		if h := c.Use(p, "", time.Second); (h.Read == 0) != (i%15 == 0) {
			t.Errorf("request %d reads %d", i, h.Read)
		}
	}
	if h := c.Use(p, "other", time.Second); h.Read == 0 {
		t.Error("another key begins at the first machine, which knows the prompt")
	}
	if h := c.Use(p, "", 2*time.Minute); h.Read == 0 {
		t.Error("a new minute begins at the first machine")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	c := New(Profiles()["deepseek"])
	for i := range uint64(2 * maxEntries) {
		c.keep(i, 0)
	}
	if len(c.entries) != maxEntries || c.order.Len() != maxEntries || !c.has(2*maxEntries-1, 0) || c.has(0, 0) {
		t.Errorf("%d entries, %d in order", len(c.entries), c.order.Len())
	}
}
