package plan

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
)

// One user alone sees the steps' own times.
func TestOneUser(t *testing.T) {
	s := eight(fixed(1000, 100))
	o := simulated(t, s, Load{Users: 1}, little)
	p, err := engine.NewPhysics(s.Deployment)
	if err != nil {
		t.Fatal(err)
	}
	first := ms(p.Cost(prefill(p, 1000)[0]).Time()) + 3 + 1 // and 3 ms + 1 us for each token of HTTP
	near(t, "ttft", o.At("ttft", 0.5).Value.Or(0), first, 1e-6)
	near(t, "itl", o.ITL(0.5).Value.Or(0), ms(p.Cost(decoding(p, 1, 1050)).Time()), 1e-3)
	near(t, "requests/s", o.Requests().Value.Or(0), 1000/o.At("e2e", 0.5).Value.Or(0), 0.02)
	near(t, "under way", o.UnderWay().Value.Or(0), 1, 0.02)
}

func TestLittlesLaw(t *testing.T) {
	e := Effort{Seeds: 4, Requests: 300, Seed: 5}
	o := simulated(t, eight(evenly{[2]int{200, 800}, [2]int{55, 145}}), Load{Rate: 10}, e)
	mean := 0.0
	for _, r := range o.runs {
		for _, q := range r.requests {
			mean += q.e2e / 1000 / float64(o.N())
		}
	}
	near(t, "rate x e2e", o.UnderWay().Value.Or(0), o.Requests().Value.Or(0)*mean, 0.05)
	near(t, "rate", o.Requests().Value.Or(0), 10, 0.1)
	near(t, "output tokens", o.Output().Value.Or(0), 10*100, 0.1)
	near(t, "users of a closed loop", simulated(t, eight(fixed(500, 100)), Load{Users: 20}, e).UnderWay().Value.Or(0), 20, 0.05)
}

// An engine with one seat is a queue with one server and, here, a fixed time of
// service: Pollaczek and Khinchine's mean wait is rho*S / (2*(1 - rho)).
func TestOneSeatIsAQueueOfTheBook(t *testing.T) {
	s := eight(fixed(1000, 30))
	s.Deployment.Profile.MaxSeqs = 1
	alone := simulated(t, s, Load{Users: 1}, little)
	first, service := alone.At("ttft", 0.5).Value.Or(0), alone.At("e2e", 0.5).Value.Or(0)-4 // HTTP occupies no seat
	const busy = 0.6
	o := simulated(t, s, Load{Rate: busy * 1000 / service}, Effort{Seeds: 8, Requests: 800, Seed: 3})
	waits := o.mean(func(r run) float64 {
		sum := 0.0
		for _, q := range r.requests {
			sum += q.ttft / float64(len(r.requests))
		}
		return sum - first
	})
	if want := busy * service / (2 * (1 - busy)); !waits.Interval.Holds(want) || len(o.Unsettled()) > 0 {
		t.Errorf("a mean wait of %v ms, want %g", waits, want)
	}
}

// What piles up has no waits, but a rate.
func TestMoreThanIsCarried(t *testing.T) {
	for _, rate := range []float64{100, 1000} { // 1.5 and 15 times what is
		s := eight(fixed(1000, 100))
		most := simulated(t, s, Load{Users: 300}, Effort{Seeds: 2, Requests: 100, Seed: 1}).Requests().Value.Or(0)
		o := simulated(t, s, Load{Rate: rate}, Effort{Seeds: 2, Requests: 200, Seed: 1})
		if o.KeepsUp() || o.At("ttft", 0.5).Value.Known() || o.ITL(0.5).Value.Known() || o.UnderWay().Value.Known() {
			t.Errorf("%g/s: keeps up %v, ttft %v", rate, o.KeepsUp(), o.At("ttft", 0.5))
		}
		near(t, "requests/s", o.Requests().Value.Or(0), most, 0.15)
		if v := o.Judge(slo(t, "ttft_p95<=1m")); v.Met || !v.Never {
			t.Errorf("verdict %+v", v)
		}
	}
}

func TestSameSeedsSameAnswer(t *testing.T) {
	ask := func(seed uint64) string {
		e := little
		e.Seed = seed
		q := Question{Load: Load{Rate: 4}, SLO: slo(t, "ttft_p95<=100ms, output_speed>=90"), GPUHour: weir.Some(2.0), Explain: true}
		a, err := Ask(t.Context(), eight(evenly{[2]int{150, 450}, [2]int{30, 90}}), q, e)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if one := ask(1); one != ask(1) || one == ask(2) {
		t.Error("an answer does not follow from its seed")
	}
}

func TestSharedPrefix(t *testing.T) {
	s := eight(fixed(2000, 20))
	cold := simulated(t, s, Load{Users: 1}, little).At("ttft", 0.5).Value.Or(0)
	s.Shared = 0.8
	warm := simulated(t, s, Load{Users: 1}, little).At("ttft", 0.5).Value.Or(0)
	if warm > cold/2 {
		t.Errorf("ttft %g ms with 80 %% shared, %g without", warm, cold)
	}
}

func TestLastFindsTheEdge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 2000).Draw(t, "most")
		edge, start := rapid.IntRange(0, most).Draw(t, "edge"), rapid.IntRange(-5, most+5).Draw(t, "start")
		stride := func(k int) int { return max(1, k/4) }
		asked := 0
		got := last(start, most, stride, func(k int) bool {
			asked++
			if k < 1 || k > most {
				t.Fatalf("asked of %d, from 1 to %d", k, most)
			}
			return k <= edge
		})
		if got != edge || asked > 40 {
			t.Fatalf("%d after %d questions, want %d", got, asked, edge)
		}
	})
}

