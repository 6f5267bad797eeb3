package callers

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/sim"
	"weir.dev/weir/internal/sim/cast"
	"weir.dev/weir/test/server"
)

// The keys: the gateway's callers have the first three, targets the last.
const (
	callersKey   = "weir-callers-8c1f2e"
	spentKey     = "weir-spent-5d02b7"
	strangersKey = "weir-stranger-19ae40"
	targetsKey   = "sk-targets-77b3d1f0c2"
)

// spentRoute is where the request goes that uses up spentKey.
const spentRoute = "spent"

// prompt is what every call asks; promptTokens is what weir sim counts for it.
const (
	prompt       = "How high does the water stand at the north gauge?"
	promptTokens = (len(prompt) + 3) / 4
	creekTokens  = 16
)

// cell is one call of the table and what came of it.
type cell struct {
	scenario
	client Client
	target weir.Dialect
	route  string // of its own, so that no call meets what another one did to a target
	model  string // of the target

	asked  Call
	result Result
	seen   []Seen
}

// passes tells whether the gateway has nothing to translate.
func (c *cell) passes() bool { return c.client.Speaks == c.target }

func (c *cell) name() string { return c.client.Name + "/" + c.scenario.name + "/" + string(c.target) }

// table has a cell for each client, scenario and target that go together.
func table(clients []Client, list []scenario) []*cell {
	var cells []*cell
	for _, client := range clients {
		for _, s := range list {
			if s.fits != nil && !s.fits(client) {
				continue
			}
			targets := s.provider.dialects()
			if s.own {
				if !slices.Contains(targets, client.Speaks) {
					targets = targets[:1]
				} else {
					targets = []weir.Dialect{client.Speaks}
				}
			}
			for _, d := range targets {
				if d == weir.OpenAIResponses && client.Speaks != d {
					continue // nothing is translated to it
				}
				c := &cell{scenario: s, client: client, target: d, asked: s.call}
				c.route = fmt.Sprintf("route-%d", len(cells))
				c.model = "model-of-" + c.route
				c.asked.Client, c.asked.Prompt = client.Name, prompt
				fillIn(&c.asked.Model, c.route)
				fillIn(&c.asked.Key, callersKey)
				cells = append(cells, c)
			}
		}
	}
	return cells
}

func fillIn(at *string, with string) {
	if *at == "" {
		*at = with
	}
}

// Run has the driver make every call of its clients through a gateway, and
// judges what came of each.
func Run(t *testing.T, drive Driver, clients []Client) {
	run(t, drive, table(clients, scenarios()), "")
}

// RunEngine does with a real engine what it is there for. It is at the URL,
// speaks chat, and takes any name for its model's.
func RunEngine(t *testing.T, drive Driver, clients []Client, url string) {
	run(t, drive, table(clients, engineScenarios()), url)
}

