package sim

import (
	"math"
	"math/rand/v2"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// schedule yields the events of one streamed response in their order. It is a
// plain value: a copy yields the same events again, and all of them follow from
// the plan, the seed and the request.
type schedule struct {
	plan      Plan
	corpus    *corpus
	anthropic bool
	asked     request.Asked

	rng    rand.PCG
	id     uint64 // of the response
	text   uint64 // where in the corpus the answer begins
	fail   bool   // by FailShare
	total  int    // output tokens
	finish request.FinishReason

	phase   phase
	due     time.Duration // of the next output event
	last    time.Duration // of the event before
	events  int           // output events yielded
	tokens  int           // output tokens yielded
	stall   time.Duration // to be told with the next event
	stalled bool
	block   Step // Anthropic's open block, StepReasoning or StepText, or noBlock
}

const noBlock = StepOpen // a step that is no block

type phase uint8

const (
	phaseOpen phase = iota
	phaseOutput
	phaseFinish
	phaseUsage
	phaseDone
	phaseEnd
)

// newSchedule draws what one request decides, always in the same order and
// number, so that one key of a plan does not change what another's draws are.
func newSchedule(p Plan, c *corpus, seed, n uint64, asked request.Asked) schedule {
	s := schedule{plan: p, corpus: c, anthropic: asked.Dialect == weir.Anthropic, asked: asked}
	s.rng.Seed(mix(seed), mix(n))
	s.id, s.text = s.rng.Uint64(), s.rng.Uint64()
	s.fail = s.uniform() < p.FailShare
	tail := s.uniform() < p.TailShare
	s.due = p.TTFT + time.Duration(float64(p.TTFTPer1K)*float64(asked.PromptTokens())/1000)
	s.due = s.jittered(s.due)
	if tail {
		s.due += p.Tail
	}
	s.total, s.finish = length(p, asked)
	return s
}

// length is how many tokens are generated, and why no more.
func length(p Plan, asked request.Asked) (int, request.FinishReason) {
	n, reason := p.Tokens, request.FinishStop
	if n == 0 {
		n = defaultTokens
	}
	if asked.MaxTokens > 0 {
		n, reason = asked.MaxTokens, request.FinishLength
	}
	if p.EOS > 0 && p.EOS < n && !asked.IgnoreEOS {
		n, reason = p.EOS, request.FinishStop
	}
	return min(n, maxTokens), reason
}

// next yields the next event, or false at the end.
func (s *schedule) next() (Event, bool) {
	var e Event
	switch s.phase {
	case phaseOpen:
		e = s.opening()
	case phaseOutput:
		e = s.output()
	case phaseFinish:
		e = s.closing()
	case phaseUsage:
		e, s.phase = Event{At: s.last, Step: StepUsage}, phaseDone
	case phaseDone:
		e, s.phase = Event{At: s.last, Step: StepDone}, phaseEnd
	default:
		return Event{}, false
	}
	if s.phase == phaseUsage && !s.usageChunk() {
		s.phase = phaseDone
	}
	if s.phase == phaseDone && s.plan.NoDone {
		s.phase = phaseEnd
	}
	s.last = e.At
	e.Kind = e.Step.kind()
	if e.Step.output() && s.events == 1 && s.plan.NoRole && !s.anthropic {
		e.Kind |= weir.TickRole
	}
	if s.usageIn(e.Step) != noUsage {
		e.Kind |= weir.TickUsage
	}
	return e, true
}

func (s *schedule) opening() Event {
	s.phase = phaseOutput
	switch {
	case s.plan.Status != 0:
		s.phase = phaseEnd
		return Event{At: s.due, Step: StepStatus, Status: s.plan.Status}
	case s.fail:
		s.phase = phaseEnd
		return Event{At: s.due, Step: StepStatus, Status: s.plan.FailStatus}
	case !s.plan.NoRole:
		return Event{Step: StepOpen}
	case s.anthropic: // its stream cannot do without: it comes with the first output
		return Event{At: s.due, Step: StepOpen}
	}
	return s.output()
}

// output yields the next output event, or what comes in its place.
func (s *schedule) output() Event {
	if s.plan.Stall > 0 && s.events == s.plan.StallAfter && !s.stalled {
		s.stalled = true
		s.stall = s.plan.Stall
		s.due += s.stall
	}
	step, n := StepText, s.total-s.tokens
	if s.tokens < s.plan.Reasoning {
		step, n = StepReasoning, min(n, s.plan.Reasoning-s.tokens)
	}
	switch {
	case s.plan.CutAfter.Or(-1) == s.events:
		s.phase = phaseEnd
		return s.now(StepCut)
	case s.plan.ErrorAfter.Or(-1) == s.events:
		s.phase = phaseEnd
		return s.now(StepError)
	case n == 0:
		s.phase = phaseFinish
		return s.closing()
	case s.anthropic && s.block == step:
	case s.anthropic && s.block != noBlock:
		s.block = noBlock
		return Event{At: s.last, Step: StepBlockStop}
	case s.anthropic:
		s.block = step
		return s.now(StepBlockStart)
	}
	return s.delta(step, min(n, max(1, s.plan.TokensPerEvent)))
}

// now is an event at the due time of the next output; a stall before it is told
// with it.
func (s *schedule) now(step Step) Event {
	e := Event{At: s.due, Step: step, Stall: s.stall}
	s.stall = 0
	return e
}

func (s *schedule) delta(step Step, n int) Event {
	e := s.now(step)
	e.Tokens, e.Text = n, s.corpus.tokens(s.text+uint64(s.tokens), n)
	s.events++
	s.tokens += n
	s.due += s.jittered(s.plan.Gap)
	return e
}

// closing yields what ends the output, at the time of the last of it.
func (s *schedule) closing() Event {
	e := Event{At: s.last + s.stall, Step: StepFinish, Stall: s.stall}
	s.stall = 0
	if s.block != noBlock {
		s.block = noBlock
		e.Step = StepBlockStop
		return e
	}
	s.phase = phaseUsage
	return e
}

// jittered is d times a lognormal factor of mean 1. It draws even where the
// plan has no jitter.
func (s *schedule) jittered(d time.Duration) time.Duration {
	z := math.Sqrt(-2*math.Log(1-s.uniform())) * math.Cos(2*math.Pi*s.uniform())
	if s.plan.Jitter == 0 {
		return d
	}
	// A lognormal's standard deviation is sqrt(exp(v)-1) of its mean.
	v := math.Log1p(s.plan.Jitter * s.plan.Jitter)
	return time.Duration(math.Round(float64(d) * math.Exp(math.Sqrt(v)*z-v/2)))
}

// uniform is in [0, 1).
func (s *schedule) uniform() float64 { return float64(s.rng.Uint64()>>11) / (1 << 53) }
