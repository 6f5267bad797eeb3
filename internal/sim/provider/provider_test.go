package provider

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/sim/cast"
	"weir.dev/weir/internal/sim/promptcache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, yaml string) *Provider {
	t.Helper()
	all, err := cast.Parse("test", []byte("providers: {p: {"+yaml+"}}"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(Config{Personality: all[0], Clock: clock.Plain{}, Seed: 1, Metrics: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ask(t *testing.T, p *Provider, text string, tokens int) *Answer {
	t.Helper()
	var prompt promptcache.Prompt
	prompt.Add("user", text, promptcache.NoMark)
	a, refusal, _ := p.Ask(t.Context(), Ask{Prompt: &prompt, MaxTokens: tokens})
	if refusal != nil {
		t.Fatalf("%+v", refusal)
	}
	return a
}

func load(p *Provider) engine.Load {
	d := p.drivers[0]
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.engine.Load()
}

func drain(t *testing.T, a *Answer) (tokens, bursts int) {
	t.Helper()
	defer a.Close()
	for {
		b, err := a.Next()
		if err != nil {
			t.Fatal(err)
		}
		if tokens += b.Tokens; b.Tokens > 0 {
			bursts++
		}
		if b.Done {
			return tokens, bursts
		}
	}
}

// Going to the engine's time and back leads to the same time, slowdowns and
// their overlaps included.
func TestTimelineTurnsBack(t *testing.T) {
	minute := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	line := newTimeline([]cast.Fault{{From: minute(3), To: minute(5), Slower: 3}, {From: minute(4), To: minute(6), Slower: 2}, {From: minute(7), To: minute(8), Status: 500}})
	for _, c := range []struct{ provider, engine time.Duration }{
		{-minute(1), -minute(1)},
		{minute(3), minute(3)},
		{minute(4), minute(3) + 20*time.Second},
		{minute(5), minute(3) + 30*time.Second},
		{minute(6), minute(4)},
		{minute(16), minute(14)},
	} {
		if e, p := line.engine(c.provider), line.provider(c.engine); e != c.engine || p != c.provider {
			t.Errorf("%v: engine %v, want %v; back %v", c.provider, e, c.engine, p)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(minute(20))).Draw(t, "d"))
		if back := line.provider(line.engine(d)); (back - d).Abs() > 6 { // ns, at a sixth of the speed
			t.Errorf("%v came back as %v", d, back)
		}
		if line.engine(d+1) < line.engine(d) {
			t.Errorf("it runs backwards at %v", d)
		}
	})
}

// However speed rounds, waiting until a time leads to that time.
func TestWallIsNeverEarly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := clockwork{start: time.Now(), speed: rapid.Float64Range(0.01, 1000).Draw(t, "speed")}
		d := time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "d"))
		if got := c.at(c.wall(d)); got < d {
			t.Errorf("at %v it is %v", d, got)
		}
	})
}

func TestBackgroundFollowsCurveAndBursts(t *testing.T) {
	b := cast.Background{Rate: 10, Input: 1000, Output: 100, Spread: 1, Curve: []float64{0, 2}, Period: time.Hour, Bursts: cast.Bursts{Every: 10 * time.Minute, Length: time.Minute, Factor: 4}}
	g := newBackground(b, 2, 5000, 1, 1)
	counts := map[string]float64{}
	inputs, n := 0, 0
	for d := g.next(0); d < 10*time.Hour; d = g.next(d) {
		switch at := d % time.Hour; {
		case d%(10*time.Minute) < time.Minute:
			counts["burst"]++
		case at < 10*time.Minute || at >= 50*time.Minute:
			counts["trough"]++
		case at >= 20*time.Minute && at < 40*time.Minute:
			counts["peak"]++
		}
		r := g.request()
		inputs += r.Prompt
		n++
	}
	// Means by hand: a replica has 5/s; the triangle has its mean 1 between 0 and
	// 2, and its sixths at 1/3, 1 and 5/3 of it.
	for name, want := range map[string]float64{"trough": 5.0 / 3 * 1080 * 10, "peak": 25.0 / 3 * 1080 * 10, "burst": 4 * 5 * 360 * 10} {
		if math.Abs(counts[name]-want) > 0.15*want {
			t.Errorf("%s: %g requests, want about %g", name, counts[name], want)
		}
	}
	if mean := float64(inputs) / float64(n); mean < 850 || mean > 1050 { // cut at 5000
		t.Errorf("prompts of %g tokens", mean)
	}
}

