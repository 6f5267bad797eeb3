package work

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"weir.dev/weir/internal/request"
)

// sessions is a source of conversations of the same number of turns. The user's
// text of each turn has an input length of its own, and the answers before it
// are made up: as long as they were wanted and the same for all targets. So an
// engine finds in its cache what it was asked before, but not what it answered.
type sessions struct{ maker }

var _ Source = (*sessions)(nil)

// Align implements Source.
func (s *sessions) Align(k int) int {
	n := s.plan.Turns
	return (k + n - 1) / n * n
}

// Prompt implements Source.
func (s *sessions) Prompt(target, k int, c *Calibration) Request {
	session, turn := k/s.plan.Turns, k%s.plan.Turns
	first := k - turn
	r := Request{System: s.plan.System, Session: session, Turn: turn, More: turn+1 < s.plan.Turns}
	for i := first; i <= k; i++ {
		in, out := s.lengths(i)
		r.InputTokens += in
		if i == first {
			n := s.plan.words(c, in)
			r.Messages = append(r.Messages, s.opening(target, session, i, n))
			r.Words = n
		} else {
			text := s.plan.Class.text(s.rand(streamWords, i), s.plan.moreWords(c, in))
			r.Messages = append(r.Messages, user(text+s.plan.Class.task()))
			r.Words = 0 // the frames of the messages would pass for words
		}
		if i == k {
			r.OutputTokens = out
			break
		}
		r.InputTokens += out
		answer := s.plan.Class.text(s.rand(streamAnswers, i), s.plan.answerWords(c, out))
		r.Messages = append(r.Messages, request.Message{Role: request.RoleAssistant, Text: answer})
	}
	if turn > 0 {
		r.Think = s.plan.Think.Draw(s.rand(streamThink, k))
	}
	s.complete(&r, target, k)
	return r
}

// ThinkTime is how long a user takes before the next turn: normal, from 0 to
// the mean and four deviations. Its zero value is no time.
type ThinkTime struct{ Mean, SD time.Duration }

// Draw draws one.
func (t ThinkTime) Draw(rnd *rand.Rand) time.Duration {
	if t.SD == 0 {
		return t.Mean
	}
	d := t.Mean + time.Duration(rnd.NormFloat64()*float64(t.SD))
	return min(max(d, 0), t.Mean+4*t.SD)
}

// String is what ParseThinkTime reads.
func (t ThinkTime) String() string {
	if t.SD == 0 {
		return t.Mean.String()
	}
	return t.Mean.String() + "~" + t.SD.String()
}

// maxThink keeps times from overflowing; nobody thinks longer.
const maxThink = 24 * time.Hour

// ParseThinkTime reads 5s, or 5s~2s: a mean and a standard deviation.
func ParseThinkTime(s string) (ThinkTime, error) {
	mean, sd, normal := strings.Cut(s, "~")
	var t ThinkTime
	var err error
	if t.Mean, err = parseTime(mean); err == nil && normal {
		t.SD, err = parseTime(sd)
	}
	if err != nil {
		return ThinkTime{}, bad(fmt.Sprintf("think time %q", s), "5s, or 5s~2s for a mean and a standard deviation, up to 24h")
	}
	return t, nil
}

func parseTime(s string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err == nil && (d < 0 || d > maxThink) {
		err = fmt.Errorf("%v is out of range", d)
	}
	return d, err
}