func mostUsers(t *testing.T, s Setup, text string) *Limit {
	t.Helper()
	l, err := Most(t.Context(), s, Load{Users: 8}, slo(t, text), little)
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := l.Interval.Lo.Or(0), l.Interval.Hi.Or(math.Inf(1)); lo > l.Value || hi < l.Value {
		t.Errorf("%s: %g outside of %v", text, l.Value, l.Interval)
	}
	return l
}

func TestLooserSLOsCarryMore(t *testing.T) {
	s, before := eight(evenly{[2]int{250, 550}, [2]int{40, 40}}), -1.0
	for _, text := range []string{"tpot_p95<=1ms", "tpot_p95<=9ms", "tpot_p95<=12ms", "tpot_p95<=20ms"} {
		l := mostUsers(t, s, text)
		if l.Value < before || l.Why == "" {
			t.Errorf("%s: %g users (%s), %g within a stricter one", text, l.Value, l.Why, before)
		}
		before = l.Value
	}
	if none := mostUsers(t, s, "tpot_p95<=1ms"); none.Value != 0 || none.at != nil {
		t.Errorf("impossible: %+v", none)
	}
}

// A device twice as good at everything, and two of them where links cost
// nothing, carry no fewer users.
func TestMoreHardwareCarriesMore(t *testing.T) {
	s := eight(evenly{[2]int{250, 550}, [2]int{40, 40}})
	one := mostUsers(t, s, "tpot_p95<=14ms").Value
	twice := s
	g := &twice.Deployment.GPU
	g.Bandwidth, g.Memory, g.Math = 2*g.Bandwidth, 2*g.Memory, map[engine.Precision]engine.Math{}
	for w, m := range s.Deployment.GPU.Math {
		m.Peak *= 2
		g.Math[w] = m
	}
	pair := s
	pair.Deployment.TP = 2
	pair.Deployment.GPU.AllReduce = map[int]engine.Collective{2: {BusRate: 1e18}}
	for name, s := range map[string]Setup{"twice as good": twice, "two of them": pair} {
		if more := mostUsers(t, s, "tpot_p95<=14ms").Value; more < one {
			t.Errorf("%s: %g users, one carries %g", name, more, one)
		}
	}
}

