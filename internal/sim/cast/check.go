package cast

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
)

// flaw is what is wrong with a key of a personality, and what would be right.
type flaw struct {
	path      string // such as network.rtt
	what, fix string
}

// What a personality can ask for at most.
const (
	maxReplicas = 64
	maxTime     = 365 * 24 * time.Hour
	maxTokens   = 1 << 20
	maxRate     = 10_000 // background requests per second
	maxCurve    = 1440
	maxFaults   = 1000
	maxFactor   = 1e6
	maxPerMin   = 1 << 30
)

// check finds all that is wrong with one personality.
func (p Personality) check() (flaws []flaw) {
	c := checker{&flaws}
	p.checkEngine(c)
	c.oneOf("cache.policy", p.Cache.Policy, "off", "engine", "openai", "anthropic", "gemini", "deepseek")
	c.oneOf("limits.headers", p.Limits.Headers, "openai", "anthropic", "retry-after", "none")
	c.oneOf("wire.usage", p.Wire.Usage, "end", "every", "finish", "none")
	c.count("replicas", p.Replicas, 1, maxReplicas)
	c.count("answer.tokens", p.Answer.Tokens, 1, maxTokens)
	c.count("answer.reasoning", p.Answer.Reasoning, 0, max(0, p.Answer.Tokens-1))
	c.number("answer.spread", p.Answer.Spread, 0, 10)
	c.count("cache.minimum", p.Cache.Minimum, 0, maxTokens)
	c.count("cache.step", p.Cache.Step, 0, maxTokens)
	c.time("network.rtt", p.Network.RTT)
	c.time("network.jitter", p.Network.Jitter)
	c.count("limits.requests", p.Limits.Requests, 0, maxPerMin)
	c.count("limits.tokens", p.Limits.Tokens, 0, maxPerMin)
	c.time("coalesce.every", p.Coalesce.Every)
	c.count("coalesce.tokens", p.Coalesce.Tokens, 0, 1024)
	c.time("wire.heartbeat", p.Wire.Heartbeat)
	if ttl := p.Cache.TTL; ttl != nil {
		c.time("cache.ttl", *ttl)
	}
	if n := p.Cache.PerMinute; n != nil {
		c.count("cache.per_minute", *n, 0, maxPerMin)
	}
	for name, v := range map[string]*float64{"price.input": p.Price.Input, "price.cached": p.Price.Cached, "price.output": p.Price.Output} {
		if v != nil {
			c.number(name, *v, 0, maxFactor)
		}
	}
	p.Background.check(c)
	p.checkFaults(c)
	return flaws
}

func (p Personality) checkEngine(c checker) {
	d, flaws := p.deployment()
	if *c.flaws = append(*c.flaws, flaws...); len(flaws) > 0 {
		return
	}
	physics, err := engine.NewPhysics(d)
	if err != nil {
		c.error(p.culprit(d), err)
		return
	}
	switch room := physics.Capacity(); {
	case p.Context < 0 || p.Context > maxTokens:
		c.count("context", p.Context, 1, maxTokens)
	case p.Context > room:
		c.add("context", fmt.Sprintf("at most %d, more devices, or kv: fp8", room), "a context of %d tokens does not fit: %d %s hold the KV of %d beside %s in %s, %d too few",
			p.Context, d.TP, d.GPU.Name, room, d.Model.Name, d.Weights, p.Context-room)
	}
}

// deployment is what the personality runs, and which of its names are unknown.
func (p Personality) deployment() (d engine.Deployment, flaws []flaw) {
	c := checker{&flaws}
	var err error
	if d.Model, err = engine.FindModel(p.Model); err != nil {
		c.error("model", err)
	}
	if d.GPU, err = engine.FindGPU(p.GPU); err != nil {
		c.error("gpu", err)
	}
	if d.Profile, err = engine.FindProfile(p.Engine); err != nil {
		c.error("engine", err)
	}
	d.TP, d.Weights, d.KV = p.TP, engine.Precision(p.Precision), engine.Precision(p.KV)
	return d, flaws
}

