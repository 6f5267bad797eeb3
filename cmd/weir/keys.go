package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"weir.dev/weir/internal/config"
	"weir.dev/weir/internal/gateway/tenant"
)

type keysCmd struct {
	New keysNewCmd `cmd:"" help:"Make a key: the secret for a caller, and the line for weir.yaml."`
}

// Help is shown below the flags.
func (keysCmd) Help() string {
	return `Callers of weir gateway hold a key; weir.yaml holds its hash.

  weir keys new --name web --route chat`
}

type keysNewCmd struct {
	Name  string   `help:"What logs, metrics and limits call it; by default key- and six digits of its hash." placeholder:"NAME"`
	Route []string `help:"A route that it may use; without it all. Give it once for each." placeholder:"R" sep:"none"`
}

// Help is shown below the flags.
func (keysNewCmd) Help() string {
	return `Prints a new secret on standard output, once: it is kept nowhere. The line for
weir.yaml, which holds its SHA-256 only, follows on standard error. A gateway
that runs takes the line over when the file changes.

  weir keys new
  weir keys new --name web --route chat --route nightly
  weir keys new --name ci > /run/secrets/weir-key`
}

func (c *keysNewCmd) Run(p *process) error {
	secret, hash, err := tenant.NewKey(rand.Reader)
	if err != nil {
		return err
	}
	name := c.Name
	if name == "" {
		name = "key-" + hex.EncodeToString(hash[:3])
	}
	line, err := config.KeyLine(name, hash, c.Route)
	if err != nil {
		return usage("%v", err)
	}
	if _, err := fmt.Fprintln(p.out, secret); err != nil {
		return err
	}
	fmt.Fprintf(p.err, "The key is shown this once. Under keys in weir.yaml:\n  %s\n", line)
	return nil
}
