package bench

import (
	"context"
	"errors"
	"testing"
	"time"
)

// sleeper is a clock whose process sleeps through the first due time, until after
// the run has ended.
type sleeper struct{ now time.Time }

func (s *sleeper) Now() time.Time { return s.now }

func (s *sleeper) Until(_ context.Context, due time.Time) error {
	s.now = due.Add(6 * time.Second)
	return errors.New("the run is over")
}

// TestWakeUpAfterTheEnd: what a process that was stopped met late may all be over
// before its sampler runs; that it slept is known all the same.
func TestWakeUpAfterTheEnd(t *testing.T) {
	late := wakeUps(t.Context(), &sleeper{time.Now()})
	if len(late) != 1 || late[0] != 6*time.Second {
		t.Errorf("%v", late)
	}
}