// The limits fill again at their rate, and what was refused costs nothing.
func TestLimitsFillAgain(t *testing.T) {
	l := newLimits(cast.Limits{Requests: 60, Tokens: 600})
	if wait := l.take(400, 0); wait != 0 {
		t.Errorf("wait %v", wait)
	}
	for range 3 {
		if wait := l.take(400, 0); wait != 20*time.Second {
			t.Errorf("wait %v, want the 20 s in which 200 tokens come", wait)
		}
	}
	if q := l.quota(0, clockwork{speed: 1}); q.Requests.Remaining != 59 || q.Tokens.Remaining != 200 || q.Tokens.Reset != 40*time.Second {
		t.Errorf("%+v", q)
	}
	if wait := l.take(400, 20*time.Second); wait != 0 {
		t.Errorf("wait %v", wait)
	}
}

// A reader that is away finds the bursts it missed joined, in bounded memory,
// and no token lost.
func TestSlowReaderLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, "")
		defer p.Close()
		a := ask(t, p, "hi", 200)
		time.Sleep(time.Minute)
		if tokens, bursts := drain(t, a); tokens != 200 || bursts >= maxPending {
			t.Errorf("%d tokens in %d bursts", tokens, bursts)
		}
	})
}

func TestCloseGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, "")
		defer p.Close()
		a := ask(t, p, strings.Repeat("word", 2000), 500)
		time.Sleep(time.Second)
		if l := load(p); l.Running != 1 || l.KVUsage == 0 {
			t.Errorf("%+v", l)
		}
		a.Close()
		time.Sleep(50 * time.Millisecond) // more than a step
		if l := load(p); l.Running != 0 || l.KVUsage != 0 || p.drivers[0].busy() != 0 {
			t.Errorf("%+v, %d busy", l, p.drivers[0].busy())
		}
	})
}

// Replicas share the load, but prompts that begin alike go where they are known.
func TestReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, "replicas: 4")
		defer p.Close()
		spread, same := map[int]int{}, map[int]int{}
		for i := range 40 {
			a := ask(t, p, strings.Repeat(string(rune('a'+i)), 2000), 2)
			drain(t, a)
			spread[a.Truth().Replica]++
			a = ask(t, p, strings.Repeat("x", 2000), 2)
			drain(t, a)
			same[a.Truth().Replica]++
		}
		if len(spread) != 4 || len(same) != 1 {
			t.Errorf("different prompts on %v, the same on %v", spread, same)
		}
		var crowd []*Answer
		for range 64 {
			crowd = append(crowd, ask(t, p, strings.Repeat("x", 2000), 200))
		}
		for i, d := range p.drivers {
			if n := d.busy(); n < 64/4-crowded || n > 64/4+crowded {
				t.Errorf("replica %d has %d of a crowd of 64", i, n)
			}
		}
		for _, a := range crowd {
			drain(t, a)
		}
	})
}

// The simulation begins in the middle of the background's load, not before it.
func TestBackgroundIsThereAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, "background: {rate: 5}")
		defer p.Close()
		if l := load(p); l.Running < 5 {
			t.Errorf("%+v", l)
		}
		quiet := start(t, "")
		defer quiet.Close()
		if busy, alone := truth(t, p), truth(t, quiet); busy.PrefillMS <= alone.PrefillMS {
			t.Errorf("prefill %v ms among others, %v ms alone", busy.PrefillMS, alone.PrefillMS)
		}
	})
}

func truth(t *testing.T, p *Provider) Truth {
	a := ask(t, p, strings.Repeat("word", 1000), 2)
	drain(t, a)
	return a.Truth()
}
