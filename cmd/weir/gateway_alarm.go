package main

import (
	"log/slog"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/route"
)

// alarm tells when a target goes out of use, and when it is back.
type alarm struct {
	log   *slog.Logger
	fleet *route.Fleet

	mu  sync.Mutex
	out map[string]string // targets out of use, and why
}

func newAlarm(log *slog.Logger, fleet *route.Fleet) *alarm {
	return &alarm{log: log, fleet: fleet, out: map[string]string{}}
}

// observe looks at the targets of a request that may have changed by it.
func (a *alarm) observe(r *journal.Record, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range r.Attempts {
		at := &r.Attempts[i]
		if _, out := a.out[at.Target]; out || at.Outcome != weir.OK {
			a.look(at, a.fleet.Health(at.Target, now))
		}
	}
}

func (a *alarm) look(at *journal.Attempt, h weir.Health) {
	before, was := a.out[h.Target]
	switch {
	case h.Reason == before:
	case h.Reason != "":
		a.out[h.Target] = h.Reason
		until := ""
		if t, ok := h.Until.Get(); ok {
			until = t.UTC().Format(time.RFC3339)
		}
		a.log.Warn("target out of use", slog.String("target", h.Target), slog.String("reason", h.Reason), slog.String("until", until),
			slog.String("outcome", string(at.Outcome)), slog.Int("status", at.Status.Or(0)), slog.String("error", at.ErrorMessage))
	case was:
		delete(a.out, h.Target)
		a.log.Info("target in use again", slog.String("target", h.Target))
	}
}
