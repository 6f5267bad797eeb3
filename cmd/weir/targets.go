package main

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
)

// targetFlags name who is measured.
type targetFlags struct {
	URLs    []string `arg:"" name:"url" help:"Base URL of each endpoint, such as http://127.0.0.1:8000/v1."`
	Model   []string `help:"Model to ask for: one for all URLs, or one for each, in their order." placeholder:"M" sep:"none"`
	Dialect []string `help:"${dialects}; default openai-chat. One for all URLs, or one for each." placeholder:"D"`
	KeyEnv  []string `name:"key-env" help:"Environment variable that holds the key. With several URLs one for each, - for none: no key goes to a URL that it was not named for." placeholder:"NAME"`
}

func (f *targetFlags) targets() ([]weir.Target, error) {
	models, err := oneEach("--model", f.Model, len(f.URLs))
	if err != nil {
		return nil, err
	}
	dialects, err := oneEach("--dialect", f.Dialect, len(f.URLs))
	if err != nil {
		return nil, err
	}
	var out []weir.Target
	for i, raw := range f.URLs {
		t := weir.Target{URL: raw, Model: models[i], Dialect: weir.OpenAIChat}
		if dialects[i] != "" {
			d, ok := weir.ParseDialect(dialects[i])
			if !ok {
				return nil, usage("--dialect %q is not known: it is one of %s", dialects[i], dialectNames())
			}
			t.Dialect = d
		}
		if t.Model == "" {
			return nil, usage("no --model: name the model to ask for at %s", raw)
		}
		if err := checkURL(raw); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	nameTargets(out)
	return out, nil
}

// oneEach spreads a flag that is given once over all URLs.
func oneEach(flag string, values []string, urls int) ([]string, error) {
	switch len(values) {
	case urls:
		return values, nil
	case 0, 1:
		out := make([]string, urls)
		for i := range out {
			out[i] = strings.Join(values, "")
		}
		return out, nil
	}
	return nil, usage("%s is given %d times for %d URLs: give it once, or once for each URL", flag, len(values), urls)
}

var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|signature|^sig$|auth|credential`)

func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return usage("a URL cannot be read: it looks like http://host:8000/v1")
	case u.User != nil:
		return usage("the URL of %s holds a user name or password: put the key in a variable and name it with --key-env", u.Host)
	case (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return usage("%q is no base URL: it begins with http:// or https:// and names a host, such as http://127.0.0.1:8000/v1", raw)
	}
	for name := range u.Query() {
		if secretName.MatchString(name) {
			return usage("the URL of %s holds a key (%s=...): put it in a variable and name that with --key-env", u.Host, name)
		}
	}
	return nil
}

// nameTargets gives each target the shortest name that tells it apart: the
// host, the model, both, or a number.
func nameTargets(ts []weir.Target) {
	host := func(t weir.Target) string {
		u, err := url.Parse(t.URL)
		if err != nil {
			return t.URL
		}
		return u.Host
	}
	for _, name := range []func(weir.Target) string{
		host,
		func(t weir.Target) string { return t.Model },
		func(t weir.Target) string { return t.Model + "@" + host(t) },
	} {
		seen := map[string]bool{}
		for i := range ts {
			ts[i].Name = name(ts[i])
			seen[ts[i].Name] = true
		}
		if len(seen) == len(ts) {
			return
		}
	}
	count := map[string]int{}
	for i := range ts {
		name := ts[i].Name
		if count[name]++; count[name] > 1 {
			ts[i].Name = fmt.Sprintf("%s#%d", name, count[name])
		}
	}
}

// keys reads the named variables into auth.
func (f *targetFlags) keys(p *process, targets []weir.Target, auth *catalog.Auth) error {
	if len(f.KeyEnv) == 0 {
		return nil
	}
	if len(f.KeyEnv) != len(targets) {
		return usage("--key-env is given %d times for %d URLs: give one for each, - for none", len(f.KeyEnv), len(targets))
	}
	for i, name := range f.KeyEnv {
		if name == "-" {
			continue
		}
		key, ok := p.env(name)
		if !ok {
			return usage("--key-env %s: there is no such environment variable", envName(name))
		}
		if err := auth.Add(targets[i], key); err != nil {
			return usage("--key-env %s: %v", envName(name), err)
		}
	}
	return nil
}

// envName is what may be shown of the flag's value: someone may have put the
// key itself there.
func envName(s string) string {
	for _, r := range s {
		if !(r == '_' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') || len(s) > 64 {
			return "(not a variable's name; keys never go on the command line)"
		}
	}
	return s
}
