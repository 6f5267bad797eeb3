package config

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rule is what a name of the user's own has to look like.
type rule struct {
	pattern string
	re      *regexp.Regexp
	what    string
	hint    string
}

func newRule(pattern, what, hint string) *rule {
	return &rule{pattern, regexp.MustCompile(pattern), what, hint}
}

// nameRule is for names that provider/model and the flags of a command take.
func nameRule() *rule {
	return newRule(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`, "a name", "a name is up to 64 letters, digits, dots, dashes and underscores")
}

func wordRule(what string) *rule {
	return newRule(`^[A-Za-z0-9_-]{1,64}$`, what, "it is the word between the braces of the preset's URL")
}

// headerRule is a field name of RFC 9110.
func headerRule() *rule {
	return newRule("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$", "a header's name", "as in X-Team: search; letters, digits and dashes")
}

func (r *rule) fault(name string) *fault {
	if strings.Contains(name, "${") {
		return &fault{fmt.Sprintf("%s is not %s", quote(name), r.what), "variables are replaced in values only"}
	}
	if !r.re.MatchString(name) {
		return &fault{fmt.Sprintf("%s is not %s", quote(name), r.what), r.hint}
	}
	return nil
}

// decimal is a number as JSON writes it, with a sign and separators allowed.
// 010 is none: YAML's versions disagree on what it means.
var decimal = regexp.MustCompile(`^[-+]?(0|[1-9][0-9_]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

const maxNumber = 1e9

// parse reads a number of the spec's kind.
func (s *spec) parse(sc *scalar) (float64, *fault) {
	text := strings.TrimSpace(sc.text)
	if !decimal.MatchString(text) {
		return 0, &fault{fmt.Sprintf("%s wants %s, not %s", sc.name, s.what(), sc.shown()), s.doc}
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	var wants string
	switch {
	case err != nil || math.Abs(x) > maxNumber:
		wants = "is too large"
	case s.kind == count && x != math.Trunc(x):
		wants = "wants a whole number"
	case x < 0:
		wants = "cannot be negative"
	case x == 0 && s.kind != price:
		wants = "cannot be 0"
	default:
		return math.Abs(x), nil // no negative zero
	}
	hint := s.doc
	if x == 0 && sc.name == "weight" {
		hint = "a target without weight gets no request: delete it, or give it a weight above 0"
	}
	return 0, &fault{fmt.Sprintf("%s %s; it is %s", sc.name, wants, sc.shown()), hint}
}

func (s *spec) oneOf(sc *scalar) *fault {
	if slices.Contains(s.enum, sc.text) {
		return nil
	}
	hint := "known: " + strings.Join(s.enum, ", ")
	if near := suggest(sc.raw, s.enum); near != "" {
		hint = near
	}
	return &fault{fmt.Sprintf("%s %s is not known", sc.name, sc.shown()), hint}
}

// The checks of texts. None shows more of a value than scalar.shown.

// checkURL takes a URL that an API begins at. No part of it may be a secret:
// URLs are in tables, traces and logs.
func checkURL(s *scalar) *fault {
	const like = "it looks like http://10.0.0.5:8000/v1"
	u, err := url.Parse(s.text)
	switch {
	case strings.ContainsAny(s.text, "{}"):
		return &fault{s.name + " has a placeholder: " + s.shown(), "write what belongs there; params fills those of a preset's own URL only"}
	case hasBlank(s.text), err != nil:
		return &fault{s.name + " is no URL: " + s.shown(), like}
	case u.User != nil:
		return &fault{s.name + " holds a user name or password", `URLs are shown; put the key under api_key, or headers: {Authorization: "Basic ${...}"}`}
	case u.Scheme != "http" && u.Scheme != "https":
		return &fault{s.name + " does not begin with http:// or https://: " + s.shown(), like}
	case u.Hostname() == "":
		return &fault{s.name + " names no host: " + s.shown(), like}
	case u.Fragment != "":
		return &fault{s.name + " has a fragment (#...), which no server gets: " + s.shown(), like}
	}
	for name := range u.Query() {
		if secretName.MatchString(name) {
			return &fault{s.name + " holds a key (" + scrub(name) + "=...)", "URLs are shown; put the key under api_key or headers"}
		}
	}
	return nil
}

// checkLabel takes what may stand in a host name or path, so that no variable
// can lead a key to another host.
func checkLabel(s *scalar) *fault {
	for _, c := range s.text {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", c) {
			return &fault{s.name + " is the bare name: letters, digits, -, _ and .; not " + s.shown(), "not a URL"}
		}
	}
	return nil
}

func checkToken(s *scalar) *fault {
	if text := strings.TrimSpace(s.text); text == "" || hasBlank(text) {
		return &fault{s.name + " holds blanks or control characters", "a key is one word, without Bearer; look at what the variable or file really holds"}
	}
	return nil
}

func checkArgument(s *scalar) *fault {
	if strings.ContainsRune(s.text, 0) {
		return &fault{s.name + " holds a NUL character", ""}
	}
	return nil
}

func checkHeader(s *scalar) *fault {
	for _, c := range s.text {
		if c < ' ' && c != '\t' || c == 0x7f {
			return &fault{"the value of " + scrub(s.name) + " holds a line end or another control character", "a header is one line"}
		}
	}
	return nil
}

func notEmpty(s *scalar) *fault {
	if hasBlank(s.text) {
		return &fault{s.name + " holds blanks or control characters: " + s.shown(), ""}
	}
	return nil
}

func hasBlank(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

const (
	minRefresh = time.Second
	maxRefresh = 30 * 24 * time.Hour
)

func checkRefresh(s *scalar) *fault {
	_, f := parseRefresh(s)
	return f
}

// parseRefresh is 0 for 401.
func parseRefresh(s *scalar) (time.Duration, *fault) {
	if s.text == "401" {
		return 0, nil
	}
	d, err := time.ParseDuration(s.text)
	switch {
	case err != nil:
		return 0, &fault{s.name + " wants 401 or a duration, not " + s.shown(), "as in 30m or 1h"}
	case d < minRefresh || d > maxRefresh:
		return 0, &fault{s.name + " is between 1s and 720h, not " + s.shown(), "as in 30m or 1h"}
	}
	return d, nil
}
