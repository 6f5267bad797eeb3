package provider

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/sim/cast"
	"weir.dev/weir/internal/sim/promptcache"
)

// Config is what a Provider is made from.
type Config struct {
	Personality cast.Personality
	Clock       clock.Clock
	Speed       float64 // of the provider's time against the wall's; 0: 1
	Seed        uint64
	Metrics     prometheus.Registerer
}

// Provider is a simulated provider under way. Its methods may be called from
// several goroutines. Make it with Start and Close it.
type Provider struct {
	cast.Personality
	Window int // most tokens of a request: prompt and the most that the answer may have

	clockwork
	seed    uint64
	drivers []*driver
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	asked  uint64
	limits limits
	cache  *promptcache.Cache
}

// Start makes the engines, warms them with the background's requests and starts
// a goroutine for each.
func Start(c Config) (*Provider, error) {
	if c.Speed == 0 {
		c.Speed = 1
	}
	p := &Provider{
		Personality: c.Personality, seed: c.Seed,
		limits: newLimits(c.Personality.Limits), cache: promptcache.New(rule(c.Personality.Cache)),
	}
	d, err := c.Personality.Deployment()
	if err != nil {
		return nil, err
	}
	for i := range c.Personality.Replicas {
		one, err := p.newDriver(d, i)
		if err != nil {
			return nil, fmt.Errorf("simulated provider %s: %w", c.Personality.Name, err)
		}
		p.drivers = append(p.drivers, one)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.clockwork = clockwork{clock: c.Clock, start: c.Clock.Now(), speed: c.Speed}
	for _, one := range p.drivers {
		one.clockwork = p.clockwork
		one.metrics = newMetrics(c.Metrics, p.Models()[0], one)
		p.running.Go(func() { one.run(ctx) })
	}
	return p, nil
}

func (p *Provider) newDriver(d engine.Deployment, i int) (*driver, error) {
	stream := uint64(i) << 8
	e, err := engine.New(d, p.seed+stream)
	if err != nil {
		return nil, err
	}
	p.Window = p.Personality.Window(d.Model, e.Capacity())
	one := &driver{
		timeline: newTimeline(p.Faults), personality: p.Personality, replica: i, engine: e, jobs: map[engine.ID]*job{},
		background: newBackground(p.Background, p.Replicas, p.Window, p.seed, stream|1),
		network:    rand.New(rand.NewPCG(p.seed, stream|2)),
	}
	one.warm()
	return one, nil
}

// rule is the policy with what the personality changes of it.
func rule(c cast.Cache) promptcache.Rule {
	r := promptcache.Profiles()[c.Policy]
	if c.Minimum > 0 {
		r.Minimum = c.Minimum
	}
	if c.Step > 0 {
		r.Step = c.Step
	}
	if c.TTL != nil {
		r.TTL = *c.TTL
	}
	if c.PerMinute != nil {
		r.PerMinute = *c.PerMinute
	}
	return r
}

// Close ends the engines and waits for them. Answers under way get nothing more.
func (p *Provider) Close() {
	p.cancel()
	p.running.Wait()
}

// Ask is a request.
type Ask struct {
	Prompt    *promptcache.Prompt
	CacheKey  string
	MaxTokens int // 0: as many as the model likes
	IgnoreEOS bool
}

// Refusal is why a request is not answered.
type Refusal struct {
	Due        time.Time // when the client hears of it
	Status     int
	TooLong    bool          // for the window
	TooLarge   bool          // for the limit of tokens, whenever it comes
	Prompt     int           // tokens
	Output     int           // the most that the answer may have
	RetryAfter time.Duration // on the wall; 0: not said
}

// Ask takes a request, or refuses it. What is left of the limits is told either
// way. The answer ends early when ctx does.
func (p *Provider) Ask(ctx context.Context, q Ask) (*Answer, *Refusal, Quota) {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.asked
	p.asked++
	rng := rand.New(rand.NewPCG(p.seed, n<<8|3))
	chance := rng.Float64()
	a := p.newAnswer(q, rng)
	refuse := func(r Refusal) (*Answer, *Refusal, Quota) {
		r.Due = p.wall(now + p.Network.RTT)
		r.Prompt, r.Output = q.Prompt.Tokens(), a.job.most
		return nil, &r, p.limits.quota(now, p.clockwork)
	}
	failing, cut := meets(p.Faults, now, chance)
	a.cut = cut
	if failing != nil {
		return refuse(Refusal{Status: failing.Status, RetryAfter: p.lasts(failing.RetryAfter)})
	}
	if q.Prompt.Tokens()+a.job.most > p.Window {
		return refuse(Refusal{Status: http.StatusBadRequest, TooLong: true})
	}
	if most := p.Limits.Tokens; most > 0 && q.Prompt.Tokens()+a.job.most > most {
		return refuse(Refusal{Status: http.StatusTooManyRequests, TooLarge: true})
	}
	if wait := p.limits.take(q.Prompt.Tokens()+a.job.most, now); wait > 0 {
		return refuse(Refusal{Status: http.StatusTooManyRequests, RetryAfter: p.lasts(wait)})
	}
	a.job.hit = p.cache.Use(q.Prompt, q.CacheKey, now)
	if err := p.seat(a, q, now); err != nil {
		return refuse(Refusal{Status: http.StatusServiceUnavailable})
	}
	a.watch(ctx)
	return a, nil, p.limits.quota(now, p.clockwork)
}

// newAnswer draws how long the answer is.
func (p *Provider) newAnswer(q Ask, rng *rand.Rand) *Answer {
	said := p.Answer.Tokens - p.Answer.Reasoning // what has been thought out is said: an answer is never only reasoning
	natural := p.Answer.Reasoning + max(1, int(lognormal(rng, float64(said), p.Answer.Spread)+0.5))
	a := &Answer{Length: natural, Whole: true, ready: make(chan struct{}, 1)}
	a.job = &job{answer: a, most: q.MaxTokens}
	switch {
	case q.MaxTokens == 0:
		a.job.most = min(natural, max(1, p.Window-q.Prompt.Tokens()))
		a.Length, a.Whole = a.job.most, a.job.most == natural
	case natural > q.MaxTokens, q.IgnoreEOS:
		a.Length, a.Whole = q.MaxTokens, false
	}
	a.job.whole = a.Whole
	return a
}

// crowded is how many more requests than the least busy replica the one that
// knows a prompt may have before it is passed over.
const crowded = 8

// pick is the replica for a prompt: the least busy one, or where prompts are
// kept the one that had those that begin alike.
func (p *Provider) pick(q *promptcache.Prompt) *driver {
	if len(p.drivers) == 1 {
		return p.drivers[0]
	}
	busy := make([]int, len(p.drivers))
	best := 0
	for i, d := range p.drivers {
		if busy[i] = d.busy(); busy[i] < busy[best] {
			best = i
		}
	}
	if name, ok := q.Beginning(); ok && p.Cache.Policy != "off" {
		if home := int(name % uint64(len(p.drivers))); busy[home] <= busy[best]+crowded {
			best = home
		}
	}
	return p.drivers[best]
}

// seat hands the request to a replica.
func (p *Provider) seat(a *Answer, q Ask, now time.Duration) error {
	best := p.pick(q.Prompt)
	size := best.engine.BlockTokens()
	r := engine.Request{Prompt: q.Prompt.Tokens(), Output: a.Length, MaxTokens: a.job.most}
	for i := size; i <= len(q.Prompt.Names); i += size {
		r.Blocks = append(r.Blocks, engine.Hash(q.Prompt.Names[i-1]))
	}
	if a.job.hit.Limited {
		r.MostCached = weir.Some(a.job.hit.Read)
	}
	a.driver = best
	a.job.step = size
	a.job.truth = Truth{Provider: p.Name, Region: p.Region, Replica: best.replica}
	return best.ask(a.job, r, now+p.Network.RTT/2)
}

// Wait waits until a time on the wall.
func (p *Provider) Wait(ctx context.Context, t time.Time) error { return p.clock.Until(ctx, t) }

// Now is the time on the wall.
func (p *Provider) Now() time.Time { return p.clock.Now() }

// Lasts is how long a time of the provider's is on the wall.
func (p *Provider) Lasts(d time.Duration) time.Duration { return p.lasts(d) }
