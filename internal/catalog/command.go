package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"weir.dev/weir"
)

// Command is a program that prints a token, such as gcloud auth
// print-access-token.
type Command struct {
	Args    []string      // the program and its arguments; no shell sees them
	Refresh time.Duration // after which a new token is asked for; 0: only when the provider refuses the old one
	Timeout time.Duration // most time for one run; 0: DefaultCommandTimeout
}

// DefaultCommandTimeout is the most time for one run of a Command that sets none.
const DefaultCommandTimeout = 10 * time.Second

const (
	maxTokenBytes = 64 << 10         // longer output is no token
	killGrace     = time.Second      // for a killed program's children to let go of its output
	afterFailure  = time.Second      // no run follows a failed one sooner, whatever the load
	afterNoChange = 10 * time.Second // nor one that printed the refused token again
	tokensKept    = 4                // to know in what providers say
)

// ParseRefresh reads the refresh setting of a config: 401, or a duration.
func ParseRefresh(s string) (time.Duration, error) {
	if s == "" || s == "401" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, &weir.Error{Code: "bad_refresh", Message: "refresh: " + shown(s) + " is neither 401 nor a duration", Hint: "refresh: 401, or such as refresh: 30m"}
	}
	return d, nil
}

// AddCommand has a program print the target's token. It is run when the first
// request needs it (or by Warm), again after Refresh, and once when the
// provider answers 401: the request is then repeated, if its body can be had
// again. Those who need the token meanwhile share the one run. What the
// program prints is in no error.
func (a *Auth) AddCommand(t weir.Target, c Command) error {
	if len(c.Args) == 0 || strings.TrimSpace(c.Args[0]) == "" {
		return &weir.Error{Code: "bad_command", Message: "the auth command of " + t.Name + " is empty", Hint: "auth: {command: [gcloud, auth, print-access-token]}"}
	}
	if c.Refresh < 0 || c.Timeout < 0 {
		return &weir.Error{Code: "bad_command", Message: "the auth command of " + t.Name + " has a negative refresh or timeout"}
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultCommandTimeout
	}
	c.Args = slices.Clone(c.Args)
	return a.keep(t, secret{mint: &mint{target: t.Name, command: c, now: time.Now}})
}

// Warm runs the commands that have no token yet, so that no measured request
// waits for one, side by side. Its error joins all failures, by target.
func (a *Auth) Warm(ctx context.Context) error {
	names := slices.Sorted(maps.Keys(a.keys))
	failed := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		if m := a.keys[name].mint; m != nil {
			all.Go(func() { _, failed[i] = m.get(ctx, 0) })
		}
	}
	all.Wait()
	return errors.Join(failed...)
}

// withToken sends the request with a token; a 401 is answered with a newer one.
func (a *Auth) withToken(r *http.Request, s secret) (*http.Response, error) {
	old, err := s.mint.get(r.Context(), 0)
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	resp, err := a.Base.RoundTrip(s.on(r, old.text))
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	if r.Body != nil && r.Body != http.NoBody && r.GetBody == nil {
		s.mint.refuse(old.generation)
		return resp, nil
	}
	fresh, err := s.mint.get(r.Context(), old.generation)
	if errors.Is(err, errNoNewer) || err == nil && fresh.text == old.text {
		return resp, nil
	}
	// What is left of the refusal is read, so that its connection can be used again.
	_, _ = io.CopyN(io.Discard, resp.Body, maxTokenBytes)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	again := s.on(r, fresh.text)
	if r.GetBody != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return nil, fmt.Errorf("repeating the request with a new token: %w", err)
		}
	}
	return a.Base.RoundTrip(again)
}

// mint has the tokens of one command.
type mint struct {
	target  string
	command Command
	now     func() time.Time

	mu      sync.Mutex
	current token
	refused uint64    // generation that the provider would not have
	got     time.Time // when current was printed
	quiet   time.Time // no run before
	failure error     // of the last run, which quiet follows
	running *run
	last    [][]disguise // the latest tokens, current among them
}

type token struct {
	text       string
	generation uint64 // counts runs that brought one; 0: there is none yet
}

// run is one execution, shared by all who wait for it.
type run struct {
	done      chan struct{}
	err       error
	abandoned bool // whoever ran it gave up: the next one in line runs it again
}

// errNoNewer says that a token was refused and that it is too soon to ask for
// another.
var errNoNewer = errors.New("no newer token")

