package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weir.dev/weir"
)

// The signatures of PHYSICS.md, B3: what each mechanism looks like from
// outside. They were simulated with a prototype, so the ranges are wide.

func within(t *testing.T, what string, got, low, high time.Duration) {
	t.Helper()
	if got < low || got > high {
		t.Errorf("%s: %v, want %v to %v", what, got, low, high)
	}
}

func ms(x float64) time.Duration { return time.Duration(x * float64(time.Millisecond)) }

// itl is the time between tokens at a context length.
func itl(t *testing.T, d Deployment, context int) time.Duration {
	var b Batch
	b.Decode(1, context)
	b.Sampled = 1
	return physicsOf(t, d).Cost(b).Time()
}

func TestSignatureOfPrefixHits(t *testing.T) {
	within(t, "4096 tokens cold", ttft(t, seventy(t), 4096, 0), ms(160), ms(230))
	within(t, "and all but the last block found", ttft(t, seventy(t), 4096, 4080), ms(8), ms(20))
}

func TestSignatureOfContext(t *testing.T) {
	short := itl(t, seventy(t), 1000)
	within(t, "between tokens at 1k", short, ms(9.5), ms(12.5))
	if growth := float64(itl(t, seventy(t), 128_000)) / float64(short); growth < 1.1 || growth > 1.25 {
		t.Errorf("at 128k it takes %.2f times as long, want 1.1 to 1.25", growth)
	}
}

// load is open-loop traffic: so many requests a second, prompts of a median of
// 1.1k tokens, answers of 250.
func load(t *testing.T, d Deployment, rate float64, n int) (firsts, gaps []time.Duration, preempted int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	e, at := engineOf(t, d), 0.0
	arrivals := make([]time.Duration, n)
	for i := range arrivals {
		at += r.ExpFloat64() / rate
		arrivals[i] = time.Duration(at * 1e9)
		prompt := 1100 * (0.25 + 1.5*r.Float64())
		if i%20 == 19 {
			prompt = 8000
		}
		submit(t, e, Request{Arrival: arrivals[i], Prompt: int(prompt), Output: 50 + r.IntN(400)})
	}
	for id, s := range perRequest(drive(t, e, nil)) {
		firsts = append(firsts, s.tokens[0].At-arrivals[id])
		gaps = append(gaps, s.gaps()...)
		preempted += s.preempted
	}
	slices.Sort(firsts)
	slices.Sort(gaps)
	return firsts, gaps, preempted
}

func at(sorted []time.Duration, p float64) time.Duration {
	return sorted[int(p*float64(len(sorted)-1))]
}

func TestSignatureOfChunkBudget(t *testing.T) {
	for _, c := range []struct {
		budget    int
		low, high float64 // ms, longest gap
	}{{512, 30, 75}, {2048, 80, 220}, {8192, 300, 800}} {
		d := seventy(t)
		d.Profile.TokenBudget = c.budget
		_, gaps, _ := load(t, d, 4, 400)
		within(t, "longest gap", at(gaps, 1), ms(c.low), ms(c.high))
	}
	small, large := seventy(t), seventy(t)
	small.Profile.TokenBudget, large.Profile.TokenBudget = 512, 8192
	slow, calm, _ := load(t, small, 9, 600)
	quick, rough, _ := load(t, large, 9, 600)
	if at(slow, 0.5) < 2*at(quick, 0.5) || at(calm, 0.99) > at(rough, 0.99)/2 {
		t.Errorf("budget 512: ttft p50 %v, itl p99 %v; 8192: %v, %v: the trade is missing", at(slow, 0.5), at(calm, 0.99), at(quick, 0.5), at(rough, 0.99))
	}
}

func TestSignatureOfPrefillFirst(t *testing.T) {
	d := seventy(t)
	d.Profile.Policy = PrefillFirst
	_, gaps, _ := load(t, d, 4, 400)
	within(t, "longest gap: a whole prompt of 8k and what was with it", at(gaps, 1), ms(380), ms(900))
}

func TestSignatureOfContinuousBatching(t *testing.T) {
	_, idle, _ := load(t, seventy(t), 1, 200)
	_, busy, _ := load(t, seventy(t), 9, 600)
	within(t, "itl p50 at 1/s", at(idle, 0.5), ms(10), ms(13))
	within(t, "itl p50 at 9/s", at(busy, 0.5), ms(14), ms(40))
}