func TestSearchOfARate(t *testing.T) {
	l, err := Most(t.Context(), eight(fixed(400, 40)), Load{Rate: 2}, slo(t, "tpot_p50<=12ms"), little)
	if err != nil || l.Of != "requests_per_second" || l.Value < 5 || l.Users.Value.Or(0) < 1 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestJudge(t *testing.T) {
	o := simulated(t, eight(evenly{[2]int{200, 800}, [2]int{30, 90}}), Load{Users: 4}, little)
	for text, met := range map[string]bool{
		"ttft_p95<=1s, output_speed_p50>=20": true,
		"ttft_p95<=1ms":                      false,
		"output_speed>=10":                   true,  // of each request
		"output_speed>=1000":                 false, // of each request
		"e2e<=1ms, slo_attainment>=0%":       true,
		"request_rate>=1":                    true,
		"goodput>=1, ttft<=1ms":              false,
		"total_token_rate>=100":              true,
	} {
		if err := CheckSLO(slo(t, text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if v := o.Judge(slo(t, text)); v.Met != met || v.Surely && v.Never || (v.Why == "") != met {
			t.Errorf("%s: %+v, want met %v", text, v, met)
		}
	}
	if err := CheckSLO(slo(t, "success>=99%")); err == nil || !strings.Contains(err.Error(), "no success") {
		t.Errorf("success: %v", err)
	}
}

// The shares and costs of a split are the whole.
func TestCostAddsUp(t *testing.T) {
	o := simulated(t, eight(fixed(500, 100)), Load{Users: 8}, little)
	c, err := o.Cost(3)
	if err != nil {
		t.Fatal(err)
	}
	in, out := o.Input().Value.Or(0), o.Output().Value.Or(0)
	near(t, "prompts and answers", (in*c.InputShare.Or(0)+out*c.OutputShare.Or(0))*3600/1e6, 3, 1e-9)
	near(t, "answers alone", out*c.Output.Or(0)*3600/1e6, 3, 1e-9)
	near(t, "all alike", (in+out)*c.All.Or(0)*3600/1e6, 3, 1e-9)
}

func TestExplain(t *testing.T) {
	explained := func(s Setup) *Explanation {
		e, err := simulated(t, s, Load{Users: 2}, little).Explain()
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	seventy := eight(fixed(2000, 100))
	seventy.Deployment.Model, _ = engine.ModelNamed("llama-3.3-70b")
	for _, c := range []struct {
		setup          Setup
		prompt, decode string
	}{
		{eight(fixed(2000, 100)), "compute", "bandwidth"},
		{on(seventy, "h100-sxm", 4, engine.FP8), "compute", "bandwidth"},
		{on(seventy, "l40s", 4, engine.FP8), "links", "bandwidth"},
	} {
		e := explained(c.setup)
		for _, p := range e.Phases {
			s := p.Shares
			near(t, p.Name, s.Compute+s.Bandwidth+s.Links+s.CPU+s.Launches, 1, 1e-9)
			if low := min(s.Compute, s.Bandwidth, s.Links, s.CPU, s.Launches); low < -1e-6 || !(p.MFU > 0 && p.MFU < 1 && p.MBU > 0 && p.MBU < 1) {
				t.Errorf("%s on %s: %+v", p.Name, c.setup.Deployment.GPU.Name, p)
			}
		}
		if got := []string{e.Phases[0].Binds, e.Phases[2].Binds}; !slices.Equal(got, []string{c.prompt, c.decode}) {
			t.Errorf("%s: %q bind, want %s and %s", c.setup.Deployment.GPU.Name, got, c.prompt, c.decode)
		}
	}
	// PHYSICS.md, A7: about 275 for BF16 on H100, and activations beside it.
	near(t, "knee", float64(explained(eight(fixed(2000, 100))).Knee.Or(0)), 275, 0.15)
}

func TestWhatCannotBe(t *testing.T) {
	seventy := eight(fixed(2000, 100))
	seventy.Deployment.Model, _ = engine.ModelNamed("llama-3.3-70b")
	for _, c := range []struct {
		setup Setup
		words string
	}{
		{on(seventy, "h100-sxm", 1, engine.BF16), "each lacks 66"},
		{on(seventy, "h100-sxm", 3, engine.FP8), "tensor parallel over 3"},
		{on(seventy, "a100-sxm", 4, engine.FP8), "no arithmetic in fp8 (bf16; int8"},
		{Setup{Deployment: seventy.Deployment, Lengths: fixed(200_000, 9)}, "longer than the context of l3-70b, 131072 tokens"},
		{Setup{Deployment: on(seventy, "l40s", 4, engine.INT8).Deployment, Lengths: fixed(131_000, 9), MaxTokens: 1e6}, "does not fit"},
	} {
		if _, err := Compare(t.Context(), []Setup{c.setup}, []Question{{Load: Load{Users: 1}}}, little); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%v, want %q", err, c.words)
		}
	}
	both := []Setup{on(seventy, "h100-sxm", 1, engine.BF16), eight(fixed(50, 20))}
	answers, err := Compare(t.Context(), both, make([]Question, 2), little)
	if err == nil {
		t.Errorf("a load of nothing: %+v", answers)
	}
	answers, err = Compare(t.Context(), both, []Question{{Load: Load{Users: 1}}, {Load: Load{Users: 1}}}, little)
	if err != nil || answers[0].Missing.Or(0) < 60e9 || answers[0].KeepsUp.Known() || answers[1].Problem.Known() {
		t.Errorf("one that fits and one that does not: %+v, %v", answers, err)
	}
	for _, e := range []Effort{{Seeds: 1, Requests: 50}, {Seeds: 2, Requests: 1}, {Seeds: 2, Requests: 100_000}} {
		if _, err := Simulate(t.Context(), eight(fixed(9000, 20)), Load{Users: 1}, e); err == nil {
			t.Errorf("%+v is no error", e)
		}
	}
}

func TestFewestDevices(t *testing.T) {
	s := eight(fixed(2000, 300))
	s.Deployment.Model, _ = engine.ModelNamed("llama-3.3-70b")
	if n := FewestDevices(on(s, "h100-sxm", 0, engine.BF16)); n != 2 {
		t.Errorf("70B in BF16 on %d H100, want 2", n)
	}
	if n := FewestDevices(on(s, "h100-sxm", 0, engine.FP8), on(s, "l40s", 0, engine.FP8)); n != 2 {
		t.Errorf("70B in FP8 on %d H100 and L40S, want 2", n)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := little
	e.Watch = func(string) { cancel() }
	if _, err := Simulate(ctx, eight(fixed(100, 400)), Load{Users: 8}, Effort{Seeds: 200, Requests: 400, Watch: e.Watch}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
