// Command prices writes internal/catalog/prices.json: the facts of the npm
// package @pydantic/genai-prices (MIT) that Weir needs, and no code of it.
//
//	make prices                  the version the file already names: nothing may change
//	make prices VERSION=latest   or 0.1.9
//
// It asks npm for the package and for the day it was published, reads the
// package's data as text (nothing of it is run), and prints what changed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "prices:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("prices", flag.ContinueOnError)
	flags.SetOutput(stderr)
	version := flags.String("version", "", `version of the package, or "latest" (default: the one that the file names)`)
	out := flags.String("o", "internal/catalog/prices.json", "the `file` to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	before, err := read(*out)
	if err != nil {
		return err
	}
	if *version == "" {
		*version = before.Version
	}
	if !isVersion.MatchString(*version) {
		return fmt.Errorf("%q is no version: give -version latest or one like 0.1.8", *version)
	}
	p, err := download(ctx, *version)
	if err != nil {
		return err
	}
	after, skipped, err := extract(p)
	if err != nil {
		return fmt.Errorf("%s %s: %w", packageName, p.version, err)
	}
	b, err := after.bytes()
	if err != nil {
		return err
	}
	if err := os.WriteFile(*out, b, 0o644); err != nil {
		return err
	}
	report(stdout, before, after, skipped)
	fmt.Fprintf(stdout, "%s: %s %s of %s, %d bytes\n", *out, packageName, after.Version, after.Date, len(b))
	return nil
}

const packageName = "@pydantic/genai-prices"

var isVersion = regexp.MustCompile(`^(latest|[0-9]+\.[0-9]+\.[0-9]+[-0-9A-Za-z.]*)$`)

// read returns the table that is in the file now, an empty one without a file.
func read(name string) (table, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return table{Version: "latest"}, nil
	}
	var t table
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	if err != nil {
		return table{}, fmt.Errorf("read what is there now: %w", err)
	}
	return t, nil
}

// download has npm fetch the package into a folder that is gone afterwards.
func download(ctx context.Context, version string) (pack, error) {
	dir, err := os.MkdirTemp("", "weir-prices-")
	if err != nil {
		return pack{}, err
	}
	defer os.RemoveAll(dir)
	var packed []struct{ Version, Filename string }
	if err := npm(ctx, dir, &packed, "pack", packageName+"@"+version, "--ignore-scripts"); err != nil {
		return pack{}, err
	}
	if len(packed) != 1 {
		return pack{}, fmt.Errorf("npm pack told of %d packages, want 1", len(packed))
	}
	published := map[string]time.Time{}
	if err := npm(ctx, dir, &published, "view", packageName, "time"); err != nil {
		return pack{}, err
	}
	day, ok := published[packed[0].Version]
	if !ok {
		return pack{}, fmt.Errorf("the registry does not say when %s was published", packed[0].Version)
	}
	f, err := os.Open(filepath.Join(dir, filepath.Base(packed[0].Filename)))
	if err != nil {
		return pack{}, fmt.Errorf("npm pack left no package: %w", err)
	}
	defer f.Close()
	p, err := unpack(f)
	p.version, p.date = packed[0].Version, day.UTC().Format(time.DateOnly)
	return p, err
}

// npm runs it and reads the JSON that it prints.
func npm(ctx context.Context, dir string, into any, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", append(args, "--json")...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("npm is needed to fetch the package, and it is not installed: %w", err)
		}
		return fmt.Errorf("npm %s %s: %w\n%s", args[0], args[1], err, bytes.TrimSpace(stderr.Bytes()))
	}
	if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
		return fmt.Errorf("npm %s %s answered no JSON that is understood: %w", args[0], args[1], err)
	}
	return nil
}
