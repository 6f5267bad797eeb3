package stored

import (
	"fmt"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// checkSettings refuses settings that no run of ours can have had.
func checkSettings(dir string, s *report.Settings) error {
	why := wrongTargets(s.Targets)
	if why == "" {
		why = wrongNumber(s)
	}
	if _, err := weir.ParseSLO(s.SLO); why == "" && s.SLO != "" && err != nil {
		why = "slo: " + err.Error()
	}
	if why != "" {
		return &weir.Error{Code: "run_damaged", Message: fmt.Sprintf("%s: %s: %s", dir, SettingsFile, why), Hint: holds}
	}
	return nil
}

func wrongTargets(targets []weir.Target) string {
	if len(targets) == 0 {
		return "there is no target"
	}
	seen := map[string]bool{}
	for _, t := range targets {
		switch {
		case t.Name == "":
			return "a target has no name"
		case seen[t.Name]:
			return fmt.Sprintf("two targets are named %q", t.Name)
		}
		seen[t.Name] = true
		if p := t.Price; p != nil {
			for _, usd := range []weir.Opt[float64]{p.Input, p.CachedInput, p.CacheWrite, p.Output, p.Reasoning, p.Request} {
				if usd.Or(0) < 0 {
					return fmt.Sprintf("the price of %q is below 0", t.Name)
				}
			}
		}
	}
	return ""
}

// wrongNumber is the first number that bench would not have taken.
func wrongNumber(s *report.Settings) string {
	data := report.DataSettings{}
	if s.Work.Data != nil {
		data = *s.Work.Data
	}
	for _, n := range []struct {
		name  string
		value float64
	}{
		{"concurrency", float64(s.Concurrency)},
		{"requests", float64(s.Requests)},
		{"warmup", float64(s.Warmup)},
		{"input_tokens", float64(s.InputTokens)},
		{"output_tokens", float64(s.OutputTokens)},
		{"temperature", s.Temperature.Or(0)},
		{"work.cache_gap_ms", s.Work.CacheGap.MS()},
		{"work.shared_prefix", s.Work.SharedPrefix},
		{"work.turns", float64(s.Work.Turns)},
		{"work.images", float64(s.Work.Images)},
		{"work.data.records", float64(data.Records)},
		{"work.data.skipped", float64(data.Skipped)},
		{"limits.connect_ms", s.Limits.Connect.MS()},
		{"limits.first_output_ms", s.Limits.FirstOutput.MS()},
		{"limits.stall_ms", s.Limits.Stall.MS()},
		{"limits.total_ms", s.Limits.Total.Or(0).MS()},
	} {
		if n.value < 0 {
			return fmt.Sprintf("%s is %v, below 0", n.name, n.value)
		}
	}
	switch {
	case s.Load == "" && s.Concurrency == 0:
		return "concurrency is 0, and no load is open"
	case s.Work.SharedPrefix > 1:
		return fmt.Sprintf("work.shared_prefix is %v, above 1", s.Work.SharedPrefix)
	}
	return ""
}
