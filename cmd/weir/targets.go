package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/config"
)

// targetFlags name who is measured.
type targetFlags struct {
	Targets []string `arg:"" optional:"" name:"target" help:"provider/model (see weir providers), a model of the config, or the base URL of an endpoint, such as http://127.0.0.1:8000/v1, with --model."`
	configFlags
	Model   []string `help:"Model to ask for at URLs: one for all, or one for each, in their order. With --all, the name of open weights (see weir models)." placeholder:"M" sep:"none"`
	All     bool     `help:"Every provider of --model's weights that there is a key for."`
	Dialect []string `help:"${dialects}; default openai-chat. One for all URLs, or one for each." placeholder:"D"`
	KeyEnv  []string `name:"key-env" help:"Environment variable that holds the key. With several targets one for each, - for none. No key goes to a URL that it was not named for; a provider's own variable is used by itself." placeholder:"NAME"`
}

// place is one target, and what is known of where it is.
type place struct {
	weir.Target
	provider catalog.Provider // its Name is empty at a URL that is no preset's
	preset   bool             // named as provider/model
	own      *config.Provider // the config's word on it; nil: none
}

// places finds out who is asked.
func (f *targetFlags) places(p *process) ([]place, error) {
	if f.All {
		return f.everyProvider(p)
	}
	if len(f.Targets) == 0 {
		return nil, usage("no target: name a provider/model (weir providers lists them), or a URL with --model")
	}
	urls := 0
	for _, t := range f.Targets {
		if strings.Contains(t, "://") {
			urls++
		}
	}
	models, err := oneEach("--model", f.Model, urls)
	if err != nil {
		return nil, err
	}
	dialects, err := oneEach("--dialect", f.Dialect, urls)
	if err != nil {
		return nil, err
	}
	cfg, err := f.load(p)
	if err != nil {
		return nil, err
	}
	var out []place
	for _, t := range f.Targets {
		if !strings.Contains(t, "://") {
			some, err := namedPlaces(p, cfg, t)
			if err != nil {
				return nil, err
			}
			out = append(out, some...)
			continue
		}
		one, err := urlPlace(t, models[0], dialects[0])
		if err != nil {
			return nil, err
		}
		models, dialects = models[1:], dialects[1:]
		out = append(out, one)
	}
	switch {
	case urls == 0 && len(f.Model) > 0:
		return nil, usage("--model would change nothing: it is for URLs; %s has its own", f.Targets[0])
	case urls == 0 && len(f.Dialect) > 0:
		return nil, usage("--dialect would change nothing: it is for URLs; %s has its own", f.Targets[0])
	}
	namePlaces(out)
	return out, nil
}

func urlPlace(raw, model, dialect string) (place, error) {
	t := weir.Target{URL: raw, Model: model, Dialect: weir.OpenAIChat}
	if dialect != "" {
		d, ok := weir.ParseDialect(dialect)
		if !ok {
			return place{}, usage("--dialect %q is not known: it is one of %s", dialect, dialectNames())
		}
		t.Dialect = d
	}
	if err := checkURL(raw); err != nil {
		return place{}, err
	}
	if t.Model == "" {
		return place{}, usage("no --model: name the model to ask for at %s (weir models %s lists them)", raw, raw)
	}
	known, _ := catalog.AtURL(raw)
	t.Router = known.Quirks.Router
	return place{Target: t, provider: known}, nil
}

// presetPlace is a provider/model.
func presetPlace(p *process, s string) (place, error) {
	name, model, err := catalog.ParseTarget(s)
	if err != nil {
		return place{}, usage("%v; a URL begins with http:// or https://", err)
	}
	provider, err := catalog.Find(name)
	if err != nil {
		return place{}, usage("%v", err)
	}
	t, err := provider.Endpoint(model, p.env)
	if err != nil {
		return place{}, usage("%v", err)
	}
	return place{Target: t, provider: provider, preset: true}, nil
}

