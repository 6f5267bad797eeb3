package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/config"
)

type checkCmd struct {
	configFlags
	Schema  bool `help:"Print the JSON Schema for editors instead."`
	Example bool `help:"Print a config to start from instead."`
}

// Help is shown below the flags.
func (checkCmd) Help() string {
	return `Reads the config and says everything that is wrong with it, with line and column.
Of a sound one it shows what weir gateway would serve: each route with its
targets in order, whether their keys are there, and their prices. Warnings are
on standard error. It asks nobody.

  weir check
  weir check -c weir.yaml
  weir check --example > weir.yaml
  weir check --schema > weir.schema.json

Exit code: 0 sound, 2 not, or no target of a route can be asked.`
}

func (c *checkCmd) Run(p *process) error {
	switch {
	case c.Schema:
		_, err := p.out.Write(append(config.Schema(), '\n'))
		return err
	case c.Example:
		_, err := fmt.Fprint(p.out, config.Example())
		return err
	}
	cfg, problems, err := c.read(p)
	if err != nil {
		return err
	}
	if err := problems.Err(); err != nil {
		fmt.Fprintln(p.err, err)
		return quiet(exitUsage)
	}
	if c.Config == "" && len(cfg.Providers) == 0 {
		if _, err := os.Stat(defaultConfig); err != nil {
			return usage("there is no %s here: name one with -c, or begin with weir check --example", defaultConfig)
		}
	}
	if len(cfg.Warnings) > 0 {
		fmt.Fprintln(p.err, cfg.Warnings)
	}
	fmt.Fprintf(p.out, "%s: sound\n", counted(cfg))
	if len(cfg.Routes) == 0 {
		return nil
	}
	return served(p, cfg)
}

// counted says what a config holds.
func counted(cfg *config.Config) string {
	parts := []string{many(len(cfg.Providers), "provider")}
	for _, x := range []struct {
		n    int
		what string
	}{{len(cfg.Models), "model"}, {len(cfg.Routes), "route"}, {len(cfg.Keys), "key"}} {
		if x.n > 0 || x.what == "model" && len(cfg.Routes) == 0 {
			parts = append(parts, many(x.n, x.what))
		}
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// served shows what a gateway would make of the routes. Its error names those
// that could answer nothing.
func served(p *process, cfg *config.Config) error {
	table, err := catalog.Prices()
	if err != nil {
		return err
	}
	rows := [][]string{{"route", "policy", "target", "key", "USD per million tokens in / out"}}
	var dead, unpriced []string
	for _, r := range cfg.Routes {
		name, policy, alive := r.Name, string(r.Policy), false
		for _, t := range r.Targets {
			key, ok := keyOfTarget(p, cfg, t)
			price := rates(priceOf(table, t))
			if price == "" && !slices.Contains(unpriced, t.Name()) {
				unpriced = append(unpriced, t.Name())
			}
			rows = append(rows, []string{name, policy, t.Name(), key, price})
			name, policy, alive = "", "", alive || ok
		}
		if !alive {
			dead = append(dead, r.Name)
		}
	}
	if err := writeColumns(p, rows); err != nil {
		return err
	}
	fmt.Fprintln(p.out, doors(cfg))
	for _, k := range cfg.Keys {
		if k.Budget.Known() && len(unpriced) > 0 {
			fmt.Fprintf(p.err, "warning: the budget of %s counts nothing at %s: there is no price; give one under models\n", k.Name, strings.Join(unpriced, ", "))
		}
	}
	if len(dead) > 0 {
		return usage("no target of %s can be asked: set the key of one", strings.Join(dead, ", "))
	}
	return nil
}

// doors says where the gateway listens, and to whom.
func doors(cfg *config.Config) string {
	who := "anyone who reaches it"
	if n := len(cfg.Keys); n > 0 {
		who = "holders of " + many(n, "key")
	}
	admin := "no admin API"
	if cfg.Admin != "" {
		admin = "admin API at " + cfg.Admin
	}
	at := cfg.Listen
	if strings.HasPrefix(at, ":") {
		at = "localhost" + at
	}
	return fmt.Sprintf("callers at http://%s/v1, %s; %s", at, who, admin)
}

// keyOfTarget says where a target's key is, and whether it can be asked.
func keyOfTarget(p *process, cfg *config.Config, t config.Target) (where string, ok bool) {
	at, err := configPlace(p, cfg, t)
	if err != nil { // such as an account that is not named; the hint has no room in a table
		what, _, _ := strings.Cut(err.Error(), " (")
		return what, false
	}
	switch {
	case at.own.Auth != nil:
		return "by command", true
	case at.own.APIKey.Given():
		return "in the config", true
	case !at.own.Preset && len(at.own.Headers) > 0:
		return "none, but headers", true
	case !at.own.Preset, at.provider.NoKey && len(at.provider.KeyEnv) == 0:
		return "none", true // a server of one's own may need none
	}
	for _, name := range at.provider.KeyEnv {
		if value, _ := p.env(name); strings.TrimSpace(value) != "" {
			return name, true
		}
	}
	if at.provider.NoKey {
		return "none", true
	}
	return "missing: " + strings.Join(at.provider.KeyEnv, " or "), false
}

// priceOf is what a target's tokens cost, by the config or the table.
func priceOf(table *catalog.PriceTable, t config.Target) weir.Price {
	if t.Price.Input.Known() || t.Price.Output.Known() {
		return t.Price
	}
	price, _ := listPrice(table, t.Provider, t.Model)
	return price
}
