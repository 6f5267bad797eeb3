package engine

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fataler is a test, or one run of a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// deployed is one of the tables' models on some of the tables' GPUs.
func deployed(t fataler, model, gpu string, tp int, weights, kv Precision, profile string) Deployment {
	t.Helper()
	d := Deployment{TP: tp, Weights: weights, KV: kv}
	var known [3]bool
	d.Model, known[0] = ModelNamed(model)
	d.GPU, known[1] = GPUNamed(gpu)
	d.Profile, known[2] = ProfileNamed(profile)
	if known != [3]bool{true, true, true} {
		t.Fatalf("%s, %s, %s: known %v", model, gpu, profile, known)
	}
	return d
}

// seventy is what PHYSICS.md's signatures were simulated with: 70B FP8 on 4 H100.
func seventy(t fataler) Deployment { return deployed(t, "l3-70b", "H100", 4, FP8, FP8, "vllm-v1") }

// holding leaves a deployment's devices only memory for so many tokens of KV.
func (d Deployment) holding(tokens int) Deployment {
	need := d.Model.weightBytes(d.Weights, d.TP) + d.Profile.Reserve + (float64(tokens)+0.5)*d.Model.KVBytesPerToken(d.KV, d.TP)
	d.GPU.Memory = need / d.Profile.MemoryShare
	return d
}

func physicsOf(t fataler, d Deployment) *Physics {
	t.Helper()
	p, err := NewPhysics(d)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

func engineOf(t fataler, d Deployment) *Engine {
	t.Helper()
	e, err := New(d, 7)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return e
}

func submit(t fataler, e *Engine, r Request) ID {
	t.Helper()
	id, err := e.Submit(r)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return id
}

// drive runs an engine until nothing is due. after is told of each call's
// events; nil: nothing is.
func drive(t fataler, e *Engine, after func([]Event)) []Event {
	t.Helper()
	var all []Event
	next, more := e.Now(), true
	for steps := 0; more; steps++ {
		if steps > 1_000_000 {
			t.Fatalf("the engine does not end")
		}
		var events []Event
		events, next, more = e.Step(next)
		all = append(all, events...)
		if after != nil {
			after(events)
		}
	}
	return all
}

// seen is what the events say of one request.
type seen struct {
	admitted  []Event
	tokens    []Event
	preempted int
	end       time.Duration
}

func perRequest(events []Event) map[ID]*seen {
	all := map[ID]*seen{}
	for _, ev := range events {
		s := all[ev.Request]
		if s == nil {
			s = &seen{}
			all[ev.Request] = s
		}
		switch ev.Kind {
		case Admitted:
			s.admitted = append(s.admitted, ev)
		case Token:
			s.tokens = append(s.tokens, ev)
		case Preempted:
			s.preempted++
		case Finished:
			s.end = ev.At
		}
	}
	return all
}

// gaps are the times between a request's tokens.
func (s *seen) gaps() []time.Duration {
	var g []time.Duration
	for i := 1; i < len(s.tokens); i++ {
		g = append(g, s.tokens[i].At-s.tokens[i-1].At)
	}
	return g
}
