package sim

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weir.dev/weir"
)

func TestParsePlan(t *testing.T) {
	got, err := ParsePlan("ttft=80ms, ttft_per_1k=5ms,gap=10ms,jitter=10%,tail=5%:2s,tokens_per_event=2,tokens=9,eos=7,reasoning=3,usage=every,role=false,done=false," +
		"status=429:2s,fail=0.05:503,error=3,cut=0,stall=3:2s,buffer=true,json=true")
	want := Plan{
		TTFT: 80 * time.Millisecond, TTFTPer1K: 5 * time.Millisecond, Gap: 10 * time.Millisecond, Jitter: 0.1, TailShare: 0.05, Tail: 2 * time.Second,
		TokensPerEvent: 2, Tokens: 9, EOS: 7, Reasoning: 3, Usage: UsageEvery, NoRole: true, NoDone: true,
		Status: 429, RetryAfter: 2 * time.Second, FailShare: 0.05, FailStatus: 503, ErrorAfter: weir.Some(3), CutAfter: weir.Some(0),
		StallAfter: 3, Stall: 2 * time.Second, Buffer: true, JSON: true,
	}
	if err != nil || got != want {
		t.Errorf("got %+v, error %v\nwant %+v", got, err, want)
	}
	if p, err := ParsePlan("tokens=128,tokens_per_event=1,usage=end,role=true,done=true,buffer=false,jitter=0%"); err != nil || p != (Plan{}) || p.String() != "" {
		t.Errorf("the defaults written out: %+v %q, error %v", p, p, err)
	}
}

func TestImpossiblePlans(t *testing.T) {
	for spec, want := range map[string]string{
		"tfft=1s":            `plan: unknown key "tfft" (one of ttft, ttft_per_1k, gap, jitter, tail, tokens_per_event, tokens, eos, reasoning, usage, role, done, status, fail, error, cut, stall, buffer, json)`,
		"ttft":               "plan: ttft= is not possible (ttft is a duration from 0s to 24h, such as 10ms)",
		"ttft=80":            "plan: ttft=80 is not possible (ttft is a duration from 0s to 24h, such as 10ms)",
		"gap=-1ms":           "plan: gap=-1ms is not possible (gap is a duration from 0s to 24h, such as 10ms)",
		"gap=25h":            "plan: gap=25h is not possible (gap is a duration from 0s to 24h, such as 10ms)",
		"gap=1ms,gap=2ms":    "plan: gap stands twice (give it once)",
		"jitter=101%":        "plan: jitter=101% is not possible (jitter is a share from 0% to 100%, such as 10% or 0.1)",
		"jitter=NaN":         "plan: jitter=NaN is not possible (jitter is a share from 0% to 100%, such as 10% or 0.1)",
		"tokens=0":           "plan: tokens=0 is not possible (tokens is a whole number from 1 to 200000)",
		"tokens_per_event=x": "plan: tokens_per_event=x is not possible (tokens_per_event is a whole number from 1 to 1024)",
		"tail=5%":            "plan: tail=5% is not possible (tail is SHARE:DURATION, such as 5%:2s)",
		"usage=sometimes":    "plan: usage=sometimes is not possible (usage is end, every, finish, none or zeros-first)",
		"role=yes":           "plan: role=yes is not possible (role is true or false)",
		"status=200":         "plan: status=200 is not possible (status is STATUS or STATUS:RETRY_AFTER, 400 to 599 and a duration, such as 429:2s)",
		"fail=5%:1":          "plan: fail=5%:1 is not possible (fail is SHARE:STATUS, such as 5%:503)",
		"cut=-1":             "plan: cut=-1 is not possible (cut is a number of output events from 0 to 200000)",
		"stall=3":            "plan: stall=3 is not possible (stall is EVENTS:DURATION, such as 3:2s)",
	} {
		_, err := ParsePlan(spec)
		var e *weir.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", spec, err, want)
		}
	}
}

func TestPlansMadeByHandAreChecked(t *testing.T) {
	for _, p := range []Plan{{Gap: -1}, {Jitter: math.NaN()}, {Tokens: -5}, {Status: 200}, {RetryAfter: 1}, {TailShare: 0.5}, {StallAfter: 2}, {FailShare: 1}, {Usage: "x"}} {
		if _, err := New(Config{Models: map[string]Plan{"m": p}}); err == nil || !strings.HasPrefix(err.Error(), "model m: plan") {
			t.Errorf("%+v: error %v", p, err)
		}
	}
	for name, p := range Presets() {
		if err := p.check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{Models: map[string]Plan{"m": {Usage: UsageEnd, Tokens: 128, TokensPerEvent: 1}}}); err != nil {
		t.Error(err)
	}
}

func TestPlanStringIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := func(name string) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(maxDuration)).Draw(t, name))
		}
		p := Plan{
			TTFT: d("ttft"), Gap: d("gap"), Jitter: rapid.Float64Range(0, 1).Draw(t, "jitter"),
			TailShare: rapid.Float64Range(0, 1).Draw(t, "share"), Tail: d("tail") + 1,
			Tokens: rapid.IntRange(1, maxTokens).Draw(t, "tokens"), NoRole: rapid.Bool().Draw(t, "role"), Buffer: rapid.Bool().Draw(t, "buffer"),
			StallAfter: rapid.IntRange(0, 9).Draw(t, "after"), Stall: d("stall") + 1,
			Status: rapid.IntRange(400, 599).Draw(t, "status"), RetryAfter: d("retry"),
		}
		if rapid.Bool().Draw(t, "cut?") {
			p.CutAfter = weir.Some(rapid.IntRange(0, 9).Draw(t, "cut"))
		}
		if p.Tail > maxDuration || p.Stall > maxDuration {
			t.Skip()
		}
		back, err := ParsePlan(p.String())
		if err != nil || back != p.normal() {
			t.Fatalf("%s: %v\n got %+v\nwant %+v", p, err, back, p.normal())
		}
	})
}

func FuzzParsePlan(f *testing.F) {
	f.Add("ttft=80ms,gap=10ms,jitter=10%,tail=5%:2s,status=429:2s,cut=3")
	f.Fuzz(func(t *testing.T, spec string) {
		p, err := ParsePlan(spec)
		if err != nil {
			return
		}
		if back, err := ParsePlan(p.String()); err != nil || back != p {
			t.Errorf("%q became %q: %v", spec, p, err)
		}
	})
}
