package faults

import (
	"context"
	"net/http"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// both asks for a stream and for a whole body: failing over on one path only is
// a usual mistake.
func both() []ask { return []ask{{}, {variant: "json", whole: true}} }

func errorOnce() fault {
	return fault{
		id: "S03", what: "500 once, then good", want: "one retry on the same target is best",
		serve: func(e *exchange) error {
			if !e.first() {
				return e.healthy()
			}
			return e.refuse(request.Problem{Status: http.StatusInternalServerError, Message: "the wall failed once"})
		},
		cases: both(),
		judge: func(r *ruling, s sight) {
			r.require(len(s.faulty()) <= maxAttempts, "%d attempts at the target, at most %d", len(s.faulty()), maxAttempts)
			r.advise(len(s.faulty()) == 2 && len(s.fallback()) == 0, "%d attempts at the target and %d at the fallback; one retry on the same target is best", len(s.faulty()), len(s.fallback()))
		},
	}
}

func unavailable() fault {
	return fault{
		id: "S04", what: "always 503", want: "fails over inside the budget; <= 6 attempts",
		serve: (*exchange).unavailable, cases: both(),
		judge: func(r *ruling, s sight) {
			r.require(len(s.faulty()) <= maxAttempts, "%d attempts at the target, at most %d", len(s.faulty()), maxAttempts)
			r.advise(s.lasted() <= s.scale(budget), "took %v, longer than the budget of %v", s.lasted(), s.scale(budget))
		},
	}
}

func whoAnswered() fault {
	return fault{
		id: "S16", what: "always 503, fallback good", want: "reports the fallback's model and usage",
		serve: (*exchange).unavailable,
		cases: []ask{{usage: true}, {variant: "json", whole: true}},
		judge: func(r *ruling, s sight) {
			if s.Ended != Whole {
				return
			}
			for _, a := range s.fallback() {
				if a.Completion.Known() {
					r.advise(s.Model == weir.Some(a.Model), "said the model %q; %q answered", s.Model.Or(""), a.Model)
					r.advise(s.Usage.Prompt == a.Prompt && s.Usage.Completion == a.Completion, "said %s; it was %s", counts(s.Usage), counts(weir.Usage{Prompt: a.Prompt, Completion: a.Completion}))
					return
				}
			}
			r.advise(false, "the fallback was not asked for usage, so that none can be told")
		},
	}
}

// The outage of S15 and how it is watched.
const (
	outageTime  = 60 * time.Second
	outageEvery = 4 * time.Second
	outageBack  = 30 * time.Second
	fewProbes   = 9 // of the fifteen requests that the outage sees
)

func outage() fault {
	return fault{
		id: "S15", what: "503 for 60 s then healthy; a request every 4 s",
		want:   "served by the fallback, few probes, back within 30 s of recovery",
		outage: outageTime,
		serve: func(e *exchange) error {
			if e.before.n > 0 && e.attempt.At.Sub(e.before.first) >= e.mark.Profile.Scale(outageTime) {
				return e.healthy()
			}
			return e.unavailable()
		},
		play: func(ctx context.Context, c *cell) []Part {
			views := c.every(ctx, outageEvery, outageTime+outageBack, ask{})
			return []Part{judgeOutage(c.see(ctx, ask{}, worst(views)), views)}
		},
	}
}

func judgeOutage(s sight, views []View) Part {
	r := base(s)
	if len(s.faulty()) == 0 {
		return r.part(s)
	}
	recovered := s.faulty()[0].At.Add(s.scale(outageTime))
	probes, back := 0, false
	for _, a := range s.faulty() {
		switch {
		case a.At.Before(recovered):
			probes++
		case a.Status == weir.Some(http.StatusOK) && a.At.Sub(recovered) <= s.scale(outageBack+outageEvery):
			back = true
		}
	}
	bad := 0
	for _, v := range views {
		if v.Ended != Whole {
			bad++
		}
	}
	r.note("%d of %d requests were whole, %d attempts at the target during the outage", len(views)-bad, len(views), probes)
	r.advise(probes <= fewProbes, "%d attempts at the target during its outage, more than %d", probes, fewProbes)
	r.advise(back, "the target was not in use %v after it had recovered", s.scale(outageBack))
	return r.part(s)
}
