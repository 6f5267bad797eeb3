package faults

import (
	"fmt"
	"slices"
)

// Verdict is what became of one fault.
type Verdict string

// The verdicts, from best to worst; skipped is none of them.
const (
	Pass    Verdict = "pass"    // rescued, or where no rescue is due the stated clean end
	Partial Verdict = "partial" // rescued, and something advisable was not done
	Safe    Verdict = "safe"    // not rescued, but a bounded end that nobody takes for success
	Fail    Verdict = "fail"    // hung, or a broken answer presented as success, or a rule of conduct broken
	Skipped Verdict = "skipped" // could not be judged
)

// Verdicts lists them from best to worst, Skipped last.
func Verdicts() []Verdict { return []Verdict{Pass, Partial, Safe, Fail, Skipped} }

// Worse tells whether v is worse than other. Skipped is worse than nothing.
func (v Verdict) Worse(other Verdict) bool {
	return v != Skipped && (other == Skipped || slices.Index(Verdicts(), v) > slices.Index(Verdicts(), other))
}

// ruling is a verdict in the making.
type ruling struct {
	verdict Verdict
	why     string
	notes   []string
}

// base is the ruling that follows from how the caller's answer ended.
func base(s sight) *ruling {
	r := &ruling{}
	if len(s.Attempts) == 0 {
		return r.skip("the wall was not asked; the endpoint %s", s.described())
	}
	if len(s.faulty()) == 0 {
		r.skip("the model %s was not asked, only %s: it may be out of use since an earlier run, or the route leads elsewhere", s.fault, s.Attempts[0].Model)
		return r
	}
	switch s.Ended {
	case Whole:
		r.verdict, r.why = Pass, "whole answer"
	case Failed:
		r.verdict, r.why = Safe, "not rescued; the caller got an error: "+s.described()
	case Broken:
		r.verdict, r.why = Safe, "not rescued; the caller's connection was broken off, without an error in the dialect's form: "+s.Error.Or("")
	case Truncated:
		r.verdict, r.why = Fail, fmt.Sprintf("%d of %d tokens, and an end like any other", s.Tokens, Tokens)
	case Different:
		r.verdict, r.why = Fail, "a text that no target gave, presented as success"
	case Garbled:
		r.verdict, r.why = Fail, "bytes that a client cannot read were passed on"
	case Empty:
		r.verdict, r.why = Fail, "an empty answer, presented as success"
	case Hung:
		r.verdict, r.why = Fail, fmt.Sprintf("no end within %v", s.lasted())
	case Left:
		r.verdict, r.why = Pass, "the caller left"
	}
	return r
}

// pass overrules how the answer ended, where that is what the fault asks for.
func (r *ruling) pass(format string, args ...any) {
	if r.verdict != Fail && r.verdict != Skipped {
		r.verdict, r.why = Pass, fmt.Sprintf(format, args...)
	}
}

func (r *ruling) fail(format string, args ...any) {
	r.verdict, r.why = Fail, fmt.Sprintf(format, args...)
}

// skip says why there is nothing to judge.
func (r *ruling) skip(format string, args ...any) *ruling {
	r.verdict, r.why = Skipped, fmt.Sprintf(format, args...)
	return r
}

// require holds a rule of conduct.
func (r *ruling) require(ok bool, format string, args ...any) {
	if !ok && r.verdict != Skipped {
		if r.verdict == Fail {
			r.note("%s", r.why)
		}
		r.fail(format, args...)
	}
}

// advise holds what a good gateway does beyond that.
func (r *ruling) advise(ok bool, format string, args ...any) {
	switch {
	case ok || r.verdict == Skipped:
	case r.verdict == Pass:
		r.verdict, r.why = Partial, fmt.Sprintf(format, args...)
	default:
		r.note(format, args...)
	}
}

// note adds what is worth knowing and changes nothing.
func (r *ruling) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// part is the finished ruling.
func (r *ruling) part(s sight) Part {
	notes := r.notes
	if notes == nil {
		notes = []string{}
	}
	attempts := s.Attempts
	if attempts == nil {
		attempts = []Attempt{}
	}
	return Part{Variant: s.Variant, Verdict: r.verdict, Why: r.why, Notes: notes, Caller: s.View, Attempts: attempts}
}
