package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/work"
)

// counting answers like stream, with a prompt of half a token a byte.
func counting(ttft time.Duration) func(http.ResponseWriter, int, map[string]any) {
	return func(w http.ResponseWriter, n int, body map[string]any) {
		raw, _ := json.Marshal(body["messages"])
		refuseNothing := stream(ttft, ms)
		rec := newRecorder()
		refuseNothing(rec, n, body)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, strings.Replace(rec.body.String(), `"prompt_tokens":9`, fmt.Sprintf(`"prompt_tokens":%d`, len(raw)/2), 1))
	}
}

// TestCalibrates: measured prompts have the length that was asked for by the
// endpoints' own counts, and are the same for all targets.
func TestCalibrates(t *testing.T) {
	for _, each := range []bool{false, true} {
		bubble(t, answers{counting(ms), counting(7 * ms)}, func(t *testing.T, c Config, es []*endpoint) {
			c.Work.Plan = tokens(500, 3)
			c.Concurrency, c.Warmup, c.CalibrateEach = 2, 4, each
			res := mustRun(t, c)
			for _, s := range res.Samples {
				if n := s.Prompt.Or(0); !s.Warmup && (n < 490 || n > 510) {
					t.Errorf("each %v: %d tokens", each, n)
				}
			}
			want := 8
			if each {
				want = 4
			}
			for _, r := range res.Targets {
				if r.Lengths.Answers != want || r.Lengths.TokensPerWord < 1.5 {
					t.Errorf("each %v: %+v", each, r.Lengths)
				}
			}
		})
	}
}

// TestWarmUpThatHangs holds the others up for a moment only.
func TestWarmUpThatHangs(t *testing.T) {
	hang := func(http.ResponseWriter, int, map[string]any) { time.Sleep(time.Hour) }
	bubble(t, answers{stream(ms, ms), hang}, func(t *testing.T, c Config, es []*endpoint) {
		begun := time.Now()
		res := mustRun(t, c)
		if d := res.Targets[0].Begun.Sub(begun); d < maxLag || d > maxLag+time.Second {
			t.Errorf("measured after %v", d)
		}
		if n := count(res, "host-a", false, weir.OK); n != 10 {
			t.Errorf("%d ok", n)
		}
		time.Sleep(time.Hour) // until the server's handlers have ended
	})
}

// TestSessions: turns of a session follow each other, each after its answer and
// the time to think, in one slot.
func TestSessions(t *testing.T) {
	for _, open := range []bool{false, true} {
		bubble(t, answers{stream(10*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
			c.Work.Plan.Turns, c.Work.Plan.Think = 3, work.ThinkTime{Mean: 100 * ms}
			c.Concurrency, c.Requests, c.Warmup = 2, 11, 2 // three sessions, and two turns of a fourth
			if open {
				c.Concurrency, c.Load.Shape = 0, Constant(10)
			}
			if n := c.Planned(); n != 11 {
				t.Errorf("planned %d", n)
			}
			res := mustRun(t, c)
			bySession := map[int][]weir.Sample{}
			for _, s := range measured(res, "host-a") {
				bySession[s.Session.Or(-1)] = append(bySession[s.Session.Or(-1)], s)
			}
			if len(bySession) != 4 || res.Targets[0].Unsent != 0 {
				t.Fatalf("open %v: %d sessions, %+v", open, len(bySession), res.Targets[0])
			}
			for id, turns := range bySession {
				for i, s := range turns {
					if s.Turn.Or(-1) != i || s.Lateness != 0 {
						t.Errorf("open %v: session %d: turn %v is number %d, late by %v", open, id, s.Turn, i, s.Lateness)
					}
					if i > 0 && s.Due.Sub(turns[i-1].Due) != 110*ms {
						t.Errorf("open %v: session %d: turn %d is due %v after the one before", open, id, i, s.Due.Sub(turns[i-1].Due))
					}
				}
			}
			if a := res.Targets[0].Achieved.Or(0); open && (a < 9.99 || a > 10.01) {
				t.Errorf("%v sessions per second", a)
			}
			var lengths []int
			for _, body := range es[0].asked {
				lengths = append(lengths, len(body["messages"].([]any)))
			}
			if slices.Sort(lengths); !slices.Equal(lengths, []int{1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 5, 5, 5}) {
				t.Errorf("messages %v", lengths)
			}
		})
	}
}

// TestSessionsCutByTime: what an answer came too late for was never due.
func TestSessionsCutByTime(t *testing.T) {
	bubble(t, answers{stream(10*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Work.Plan.Turns, c.Work.Plan.Think = 3, work.ThinkTime{Mean: 100 * ms}
		c.Concurrency, c.Requests, c.Warmup = 0, 0, 0
		c.Load = Load{Shape: Constant(10), Duration: 205 * ms} // sessions at 0, 100 and 200 ms
		res := mustRun(t, c)
		if r := res.Targets[0]; r.Planned != 4 || r.Unsent != 0 || r.Missed != 0 {
			t.Errorf("%+v", r)
		}
	})
}

// TestPairs: the warm half repeats the cold one after the gap.
func TestPairs(t *testing.T) {
	bubble(t, answers{stream(10*ms, 0), stream(20*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Work.Plan.Cache, c.Work.Plan.Gap, c.Warmup = work.CacheCompare, 50*ms, 0
		res := mustRun(t, c)
		for i, e := range es {
			p := e.prompts()
			if len(p) != 10 || len(slices.Compact(slices.Clone(p))) != 5 {
				t.Errorf("target %d: %d prompts, %d different ones", i, len(p), len(slices.Compact(p)))
			}
		}
		roles := map[string]int{}
		for _, s := range res.Samples {
			roles[s.CacheRole]++
		}
		if roles["cold"] != 10 || roles["warm"] != 10 {
			t.Errorf("%v", roles)
		}
	})
}
