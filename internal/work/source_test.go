package work

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weir.dev/weir/internal/request"
)

var (
	nonceFirst = regexp.MustCompile(`^\[\d{12}\] `)
	nonceAny   = regexp.MustCompile(`\[\d{12}\] `)
)

// common prefix of two texts, in bytes.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func firstText(r Request) string { return r.Messages[0].Text }

// TestPrompts: all targets are asked the same words, no two requests begin
// alike, and seed and salt say it all.
func TestPrompts(t *testing.T) {
	for _, class := range append(Classes(), "") {
		p := words(256, 32)
		p.Class = class
		s := mustSource(t, p, 1, "a")
		nonces, texts := map[string]bool{}, map[string]bool{}
		for k := range 20 {
			a, b := s.Prompt(0, k, nil), s.Prompt(1, k, nil)
			na, nb := nonceFirst.FindString(firstText(a)), nonceFirst.FindString(firstText(b))
			if na == "" || na == nb {
				t.Errorf("nonces %q and %q", na, nb)
			}
			nonces[na], nonces[nb] = true, true
			if ta, tb := firstText(a)[len(na):], firstText(b)[len(nb):]; ta != tb {
				t.Errorf("the targets are asked different words: %q and %q", ta, tb)
			} else {
				texts[ta] = true
			}
			if a.InputTokens != 256 || a.OutputTokens != 32 || a.Session != k || a.Turn != 0 || a.More || a.Words < 200 {
				t.Errorf("%+v", a)
			}
			if again := mustSource(t, p, 1, "a").Prompt(0, k, nil); !cmp.Equal(a, again) {
				t.Error("the same seed asks something else")
			}
			salted, other := mustSource(t, p, 1, "b").Prompt(0, k, nil), mustSource(t, p, 2, "a").Prompt(0, k, nil)
			if cut := firstText(salted)[len(na):]; cut != firstText(a)[len(na):] || nonceFirst.FindString(firstText(salted)) == na {
				t.Error("a salt changes the nonce, and nothing else")
			}
			if shared(firstText(other)[len(na):], firstText(a)[len(na):]) > 40 {
				t.Error("another seed asks the same")
			}
		}
		if len(nonces) != 40 || len(texts) != 20 {
			t.Errorf("%d nonces and %d texts in 20 requests to 2 targets", len(nonces), len(texts))
		}
	}
}

// TestTextsGrow: a shorter text is the beginning of a longer one, so that two
// tokenizers are asked the same as far as both go.
func TestTextsGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.SampledFrom(Classes()).Draw(t, "class")
		n, more := rapid.IntRange(0, 500).Draw(t, "n"), rapid.IntRange(0, 500).Draw(t, "more")
		m := maker{seed: rapid.Uint64().Draw(t, "seed")}
		short, long := class.text(m.rand(streamWords, 1), n), class.text(m.rand(streamWords, 1), n+more)
		if !strings.HasPrefix(long, short) {
			t.Fatalf("%q is not the beginning of %q", short, long)
		}
		if got := Words(short); got > n || got < n*9/10 {
			t.Fatalf("%d words, not %d: %q", got, n, short)
		}
	})
}

func TestWordsCoverText(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "one": 1, "one two": 2, "a  b": 3, "x := 1234\n": 6, "(x)\n\n\ty.z": 4, "Köln ist": 2, " ": 1, " \n": 1,
	} {
		if n := Words(s); n != want {
			t.Errorf("%q: %d words, not %d", s, n, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if n := Words(s); n > len(s) || (n == 0) != (s == "") {
			t.Fatalf("%d words in %q", n, s)
		}
	})
}

// TestNonceIsOneLength in digits: tokenizers cut them evenly.
func TestNonceIsOneLength(t *testing.T) {
	m := maker{seed: 1}
	for k := range 1000 {
		if n := m.nonce(0, perRequest, k); !nonceFirst.MatchString(n) || len(n) != 15 {
			t.Fatalf("%q", n)
		}
	}
}