// everyProvider finds who serves the weights and may be asked.
func (f *targetFlags) everyProvider(p *process) ([]place, error) {
	if len(f.Targets) > 0 || len(f.Model) != 1 {
		return nil, usage("--all takes one --model and no targets, such as --model llama-3.3-70b --all")
	}
	if len(f.Dialect) > 0 {
		return nil, usage("--dialect would change nothing: it is for URLs, and --all asks providers, which have their own")
	}
	weights, err := catalog.FindModel(f.Model[0])
	if err != nil {
		return nil, usage("%v", err)
	}
	cfg, err := f.load(p)
	if err != nil {
		return nil, err
	}
	var out []place
	var without []string
	for _, offer := range weights.Offers {
		provider, err := catalog.Find(offer.Provider)
		if err != nil || offer.Ended(time.Now()) || provider.NoKey {
			continue
		}
		own, ok := cfg.Provider(provider.Name)
		hasOwn := ok && (own.APIKey.Given() || own.Auth != nil)
		if _, err := provider.Key(p.env); err != nil && !hasOwn {
			without = append(without, strings.Join(provider.KeyEnv, " or "))
			continue
		}
		one, err := namedPlaces(p, cfg, provider.Name+"/"+offer.Model)
		if err != nil { // such as an account that is not named: the others can be asked
			fmt.Fprintf(p.err, "weir: %s is left out: %v\n", provider.Name, err)
			continue
		}
		out = append(out, one...)
	}
	switch {
	case len(out) > 0:
	case len(without) == 0:
		return nil, usage("no provider of %s can be asked: weir providers shows what each needs", weights.Name)
	default:
		slices.Sort(without)
		return nil, usage("there is no key for any provider of %s: set one of %s (weir providers shows what is set)", weights.Name, strings.Join(slices.Compact(without), ", "))
	}
	namePlaces(out)
	return out, nil
}

func bare(places []place) (out []weir.Target) {
	for _, p := range places {
		out = append(out, p.Target)
	}
	return out
}

// refused is what each place is known not to take.
func refused(places []place) (out [][]string) {
	for _, p := range places {
		out = append(out, p.provider.Quirks.Refused(p.Model))
	}
	return out
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

// namePlaces gives each target the provider's name, or the shortest that tells
// it apart.
func namePlaces(ps []place) {
	ts := bare(ps)
	nameTargets(ts)
	seen := map[string]bool{}
	for i := range ps {
		ps[i].Name = ts[i].Name
		if ps[i].preset {
			ps[i].Name = ps[i].provider.Name
		}
		if seen[ps[i].Name] {
			ps[i].Name = ps[i].provider.Name + "/" + ps[i].Model
		}
		seen[ps[i].Name] = true
	}
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

// keys puts the keys into auth: of the named variables, and of a preset's own.
func (f *targetFlags) keys(p *process, places []place, auth *catalog.Auth) error {
	if len(f.KeyEnv) > 0 && len(f.KeyEnv) != len(places) {
		return usage("--key-env is given %d times for %d targets: give one for each, - for none", len(f.KeyEnv), len(places))
	}
	for i, at := range places {
		named := ""
		if len(f.KeyEnv) > 0 {
			named = f.KeyEnv[i]
		}
		if at.own != nil {
			if err := dressed(at, auth); err != nil {
				return err
			}
		}
		if named == "-" || (named == "" && !at.preset) || (named == "" && at.own != nil && at.own.Auth != nil) {
			continue
		}
		key, err := keyOf(p, at, named)
		if err != nil {
			return err
		}
		if key == "" && named == "" {
			continue
		}
		if err := auth.Add(at.Target, key); err != nil {
			if named != "" {
				return usage("--key-env %s: %v", envName(named), err)
			}
			return usage("%v", err)
		}
	}
	return nil
}

func keyOf(p *process, at place, named string) (string, error) {
	if named == "" && at.own != nil && at.own.APIKey.Given() {
		return at.own.APIKey.Reveal(), nil
	}
	if named == "" && at.own != nil && !at.own.Preset {
		return "", nil // a server of one's own may need none
	}
	if named != "" {
		key, ok := p.env(named)
		if !ok {
			return "", usage("--key-env %s: there is no such environment variable", envName(named))
		}
		return key, nil
	}
	key, err := at.provider.Key(p.env)
	if err != nil && !at.provider.NoKey {
		return "", usage("%v", err)
	}
	return key, nil
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
