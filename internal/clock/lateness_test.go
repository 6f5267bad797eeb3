//go:build unix

package clock

import (
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkLateness prints how late waits end, and the processor time of the
// whole process per wait, for sleepers with a 20 ms period and random phases:
//
//	go test -run xxx -bench Lateness -benchtime 1x ./internal/clock
func BenchmarkLateness(b *testing.B) {
	precise, err := NewPrecise()
	if err != nil {
		b.Fatal(err)
	}
	defer precise.Close()
	spin := startPrecise(newSpinner())
	defer spin.Close()
	for _, c := range []struct {
		name  string
		clock Clock
	}{{"plain", Plain{}}, {"precise", precise}, {"spinner", spin}} {
		for _, sleepers := range []int{1, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", c.name, sleepers), func(b *testing.B) {
				for b.Loop() {
					measureLateness(b, c.clock, sleepers)
				}
			})
		}
	}
}

func measureLateness(b *testing.B, c Clock, sleepers int) {
	const period, waits = 20 * time.Millisecond, 100
	late := make([]time.Duration, sleepers*waits)
	busy, start := processTime(b), c.Now().Add(period)
	var all sync.WaitGroup
	for i := range sleepers {
		mine := late[i*waits : (i+1)*waits]
		due := start.Add(period * time.Duration(i*7919%sleepers) / time.Duration(sleepers))
		all.Go(func() {
			for k := range mine {
				if err := c.Until(b.Context(), due); err != nil {
					b.Error(err)
				}
				mine[k] = c.Now().Sub(due)
				due = due.Add(period)
			}
		})
	}
	all.Wait()
	busy = processTime(b) - busy
	slices.Sort(late)
	us := func(q float64) float64 {
		return float64(late[int(q*float64(len(late)-1))]) / float64(time.Microsecond)
	}
	b.ReportMetric(us(0.5), "p50-us")
	b.ReportMetric(us(0.99), "p99-us")
	b.ReportMetric(float64(busy.Microseconds())/float64(len(late)), "cpu-us/wait")
	b.ReportMetric(0, "ns/op")
}

func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
