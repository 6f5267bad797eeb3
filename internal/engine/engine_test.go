package engine

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weir.dev/weir"
)

// One request alone: every time is a sum of steps, to the nanosecond.
func TestTimesAreExact(t *testing.T) {
	d := seventy(t)
	d.Profile.TokenBudget = 1000
	d.Profile.Frontend, d.Profile.FrontendToken = 3*time.Millisecond, time.Microsecond
	p, e := physicsOf(t, d), engineOf(t, d)
	id := submit(t, e, Request{Arrival: time.Second, Prompt: 1500, Output: 3})
	step := func(fill func(*Batch), sampled int) time.Duration {
		b := Batch{Sampled: sampled}
		fill(&b)
		return p.Cost(b).Time()
	}
	start := time.Second + 3*time.Millisecond + 1500*time.Microsecond
	chunk := start + step(func(b *Batch) { b.Prefill(1000, 0) }, 0)
	first := chunk + step(func(b *Batch) { b.Prefill(500, 1000) }, 1)
	second := first + step(func(b *Batch) { b.Decode(1, 1501) }, 1)
	third := second + step(func(b *Batch) { b.Decode(1, 1502) }, 1)
	want := []Event{
		{At: start, Request: id, Kind: Admitted},
		{At: first, Request: id, Kind: Token, Tokens: 1, Done: 1, Step: 1},
		{At: second, Request: id, Kind: Token, Tokens: 1, Done: 2, Step: 2},
		{At: third, Request: id, Kind: Token, Tokens: 1, Done: 3, Step: 3},
		{At: third, Request: id, Kind: Finished, Done: 3, Step: 3},
	}
	if diff := cmp.Diff(want, drive(t, e, nil)); diff != "" {
		t.Error(diff)
	}
}

// A client that answers at once is in the step that begins at that moment.
func TestSubmitBetweenSteps(t *testing.T) {
	e := engineOf(t, seventy(t))
	submit(t, e, Request{Prompt: 100, Output: 50})
	e.Step(0)
	_, next, _ := e.Step(0) // not due yet: nothing happens
	events, _, _ := e.Step(next)
	if len(events) != 1 || !events[0].First() || e.Now() != next {
		t.Fatalf("at %v: %+v", next, events)
	}
	submit(t, e, Request{Arrival: next, Prompt: 10, Output: 1})
	events, _, _ = e.Step(next)
	if len(events) != 1 || events[0].Kind != Admitted || events[0].At != next {
		t.Errorf("the second request: %+v, want it admitted at %v", events, next)
	}
}