func TestSignatureOfNoMemory(t *testing.T) {
	d := seventy(t).holding(16_000)
	d.Profile.PrefixCache = false
	_, gaps, preempted := load(t, d, 6, 400)
	if preempted < 10 || at(gaps, 1) < 20*at(gaps, 0.5) {
		t.Errorf("%d preemptions, longest gap %v, median %v: want gaps of over 20 medians", preempted, at(gaps, 1), at(gaps, 0.5))
	}
	d.Profile.Policy = NoEvict
	if _, _, preempted := load(t, d, 6, 400); preempted > 0 {
		t.Errorf("no-evict preempted %d times", preempted)
	}
}

func TestSignatureOfASeatLimit(t *testing.T) {
	d := seventy(t)
	d.Profile.MaxSeqs = 8
	queued, limited, _ := load(t, d, 6, 300)
	free, open, _ := load(t, seventy(t), 6, 300)
	if at(queued, 0.5) < 5*at(free, 0.5) || at(limited, 0.5) > at(open, 0.5) {
		t.Errorf("8 seats: ttft %v, itl %v; 256: %v, %v: want a queue outside the batch", at(queued, 0.5), at(limited, 0.5), at(free, 0.5), at(open, 0.5))
	}
}

// What continuous batching and paged memory are for.
func TestSignatureOfWhatWasBefore(t *testing.T) {
	end := func(change func(*Deployment)) time.Duration {
		d := seventy(t).holding(40_000)
		change(&d)
		e := engineOf(t, d)
		r := rand.New(rand.NewPCG(3, 4))
		for range 200 {
			submit(t, e, Request{Prompt: 200 + r.IntN(800), Output: 20 + r.IntN(400), MaxTokens: 2048})
		}
		drive(t, e, nil)
		return e.Now()
	}
	now := end(func(*Deployment) {})
	static := end(func(d *Deployment) { d.Profile.Policy = Static })
	contiguous := end(func(d *Deployment) { d.Profile.Layout = Contiguous })
	if contiguous < now*5/4 || static < contiguous {
		t.Errorf("continuous and paged %v, contiguous %v, static batches %v: want each to take longer", now, contiguous, static)
	}
}

func TestSignatureOfSpeculation(t *testing.T) {
	rate := func(streams int, acceptance float64) float64 {
		d := seventy(t)
		d.Speculation = Speculation{Drafts: 4, Acceptance: 0.8, DraftLayers: 1}
		if acceptance == 0 {
			d.Speculation = Speculation{}
		}
		e := engineOf(t, d)
		for range streams {
			submit(t, e, Request{Prompt: 100, Output: 400, Acceptance: weir.Some(acceptance)})
		}
		drive(t, e, nil)
		return float64(400*streams) / e.Now().Seconds()
	}
	if gain := rate(1, 0.8) / rate(1, 0); gain < 2.3 || gain > 3.36 {
		t.Errorf("one stream, 0.8 right: %.2f times as fast, want 2.3 to 3.36", gain)
	}
	if gain := rate(1, 0.3) / rate(1, 0); gain < 1 || gain > 1.45 {
		t.Errorf("one stream, 0.3 right: %.2f times as fast, want 1 to 1.45", gain)
	}
	if gain := rate(256, 0.8) / rate(256, 0); gain > 1.6 {
		t.Errorf("256 streams, past the knee: %.2f times as fast, want little gain", gain)
	}
}

// Blocks that were evicted come back from host memory: sooner than computed
// again, later than from the device. Unvalidated beyond that.
func TestSignatureOfOffload(t *testing.T) {
	warm := func(offload Offload) time.Duration {
		d := seventy(t).holding(6000)
		d.Offload = offload
		e := engineOf(t, d)
		text := func(salt string) Request {
			return Request{Arrival: e.Now(), Prompt: 4000, Output: 1, Blocks: HashBlocks(salt, make([]uint32, 4000), 16)}
		}
		for _, salt := range []string{"a", "b"} { // b evicts most of a
			submit(t, e, text(salt))
			drive(t, e, nil)
		}
		start := e.Now()
		submit(t, e, text("a"))
		drive(t, e, nil)
		return e.Now() - start
	}
	none, slow, fast := warm(Offload{}), warm(Offload{Bytes: 50 * gb, Rate: 5 * gb}), warm(Offload{Bytes: 50 * gb, Rate: 50 * gb})
	if slow > none/2 || fast >= slow || fast < ttft(t, seventy(t), 4000, 3984) {
		t.Errorf("without %v, at 5 GB/s %v, at 50 GB/s %v", none, slow, fast)
	}
}