func run(t *testing.T, drive Driver, cells []*cell, engine string) {
	seen := startProviders(t, cells, engine)
	base := startGateway(t, cells, seen.url)
	spend(t, base)
	calls := make([]Call, len(cells))
	for i, c := range cells {
		calls[i] = c.asked
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	results, err := drive(ctx, base, calls)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(cells) {
		t.Fatalf("%d results for %d calls", len(results), len(cells))
	}
	time.Sleep(200 * time.Millisecond) // for what the last calls left to be noticed
	for i, c := range cells {
		c.result, c.seen = results[i], seen.of(c.model)
		t.Run(c.name(), func(t *testing.T) {
			c.check(t, c)
			c.checkKeys(t)
			c.checkBytes(t)
			if t.Failed() {
				c.show(t)
			}
		})
	}
}

// providers are behind the gateway.
type providers struct {
	*recorder
	url string
}

// startProviders serves weir sim and the script, and passes on to the engine if
// there is one.
func startProviders(t *testing.T, cells []*cell, engine string) providers {
	t.Helper()
	simulated := sim.Config{Clock: clock.Plain{}, Seed: 1, Models: map[string]sim.Plan{}, Speed: 4}
	plays := &script{plays: map[string]string{}, asked: map[string]int{}}
	var served []string
	for _, c := range cells {
		switch c.provider {
		case plans:
			plan, err := sim.ParsePlan(c.plays)
			if err != nil {
				t.Fatal(err)
			}
			simulated.Models[c.model] = plan
		case creek:
			served = append(served, c.model)
		case scripts:
			plays.plays[c.model] = c.plays
		}
	}
	simulated.Models[spentRoute] = sim.Plan{}
	var err error
	simulated.Providers, err = cast.Parse("creek.yaml", fmt.Appendf(nil, "providers: {creek: {model: llama-3.1-8b, gpu: l40s, tp: 1, answer: {tokens: %d}, serves: [%s]}}", creekTokens, strings.Join(served, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	simulator, err := sim.New(simulated)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/plans/", http.StripPrefix("/plans", simulator))
	mux.Handle("/creek/", simulator)
	mux.HandleFunc("POST /script/v1/chat/completions", plays.answer(weir.OpenAIChat))
	mux.HandleFunc("POST /script/v1/messages", plays.answer(weir.Anthropic))
	mux.HandleFunc("POST /script/v1beta/models/{call}", plays.answer(weir.Gemini))
	if engine != "" {
		at, err := url.Parse(engine)
		if err != nil {
			t.Fatal(err)
		}
		quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
		mux.Handle("/engine/", http.StripPrefix("/engine", &httputil.ReverseProxy{
			FlushInterval: -1, ErrorLog: quiet, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) },
		}))
	}
	r := &recorder{next: mux, seen: map[string][]*Seen{}}
	s := httptest.NewUnstartedServer(r)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		simulator.Close()
	})
	return providers{r, s.URL}
}

// startGateway runs weir gateway with a route for each cell.
func startGateway(t *testing.T, cells []*cell, upstream string) string {
	t.Helper()
	var y strings.Builder
	fmt.Fprintf(&y, "admin: off\nkeys:\n  - {name: callers, sha256: %q}\n  - {name: spent, sha256: %q, rpm: 1}\n", hash(callersKey), hash(spentKey))
	y.WriteString("providers:\n")
	for _, p := range []provider{plans, creek, scripts, engine} {
		for _, d := range p.dialects() {
			version := "v1"
			if d == weir.Gemini {
				version = "v1beta"
			}
			fmt.Fprintf(&y, "  %s-%s: {base_url: %q, dialect: %s, api_key: %s}\n", p, d, upstream+"/"+string(p)+"/"+version, d, targetsKey)
		}
	}
	fmt.Fprintf(&y, "routes:\n  %s: %s-%s/%s\n", spentRoute, plans, weir.OpenAIChat, spentRoute)
	for _, c := range cells {
		who := c.provider
		if who == somebody {
			who = plans
		}
		more := c.scenario.route
		if more != "" {
			more = ", " + more
		}
		fmt.Fprintf(&y, "  %s: {model: %s-%s/%s%s}\n", c.route, who, c.target, c.model, more)
	}
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "gateway.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	g, err := server.Gateway(t.Context(), weirCommand(t), log, filepath.Join(dir, "weir.yaml"), y.String())
	if err != nil {
		b, _ := os.ReadFile(log.Name())
		t.Fatalf("weir gateway: %v\n%s", err, b[max(0, len(b)-4000):])
	}
	t.Cleanup(func() {
		g.Stop()
		b, err := os.ReadFile(log.Name())
		if err != nil || strings.Contains(string(b), targetsKey) || strings.Contains(string(b), callersKey) {
			t.Errorf("a key stands in what weir gateway wrote (%v):\n%s", err, b)
		}
	})
	return g.URL
}

// weirCommand is the binary that WEIR_BIN names, else one that is built now.
func weirCommand(t *testing.T) string {
	t.Helper()
	if name := os.Getenv("WEIR_BIN"); name != "" {
		return name
	}
	name := filepath.Join(t.TempDir(), "weir")
	// As make build does, so that its cache serves; in its own module, two up from
	// any package of this one.
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", name, "./cmd/weir")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	return name
}

func hash(key string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(key))) }

// spend uses up the key that may ask once a minute.
func spend(t *testing.T, base string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/chat/completions", strings.NewReader(`{"model":"`+spentRoute+`","messages":[{"role":"user","content":"`+prompt+`"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+spentKey)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the first request with a key of 1 rpm got %s", resp.Status)
	}
}