// TestNonceIsInFront of the system's text, which a cache would know otherwise.
func TestNonceIsInFront(t *testing.T) {
	p := words(64, 8)
	p.System = "Be brief."
	r := mustSource(t, p, 1, "").Prompt(0, 3, nil)
	if !nonceFirst.MatchString(r.System) || nonceAny.MatchString(firstText(r)) {
		t.Errorf("%q, %q", r.System, firstText(r))
	}
	p = Plan{Prompt: "Why is the sky blue?"}
	r = mustSource(t, p, 1, "").Prompt(0, 3, nil)
	if nonce := nonceFirst.FindString(firstText(r)); nonce == "" || firstText(r)[len(nonce):] != p.Prompt || r.Words != 0 {
		t.Errorf("%+v", r)
	}
	p.Cache = CacheAny
	if r = mustSource(t, p, 1, "").Prompt(0, 3, nil); firstText(r) != p.Prompt {
		t.Errorf("%+v", r)
	}
}

// TestSharedPrefix: the first part of the words is the same for all requests to
// a target, new in each run and at each target, and all that follows differs.
func TestSharedPrefix(t *testing.T) {
	for _, class := range Classes() {
		for _, share := range []float64{0.25, 0.5, 0.9} {
			p := words(1000, 8)
			p.Class, p.Share = class, share
			s := mustSource(t, p, 1, "run")
			first := firstText(s.Prompt(0, 0, nil))
			for k := 1; k < 10; k++ {
				text := firstText(s.Prompt(0, k, nil))
				n := shared(first, text)
				part := float64(Words(text[:n])) / float64(Words(text))
				if part < share-0.05 || part > share+0.05 {
					t.Errorf("%s: %.2f of the words are shared, not %.2f", class, part, share)
				}
				if other := firstText(s.Prompt(1, k, nil)); shared(other, text) > 12 {
					t.Errorf("targets share %d bytes", shared(other, text))
				}
				next := mustSource(t, p, 1, "next run")
				if other := firstText(next.Prompt(0, k, nil)); shared(other, text) > 12 {
					t.Errorf("runs share %d bytes", shared(other, text))
				}
			}
			if n := len(nonceAny.FindAllString(first, -1)); n != 2 {
				t.Errorf("%d nonces", n)
			}
			p.Cache = CacheAny
			bare := mustSource(t, p, 1, "run")
			a, b := firstText(bare.Prompt(0, 0, nil)), firstText(bare.Prompt(0, 1, nil))
			if nonceAny.MatchString(a) || shared(a, b) < int(share*float64(len(a))*0.9) {
				t.Errorf("without nonces %d bytes of %d are shared", shared(a, b), len(a))
			}
		}
	}
	whole := words(1000, 8)
	whole.Share = 1
	s := mustSource(t, whole, 1, "")
	if a, b := firstText(s.Prompt(0, 0, nil)), firstText(s.Prompt(0, 1, nil)); a == b || shared(a, b) < len(a)*9/10 {
		t.Errorf("all of it shared: %d bytes of %d", shared(a, b), len(a))
	}
}

func TestWarmRepeatsMost(t *testing.T) {
	p := words(2000, 8)
	p.Cache = CacheWarm
	s := mustSource(t, p, 1, "")
	a, b := firstText(s.Prompt(0, 0, nil)), firstText(s.Prompt(0, 1, nil))
	if n := float64(shared(a, b)) / float64(len(a)); n < 0.9 || n > 0.97 {
		t.Errorf("%.2f of a warm prompt is repeated", n)
	}
	p = Plan{Prompt: "Why?", Cache: CacheWarm}
	s = mustSource(t, p, 1, "")
	if a, b := firstText(s.Prompt(0, 0, nil)), firstText(s.Prompt(0, 1, nil)); a != b || !nonceFirst.MatchString(a) {
		t.Errorf("%q, %q", a, b)
	}
}