// get returns a token newer than the refused generation; 0 takes any. Whoever
// finds none runs the command in its own goroutine and context, the others wait.
func (m *mint) get(ctx context.Context, refused uint64) (token, error) {
	for {
		t, waitFor, err := m.look(refused)
		switch {
		case err != nil || t.generation > 0:
			return t, err
		case waitFor == nil:
			return m.fetch(ctx)
		}
		select {
		case <-waitFor.done:
			if waitFor.err != nil && !waitFor.abandoned {
				return token{}, waitFor.err
			}
		case <-ctx.Done():
			return token{}, ctx.Err()
		}
	}
}

// look returns a usable token, or a run to wait for, or neither: then the
// caller has to fetch, and m.running is already its own.
func (m *mint) look(refused uint64) (token, *run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = max(m.refused, refused)
	now := m.now()
	have := m.current.generation > 0
	usable := have && m.current.generation > m.refused
	aged := m.command.Refresh > 0 && now.Sub(m.got) >= m.command.Refresh
	switch {
	case usable && !aged:
		return m.current, nil, nil
	case usable && (m.running != nil || now.Before(m.quiet)):
		return m.current, nil, nil // old is better than late, and than none
	case m.running != nil:
		return token{}, m.running, nil
	case now.Before(m.quiet) && m.failure != nil:
		return token{}, nil, m.failure
	case now.Before(m.quiet) && refused > 0:
		return token{}, nil, errNoNewer
	case now.Before(m.quiet) && have:
		return m.current, nil, nil // refused, but there is no other: let the provider say so
	}
	m.running = &run{done: make(chan struct{})}
	return token{}, nil, nil
}

// fetch runs the command and tells those who wait.
func (m *mint) fetch(ctx context.Context) (token, error) {
	text, err := m.command.run(ctx, m.target)
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.running
	m.running = nil
	defer close(r.done)
	r.err, r.abandoned = err, err != nil && ctx.Err() != nil
	old := m.current
	m.failure = nil
	switch {
	case r.abandoned:
		return token{}, err
	case err != nil:
		m.quiet, m.failure = m.now().Add(afterFailure), err
		if old.generation > m.refused {
			return old, nil
		}
		return token{}, err
	case text == old.text && old.generation <= m.refused:
		m.quiet = m.now().Add(afterNoChange)
		m.refused = old.generation + 1
	}
	m.got = m.now()
	m.current = token{text, old.generation + 1}
	if text != old.text {
		m.last = append(m.last, disguises(text))
		m.last = m.last[max(0, len(m.last)-tokensKept):]
	}
	return m.current, nil
}

// refuse remembers that the provider would not have a token.
func (m *mint) refuse(generation uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = max(m.refused, generation)
}

func (m *mint) known() []disguise {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Concat(m.last...)
}

// run executes the command once. Its errors name the program and how it ended,
// never its arguments or what it printed.
func (c Command) run(ctx context.Context, target string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	out := &bounded{}
	cmd := exec.CommandContext(limited, c.Args[0], c.Args[1:]...)
	cmd.Stdout = out
	cmd.WaitDelay = killGrace
	err := cmd.Run()
	text := strings.TrimSpace(out.kept.String())
	what := ""
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		what, err = fmt.Sprintf("took more than %v", c.Timeout), nil
	case out.over:
		what, err = fmt.Sprintf("printed more than %d kB", maxTokenBytes>>10), nil
	case errors.Is(err, exec.ErrNotFound):
		what, err = "is not to be found", nil
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a child of a program that did well may hold the output open
		what = "failed"
	case text == "":
		what = "printed nothing"
	case !isKey(text):
		what = "printed more than one word"
	default:
		return text, nil
	}
	return "", &weir.Error{
		Code: "auth_command", Message: fmt.Sprintf("the auth command %s of %s %s", filepath.Base(c.Args[0]), target, what),
		Hint: "run it by hand to see why: it has to print a token and nothing else", Err: err,
	}
}

// bounded keeps what a program prints, up to a limit; then it refuses more,
// which ends most programs. The buffer is not embedded: its ReadFrom would go
// round the limit.
type bounded struct {
	kept bytes.Buffer
	over bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > maxTokenBytes {
		b.over = true
		return 0, errors.New("too much output")
	}
	return b.kept.Write(p)
}
