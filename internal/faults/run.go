package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
)

// Config says whom Run drives.
type Config struct {
	URL       string              // of the endpoint: its host, its API (http://h/v1)
	Wall      string              // of the wall, whose log is read: http://h:port
	Transport http.RoundTripper   // to both
	Clock     clock.Clock         // nil: clock.Plain
	Profile   Profile             // "": Full
	Header    http.Header         // sent to URL; may be nil
	Key       string              // sent to URL as a bearer token; empty: none
	Run       string              // the run's mark, 8 to 32 hexadecimal digits, unlike those of other runs
	Only      []string            // the faults to ask for; nil: all
	Parallel  int                 // how many at a time; 0: 4
	Redact    func(string) string // takes secrets out of what the endpoint says; nil: nothing is taken out
	OnCell    func(Cell)          // called for each cell as it is ready, one at a time; may be nil
}

// Check finds what makes a Config unusable.
func (c *Config) Check() error {
	for _, id := range c.Only {
		if !slices.ContainsFunc(catalogue(), func(f fault) bool { return f.id == id }) {
			return &weir.Error{Code: "unknown_fault", Message: fmt.Sprintf("there is no fault %q", id), Hint: "S01 to S16 and W01 to W12"}
		}
	}
	if c.Profile != "" && c.Profile != Full && c.Profile != Fast {
		return &weir.Error{Code: "unknown_profile", Message: fmt.Sprintf("there is no profile %q", c.Profile), Hint: "full or fast"}
	}
	if _, ok := findMark([]byte(mark{Run: c.Run, Cell: "S01", Profile: Full}.String())); !ok {
		return &weir.Error{Code: "bad_run", Message: fmt.Sprintf("the run's mark is %q", c.Run), Hint: "8 to 32 hexadecimal digits"}
	}
	return nil
}

// driver is a run under way.
type driver struct {
	url, wall string
	transport http.RoundTripper
	clock     clock.Clock
	profile   Profile
	key, run  string
	redact    func(string) string
	header    http.Header
}

// Run asks the endpoint for each fault and judges what came of it. An endpoint
// that fails is no error but a verdict; the error says that the wall's log
// cannot be read. When ctx ends, the scorecard has the cells that were ready.
func Run(ctx context.Context, c Config) (*Scorecard, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	d := &driver{url: apiBase(c.URL), wall: strings.TrimSuffix(c.Wall, "/"), transport: c.Transport, clock: c.Clock, profile: c.Profile, key: c.Key, run: c.Run, redact: c.Redact, header: c.Header}
	if d.clock == nil {
		d.clock = clock.Plain{}
	}
	if d.profile == "" {
		d.profile = Full
	}
	if d.redact == nil {
		d.redact = func(s string) string { return s }
	}
	if _, err := d.log(ctx); err != nil {
		return nil, err
	}
	card := &Scorecard{Version: ScorecardVersion, URL: c.URL, Profile: d.profile, Run: d.run, Started: d.clock.Now().UTC()}
	var all []fault
	for _, f := range catalogue() {
		if c.Only == nil || slices.Contains(c.Only, f.id) {
			all = append(all, f)
		}
	}
	cells := d.cells(ctx, all, c.Parallel, c.OnCell)
	for _, f := range all {
		if one, ok := cells[f.id]; ok {
			card.Cells = append(card.Cells, one)
		}
	}
	card.Interrupted = ctx.Err() != nil
	card.Duration = weir.Dur(d.clock.Now().Sub(card.Started))
	card.sum()
	return card, nil
}

// cells plays the faults, those that take longest first, some at a time. What
// measures bytes and cancels comes when nothing else disturbs it.
func (d *driver) cells(ctx context.Context, all []fault, parallel int, ready func(Cell)) map[string]Cell {
	if parallel <= 0 {
		parallel = 4
	}
	var mu sync.Mutex
	cells := map[string]Cell{}
	var mute muteness
	play := func(f fault) {
		mu.Lock()
		parts := mute.skips()
		mu.Unlock()
		if parts == nil {
			c := &cell{driver: d, fault: f}
			parts = c.play(ctx)
		}
		one := newCell(f, parts)
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		mute.see(one)
		cells[f.id] = one
		if ready != nil {
			ready(one)
		}
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel) // holds a place for each that plays
	for _, f := range byLength(all) {
		if f.alone {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			play(f)
		})
	}
	group.Wait()
	for _, f := range all {
		if f.alone {
			play(f)
		}
	}
	return cells
}

// byLength puts outages first: they last whatever the endpoint does.
func byLength(all []fault) []fault {
	return slices.SortedStableFunc(slices.Values(all), func(a, b fault) int { return int(b.outage - a.outage) })
}

// apiBase is the URL under which the paths of an API are.
func apiBase(raw string) string {
	raw = strings.TrimSuffix(raw, "/")
	u, err := url.Parse(raw)
	if err == nil && u.Path == "" {
		return raw + "/v1"
	}
	return raw
}

