package report

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"weir.dev/weir"
)

// troubles are the lines below the table about one target: its failures by
// class, each with what to do, and what is odd about its answers.
func troubles(s *Summary, t *TargetSummary) []string {
	return append(failureLines(s, t), s.Oddities(t)...)
}

func failureLines(s *Summary, t *TargetSummary) (lines []string) {
	total := t.Requests
	if total == 0 {
		total = t.Warmup
	}
	for _, f := range t.Failures {
		line := fmt.Sprintf("%s: %s", bold.Render(t.Name), red.Render(describe(f, total)))
		if hint := s.Hint(t.Name, f); hint != "" {
			line += "; " + hint
		}
		if t.GaveUp {
			line += fmt.Sprintf(" (given up: %s not sent)", Count(t.Unsent, "request"))
		}
		lines = append(lines, line)
	}
	return lines
}

// Oddities are the lines about what is odd about a target's answers, in the
// terminal's styles, each with the target's name in front.
func (s *Summary) Oddities(t *TargetSummary) (lines []string) {
	name := bold.Render(t.Name)
	if t.Router {
		lines = append(lines, name+": a router: it picks a host for each request, so that its figures are of no one provider")
	}
	if t.Unsent > 0 && !t.GaveUp {
		line := fmt.Sprintf("%s: %s not sent", name, Count(t.Unsent, "request"))
		if len(s.Lost) > 0 {
			line += ", or lost"
		}
		lines = append(lines, line)
	}
	if t.Missed > 0 {
		lines = append(lines, fmt.Sprintf("%s: %s due and could not start before the end: %s", name, Count(t.Missed, "request"), "the cap, the quota or this machine held them up"))
	}
	if asked, ok := t.Asked.Get(); ok {
		lines = append(lines, fmt.Sprintf("%s: %.4g req/s asked for, %s drawn by the seed, %s sent; %s waited for a slot", name, asked, perSecond(t.Drawn), perSecond(t.Achieved), Count(t.SlotWaits, "start")))
	}
	if t.Quota.Waited > 0 {
		limits := ""
		if len(t.Quota.Limits) > 0 {
			limits = " (" + strings.Join(t.Quota.Limits, ", ") + ")"
		}
		lines = append(lines, fmt.Sprintf("%s: limited by the provider's quota%s: refused %d times, held up for %s", name, limits, t.Quota.Refused, duration(t.Quota.Waited.Duration().Seconds())))
	}
	if limited, ok := t.Limited.Get(); ok && limited > 0 {
		lines = append(lines, fmt.Sprintf("%s: %.1f %% of the requests were rate-limited; they are in no figure", name, 100*limited))
	}
	if reused, ok := t.Reused.Get(); ok && reused < 1 && t.Warnings[weir.WarnStaleConn] == 0 {
		lines = append(lines, fmt.Sprintf("%s: %.0f %% of the requests paid for a new connection in their %s; more --warmup makes them warm", name, 100*(1-reused), first(s)))
	}
	for _, w := range slices.Sorted(maps.Keys(t.Warnings)) {
		if said := oddAnswers[w]; said != "" {
			lines = append(lines, fmt.Sprintf("%s: %d of %d %s", name, t.Warnings[w], t.Requests, said))
		}
	}
	if len(t.Learned) > 0 {
		lines = append(lines, fmt.Sprintf("%s: does not take %s; asked without", name, strings.Join(t.Learned, ", ")))
	}
	if n, ok := t.Output.Get(); t.Outcomes[weir.OK] > 0 && !ok {
		lines = append(lines, name+": reports no token counts, so its speed is unknown (events are not taken for tokens)")
	} else if share, known := t.Length.Get(); ok && known && t.Speed.Reached+t.WholeRate.Reached > 0 && share < 0.9 {
		lines = append(lines, fmt.Sprintf("%s: answers were %.0f tokens long on average, %.0f %% of what was asked for; compare %s, not e2e", name, n, 100*share, lengthless(s)))
	}
	if t.SLO != nil && len(t.SLO.Run) > 0 {
		lines = append(lines, name+": "+t.SLO.objectives())
	}
	if t.Cache != nil {
		lines = append(lines, name+": "+t.Cache.sentence(t))
	}
	if l := t.Lengths; l != nil && l.Implausible {
		lines = append(lines, name+": no tokenizer counts prompts as it does; their length is a guess")
	}
	return lines
}

// perSecond is a rate, or n/a where there is none: of a single request, say.
func perSecond(v weir.Opt[float64]) string {
	if rate, ok := v.Get(); ok {
		return fmt.Sprintf("%.4g", rate)
	}
	return "n/a"
}

