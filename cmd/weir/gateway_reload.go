package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"weir.dev/weir/internal/config"
)

// soundConfig is a config that a gateway can work by.
type soundConfig struct {
	config  *config.Config
	file    string
	stamp   fileStamp         // of the file before it was read
	lacking map[string]string // providers whose key is not there, and why
}

// unsound are the problems of a config that keep it from being used.
type unsound struct{ config.Problems }

// sound reads the config, and shows what is wrong with it.
func (c *gatewayCmd) sound(p *process) (*soundConfig, error) {
	cfg, err := c.readSound(p)
	if bad, ok := errors.AsType[unsound](err); ok {
		fmt.Fprintln(p.err, bad.Problems)
		return nil, quiet(exitUsage)
	}
	return cfg, err
}

func (c *gatewayCmd) readSound(p *process) (*soundConfig, error) {
	name := c.Config
	if name == "" {
		name = defaultConfig
	}
	stamp := stampOf(name)
	if stamp == (fileStamp{}) && c.Config == "" {
		return nil, usage("there is no %s here: name one with -c, or begin with weir check --example", name)
	}
	cfg, problems, err := c.read(p)
	if err != nil {
		return nil, err
	}
	out := &soundConfig{config: cfg, file: name, stamp: stamp, lacking: map[string]string{}}
	var bad config.Problems
	for _, one := range problems {
		if provider, ok := keyOfProvider(cfg, one); ok {
			out.lacking[provider] = one.Message
			continue
		}
		bad = append(bad, one)
	}
	switch {
	case len(bad) > 0:
		return nil, unsound{bad}
	case len(cfg.Routes) == 0:
		return nil, usage("%s has no routes: a first one is %s", name, `routes: {chat: groq/llama-3.3-70b-versatile}`)
	}
	return out, nil
}

// keyOfProvider tells whether all that a problem is about is a secret of one
// provider which is not there: the others can be asked.
func keyOfProvider(cfg *config.Config, one config.Problem) (provider string, ok bool) {
	if one.Code != config.UnsetVariable && one.Code != config.UnreadableFile {
		return "", false
	}
	for _, p := range cfg.Providers {
		rest, its := strings.CutPrefix(one.Path, "providers."+p.Name+".")
		if its && (strings.HasPrefix(rest, "api_key") || strings.HasPrefix(rest, "auth") || strings.HasPrefix(rest, "headers")) {
			return p.Name, true
		}
	}
	return "", false
}

// enter puts a wiring in force and says what it serves.
func (g *gatewayProcess) enter(w *wiring) {
	g.metrics.Configure(w.labels)
	g.secrets.auth.Store(w.auth)
	g.now.Store(w)
	for _, one := range w.config.Warnings {
		g.problem(slog.LevelWarn, one)
	}
	for _, r := range w.gateway.Routes {
		var names []string
		for _, t := range r.Targets {
			names = append(names, t.Name)
		}
		g.log.Info("route", slog.String("route", r.Plan.Name), slog.String("policy", string(r.Plan.Policy)), slog.String("targets", strings.Join(names, ", ")))
	}
	for _, k := range w.keyless {
		g.log.Error("a target has no key and is never asked", slog.String("target", k.target), slog.String("why", k.why))
	}
}

// reload takes the config over again. Where anything is wrong with it, all stays
// as it was.
func (g *gatewayProcess) reload(why string) {
	now := g.now.Load()
	w, err := g.reread(now)
	if err == nil {
		g.metrics.Configure(w.labels) // before the first request to a new route
		err = g.server.Apply(w.gateway)
	}
	if err != nil {
		if bad, ok := errors.AsType[unsound](err); ok {
			for _, one := range bad.Problems {
				g.problem(slog.LevelError, one)
			}
			err = fmt.Errorf("%s", many(len(bad.Problems), "problem"))
		}
		g.log.Error("the config was not taken over; the old one stays", slog.String("file", now.file), slog.String("reason", why), slog.Any("error", err))
		return
	}
	listen, admin := g.addresses(w)
	if oldListen, oldAdmin := g.addresses(now); listen != oldListen || admin != oldAdmin {
		g.log.Warn("listen and admin take effect at the next start", slog.String("listen", listen), slog.String("admin", admin))
	}
	g.enter(w)
	g.warm(w)
	g.log.Info("config taken over", slog.String("file", w.file), slog.String("reason", why), slog.Int("routes", len(w.gateway.Routes)), slog.Int("keys", len(w.config.Keys)))
}

// reread is stricter than the first reading: a key that was there and is not is
// a mistake more likely than a wish.
func (g *gatewayProcess) reread(now *wiring) (*wiring, error) {
	cfg, err := g.flags.readSound(g.p)
	if err != nil {
		return nil, err
	}
	for provider, why := range cfg.lacking {
		if _, before := now.lacking[provider]; !before {
			return nil, usage("the key of %s is not there: %s", provider, why)
		}
	}
	return g.wire(cfg)
}

func (g *gatewayProcess) problem(level slog.Level, one config.Problem) {
	g.log.Log(context.Background(), level, "config problem",
		slog.String("at", fmt.Sprintf("%s:%d:%d", one.File, one.Line, one.Column)), slog.String("problem", one.Message), slog.String("hint", one.Hint))
}

// watchEvery is how often the config's file is looked at.
const watchEvery = time.Second

// fileStamp is by what a file's change is seen.
type fileStamp struct {
	at   time.Time
	size int64
}

// stampOf is that of a file; empty while there is none, such as in the middle of
// its replacement.
func stampOf(name string) fileStamp {
	info, err := os.Stat(name)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{info.ModTime(), info.Size()}
}

// fileWatch tells when a file is another one than was read.
type fileWatch struct{ read, last fileStamp }

// changed tells whether the file is to be read again: it differs, and has stopped
// changing, since half a file may be sound too.
func (w *fileWatch) changed(s fileStamp) bool {
	still := s == w.last
	w.last = s
	if s == w.read || !still || s == (fileStamp{}) {
		return false
	}
	w.read = s
	return true
}
