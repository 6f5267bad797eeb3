package report

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"weir.dev/weir"
)

// troubles are the lines below the table: of each target its failures by class,
// each with what to do, and what is odd about its answers.
func troubles(s *Summary) []string {
	names, lines := make([]string, len(s.Targets)), make([][]string, len(s.Targets))
	for i := range s.Targets {
		t := &s.Targets[i]
		names[i], lines[i] = t.Name, append(failureLines(s, t), s.Remarks(t)...)
	}
	return fold(names, lines)
}

// failureLines are a target's failures, without its name.
func failureLines(s *Summary, t *TargetSummary) (lines []string) {
	total := t.Requests
	if total == 0 {
		total = t.Warmup
	}
	for _, f := range t.Failures {
		line := red.Render(describe(f, total))
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
	names, why := make([]string, len(s.Targets)), make([][]string, len(s.Targets))
	for i := range s.Targets {
		t := &s.Targets[i]
		if !t.GaveUp || t.TTFT.Reached > 0 || s.Interrupted {
			return nil
		}
		names[i], why[i] = t.Name, failureLines(s, t)
	}
	for _, line := range fold(names, why) {
		lines = append(lines, visibleLine(line))
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
