package config

import (
	"maps"
	"time"

	"weir.dev/weir"
)

// places says where the values of keys go, by name: pointers, and places for
// those that hold keys themselves. Keys without a place are not settings.
type places map[string]any

func (g *Gateway) places() places {
	p := places{
		"first_output": g.FirstOutput.places(&g.Limits.FirstOutput),
		"retry_budget": &g.RetryBudget, "retry_floor": &g.RetryFloor, "breaker": g.Breaker.places(), "cooldown": g.Cooldown.places(), "half_life": &g.HalfLife,
		"read_header": &g.ReadHeader, "read_body": &g.ReadBody, "header_limit": &g.HeaderLimit, "body_limit": &g.BodyLimit,
		"answer_limit": &g.AnswerLimit, "assumed_output": &g.Output, "event_limit": &g.EventLimit, "error_limit": &g.ErrorLimit,
		"usage_drains": &g.UsageDrains, "usage_drain": &g.UsageDrain, "idle": &g.Idle, "pins": &g.Pins, "requests": &g.Requests, "drain": &g.Drain,
	}
	return p.and(g.Handling.places()).and(g.Limits.places())
}

func (h *Handling) places() places {
	return places{
		"attempts": &h.Attempts, "attempts_within": &h.Budget, "deadline": &h.Deadline, "hold": &h.Hold, "hold_events": &h.HoldEvents, "hold_bytes": &h.HoldBytes,
		"keepalive": &h.KeepAlive, "quick_retry": &h.QuickRetry, "duplicates": &h.Duplicates, "write": &h.Write,
		"whole": &h.Whole, "trailer": &h.Trailer,
	}
}

func (l *Limits) places() places {
	return places{"connect": &l.Connect, "bytes": &l.Bytes, "stall": &l.Stall}
}

func (f *FirstOutput) places(fixed *weir.Opt[time.Duration]) places {
	return places{
		"min": &f.Min, "max": &f.Max, "cold": &f.Cold, "cold_per_1k": &f.PerK, "per_token": &f.PerToken,
		"factor": &f.Factor, "grace": &f.Grace, "fixed": fixed,
	}
}

func (b *Breaker) places() places {
	return places{
		"failures": &b.Failures, "rate": &b.Rate, "minimum": &b.Minimum, "window": &b.Window,
		"open": &b.Open, "open_max": &b.OpenMax, "recheck": &b.Recheck,
	}
}

func (c *Cooldown) places() places { return places{"min": &c.Min, "max": &c.Max} }

func (p places) and(more places) places {
	maps.Copy(p, more)
	return p
}

// fill puts what is given where it belongs; the rest stays as it is.
func (p places) fill(v *value) {
	if v == nil {
		return
	}
	for _, name := range v.names {
		switch place := p[name].(type) {
		case nil:
		case places:
			place.fill(v.fields[name])
		default:
			put(place, v.fields[name].num)
		}
	}
}

// preset puts the defaults of keys where they belong.
func (p places) preset(keys []key) {
	for _, k := range keys {
		if inner, ok := p[k.name].(places); ok {
			inner.preset(k.keys)
		} else if k.def != "" && p[k.name] != nil {
			x, _ := k.quantity(&scalar{text: k.def}) // a test reads them all
			put(p[k.name], x)
		}
	}
}

func put(place any, x float64) {
	switch place := place.(type) {
	case *time.Duration:
		*place = time.Duration(x)
	case *weir.Opt[time.Duration]:
		*place = weir.Some(time.Duration(x))
	case *int:
		*place = int(x)
	case *float64:
		*place = x
	case *bool:
		*place = x != 0
	}
}

// Defaults are the settings of a gateway whose file says nothing of them.
func Defaults() Gateway {
	var g Gateway
	g.places().preset(settingKeys())
	return g
}

// settings are those of the file.
func (r *reader) settings(v *value) Gateway {
	g := Defaults()
	g.places().fill(v)
	r.ordered(v, g.FirstOutput, g.Breaker, g.Cooldown)
	r.fixedAlone(v.get("first_output"))
	return g
}

// ordered notes bounds of v that are the wrong way round, its own or against
// those that it inherits.
func (r *reader) ordered(v *value, f FirstOutput, b Breaker, c Cooldown) {
	for _, x := range []struct {
		section, low, high string
		wrong              bool
		min, max           time.Duration
	}{
		{"first_output", "min", "max", f.Min > f.Max, f.Min, f.Max},
		{"breaker", "open", "open_max", b.Open > b.OpenMax, b.Open, b.OpenMax},
		{"cooldown", "min", "max", c.Min > c.Max, c.Min, c.Max},
	} {
		at := v.get(x.section).get(x.low)
		if at == nil {
			at = v.get(x.section).get(x.high)
		}
		if x.wrong && at != nil {
			show := (&spec{kind: duration}).show
			r.bad(at.pos, at.path, "raise one or lower the other", "%s (%s) is above %s (%s)", x.low, show(float64(x.min)), x.high, show(float64(x.max)))
		}
	}
}

// fixedAlone notes what a fixed first_output leaves without effect.
func (r *reader) fixedAlone(v *value) {
	if v.get("fixed") == nil {
		return
	}
	for _, name := range v.names {
		if f := v.fields[name]; name != "fixed" {
			r.bad(f.keyPos, f.path, "keep fixed or the others", "%s has no effect beside fixed", name)
		}
	}
}
