//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// options are the flags.
type options struct {
	weir, env, real string // the binary, and the files that the two install.sh wrote
	out             string // where the tools' own files stay
	doc             string // whose measured part is written anew; "" for none
	only            string // streams, by name; "engine" is the real engine
	rt              bool   // real-time priority where weir sim is measured
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var o options
	flag.StringVar(&o.weir, "weir", "", "the weir binary")
	flag.StringVar(&o.env, "env", "", "peers.env, from test/peers/install.sh")
	flag.StringVar(&o.real, "real", "", "real.env, from test/real/install.sh; none: no engine is measured")
	flag.StringVar(&o.out, "out", "", "folder for the tools' own output files")
	flag.StringVar(&o.doc, "doc", "", "Markdown file whose measured part is written anew")
	flag.StringVar(&o.only, "only", "", "streams to measure, such as bare,cascade,engine; all of them without")
	flag.BoolVar(&o.rt, "rt", false, "give weir sim and its clients real-time priority (chrt, as root): stands in for an idle box on a busy one")
	flag.Parse()
	err := run(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, w io.Writer) error {
	if o.weir == "" || o.env == "" || o.out == "" {
		return errors.New("-weir, -env and -out must be given: run `make peers`")
	}
	out, err := filepath.Abs(o.out)
	if err != nil {
		return err
	}
	all := tools()
	tokenizer, err := find(all, o.env)
	if err != nil {
		return err
	}
	if err := all[0].isWeir(ctx, o.weir); err != nil {
		return err
	}
	var doc strings.Builder
	m := &measurement{tools: all, tokenizer: tokenizer, out: out, say: io.MultiWriter(w, &doc)}
	fmt.Fprintf(m.say, "%s.\n", machine())
	if o.rt {
		m.front = []string{"chrt", "-f", "10"}
		fmt.Fprintln(m.say, "The simulator and its clients ran at real-time priority; the engine and its clients did not.")
	}
	fmt.Fprintln(m.say)
	m.versions()
	for _, s := range streams {
		if wanted(o.only, s.model) {
			if err := m.stream(ctx, o.weir, s); err != nil {
				return err
			}
		}
	}
	if wanted(o.only, "cascade") {
		if err := m.provider(ctx, o.weir); err != nil {
			return err
		}
	}
	if wanted(o.only, "engine") {
		if err := m.engine(ctx, o.real); err != nil {
			return err
		}
	}
	fmt.Fprintf(m.say, "Done: %s.\n", machine())
	if o.doc == "" {
		return nil
	}
	return rewrite(o.doc, doc.String())
}

func wanted(only, name string) bool {
	return only == "" || slices.Contains(strings.Split(only, ","), name)
}
