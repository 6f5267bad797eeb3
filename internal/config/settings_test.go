package config

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

// Every setting of the table has a place, every place is in the table, and
// every default is one that a file could say.
func TestSettingsHavePlaces(t *testing.T) {
	var g Gateway
	var check func(path string, keys []key, p places)
	check = func(path string, keys []key, p places) {
		left := map[string]bool{}
		for name := range p {
			left[name] = true
		}
		for _, k := range keys {
			inner, deeper := p[k.name].(places)
			switch {
			case p[k.name] == nil:
				t.Errorf("%s%s has no place", path, k.name)
			case deeper:
				check(path+k.name+".", k.keys, inner)
			case k.def == "" && reflect.TypeOf(p[k.name]) != reflect.TypeFor[*weir.Opt[time.Duration]]():
				t.Errorf("%s%s has no default", path, k.name)
			case k.def != "":
				if _, f := k.quantity(&scalar{name: k.name, text: k.def}); f != nil {
					t.Errorf("%s%s: its default is refused: %s", path, k.name, f.msg)
				}
			}
			delete(left, k.name)
		}
		for name := range left {
			t.Errorf("%s%s is in no table", path, name)
		}
	}
	check("gateway.", settingKeys(), g.places())
}

// GATEWAY.md's numbers.
func TestDefaults(t *testing.T) {
	g := Defaults()
	want := Gateway{
		Handling: Handling{
			Attempts: 3, Hold: 10 * time.Second, HoldEvents: 64, HoldBytes: 256 << 10, KeepAlive: 15 * time.Second,
			QuickRetry: time.Second, Duplicates: 1, Write: 30 * time.Second, Trailer: 2 * time.Second,
		},
		Limits: Limits{Connect: 5 * time.Second, Stall: 30 * time.Second},
		FirstOutput: FirstOutput{
			Min: 2 * time.Second, Max: 2 * time.Minute, Cold: 10 * time.Second, PerK: 500 * time.Millisecond,
			PerToken: 50 * time.Millisecond, Factor: 1.5,
		},
		Breaker:  Breaker{Failures: 5, Rate: 0.5, Minimum: 20, Window: 30 * time.Second, Open: 5 * time.Second, OpenMax: 20 * time.Second, Recheck: 5 * time.Minute},
		Cooldown: Cooldown{Min: time.Second, Max: 10 * time.Minute},
		HalfLife: time.Minute, RetryBudget: 0.1, RetryFloor: 100,
		BodyLimit: 32 << 20, HeaderLimit: 64 << 10, ReadHeader: 10 * time.Second, ReadBody: time.Minute, Idle: 2 * time.Minute,
		EventLimit: 16 << 20, ErrorLimit: 64 << 10, AnswerLimit: 32 << 20, Output: 1024,
		UsageDrains: 64, UsageDrain: 10 * time.Second, Pins: 1 << 16, Requests: 4096, Drain: 10 * time.Minute,
	}
	if d := cmp.Diff(want, g, cmp.AllowUnexported(weir.Opt[time.Duration]{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		kind kind
		word string
		want float64 // -1: refused
	}{
		{duration, "10s", 1e10},
		{duration, "1h30m", 5.4e12},
		{duration, "1.5ms", 1.5e6},
		{duration, " 2m ", 1.2e11},
		{duration, "10", -1},
		{duration, "1d", -1},
		{duration, "-1s", -1},
		{duration, "1 s", -1},
		{duration, "9999999999h", -1},
		{duration, "", -1},
		{size, "32MiB", 32 << 20},
		{size, "1.5 KiB", 1536},
		{size, "64kB", 64_000},
		{size, "2GiB", -1},
		{size, "12B", -1},
		{size, "32M", -1},
		{size, "1e9B", -1},
		{share, "95%", 0.95},
		{share, "0.5", 0.5},
		{share, "100 %", 1},
		{share, "1", 1},
		{share, "101%", -1},
		{share, "-5%", -1},
		{share, "0%", -1},
		{share, "1.5", -1},
		{toggle, "true", 1},
		{toggle, "FALSE", 0},
		{toggle, "yes", -1},
		{toggle, "1", -1},
	} {
		s := &spec{kind: c.kind, most: longest}
		if c.kind == size {
			s.least, s.most = 1<<10, 1<<30
		}
		x, f := s.quantity(&scalar{name: "x", raw: c.word, text: c.word})
		if f != nil {
			x = -1
		}
		if x != c.want {
			t.Errorf("%q: %v, want %v (%+v)", c.word, x, c.want, f)
		}
	}
}
