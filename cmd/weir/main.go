// Command weir measures, watches, explains and routes hosted LLM APIs. This
// package turns flags into configurations, wires the packages together and owns
// the process: it alone touches arguments, environment, standard streams and
// the exit code.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"weir.dev/weir/internal/report"
)

// Exit codes, as documented in README.md.
const (
	exitOK      = 0
	exitFailed  = 1 // nothing succeeded, the answer was not ok, or it was interrupted
	exitUsage   = 2 // flags, files or input that cannot be used
	description = "Weir measures hosted LLM APIs: time to first token, token speed, tails, failures."
)

// sameInterrupt is how soon a second signal is the first one once more: timeout(1),
// make and shells send theirs to the process and to its group.
const sameInterrupt = 300 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.Sleep(sameInterrupt); stop() }) // a second Ctrl-C ends the process at once
	code := run(ctx, &process{args: os.Args[1:], env: os.LookupEnv, in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}

// process is what a command sees of the process it runs in.
type process struct {
	ctx   context.Context
	args  []string
	given given // of args
	env   func(string) (string, bool)
	in    io.Reader
	out   io.Writer
	err   io.Writer
}

type commands struct {
	Version kong.VersionFlag `help:"Print the version." short:"V"`

	Bench   benchCmd   `cmd:"" help:"Measure one or more endpoints and compare them."`
	Report  reportCmd  `cmd:"" help:"Show, compare or merge stored runs."`
	Inspect inspectCmd `cmd:"" help:"Decode a recorded stream: what Weir sees in it."`
	Sim     simCmd     `cmd:"" help:"Serve simulated models with a known behaviour."`
	Faults  faultsCmd  `cmd:"" help:"The fault wall: how a gateway behaves when providers misbehave."`
	Demo    demoCmd    `cmd:"" help:"See it work: four simulated providers, no keys, no network."`

	Gateway gatewayCmd `cmd:"" help:"One endpoint for many providers: routes, failover, keys, limits."`
	Doctor  doctorCmd  `cmd:"" help:"Try your routes against providers that misbehave; nobody real is asked."`

	Providers  providersCmd  `cmd:"" help:"List the providers that are known by name."`
	Models     modelsCmd     `cmd:"" help:"List what a provider serves, or the open weights that are known."`
	Check      checkCmd      `cmd:"" help:"Find everything that is wrong with a config, and show what it makes of the gateway."`
	Keys       keysCmd       `cmd:"" help:"Make keys for the gateway's callers."`
	Completion completionCmd `cmd:"" help:"Print a completion script for your shell."`
}

// exited is how kong's own exits (--help, --version) come back to run.
type exited int

func run(ctx context.Context, p *process) (code int) {
	p.ctx = ctx
	defer func() {
		if e, ok := recover().(exited); ok {
			code = int(e)
		}
	}()
	var cmds commands
	parser, err := kong.New(&cmds,
		kong.Name("weir"), kong.Description(description), kong.Writers(p.out, p.err),
		kong.Vars{"version": version(), "dialects": dialectNames(), "wall": wallAddress}, kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Exit(func(c int) { panic(exited(c)) }),
	)
	if err != nil {
		return p.fail(err)
	}
	p.args = spoken(p.args)
	for _, arg := range p.args {
		if !utf8.ValidString(arg) { // JSON has nothing else: other signs would be asked than were given
			return p.fail(usage("the argument %.80q is not UTF-8", arg))
		}
	}
	call, err := parser.Parse(p.args)
	if err != nil {
		return p.fail(parseError(err))
	}
	if p.given, err = givenFlags(call); err != nil {
		return p.fail(err)
	}
	return p.fail(call.Run(p, parser))
}

// spoken reads the words many try first: weir help bench, weir version.
func spoken(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "version" && len(args) == 1:
		return []string{"--version"}
	}
	return args
}

// parseError adds what to do where kong's words do not say it.
func parseError(err error) error {
	if rest, ok := strings.CutPrefix(err.Error(), "unexpected argument "); ok {
		return usage("unexpected argument %s: URLs and files stand together, before or after all flags (weir COMMAND --help)", rest)
	}
	return usage("%v (weir --help)", err)
}

// usageError is an error of the one who called: exit code 2.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// quiet ends the process with a code and nothing more to say.
type quiet int

func (quiet) Error() string { return "" }

// fail prints an error in one line and finds the exit code.
func (p *process) fail(err error) int {
	var q quiet
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &q):
		return int(q)
	}
	fmt.Fprintln(p.err, "weir: "+report.Visible(careful(strings.Join(strings.Fields(err.Error()), " "))))
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// version is the module's, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "dev-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "dev"
}