// TestSessions: a turn goes on where the one before ended, the answers made up
// included, and every session is a new one to the cache.
func TestSessions(t *testing.T) {
	for _, cache := range []CachePolicy{CacheAuto, CacheCold} {
		p := words(200, 50)
		p.Turns, p.Think, p.Class, p.Cache = 4, ThinkTime{Mean: 5 * time.Second}, Prose, cache
		s := mustSource(t, p, 1, "")
		var before Request
		for k := range 12 {
			r := s.Prompt(0, k, nil)
			session, turn := k/4, k%4
			if r.Session != session || r.Turn != turn || r.More != (turn < 3) || len(r.Messages) != 2*turn+1 {
				t.Fatalf("request %d: session %d, turn %d, %d messages", k, r.Session, r.Turn, len(r.Messages))
			}
			if want := 200 + turn*250; r.InputTokens != want || r.OutputTokens != 50 {
				t.Errorf("turn %d: %d tokens, not %d", turn, r.InputTokens, want)
			}
			for i, m := range r.Messages {
				if want := []string{request.RoleUser, request.RoleAssistant}[i%2]; m.Role != want {
					t.Errorf("message %d is the %s's", i, m.Role)
				}
			}
			a, b := before.all(), r.all()
			goesOn := k > 0 && strings.HasPrefix(b, a)
			if want := turn > 0 && cache == CacheAuto; goesOn != want {
				t.Errorf("%q, turn %d goes on: %v", cache, turn, goesOn)
			}
			if (r.Think > 0) != (turn > 0) || (r.Words > 0) != (turn == 0) {
				t.Errorf("turn %d: %v to think, %d words to learn from", turn, r.Think, r.Words)
			}
			if !nonceFirst.MatchString(firstText(r)) {
				t.Errorf("no nonce: %.40q", firstText(r))
			}
			before = r
		}
		for k, want := range []int{0, 4, 4, 4, 4, 8} {
			if got := s.Align(k); got != want {
				t.Errorf("Align(%d) = %d, not %d", k, got, want)
			}
		}
	}
}

// TestSessionTokens: a whole session has about the length that was wanted.
func TestSessionTokens(t *testing.T) {
	p := words(400, 100)
	p.Turns = 5
	s, c := mustSource(t, p, 1, ""), p.NewCalibration()
	f := tokenizer(func(s string) int { return len(s) / 3 })
	warmUp(s, c, 10, f)
	for k := 10; k < 30; k++ {
		r := s.Prompt(0, k, c)
		if got := float64(f.count(r)) / float64(r.InputTokens); got < 0.97 || got > 1.03 {
			t.Errorf("turn %d: %.2f of the tokens wanted", r.Turn, got)
		}
	}
}

func TestPairs(t *testing.T) {
	p := words(300, 8)
	p.Cache, p.Gap = CacheCompare, 2*time.Second
	s := mustSource(t, p, 1, "")
	seen := map[string]bool{}
	for k := 0; k < 10; k += 2 {
		cold, warm := s.Prompt(0, k, nil), s.Prompt(0, k+1, nil)
		if cold.all() != warm.all() || seen[cold.all()] {
			t.Error("a pair is one new prompt, twice")
		}
		seen[cold.all()] = true
		if cold.Cache != ColdHalf || warm.Cache != WarmHalf || cold.Session != k/2 || warm.Session != k/2 {
			t.Errorf("%+v, %+v", cold, warm)
		}
		if !cold.More || warm.More || cold.Think != 0 || warm.Think != p.Gap || warm.Turn != 1 {
			t.Errorf("%+v, %+v", cold, warm)
		}
	}
	if s.Align(3) != 4 || s.Align(4) != 4 {
		t.Error("pairs are torn")
	}
}

func TestThinkTime(t *testing.T) {
	m := maker{seed: 1}
	think, err := ParseThinkTime("5s~2s")
	if err != nil || think.String() != "5s~2s" {
		t.Fatal(think, err)
	}
	var all []time.Duration
	for k := range 2000 {
		all = append(all, think.Draw(m.rand(streamThink, k)))
	}
	slices.Sort(all)
	if all[0] < 0 || all[1999] > 13*time.Second || (all[1000]-5*time.Second).Abs() > 200*time.Millisecond || all[1999] == all[0] {
		t.Errorf("%v to %v, median %v", all[0], all[1999], all[1000])
	}
	for _, s := range []string{"", "5", "-5s", "5s~", "5s~-1s", "25h", "~1s", "5s~1s~1s"} {
		if _, err := ParseThinkTime(s); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", s)) {
			t.Errorf("%q: %v", s, err)
		}
	}
}
