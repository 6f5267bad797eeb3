package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stored"
)

func TestBenchDefaults(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"m": "ttft=4ms,gap=100us"})
	o := runWeir(t, "bench", url, "--model", "m", "-o", "json")
	if o.code != 0 || o.err != "" {
		t.Errorf("code %d, standard error %q", o.code, o.err)
	}
	s := o.summary(t)
	c := s.Settings
	if c.Concurrency != 1 || c.Requests != 20 || c.Warmup != 1 || c.InputTokens != 256 || c.OutputTokens != 128 || !c.Stream || c.Work.Cache != "auto" || c.Work.Content != "words" {
		t.Errorf("settings %+v", c)
	}
	if temperature, ok := c.Temperature.Get(); !ok || temperature != 0 {
		t.Errorf("temperature %v, sent %v", temperature, ok)
	}
	if l := c.Limits; l.Connect.Duration() != 10*time.Second || l.FirstOutput.Duration() != 60*time.Second || l.Stall.Duration() != 30*time.Second {
		t.Errorf("limits %+v", l)
	}
	if c.Seed == 0 || c.WorkloadID == "" || s.Schema != report.Schema || s.MetricsVersion != weir.MetricsVersion || s.Interrupted {
		t.Errorf("summary %+v", s)
	}
	target := s.Targets[0]
	if target.Requests != 20 || target.Warmup != 1 || target.Unsent != 0 || target.GaveUp || target.Outcomes[weir.OK] != 20 || target.Eligible != 20 {
		t.Errorf("target %+v", target)
	}
	if len(s.Requests) != 21 {
		t.Errorf("%d rows of requests", len(s.Requests))
	}
	if got := target.Output.Or(0); got != 128 {
		t.Errorf("%v output tokens", got)
	}
	if target.TTFT.N != 20 || target.TTFT.P50.Or(0) < 4 || target.Speed.P50.Or(0) <= 0 || target.TPOT.P50.Or(0) <= 0 || target.E2EAtN.P50.Or(0) <= 4 {
		t.Errorf("figures %+v", target)
	}
}

// TestBenchSaves holds the folder of a run against what was printed: the
// summary, and the figures that follow from the raw traces.
func TestBenchSaves(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"a": "ttft=4ms,gap=300us,fail=30%:503", "b": "ttft=8ms,gap=500us"})
	dir := filepath.Join(t.TempDir(), "runs", "first")
	o := runWeir(t, "bench", url, url, "--model", "a", "--model", "b", "-n", "24", "--concurrency", "3", "--output-tokens", "16", "--seed", "5", "--save", dir, "-o", "json")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 4 {
		t.Fatalf("files %v: %v", files, err)
	}
	printed := o.summary(t)
	var saved report.Summary
	if err := json.Unmarshal(readFile(t, filepath.Join(dir, "summary.json")), &saved); err != nil {
		t.Fatal(err)
	}
	if len(saved.Requests) != 0 {
		t.Error("summary.json repeats the requests")
	}
	same(t, "summary.json", printed.Targets, saved.Targets)
	var settings report.Settings
	if err := json.Unmarshal(readFile(t, filepath.Join(dir, "settings.json")), &settings); err != nil {
		t.Fatal(err)
	}
	same(t, "settings.json", printed.Settings, settings)

	folder, err := stored.Open(dir)
	if err != nil || folder.Run.Lost != nil || len(folder.Run.Samples) != len(printed.Requests) {
		t.Fatalf("%+v: %v", folder, err)
	}
	same(t, "figures from traces.jsonl", printed.Targets, folder.Run.Summary().Targets)
}

// same compares by JSON.
func same(t *testing.T, what string, want, got any) {
	t.Helper()
	var w, g any
	for _, side := range []struct {
		from any
		to   *any
	}{{want, &w}, {got, &g}} {
		b, err := json.Marshal(side.from)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, side.to); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("%s (-printed +kept):\n%s", what, d)
	}
}

func TestBenchSeveral(t *testing.T) {
	t.Parallel()
	one := simulator(t, map[string]string{"quick": "ttft=3ms,gap=10ms"})
	two := simulator(t, map[string]string{"quick": "ttft=3ms,gap=20ms"})
	o := runWeir(t, "bench", one, two, "--model", "quick", "-n", "6", "--output-tokens", "10", "-o", "json")
	s := o.summary(t)
	if len(s.Targets) != 2 || s.Targets[0].Name == s.Targets[1].Name {
		t.Fatalf("targets %+v", s.Targets)
	}
	if !strings.Contains(one, s.Targets[0].Name) || !strings.Contains(two, s.Targets[1].Name) {
		t.Errorf("names %q, %q for %s, %s", s.Targets[0].Name, s.Targets[1].Name, one, two)
	}
	if spread := s.Spread.Or(0); spread < 0.3 || spread > 0.7 {
		t.Errorf("spread %v, want about 0.5", spread)
	}
	for _, target := range s.Targets {
		if target.Requests != 6 || target.Outcomes[weir.OK] != 6 {
			t.Errorf("%+v", target)
		}
	}
}