func TestWhatCannotBeSubmitted(t *testing.T) {
	e := engineOf(t, seventy(t).holding(1000))
	submit(t, e, Request{Arrival: time.Second, Prompt: 1, Output: 1})
	e.Step(time.Minute)
	for name, r := range map[string]Request{
		"past":       {Arrival: time.Second - 1, Prompt: 1, Output: 1},
		"no prompt":  {Arrival: time.Minute, Output: 1},
		"no output":  {Arrival: time.Minute, Prompt: 1},
		"too much":   {Arrival: time.Minute, Prompt: 1, Output: 3, MaxTokens: 2},
		"too large":  {Arrival: time.Minute, Prompt: 900, Output: 10, MaxTokens: 200},
		"acceptance": {Arrival: time.Minute, Prompt: 1, Output: 1, Acceptance: weir.Some(1.5)},
	} {
		_, err := e.Submit(r)
		if we, ok := errors.AsType[*weir.Error](err); !ok || we.Code != "engine_request" || we.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatCannotBeDeployed(t *testing.T) {
	for name, change := range map[string]func(*Deployment){
		"no model":        func(d *Deployment) { d.Model = Model{} },
		"no GPU":          func(d *Deployment) { d.GPU = GPU{} },
		"weights":         func(d *Deployment) { d.Weights = "fp3" },
		"kv":              func(d *Deployment) { d.KV = FP4 },
		"3 devices":       func(d *Deployment) { d.TP = 3 },
		"no devices":      func(d *Deployment) { d.TP = 0 },
		"no link":         func(d *Deployment) { d.TP = 16 },
		"heads":           func(d *Deployment) { d.Model.QueryHeads = 6 },
		"does not fit":    func(d *Deployment) { d.Weights, d.TP = BF16, 1 },
		"policy":          func(d *Deployment) { d.Profile.Policy = "lottery" },
		"layout":          func(d *Deployment) { d.Profile.Layout = "" },
		"budget":          func(d *Deployment) { d.Profile.TokenBudget = 0 },
		"nothing running": func(d *Deployment) { d.Profile.MaxSeqs = 0 },
		"block":           func(d *Deployment) { d.Profile.BlockTokens = 0 },
		"memory":          func(d *Deployment) { d.Profile.MemoryShare = 1.5 },
		"host":            func(d *Deployment) { d.Profile.HostStep = -1 },
		"drafts":          func(d *Deployment) { d.Speculation.Drafts = 1000 },
		"offload":         func(d *Deployment) { d.Offload.Bytes = gb },
	} {
		d := seventy(t)
		change(&d)
		_, err := New(d, 1)
		if we, ok := errors.AsType[*weir.Error](err); !ok || we.Code != "engine_config" || we.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCancel(t *testing.T) {
	d := seventy(t)
	d.Profile.MaxSeqs = 2
	e := engineOf(t, d)
	var ids []ID
	for range 4 {
		ids = append(ids, submit(t, e, Request{Prompt: 100, Output: 20}))
	}
	e.Step(0)
	e.Cancel(ids[0]) // runs
	e.Cancel(ids[2]) // waits
	e.Cancel(99)     // never was
	got := perRequest(drive(t, e, func([]Event) { checkPool(t, e.pool, e.running) }))
	if len(got) != 2 || got[ids[1]].end == 0 || got[ids[3]].end == 0 {
		t.Errorf("%d requests are told of, want the two that were not canceled", len(got))
	}
	if step := got[ids[3]].admitted[0].Step; step != 1 {
		t.Errorf("the seat of the canceled one is taken in step %d, want the next, 1", step)
	}
	if e.pool.free != len(e.pool.blocks) {
		t.Errorf("%d of %d blocks are free at the end", e.pool.free, len(e.pool.blocks))
	}
	e.Cancel(ids[1]) // over
}

// What each policy does with a request that comes while others generate.
func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		policy Policy
		change func(*Profile)
		// of the late request
		waits, alone bool // for the end of the first two; in its first step
	}{
		{policy: Continuous},
		{policy: NoEvict},
		{policy: PrefillFirst, alone: true},
		{policy: Static, waits: true, alone: true},
		{policy: NoEvict, change: func(p *Profile) { p.MaxSeqs = 2 }, waits: true, alone: true},
	} {
		d := seventy(t)
		d.Profile.Policy = c.policy
		if c.change != nil {
			c.change(&d.Profile)
		}
		e := engineOf(t, d)
		submit(t, e, Request{Prompt: 100, Output: 40})
		submit(t, e, Request{Prompt: 100, Output: 20})
		late := submit(t, e, Request{Arrival: 50 * time.Millisecond, Prompt: 500, Output: 5})
		events := drive(t, e, nil)
		got := perRequest(events)
		others := 0
		for _, ev := range events {
			if ev.Kind == Token && ev.At == got[late].tokens[0].At && ev.Request != late {
				others++
			}
		}
		// A static batch ends with its longest, a seat is free with its shortest.
		over := got[1].end
		if c.policy == Static {
			over = got[0].end
		}
		if waits := got[late].admitted[0].At >= over; waits != c.waits {
			t.Errorf("%s: admitted at %v, the others end at %v and %v", c.policy, got[late].admitted[0].At, got[0].end, got[1].end)
		}
		if alone := others == 0; c.policy != NoEvict && alone != c.alone {
			t.Errorf("%s: %d others have a token of its first step", c.policy, others)
		}
	}
}

// world is a random engine with little memory and what is asked of it.
type world struct {
	d        Deployment
	requests []Request
}

func drawWorld(t *rapid.T) world {
	d := deployed(t, rapid.SampledFrom([]string{"l3-8b", "mixtral", "gpt-oss-120b"}).Draw(t, "model"), "H200", 2, FP8, FP8, "vllm-v1")
	d.Profile.Policy = rapid.SampledFrom([]Policy{Continuous, NoEvict, PrefillFirst, Static}).Draw(t, "policy")
	d.Profile.Layout = rapid.SampledFrom([]Layout{Paged, Contiguous}).Draw(t, "layout")
	d.Profile.Chunked = rapid.Bool().Draw(t, "chunked")
	d.Profile.PrefixCache = rapid.Bool().Draw(t, "cache")
	d.Profile.BlockTokens = rapid.SampledFrom([]int{1, 16}).Draw(t, "block")
	d.Profile.TokenBudget = rapid.IntRange(1, 300).Draw(t, "budget")
	d.Profile.MaxSeqs = rapid.IntRange(1, 20).Draw(t, "seqs")
	d.Speculation = Speculation{Drafts: rapid.IntRange(0, 4).Draw(t, "drafts"), Acceptance: 0.6, DraftLayers: 1}
	if rapid.Bool().Draw(t, "offload") {
		d.Offload = Offload{Bytes: d.Model.KVBytesPerToken(d.KV, d.TP) * 200, Rate: 50 * gb}
	}
	w := world{d: d.holding(rapid.IntRange(260, 700).Draw(t, "memory"))}
	for range rapid.IntRange(1, 30).Draw(t, "requests") {
		r := Request{
			Arrival: time.Duration(rapid.IntRange(0, 200).Draw(t, "arrival")) * time.Millisecond,
			Prompt:  rapid.IntRange(1, 150).Draw(t, "prompt"), Output: rapid.IntRange(1, 60).Draw(t, "output"),
		}
		r.MaxTokens = r.Output + rapid.IntRange(0, 40).Draw(t, "unused")
		shared := make([]uint32, rapid.IntRange(0, r.Prompt).Draw(t, "shared"))
		r.Blocks = HashBlocks("", shared, d.Profile.BlockTokens)
		w.requests = append(w.requests, r)
	}
	return w
}

func (w world) start(t fataler) *Engine {
	e := engineOf(t, w.d)
	for _, r := range w.requests {
		submit(t, e, r)
	}
	return e
}

// checkStep holds what must be true between any two steps.
func checkStep(t fataler, e *Engine, events []Event) {
	checkPool(t, e.pool, e.running)
	for _, q := range e.running {
		if q.computed > len(q.blocks)*e.pool.size {
			t.Fatalf("request %d has KV of %d tokens in %d blocks of %d", q.id, q.computed, len(q.blocks), e.pool.size)
		}
		if q.pending() < 1 {
			t.Fatalf("request %d has KV of %d tokens, and has %d", q.id, q.computed, q.known())
		}
	}
	for _, ev := range events {
		if ev.At != e.now {
			t.Fatalf("an event of %v is told at %v", ev.At, e.now)
		}
		// A token follows from those before it: all their KV exists.
		for _, q := range e.running {
			if ev.Kind == Token && q.id == ev.Request && q.computed != q.known()-1 {
				t.Fatalf("request %d has token %d, and KV of %d", q.id, q.known(), q.computed)
			}
		}
	}
}

func TestEveryRequestIsServed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		e := w.start(t)
		events := drive(t, e, func(events []Event) { checkStep(t, e, events) })
		if e.pool.free != len(e.pool.blocks) || e.pool.promised != 0 || len(e.live) != 0 {
			t.Fatalf("at the end %d of %d blocks are free, %d promised, %d requests live", e.pool.free, len(e.pool.blocks), e.pool.promised, len(e.live))
		}
		got := perRequest(events)
		tokens := 0
		for i, r := range w.requests {
			tokens += r.Prompt + r.Output - 1
			checkRequest(t, w.d, r, got[ID(i)])
		}
		// No more than the hardware computes at its peak, with every prefix cached but once.
		if !w.d.Profile.PrefixCache {
			_, active := w.d.Model.Params()
			flops := 2 * (active - 2*w.d.Model.embedding()) * float64(tokens)
			if least := flops / (float64(w.d.TP) * w.d.GPU.Math[FP8].Peak); e.now.Seconds() < least {
				t.Fatalf("done in %v, the peak needs %v s", e.now, least)
			}
		}
	})
}