var oddAnswers = map[string]string{
	weir.WarnBuffered:         "answers came in one piece (buffered): no speed can be told from them",
	weir.WarnHiddenReasoning:  "answers billed reasoning that was not streamed: ttft contains it",
	weir.WarnStaleConn:        "requests met a dead kept connection and went out again on a fresh one",
	weir.WarnReasoningOutside: "answers counted reasoning outside completion_tokens; it was added",
	weir.WarnCompressed:       "answers came compressed although identity was asked for",
}

func describe(f Failure, total int) string {
	if f.Outcome == weir.Canceled {
		return fmt.Sprintf("canceled by the interrupt: %d of %d", f.Count, total)
	}
	parts := []string{fmt.Sprintf("%d of %d failed: %s", f.Count, total, f.Outcome)}
	if f.Status != 0 {
		parts = append(parts, fmt.Sprintf("HTTP %d", f.Status))
	}
	if f.ErrorType != "" {
		parts = append(parts, f.ErrorType)
	}
	line := strings.Join(parts, ", ")
	if f.Example != "" {
		line += ": " + f.Example
	}
	return line
}

// Hint says what to do about a target's failure; empty where nothing is known
// to help.
func (s *Summary) Hint(target string, f Failure) string {
	for _, t := range s.Settings.Targets {
		if t.Name == target {
			return hint(f, t)
		}
	}
	return hint(f, weir.Target{})
}

// Hopeless are the reasons why there is nothing to show, a line each: every
// target was given up before it had answered anything. It is empty otherwise.
func Hopeless(s *Summary) (lines []string) {
	for i := range s.Targets {
		t := &s.Targets[i]
		if !t.GaveUp || t.TTFT.Reached > 0 || s.Interrupted {
			return nil
		}
		lines = append(lines, failureLines(s, t)...)
	}
	return lines
}

// hint says what to do about a failure.
func hint(f Failure, t weir.Target) string {
	host := t.URL
	if u, err := url.Parse(t.URL); err == nil {
		host = u.Host
	}
	switch f.Outcome {
	case weir.ConnectError:
		return map[string]string{
			"refused": "nothing listens at " + host + ": is the server running, and is the port right?",
			"dns":     "the name in " + host + " does not resolve: check the URL",
			"tls":     "the TLS handshake failed: check http against https, and the certificate",
		}[f.ErrorType]
	case weir.TimeoutConnect:
		return "is " + host + " reachable from here? (--connect-timeout)"
	case weir.TimeoutFirstOutput:
		return "raise --first-output-timeout if that is usual here"
	case weir.TimeoutStall:
		return "raise --stall-timeout if that is usual here"
	case weir.TimeoutTotal:
		return "raise --timeout if that is usual here"
	case weir.RateLimited:
		return rateLimitHint(f)
	case weir.Auth:
		return authHint(f)
	case weir.BadRequest:
		return badRequestHint(f, t)
	case weir.UpstreamError:
		if f.Status == 501 || f.ErrorType == "redirect" {
			return fmt.Sprintf("is %s the API's base URL (often .../v1)?", t.URL)
		}
	case weir.Truncated:
		if f.ErrorType == "short_output" {
			return "fewer tokens came than --ignore-eos asked for"
		}
		return "the stream ended with neither a finish reason nor a terminal event: the server or a proxy cut it"
	case weir.Malformed, weir.EmptyResponse:
		return fmt.Sprintf("the answer is no %s stream: is %s the API's base URL (often .../v1), and is --dialect right?", cmp.Or(t.Dialect, weir.OpenAIChat), t.URL)
	case weir.NotStreamed:
		return "the server answered in one piece although a stream was asked for: no time to first token can be told"
	}
	return ""
}

func rateLimitHint(f Failure) string {
	if f.ErrorType == "quota_exhausted" {
		return "the account has nothing left: look at its billing"
	}
	if d, ok := f.RetryAfter.Get(); ok && d > 0 {
		return fmt.Sprintf("the server asked for a wait of up to %s: lower --concurrency", d.Duration())
	}
	return "lower --concurrency"
}

func authHint(f Failure) string {
	switch {
	case f.ErrorType == "auth_command": // its message says it
		return ""
	case f.Status == 402 || f.ErrorType == "quota_exhausted":
		return "the account has nothing left: look at its billing"
	case f.Status == 403:
		return "the key may not do this: is the model open to this account, and this region?"
	}
	return "name the variable that holds its key with --key-env, and check that the key is valid"
}

func badRequestHint(f Failure, t weir.Target) string {
	switch {
	case f.Status == 404:
		return fmt.Sprintf("check --model %q, and that %s is the API's base URL (often .../v1)", t.Model, t.URL)
	case f.ErrorType == "context_length":
		return "lower --input-tokens or --output-tokens"
	}
	return ""
}