// TestBenchSameURLTwice: two targets on one server stay two.
func TestBenchSameURLTwice(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"m": "ttft=1ms,gap=100us"})
	s := runWeir(t, "bench", url, url, "--model", "m", "-n", "3", "--output-tokens", "4", "-o", "json").summary(t)
	if s.Targets[0].Name == s.Targets[1].Name || s.Targets[0].Requests != 3 || s.Targets[1].Requests != 3 {
		t.Errorf("%+v", s.Targets)
	}
}

func TestBenchAnthropic(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"m": "ttft=2ms,gap=300us"})
	s := runWeir(t, "bench", url, "--model", "m", "--dialect", "anthropic", "-n", "3", "--output-tokens", "12", "-o", "json").summary(t)
	if got := s.Targets[0]; got.Outcomes[weir.OK] != 3 || got.Output.Or(0) != 12 {
		t.Errorf("%+v", got)
	}
}

func TestBenchFailuresByClass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan     string
		outcome  weir.Outcome
		status   int
		eligible bool
	}{
		{"ttft=1ms,gap=100us,fail=30%:503", weir.UpstreamError, 503, true},
		{"ttft=1ms,gap=100us,fail=30%:429", weir.RateLimited, 429, false},
		{"ttft=1ms,gap=100us,fail=30%:529", weir.UpstreamError, 529, true},
		{"ttft=1ms,gap=100us,fail=30%:408", weir.UpstreamError, 408, true},
	} {
		url := simulator(t, map[string]string{"m": c.plan})
		o := runWeir(t, "bench", url, "--model", "m", "-n", "40", "--concurrency", "4", "--output-tokens", "4", "--warmup", "0", "-o", "json")
		target := o.summary(t).Targets[0]
		ok, bad := target.Outcomes[weir.OK], target.Outcomes[c.outcome]
		if o.code != 0 || ok+bad != 40 || bad < 4 || bad > 22 {
			t.Errorf("%s: code %d, outcomes %v", c.plan, o.code, target.Outcomes)
		}
		if len(target.Failures) != 1 || target.Failures[0].Count != bad || target.Failures[0].Status != c.status || target.Failures[0].Outcome != c.outcome {
			t.Errorf("%s: failures %+v", c.plan, target.Failures)
		}
		eligible := 40
		if !c.eligible {
			eligible = ok
		}
		if target.Eligible != eligible || target.Success.Or(-1) != float64(ok)/float64(eligible) || target.TTFT.N != eligible || target.TTFT.Reached != ok {
			t.Errorf("%s: eligible %d, success %v, ttft %+v", c.plan, target.Eligible, target.Success, target.TTFT)
		}
	}
}

func TestBenchBrokenStreams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan    string
		outcome weir.Outcome
		args    []string
	}{
		{"ttft=1ms,gap=1ms,cut=5", weir.Truncated, nil},
		{"ttft=1ms,gap=1ms,error=5", weir.UpstreamError, nil},
		{"ttft=1ms,gap=1ms,stall=5:20s", weir.TimeoutStall, []string{"--stall-timeout", "100ms"}},
		{"ttft=1ms,gap=20ms", weir.TimeoutTotal, []string{"--timeout", "100ms"}},
		{"ttft=20s,gap=1ms", weir.TimeoutFirstOutput, []string{"--first-output-timeout", "100ms"}},
		{"ttft=1ms,gap=1ms,json=true", weir.NotStreamed, nil},
	} {
		url := simulator(t, map[string]string{"m": c.plan})
		args := append([]string{"bench", url, "--model", "m", "-n", "2", "--warmup", "0", "--output-tokens", "16", "-o", "json"}, c.args...)
		o := promptly(t, 5*time.Second, func() outcome { return runWeir(t, args...) })
		target := o.summary(t).Targets[0]
		if o.code != 1 || target.Outcomes[c.outcome] != 2 || target.Success.Or(-1) != 0 {
			t.Errorf("%s: code %d, %+v", c.plan, o.code, target)
		}
	}
}

