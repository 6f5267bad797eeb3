package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/report"
)

type providersCmd struct {
	Output string `short:"o" enum:"table,json" default:"table" help:"table or json."`
}

// Help is shown below the flags.
func (providersCmd) Help() string {
	return `Lists the presets: name, the variable that holds the key (* where it is set), base URL.

  weir providers
  weir bench groq/llama-3.3-70b-versatile fireworks/accounts/fireworks/models/llama-v3p3-70b-instruct`
}

func (c *providersCmd) Run(p *process) error {
	all := catalog.Providers()
	if c.Output == "json" {
		return writeJSON(p, all)
	}
	rows := [][]string{{"provider", "key", "dialect", "base URL"}}
	for _, one := range all {
		key := strings.Join(one.KeyEnv, " or ")
		switch _, err := one.Key(p.env); {
		case one.NoKey:
			key = "none needed"
		case err == nil:
			key += " *"
		}
		rows = append(rows, []string{one.Name, key, string(one.Dialect), one.BaseURL})
	}
	return writeColumns(p, rows)
}

type modelsCmd struct {
	networkFlags
	Provider string `arg:"" optional:"" help:"Ask this provider, or this URL, for its list; without it, the open weights that --all knows."`
	KeyEnv   string `name:"key-env" help:"Environment variable that holds the key of a URL." placeholder:"NAME"`
	Output   string `short:"o" enum:"table,json" default:"table" help:"table or json."`
}

// Help is shown below the flags.
func (modelsCmd) Help() string {
	return `Asks a provider what it serves (GET /v1/models), or lists the open weights whose
names at each provider are known.

  weir models groq
  weir models http://127.0.0.1:8000/v1
  weir models`
}

func (c *modelsCmd) Run(p *process) error {
	if c.Provider == "" {
		return c.canonical(p)
	}
	flags := targetFlags{Targets: []string{c.Provider}, Model: []string{"any"}}
	if !strings.Contains(c.Provider, "://") {
		flags = targetFlags{Targets: []string{c.Provider + "/any"}}
	}
	if c.KeyEnv != "" {
		flags.KeyEnv = []string{c.KeyEnv}
	}
	places, err := flags.places(p)
	if err != nil {
		return err
	}
	base, err := c.transport(p, true)
	if err != nil {
		return err
	}
	defer base.CloseIdleConnections()
	auth, err := newAuth(p, base)
	if err != nil {
		return err
	}
	if err := flags.keys(p, places, auth); err != nil {
		return err
	}
	models, err := catalog.Models(p.ctx, auth, places[0].Target)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return writeJSON(p, models)
	}
	rows := [][]string{{"model", "context", "USD per million tokens in / out"}}
	table, err := catalog.Prices()
	if err != nil {
		return err
	}
	for _, m := range models {
		price, _ := table.Lookup(places[0].provider.Name, m.ID)
		rows = append(rows, []string{m.ID, optional(m.Context, "%d"), rates(price)})
	}
	return writeColumns(p, rows)
}

func (c *modelsCmd) canonical(p *process) error {
	all := catalog.CanonicalModels()
	if c.Output == "json" {
		return writeJSON(p, all)
	}
	rows := [][]string{{"weights", "providers"}}
	for _, m := range all {
		var at []string
		for _, o := range m.Offers {
			if !o.Ended(time.Now()) {
				at = append(at, o.Provider)
			}
		}
		rows = append(rows, []string{m.Name, strings.Join(at, " ")})
	}
	return writeColumns(p, rows)
}

func rates(p weir.Price) string {
	if !p.Input.Known() && !p.Output.Known() {
		return ""
	}
	return optional(p.Input, "%.2f") + " / " + optional(p.Output, "%.2f")
}

func optional[T any](o weir.Opt[T], format string) string {
	if v, ok := o.Get(); ok {
		return fmt.Sprintf(format, v)
	}
	return "n/a"
}

func writeJSON(p *process, v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// writeColumns aligns rows to the left.
func writeColumns(p *process, rows [][]string) error {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			width[i] = max(width[i], len(report.Visible(cell)))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		var line strings.Builder
		for i, cell := range r {
			fmt.Fprintf(&line, "%-*s  ", width[i], report.Visible(cell))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := p.out.Write([]byte(b.String()))
	return err
}
