package bench

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// laps keeps the slots of all targets together: in a lap every slot sends one
// session, and the next lap begins when all of them were answered. So a lap is a
// block in which all targets met the same prompts and the same minute. A slot
// that waits for a lap's end is off the clock.
type laps struct {
	every time.Duration // from one lap's start to the next's, at least

	mu      sync.Mutex
	rnd     *rand.Rand
	slots   [][]*lapSlot // of each target
	awaited int          // slots that the next lap waits for
	waiting int          // slots that wait for it
	next    int          // its number
	began   time.Time    // when the lap before did; zero: none has
	first   time.Time    // when the first did
	took    []time.Duration
	timer   *time.Timer
	over    bool
}

// lapSlot is a slot's place in the laps.
type lapSlot struct {
	laps    *laps
	awaited bool
	turn    chan lapStart // not nil while it waits
}

// lapStart lets a slot go.
type lapStart struct {
	lap int
	at  time.Time
}

// A lap waits for its last slots a few times as long as laps take, or as its
// first slot took, and some seconds at least: one answer that hangs must not
// hold all targets up. Who comes too late joins the next lap.
const (
	leastPatience = 10 * time.Second
	patienceLaps  = 3
	lapsKept      = 15
)

// streamLaps keeps the order of starts apart from what else follows from a seed.
const streamLaps = 0x6c617073

// newLaps are laps of targets with so many slots each.
func newLaps(seed uint64, slots []int, every time.Duration, before Before) *laps {
	l := &laps{every: every, next: before.Laps, first: before.Begun, rnd: rand.New(rand.NewPCG(seed, streamLaps))}
	for _, n := range slots {
		mine := make([]*lapSlot, n)
		for i := range mine {
			mine[i] = &lapSlot{laps: l, awaited: true}
		}
		l.slots, l.awaited = append(l.slots, mine), l.awaited+n
	}
	return l
}

// join waits for the next lap's start.
func (s *lapSlot) join(ctx context.Context) (lapStart, error) {
	l, ch := s.laps, make(chan lapStart, 1)
	l.mu.Lock()
	s.turn = ch
	s.forget()
	if l.waiting++; l.waiting == 1 {
		l.arm(l.patience())
	}
	l.check()
	l.mu.Unlock()
	select {
	case start := <-ch:
		return start, nil
	case <-ctx.Done():
		return lapStart{}, ctx.Err()
	}
}

// leave says that the slot will not come again.
func (s *lapSlot) leave() {
	l := s.laps
	l.mu.Lock()
	defer l.mu.Unlock()
	s.forget()
	if s.turn != nil {
		s.turn = nil
		l.waiting--
	}
	l.check()
}

// forget says that no lap waits for the slot. The lock is held, here and below.
func (s *lapSlot) forget() {
	if s.awaited {
		s.awaited = false
		s.laps.awaited--
	}
}

// check begins a lap where all slots are there and its time has come.
func (l *laps) check() {
	if l.awaited > 0 || l.waiting == 0 || l.over {
		return
	}
	if early := time.Until(l.earliest()); early > 0 {
		l.arm(early)
		return
	}
	l.start()
}

// earliest is when the next lap may begin.
func (l *laps) earliest() time.Time {
	if l.first.IsZero() {
		return time.Time{}
	}
	return l.first.Add(l.every * time.Duration(l.next))
}

func (l *laps) start() {
	now := time.Now()
	if l.first.IsZero() {
		l.first = now
	}
	if !l.began.IsZero() {
		l.took = append(l.took, now.Sub(l.began))
		l.took = l.took[max(0, len(l.took)-lapsKept):]
	}
	l.began = now
	for _, t := range l.rnd.Perm(len(l.slots)) {
		for _, s := range l.slots[t] {
			if s.turn == nil {
				continue
			}
			s.turn <- lapStart{l.next, now}
			s.turn, s.awaited = nil, true
			l.awaited++
		}
	}
	l.waiting = 0
	l.next++
	l.timer.Stop()
}

// arm sets the one timer: to lose patience, or to begin.
func (l *laps) arm(d time.Duration) {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(d, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, mine := range l.slots {
			for _, s := range mine {
				s.forget()
			}
		}
		l.check()
	})
}

// patience is for how long the first slot that was answered waits for the last.
func (l *laps) patience() time.Duration {
	p := leastPatience
	if !l.began.IsZero() {
		p = max(p, patienceLaps*time.Since(l.began))
	}
	if len(l.took) > 0 && l.every == 0 {
		sorted := slices.Sorted(slices.Values(l.took))
		p = max(p, patienceLaps*sorted[len(sorted)/2])
	}
	return p
}

// stop ends it: no lap begins any more.
func (l *laps) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
}
