package report

import (
	"fmt"

	"weir.dev/weir"
)

// A run without streams has fewer figures: when the last byte of an answer came
// is known, and nothing of what happened before.

// WholeLine says what a run without streams cannot tell.
const WholeLine = "not streamed (--no-stream): ttft, tpot, stalls and output speed cannot be measured; e2e is from due to the last byte of the answer, " +
	"whole speed is completion tokens / e2e: the queue and the prefill are in it"

func wholeHead() []string {
	return []string{"", "e2e p50 [95 %]", "p95", "p99", "whole speed p50", "ok", "in", "out", "n"}
}

func wholeRow(t *TargetSummary) []string {
	return []string{
		t.Name,
		latencyBetween(t.E2E), Latency(t.E2E, 0.95), Latency(t.E2E, 0.99),
		Speed(t.WholeRate), Percent(t.Success), Tokens(t.Prompt), Tokens(t.Output), sent(t),
	}
}

// wholeSpeed is the tokens of each good answer, by its usage, over the whole
// time it took.
func wholeSpeed(samples []weir.Sample) Quantiles {
	return observed(goodOnes(samples, wholeSpeedOf), true)
}

func wholeSpeedOf(s *weir.Sample) (float64, bool) {
	n, ok1 := s.Completion.Get()
	took, ok2 := s.E2E.Get()
	if !ok1 || !ok2 || took <= 0 || s.TokenSource == weir.TokensFromEstimate || s.Implausible {
		return 0, false
	}
	return float64(n) / took.Duration().Seconds(), true
}

// first is the figure that a new connection makes longer.
func first(s *Summary) string {
	if s.Settings.Stream {
		return "ttft"
	}
	return "e2e"
}

// lengthless is the figure that stands answers of different lengths.
func lengthless(s *Summary) string {
	if s.Settings.Stream {
		return fmt.Sprintf("e2e@%d", s.Settings.OutputTokens)
	}
	return "whole speed"
}
