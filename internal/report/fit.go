package report

import (
	"fmt"
	"strings"

	"weir.dev/weir"
)

// Fit is what a target is good enough for (METRICS.md, "fit").
type Fit struct {
	Chat  weir.Opt[bool] `json:"chat"`  // success, ttft_p95 and output_speed_p50
	Batch weir.Opt[bool] `json:"batch"` // success
	Why   string         `json:"why,omitempty"`
}

// What chat and batch take.
const (
	chatSuccess  = 0.99
	chatTTFT     = 500.0 // ms, where no SLO says otherwise
	chatSpeed    = 20.0  // tokens/s
	batchSuccess = 0.95
)

// fitOf judges a target, whose p95 ttft may be up to limit ms; empty where too
// little is known.
func fitOf(t *TargetSummary, limit float64) Fit {
	success, ok := t.Success.Get()
	if !ok {
		return Fit{}
	}
	f := Fit{Batch: weir.Some(success >= batchSuccess)}
	ttft, timed := t.TTFT.P95.Get()
	speed, fast := t.Speed.P50.Get()
	switch {
	case success < chatSuccess:
		f.Chat, f.Why = weir.Some(false), fmt.Sprintf("success %s", Percent(t.Success))
	case t.TTFT.N > 0 && !timed:
		f.Chat, f.Why = weir.Some(false), "p95 ttft "+Latency(t.TTFT, 0.95)
	case timed && ttft > limit:
		f.Chat, f.Why = weir.Some(false), "p95 ttft "+Millis(ttft)
	case fast && speed < chatSpeed:
		f.Chat, f.Why = weir.Some(false), fmt.Sprintf("output speed %.1f tok/s", speed)
	case timed && fast:
		f.Chat = weir.Some(true)
	default:
		f.Why = "no ttft or no speed"
	}
	return f
}

// fitLine is "fit: north chat yes, batch yes · south chat no (p95 ttft 880 ms),
// batch yes".
func fitLine(s *Summary) string {
	var names, parts []string
	var says [][]string
	fewest := 0
	for i := range s.Targets {
		t := &s.Targets[i]
		if !t.Fit.Batch.Known() {
			continue
		}
		chat := YesNo(t.Fit.Chat)
		if t.Fit.Why != "" {
			chat += " (" + t.Fit.Why + ")"
		} else if t.TTFT.OpenEnded(0.95) && (fewest == 0 || t.TTFT.N < fewest) {
			fewest = t.TTFT.N
		}
		names, says = append(names, t.Name), append(says, []string{fmt.Sprintf("chat %s, batch %s", chat, YesNo(t.Fit.Batch))})
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) <= fewNames {
		for i := range names {
			parts = append(parts, names[i]+" "+says[i][0])
		}
	} else {
		parts = alike(names, says, func(who, line string) string { return who + " " + line })
	}
	line := "fit: " + strings.Join(parts, " · ")
	if fewest > 0 {
		line += fmt.Sprintf(" (as far as %s each can tell)", Count(fewest, "request"))
	}
	return line
}