// maxLogPage bounds what is read of a log.
const maxLogPage = 32 << 20

// logTime is how long the wall has for its log, whatever the profile.
const logTime = 10 * time.Second

// log reads the wall's, its times turned to the driver's clock.
func (d *driver) log(ctx context.Context) ([]Attempt, error) {
	ctx, cancel := context.WithTimeout(ctx, logTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.wall+"/faults/log?run="+d.run, http.NoBody)
	if err != nil {
		return nil, &weir.Error{Code: "bad_wall", Message: "the wall's address " + d.wall + " cannot be used", Hint: "http://127.0.0.1:8009", Err: err}
	}
	before := d.clock.Now()
	resp, err := d.transport.RoundTrip(req)
	if err != nil {
		return nil, &weir.Error{Code: "no_wall", Message: "no wall answers at " + d.wall, Hint: "weir faults serve starts one", Err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxLogPage))
	if err != nil {
		return nil, &weir.Error{Code: "no_wall", Message: "the log of the wall at " + d.wall + " could not be read", Err: err}
	}
	after := d.clock.Now()
	var l Log
	if err := json.Unmarshal(body, &l); err != nil || l.Version != LogVersion || resp.StatusCode != http.StatusOK {
		return nil, &weir.Error{
			Code: "no_wall", Message: fmt.Sprintf("what answers at %s (status %d) is no wall of this version", d.wall, resp.StatusCode),
			Hint: "--wall is the address that weir faults serve prints", Err: err,
		}
	}
	skew := before.Add(after.Sub(before) / 2).Sub(l.Now)
	for i := range l.Attempts {
		l.Attempts[i].At = l.Attempts[i].At.Add(skew)
	}
	return l.Attempts, nil
}

// call makes one call and reads its answer to the end.
func (c *cell) call(ctx context.Context, a ask) View {
	limit := a.limit
	if limit == 0 {
		limit = hangs
	}
	ctx, cancel := context.WithTimeout(ctx, c.profile.Scale(limit)+slack)
	defer cancel()
	r := newReading(c.driver, !a.whole)
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	if a.after > 0 {
		timer := time.AfterFunc(c.profile.Scale(a.after), func() { leave(errLeaves) })
		defer timer.Stop()
	}
	resp, err := c.transport.RoundTrip(c.request(ctx, a))
	if err != nil {
		return r.end(err, context.Cause(ctx), false)
	}
	defer resp.Body.Close()
	r.head(resp, c.dialect(a))
	left, err := r.body(decoded(resp), a.leave)
	if left {
		leave(errLeaves)
	}
	v := r.end(err, context.Cause(ctx), left)
	if v.Done {
		drain(resp.Body, leave)
	}
	return v
}

// drain reads what follows the terminal event, so that the connection can be
// used again, but neither much nor for long.
func drain(body io.Reader, stop context.CancelCauseFunc) {
	timer := time.AfterFunc(20*time.Millisecond, func() { stop(nil) })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, 64<<10) // either way the call is over
}

// slack is what a busy machine may add to the limit of a call.
const slack = 500 * time.Millisecond

func (c *cell) dialect(a ask) weir.Dialect {
	if a.path == "/messages" {
		return weir.Anthropic
	}
	return weir.OpenAIChat
}

func (c *cell) request(ctx context.Context, a ask) *http.Request {
	path := a.path
	if path == "" {
		path = "/chat/completions"
	}
	body := c.body(a)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		panic(err) // Run has read the URL
	}
	req.GetBody = nil // a caller that asks once asks once
	maps.Copy(req.Header, c.header)
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if a.path != "" {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	for name, value := range a.header {
		req.Header.Set(name, value)
	}
	return req
}

func (c *cell) body(a ask) []byte {
	m := mark{Run: c.run, Cell: c.fault.id, Variant: a.variant, Profile: c.profile}.String()
	if a.body != nil {
		return a.body(c.fault.id, m)
	}
	type object = map[string]any
	body := object{
		"model": c.fault.id, "stream": !a.whole, "max_tokens": 100,
		"messages": []object{{"role": "user", "content": m + " Say the text about the weir, word for word."}},
	}
	if a.usage && !a.whole {
		body["stream_options"] = object{"include_usage": true}
	}
	if a.tools {
		body["tools"] = []object{{"type": "function", "function": object{
			"name": toolName, "description": "Sets a gate of the weir.",
			"parameters": object{"type": "object", "properties": object{"gate": object{"type": "string"}, "opening_percent": object{"type": "number"}, "until": object{"type": "string"}}},
		}}}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings, numbers and maps of them
	}
	return raw
}

// bare is a credential without its scheme.
func bare(value string) string { return strings.TrimPrefix(value, "Bearer ") }