// checkRequest: in order, nothing before it arrived, each token once.
func checkRequest(t fataler, d Deployment, r Request, s *seen) {
	if s == nil || s.end == 0 {
		t.Fatalf("a request was never finished")
	}
	if s.admitted[0].At < r.Arrival || len(s.admitted) != 1+s.preempted {
		t.Fatalf("admitted %d times, first at %v, arrived at %v, preempted %d times", len(s.admitted), s.admitted[0].At, r.Arrival, s.preempted)
	}
	if s.preempted > 0 && (d.Profile.Policy == NoEvict || d.Profile.Policy == Static || d.Profile.Layout == Contiguous) {
		t.Fatalf("preempted, and its memory was promised")
	}
	done, last := 0, s.admitted[0].At
	for _, ev := range s.tokens {
		done += ev.Tokens
		if ev.Tokens < 1 || ev.Tokens > 1+d.Speculation.Drafts || ev.Done != done || ev.At <= last {
			t.Fatalf("%+v, after %d tokens at %v", ev, done, last)
		}
		last = ev.At
	}
	if done != r.Output || s.end != last {
		t.Fatalf("%d tokens, the last at %v, and ended at %v; asked for %d", done, last, s.end, r.Output)
	}
}

func TestSameSeedSameEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		once, again := drive(t, w.start(t), nil), drive(t, w.start(t), nil)
		if !slices.Equal(once, again) {
			t.Fatal(cmp.Diff(once, again))
		}
		// One in real time comes late, and is told the same.
		e, late := w.start(t), []Event(nil)
		next, more := time.Duration(0), true
		for more {
			var events []Event
			now := max(next, e.Now()) + time.Duration(rapid.IntRange(0, 30).Draw(t, "late"))*time.Millisecond
			events, next, more = e.Step(now)
			late = append(late, events...)
		}
		if !slices.Equal(once, late) {
			t.Fatal(cmp.Diff(once, late))
		}
	})
}