// culprit is the key that an impossible deployment is most likely about.
func (p Personality) culprit(d engine.Deployment) string {
	switch _, known := d.Weights.Bytes(); {
	case !known:
		return "precision"
	case d.GPU.KVRead[d.KV] <= 0:
		return "kv"
	}
	return "tp"
}

func (b Background) check(c checker) {
	c.number("background.rate", b.Rate, 0, maxRate)
	c.count("background.input", b.Input, 1, maxTokens)
	c.count("background.output", b.Output, 1, maxTokens)
	c.number("background.spread", b.Spread, 0, 10)
	c.time("background.start", b.Start)
	if b.Period <= 0 || b.Period > maxTime {
		c.add("background.period", "a duration such as 24h", "a period of %v", b.Period)
	}
	sum := 0.0
	for i, w := range b.Curve {
		c.number(fmt.Sprintf("background.curve[%d]", i), w, 0, maxFactor)
		sum += w
	}
	if len(b.Curve) == 1 || len(b.Curve) > maxCurve || len(b.Curve) > 1 && !(sum > 0) {
		c.add("background.curve", fmt.Sprintf("2 to %d weights, not all 0", maxCurve), "a curve of %d weights that add up to %g", len(b.Curve), sum)
	}
	if u := b.Bursts; u.Every != 0 || u.Length != 0 {
		c.number("background.bursts.factor", u.Factor, 0, maxFactor)
		if u.Length <= 0 || u.Every < u.Length || u.Every > maxTime {
			c.add("background.bursts", "every: 10m with length: 30s", "bursts of %v each %v", u.Length, u.Every)
		}
	}
}

func (p Personality) checkFaults(c checker) {
	if len(p.Faults) > maxFaults {
		c.add("faults", fmt.Sprintf("at most %d", maxFaults), "%d faults", len(p.Faults))
		return
	}
	for i, f := range p.Faults {
		at := fmt.Sprintf("faults[%d]", i)
		if f.From < 0 || f.To <= f.From || f.To > maxTime {
			c.add(at, "from: 3m and a later to: 5m", "a fault from %v to %v", f.From, f.To)
		}
		if f.Slower != 0 {
			c.number(at+".slower", f.Slower, 1e-3, maxFactor)
		}
		c.time(at+".delay", f.Delay)
		c.number(at+".share", f.Share, 0, 1)
		if f.Status != 0 {
			c.count(at+".status", f.Status, 400, 599)
		}
		c.time(at+".retry_after", f.RetryAfter)
		if f.Cut != nil {
			c.count(at+".cut", *f.Cut, 0, maxTokens)
		}
		if f.Slower == 0 && f.Delay == 0 && f.Status == 0 && f.Cut == nil {
			c.add(at, "slower, delay, status or cut", "a fault that does nothing")
		}
	}
}

// checker notes flaws.
type checker struct{ flaws *[]flaw }

func (c checker) add(path, fix, format string, args ...any) {
	*c.flaws = append(*c.flaws, flaw{path: path, what: fmt.Sprintf(format, args...), fix: fix})
}

// error notes what the engine says.
func (c checker) error(path string, err error) {
	f := flaw{path: path, what: err.Error()}
	if e, ok := errors.AsType[*weir.Error](err); ok {
		f.what, f.fix = e.Message, e.Hint
	}
	*c.flaws = append(*c.flaws, f)
}

func (c checker) count(path string, n, least, most int) {
	if n < least || n > most {
		c.add(path, fmt.Sprintf("%d to %d", least, most), "%s is %d", path, n)
	}
}

func (c checker) number(path string, v, least, most float64) {
	if !(v >= least && v <= most) { // NaN too
		c.add(path, fmt.Sprintf("%g to %g", least, most), "%s is %g", path, v)
	}
}

func (c checker) time(path string, d time.Duration) {
	if d < 0 || d > maxTime {
		c.add(path, "0 to a year, such as 20ms", "%s is %v", path, d)
	}
}

func (c checker) oneOf(path, s string, known ...string) {
	if !slices.Contains(known, s) {
		c.add(path, "one of "+list(known), "%s %q is not known", path, s)
	}
}
