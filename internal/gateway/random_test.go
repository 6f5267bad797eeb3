package gateway_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
)

const wholeText = "A weir is a low wall built across a river to raise the water above it."

// moody is an upstream that fails in a way of its own each time, or not.
func moody(rng *rand.Rand, mu *sync.Mutex) func(*call) {
	draw := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return rng.IntN(n)
	}
	return func(c *call) {
		words := strings.SplitAfter(wholeText, " ")
		at, mood := draw(len(words)), draw(40)
		switch mood {
		case 0, 1:
			status([]int{429, 500, 502, 503, 529, 401, 404}[draw(7)])(c)
			return
		case 2:
			c.wait(time.Minute)
		}
		c.role()
		for i, word := range words {
			c.wait(time.Duration(draw(20)) * time.Millisecond)
			if i == at {
				switch mood {
				case 3, 4:
					c.cut()
				case 5:
					c.fails("500")
					return
				case 6:
					c.event(`{"id":"x","choices":[{"delta`)
				case 7:
					c.wait(time.Minute)
				case 8:
					return
				}
			}
			c.tok(word)
		}
		c.fin()
		if mood != 9 {
			c.done()
		}
	}
}

// Whatever targets and callers do, an answer that ends well is whole, every
// other one ends with an error, and nothing is left behind.
func TestRandomFaults(t *testing.T) {
	for seed := range uint64(3) {
		rng, mu := rand.New(rand.NewPCG(seed, 0)), new(sync.Mutex)
		ups := []*upstream{up("A", moody(rng, mu)), up("B", moody(rng, mu)), up("C", moody(rng, mu))}
		s := setup{
			limits:   route.Limits{FirstOutput: 2 * time.Second, Stall: time.Second},
			handling: func(h *gateway.Handling) { h.Hold, h.KeepAlive = time.Second, 100*time.Millisecond },
			route: func(r *gateway.Route) {
				r.Rescue, r.Plan.Policy, r.Plan.Grace = gateway.RescueMatch, route.LeastBusy, -1
				for i := range r.Plan.Targets {
					r.Plan.Targets[i].Health.Recheck = time.Second
				}
			},
		}
		inBubble(t, s, ups, func(t *testing.T, g *rig) {
			var group sync.WaitGroup
			var whole, failed, left int
			for i := range 300 {
				time.Sleep(20 * time.Millisecond)
				group.Go(func() {
					ctx, leave := context.WithCancel(context.Background())
					defer leave()
					if i%10 == 5 {
						time.AfterFunc(time.Duration(i)*time.Millisecond, leave)
					}
					a := g.askAt(ctx, "/v1/chat/completions", plainBody)
					mu.Lock()
					defer mu.Unlock()
					kind := ""
					if a.err == nil {
						kind, _ = a.failure()
					}
					switch {
					case ctx.Err() != nil:
						left++
					case a.err != nil:
						t.Errorf("the connection failed: %v", a.err)
					case a.StatusCode != http.StatusOK || kind != "" && !a.isDone():
						failed++
					case a.isDone() && a.text() == wholeText && strings.Count(a.body, `"finish_reason":"stop"`) == 1 && strings.Count(a.body, `"role"`) == 1:
						whole++
					default:
						t.Errorf("neither whole nor an error:\n%s", a.body)
					}
				})
			}
			group.Wait()
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			t.Logf("%d whole, %d failed, %d left", whole, failed, left)
			if whole < 200 {
				t.Errorf("only %d of 300 were whole", whole)
			}
			if n := g.server.InFlight(); n != 0 || len(g.journal.Recent(1000)) != 300 {
				t.Errorf("%d in flight, %d records", n, len(g.journal.Recent(1000)))
			}
			for _, h := range g.fleet.Healths(time.Now()) {
				if h.InFlight != 0 {
					t.Errorf("%s has %d in flight", h.Target, h.InFlight)
				}
			}
			for _, r := range g.journal.Recent(1000) {
				if r.Outcome == weir.OK && r.Usage.Completion.Or(0) == 0 {
					t.Errorf("an answer of no tokens: %+v", r)
				}
			}
		})
	}
}
