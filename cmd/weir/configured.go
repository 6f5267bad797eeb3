package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/config"
)

// defaultConfig is read where there is one and none is named.
const defaultConfig = "weir.yaml"

type configFlags struct {
	Config string `short:"c" help:"The config; weir.yaml where there is one." placeholder:"FILE"`
}

// load reads the config. Without one it is empty. What a provider lacks that is
// not asked may stay missing: a variable that is unset, a file that is not there.
func (f *configFlags) load(p *process) (*config.Config, error) {
	cfg, problems, err := f.read(p)
	if err != nil {
		return nil, err
	}
	if err := problems.Except(config.UnsetVariable, config.UnreadableFile).Err(); err != nil {
		fmt.Fprintln(p.err, err)
		return nil, quiet(exitUsage)
	}
	return cfg, nil
}

func (f *configFlags) read(p *process) (*config.Config, config.Problems, error) {
	name := f.Config
	if name == "" {
		name = defaultConfig
	}
	src, err := os.ReadFile(name)
	if f.Config == "" && errors.Is(err, fs.ErrNotExist) {
		return &config.Config{}, nil, nil
	}
	if err != nil {
		return nil, nil, usage("--config: %v", err)
	}
	cfg, problems := config.Load(name, src, world(p))
	return cfg, problems, nil
}

// world is what a config may look at.
func world(p *process) config.World {
	w := config.World{Env: p.env, ReadFile: os.ReadFile, Preset: func(name string) (config.Preset, bool) {
		one, err := catalog.Find(name)
		if err != nil {
			return config.Preset{}, false
		}
		preset := config.Preset{BaseURL: one.BaseURL, Dialect: string(one.Dialect)}
		for _, param := range one.Params {
			preset.Params = append(preset.Params, param.Name)
		}
		return preset, true
	}}
	for _, one := range catalog.Providers() {
		w.Presets = append(w.Presets, one.Name)
	}
	return w
}

// namedPlaces finds a name: a model of the config, a model at a provider of the
// config, or a provider/model.
func namedPlaces(p *process, cfg *config.Config, name string) ([]place, error) {
	if targets, ok := cfg.Model(name); ok {
		var out []place
		for _, t := range targets {
			one, err := configPlace(p, cfg, t)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
		return out, nil
	}
	if provider, model, ok := strings.Cut(name, "/"); ok {
		if _, ok := cfg.Provider(provider); ok {
			one, err := configPlace(p, cfg, config.Target{Provider: provider, Model: model})
			return []place{one}, err
		}
	}
	provider, _, whole := strings.Cut(name, "/")
	if !whole {
		return nil, notATarget(cfg, name)
	}
	if _, err := catalog.Find(provider); err != nil && provider != "" {
		return nil, notAProvider(cfg, provider)
	}
	one, err := presetPlace(p, name)
	return []place{one}, err
}

func configPlace(p *process, cfg *config.Config, t config.Target) (place, error) {
	own, ok := cfg.Provider(t.Provider)
	if !ok {
		return place{}, usage("the config has no provider %q", t.Provider)
	}
	at := place{own: &own, preset: true, provider: catalog.Provider{Name: own.Name}}
	at.Target = weir.Target{URL: own.BaseURL, Dialect: own.Dialect, Model: t.Model}
	if own.Preset {
		known, err := catalog.Find(own.Name)
		if err != nil {
			return place{}, usage("%v", err)
		}
		if known.BaseURL = own.BaseURL; known.BaseURL == "" {
			return place{}, usage("the config gives no URL for %s", own.Name)
		}
		target, err := known.Endpoint(t.Model, p.env) // fills what the config does not
		if err != nil {
			return place{}, usage("%v", err)
		}
		at.provider, at.Target = known, target
	}
	if t.Price.Input.Known() || t.Price.Output.Known() {
		price := t.Price
		at.Price = &price
	}
	return at, nil
}

// dressed gives auth what the config says of a provider beside its key.
func dressed(at place, auth *catalog.Auth) error {
	for _, h := range at.own.Headers {
		if err := auth.AddHeader(at.Target, h.Name, h.Value.Reveal()); err != nil {
			return usage("%v", err)
		}
	}
	if a := at.own.Auth; a != nil {
		if err := auth.AddCommand(at.Target, catalog.Command{Args: a.Command, Refresh: a.Refresh}); err != nil {
			return usage("%v", err)
		}
	}
	return nil
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