func TestBenchUsage(t *testing.T) {
	t.Parallel()
	var asked bool
	url := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true })) + "/v1"
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		words []string
	}{
		{[]string{url, "-n", "0", "--model", "m"}, []string{"0 requests", "at least 1"}},
		{[]string{url, "--requests=-3", "--model", "m"}, []string{"-3 requests", "at least 1"}},
		{[]string{url, "--requests", "many", "--model", "m"}, []string{"--requests", "many"}},
		{[]string{url, "--concurrency", "0", "--model", "m"}, []string{"concurrency 0", "at least 1"}},
		{[]string{url, "--concurrency", "1000000", "--model", "m"}, []string{"concurrency 1000000", "at most"}},
		{[]string{url, "--warmup=-1", "--model", "m"}, []string{"warm-up -1"}},
		{[]string{url, "--input-tokens", "0", "--model", "m"}, []string{"--input-tokens", "length 0", "from 1"}},
		{[]string{url, "--input-tokens", "100000000", "--model", "m"}, []string{"--input-tokens", "length 100000000", "to 10000000"}},
		{[]string{url, "--output-tokens", "0", "--model", "m"}, []string{"--output-tokens", "length 0"}},
		{[]string{url, "--temperature=-2", "--model", "m"}, []string{"--temperature -2"}},
		{[]string{url, "--stall-timeout=-1s", "--model", "m"}, []string{"timeout", "-1s"}},
		{[]string{url, "--stall-timeout=5", "--model", "m"}, []string{"--stall-timeout", "5"}},
		{[]string{url, "-o", "yaml", "--model", "m"}, []string{"--output", "table", "json", "html", "yaml"}},
		{[]string{url, "--dialect", "klingon", "--model", "m"}, []string{`--dialect "klingon"`, "openai-chat", "ollama"}},
		{[]string{url}, []string{"no --model"}},
		{[]string{url, url, url, "--model", "a", "--model", "b"}, []string{"--model", "2 times", "3 URLs"}},
		{[]string{url, url, url, "--model", "a", "--dialect", "gemini", "--dialect", "ollama"}, []string{"--dialect", "2 times", "3 URLs"}},
		{[]string{"ftp://h/v1", "--model", "m"}, []string{"ftp://h/v1", "http://"}},
		{[]string{"localhost:8000", "--model", "m"}, []string{"localhost:8000", "http://"}},
		{[]string{"http://", "--model", "m"}, []string{"http://"}},
		{[]string{url, "--save", full, "--model", "m"}, []string{"--save", full, "not empty"}},
		{[]string{url, "--save", filepath.Join(full, "x"), "--model", "m"}, []string{"--save", full}},
		{[]string{url, "--body", "novalue", "--model", "m"}, []string{"--body"}},
		{[]string{url, "--header", "Authorization=Bearer sk-secret", "--model", "m"}, []string{"--header", "--key-env"}},
		{[]string{url, "--header", "x-api-key=sk-secret", "--model", "m"}, []string{"--header", "--key-env"}},
		{[]string{"http://me:sk-secret@h/v1", "--model", "m"}, []string{"--key-env"}},
	} {
		t.Run(strings.Join(c.args[1:], " "), func(t *testing.T) {
			o := runWeir(t, append([]string{"bench"}, c.args...)...)
			o.oneClearLine(t, 2, c.words...)
			if strings.Contains(o.err, "sk-secret") {
				t.Errorf("a key is shown: %s", o.err)
			}
		})
	}
	if asked {
		t.Error("something was sent all the same")
	}
}

// TestBenchAsks holds the request against the flags.
func TestBenchAsks(t *testing.T) {
	t.Parallel()
	bodies := make(chan []byte, 16)
	headers := make(chan http.Header, 16)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		b.ReadFrom(r.Body)
		bodies <- b.Bytes()
		headers <- r.Header
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n")
	})) + "/v1"
	o := runWeir(t, "bench", url, "--model", "some/model", "--prompt", "Why, is = the sky blue?", "--system", "Be brief.", "--output-tokens", "77", "--temperature", "0.5",
		"--reasoning-effort", "low", "--body", "top_p=0.9", "--body", "note=a, b", "--body", `x={"a":[1,2]}`, "--header", "X-Team=a=b, c", "-n", "1", "--warmup", "0")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	var body struct {
		Model, Note        string
		Messages           []struct{ Role, Content string }
		Temperature, Top_p float64 //nolint:revive // as on the wire
		MaxTokens          int     `json:"max_tokens"`
		Effort             string  `json:"reasoning_effort"`
		Stream             bool
		StreamOptions      map[string]bool `json:"stream_options"`
		X                  map[string][]int
	}
	raw := <-bodies
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatal(err)
	}
	if body.Model != "some/model" || body.Temperature != 0.5 || body.MaxTokens != 77 || body.Effort != "low" || !body.Stream || !body.StreamOptions["include_usage"] {
		t.Errorf("%s", raw)
	}
	if body.Top_p != 0.9 || body.Note != "a, b" || len(body.X["a"]) != 2 {
		t.Errorf("extra fields: %s", raw)
	}
	if len(body.Messages) != 2 || !strings.HasSuffix(body.Messages[0].Content, "] Be brief.") || body.Messages[1].Content != "Why, is = the sky blue?" {
		t.Errorf("messages: %+v", body.Messages)
	}
	if got := (<-headers).Get("X-Team"); got != "a=b, c" {
		t.Errorf("X-Team: %q", got)
	}
}
