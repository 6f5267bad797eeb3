package promptcache

import (
	"container/list"
	"time"
)

// Cache remembers what a rule keeps. It is not safe for use by several
// goroutines. Make one with New.
type Cache struct {
	rule    Rule
	entries map[uint64]*list.Element
	order   *list.List // of *entry, the longest unused first
	minute  int64      // that traffic is of
	traffic map[uint64]int
}

type entry struct {
	name uint64
	used time.Duration
	ttl  time.Duration // since then; 0: as long as there is room
}

// maxEntries bounds the memory: some 100 bytes each.
const maxEntries = 1 << 16

// New makes an empty cache.
func New(r Rule) *Cache {
	return &Cache{rule: r, entries: map[uint64]*list.Element{}, order: list.New(), traffic: map[uint64]int{}}
}

// Hit is what a rule grants a request.
type Hit struct {
	Limited bool // Read bounds what may be used; else all that the engine finds may be
	Read    int  // tokens kept from before
	Write   int  // tokens kept from now on that were not; 0 for rules that do not tell
	Hour    int  // of these, for an hour
}

// Use looks a prompt up and keeps what the rule has kept of it. now never goes
// back. key is the request's own word for prompts that begin alike.
func (c *Cache) Use(p *Prompt, key string, now time.Duration) Hit {
	switch c.rule.Kind {
	case Engine:
		return Hit{}
	case Steps:
		return c.steps(p, c.machine(p, key, now), now)
	case Marks:
		return c.marks(p, now)
	case Units:
		return c.units(p, now)
	}
	return Hit{Limited: true}
}

// machine is where a request is sent, as a salt.
func (c *Cache) machine(p *Prompt, key string, now time.Duration) uint64 {
	begins, ok := p.Beginning()
	if c.rule.PerMinute == 0 || !ok {
		return 0
	}
	if m := int64(now / time.Minute); m != c.minute || len(c.traffic) > maxEntries {
		c.minute = m
		clear(c.traffic)
	}
	begins = spread(begins ^ saltOf(key))
	n := c.traffic[begins] / c.rule.PerMinute
	c.traffic[begins]++
	return uint64(n)
}

func (c *Cache) steps(p *Prompt, machine uint64, now time.Duration) Hit {
	h := Hit{Limited: true}
	if p.Tokens() < c.rule.Minimum {
		return h
	}
	first := (c.rule.Minimum + c.rule.Step - 1) / c.rule.Step * c.rule.Step
	for n := first; n <= min(len(p.Names), p.Tokens()-1); n += c.rule.Step {
		if c.has(p.name(n, machine), now) {
			h.Read = n
		}
		c.keep(p.name(n, machine), now)
	}
	return h
}

// marks reads the longest beginning that an earlier request had marked, up to
// lookback parts before a mark of this one, and keeps all up to its marks.
func (c *Cache) marks(p *Prompt, now time.Duration) Hit {
	h := Hit{Limited: true}
	var marked []int
	for i, e := range p.Ends {
		if e.Mark != NoMark && e.Tokens >= max(1, c.rule.Minimum) {
			marked = append(marked, i)
		}
	}
	marked = marked[max(0, len(marked)-maxMarks):]
	for _, m := range marked {
		for i := m; i >= max(0, m-lookback); i-- {
			n := p.Ends[i].Tokens
			if n > h.Read && c.has(p.name(n, 0), now) {
				h.Read = n
				c.keep(p.name(n, 0), now)
				break
			}
		}
	}
	for _, m := range marked {
		n, ttl := p.Ends[m].Tokens, c.rule.TTL
		h.Write = max(h.Write, n-h.Read)
		if p.Ends[m].Mark == KeepHour {
			h.Hour, ttl = max(h.Hour, n-h.Read), time.Hour
		}
		c.keepFor(p.name(n, 0), now, ttl)
	}
	return h
}

// units reads the longest unit that the prompt begins with. What it shares with
// an earlier prompt beyond that becomes a unit for the next one.
func (c *Cache) units(p *Prompt, now time.Duration) Hit {
	const seen = 1 // the salt of what was seen, and is no unit
	h := Hit{Limited: true}
	shared := 0
	for n := 1; n <= len(p.Names); n++ {
		if c.has(p.name(n, 0), now) {
			h.Read = n
			c.keep(p.name(n, 0), now)
		}
		if n%seenStep == 0 {
			if c.has(p.name(n, seen), now) {
				shared = n
			}
			c.keep(p.name(n, seen), now)
		}
		if n%c.rule.Step == 0 {
			c.keep(p.name(n, 0), now)
		}
	}
	if shared > h.Read && shared >= c.rule.Minimum {
		c.keep(p.name(shared, 0), now)
	}
	if n := len(p.Names); n >= c.rule.Minimum && n > 0 {
		c.keep(p.name(n, 0), now)
	}
	if h.Read < c.rule.Minimum {
		h.Read = 0
	}
	return h
}

// has tells whether a beginning is kept, and not for too long.
func (c *Cache) has(name uint64, now time.Duration) bool {
	e, ok := c.entries[name]
	return ok && e.Value.(*entry).holds(now)
}

func (e *entry) holds(now time.Duration) bool { return e.ttl == 0 || now-e.used <= e.ttl }

// keep remembers a beginning, or that it was used.
func (c *Cache) keep(name uint64, now time.Duration) { c.keepFor(name, now, c.rule.TTL) }

// keepFor is keep for another time than the rule's; what is kept for longer stays so.
func (c *Cache) keepFor(name uint64, now, ttl time.Duration) {
	if e, ok := c.entries[name]; ok {
		one := e.Value.(*entry)
		if !one.holds(now) {
			one.ttl = ttl
		}
		one.used, one.ttl = now, max(one.ttl, ttl)
		c.order.MoveToBack(e)
		return
	}
	if c.order.Len() >= maxEntries {
		oldest := c.order.Front()
		delete(c.entries, oldest.Value.(*entry).name)
		c.order.Remove(oldest)
	}
	c.entries[name] = c.order.PushBack(&entry{name, now, ttl})
}