// ttft is the time to the first token of one request on an idle engine, after
// another one left so many tokens in the prefix cache.
func ttft(t fataler, d Deployment, prompt, cached int) time.Duration {
	e := engineOf(t, d)
	text := make([]uint32, max(prompt, cached+1))
	blocks := HashBlocks("", text, d.Profile.BlockTokens)
	if cached > 0 {
		submit(t, e, Request{Prompt: cached + 1, Output: 1, Blocks: blocks[:cached/d.Profile.BlockTokens]})
		drive(t, e, nil)
	}
	start := e.Now()
	id := submit(t, e, Request{Arrival: start, Prompt: prompt, Output: 1, Blocks: blocks[:min(len(blocks), prompt/d.Profile.BlockTokens)]})
	s := perRequest(drive(t, e, nil))[id]
	if got := s.admitted[0].Cached; got != min(cached, (prompt-1)/d.Profile.BlockTokens*d.Profile.BlockTokens) {
		t.Fatalf("%d tokens found in the cache, want %d", got, cached)
	}
	return s.end - start
}

func TestLongerPromptsTakeLonger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := deployed(t, rapid.SampledFrom([]string{"l3-8b", "l3-70b", "qwen3-30b-a3b", "gpt-oss-120b"}).Draw(t, "model"), "H200", 2, FP8, BF16, "vllm-v1")
		n := rapid.IntRange(1, 20000).Draw(t, "prompt")
		if short, long := ttft(t, d, n, 0), ttft(t, d, n+rapid.IntRange(1, 2000).Draw(t, "more"), 0); long < short {
			t.Fatalf("%v, and %v for the longer one", short, long)
		}
		few := rapid.IntRange(0, n/16).Draw(t, "cached") * 16
		many := few + rapid.IntRange(0, (n-few)/16).Draw(t, "more cached")*16
		if cold, warm := ttft(t, d, n, few), ttft(t, d, n, many); warm > cold {
			t.Fatalf("%v with %d of %d tokens cached, %v with %d", cold, few, n, warm, many)
		}
	})
}

func BenchmarkTenThousandRequests(b *testing.B) {
	d := seventy(b)
	for b.Loop() {
		e := engineOf(b, d)
		for i := range 10_000 {
			submit(b, e, Request{Arrival: time.Duration(i) * 50 * time.Millisecond, Prompt: 1000, Output: 256})
		}
		next, more, tokens := time.Duration(0), true, 0
		for more {
			var events []Event
			events, next, more = e.Step(next)
			for _, ev := range events {
				tokens += ev.Tokens
			}
		}
		if tokens != 2_560_000 {
			b.Fatalf("%d tokens", tokens)
		}
	}
}
