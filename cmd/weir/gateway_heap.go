package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// A gateway without long streams holds some 4 MB, and collects each time that
// as much again was allocated: at a thousand requests a second that is an eighth
// of what it costs. So a small heap may grow to smallHeap before it is collected;
// a large one is collected as ever.
const (
	smallHeap   = 24 << 20 // bytes
	usualGrowth = 100      // percent, GOGC's default
	mostGrowth  = 800
)

// growth is how much a heap of so many live bytes may grow before it is
// collected, in percent.
func growth(live uint64) int {
	if live == 0 {
		return mostGrowth
	}
	room := 100 * (smallHeap - int64(min(live, smallHeap))) / int64(live)
	return int(min(max(room, usualGrowth), mostGrowth))
}

// leaveSmallHeapsAlone sets the growth after each collection, until stop is
// called. A user's GOGC is not touched.
func leaveSmallHeapsAlone(p *process) (stop func()) {
	if _, given := p.env("GOGC"); given {
		return func() {}
	}
	var stopped atomic.Bool
	last := 0
	var mark func()
	mark = func() {
		if stopped.Load() {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if now := growth(live[0].Value.Uint64()); now != last {
			last = now
			debug.SetGCPercent(now)
		}
		runtime.SetFinalizer(new([16]byte), func(*[16]byte) { mark() }) // run after the next collection
	}
	mark()
	return func() {
		stopped.Store(true)
		debug.SetGCPercent(usualGrowth)
	}
}
