package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir.dev/weir/internal/stored"
)

// contents reads the content files of a run's folder, one slice a file.
func contents(t *testing.T, dir string) (all [][]stored.Content) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "content-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		var lines []stored.Content
		dec := json.NewDecoder(bytes.NewReader(readFile(t, name)))
		dec.DisallowUnknownFields()
		for dec.More() {
			var c stored.Content
			if err := dec.Decode(&c); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, c)
		}
		all = append(all, lines)
	}
	return all
}

// TestSaveContent: a line for each trace, streamed or not, with what was asked,
// and with what came where a stream was cut.
func TestSaveContent(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"good": "ttft=2ms,gap=100us,reasoning=4", "cut": "ttft=2ms,gap=100us,cut=5"})
	for _, stream := range []string{"--stream", "--no-stream"} {
		dir := filepath.Join(t.TempDir(), "run")
		o := runWeir(t, "bench", url, url, "--model", "good", "--model", "cut", "-n", "6", "--concurrency", "2", "--output-tokens", "12", stream,
			"--prompt", "What <is> this?", "--save", dir, "--save-content", "-o", "json")
		s, all := o.summary(t), contents(t, dir)
		if len(all) != 2 || len(all[0])+len(all[1]) != len(s.Requests) {
			t.Fatalf("%d files, %d requests", len(all), len(s.Requests))
		}
		kept := map[string]stored.Content{}
		for _, lines := range all {
			for _, c := range lines {
				kept[c.ID] = c
			}
		}
		for _, r := range s.Requests {
			c := kept[r.ID]
			var asked struct {
				Model    string
				Messages []struct{ Content string }
			}
			if err := json.Unmarshal(c.Request, &asked); err != nil || asked.Model != r.Model || !strings.HasSuffix(asked.Messages[0].Content, "What <is> this?") {
				t.Errorf("%v: %s", err, c.Request)
			}
			words := 12 - 4
			if r.Model == "cut" {
				words = 5
			}
			if stream == "--no-stream" && r.Model == "cut" {
				if c.Answer != nil {
					t.Errorf("an answer of half a body: %+v", c.Answer)
				}
				continue
			}
			if a := c.Answer; a == nil || len(strings.Fields(a.Text)) != words || (a.Reasoning != "") != (r.Model == "good") || a.Finish.Or("") != r.Finish || a.Cut {
				t.Errorf("%s, %s: %+v", stream, r.Model, a)
			}
		}
	}
}

// TestNoContentUnlessAsked: without the flag nothing of it is on the disk.
func TestNoContentUnlessAsked(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	url := simulator(t, map[string]string{"m": "ttft=1ms,gap=100us"})
	runWeir(t, "bench", url, "--model", "m", "-n", "2", "--save", dir)
	if all := contents(t, dir); len(all) != 0 {
		t.Errorf("%d content files", len(all))
	}
	asked := &witness{status: 401}
	o := runWeir(t, "bench", serve(t, asked), "--model", "m", "--save-content")
	o.oneClearLine(t, 2, "--save-content", "--save")
	if asked.count("") != 1 {
		t.Error("something was sent all the same")
	}
}

// TestKeyIsNotInContent: a key that a provider says, whole, in other letters,
// escaped or cut short, in errors, streams and whole answers, is not kept.
func TestKeyIsNotInContent(t *testing.T) {
	t.Parallel()
	escaped := strings.ReplaceAll(canary, "-", `\u002d`)
	stream := func(data string) string { return "data: " + data + "\n\n" }
	delta := func(text string) string {
		return stream(`{"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":null}]}`)
	}
	long := strings.Repeat("x", 64<<10-len(canary)/2) + canary
	for name, c := range map[string]struct {
		status int
		body   string
		args   []string
	}{
		"error":          {401, `{"error":{"message":"Incorrect API key: ` + canary + ", or " + strings.ToUpper(canary) + `"}}`, nil},
		"escaped error":  {500, `{"error":{"message":"Incorrect API key: ` + escaped + `"}}`, nil},
		"cut error":      {500, long, nil},
		"page":           {200, "<html>" + canary + "</html>", nil},
		"in-band error":  {200, delta("so far") + stream(`{"error":{"message":"`+canary+`"}}`), nil},
		"answer":         {200, delta("your key is "+canary[:9]) + delta(canary[9:]+".") + stream("[DONE]"), nil},
		"escaped answer": {200, delta("your key is "+escaped) + stream("[DONE]"), nil},
		"whole answer":   {200, `{"object":"chat.completion","choices":[{"index":0,"message":{"content":"it is ` + canary + `"},"finish_reason":"stop"}]}`, []string{"--no-stream"}},
		"prompt":         {500, "no", []string{"--prompt", "is " + canary + " a key?"}},
	} {
		url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if strings.HasPrefix(c.body, "data:") {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}))
		dir := filepath.Join(t.TempDir(), "run")
		weirWith(t.Context(), map[string]string{"MY_KEY": canary}, "", append([]string{
			"bench", url, "--model", "m", "--key-env", "MY_KEY", "-n", "2", "--warmup", "1", "--save", dir, "--save-content", "-o", "json",
		}, c.args...)...)
		files, err := filepath.Glob(filepath.Join(dir, "content-*.jsonl"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: %v, %v", name, files, err)
		}
		kept := string(readFile(t, files[0]))
		bare := strings.ToLower(strings.NewReplacer(`\u002d`, "", "-", "").Replace(kept))
		if strings.Contains(bare, "canary") || !strings.Contains(kept, "[key]") || !strings.HasPrefix(kept, `{"id":`) {
			t.Errorf("%s: %.3000s", name, kept)
		}
		contents(t, dir)
	}
}

// TestBenchWhole: without streams there is an e2e with its ranks and a speed of
// the whole answer, and no figure that events are needed for.
func TestBenchWhole(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"m": "ttft=20ms,gap=1ms"})
	args := []string{"bench", url, "--model", "m", "-n", "8", "--output-tokens", "31", "--no-stream"}
	s := runWeir(t, append(args, "-o", "json")...).summary(t)
	m := s.Targets[0]
	if p50 := m.E2E.P50.Or(0); m.E2E.N != 8 || m.E2E.Reached != 8 || p50 < 50 || p50 > 200 || math.Abs(p50-m.Whole.P50.Or(0)) > 1e-6 {
		t.Errorf("e2e %+v, whole %+v", m.E2E, m.Whole)
	}
	if v := m.WholeRate.P50.Or(0); v > 31/0.050 || v < 31/0.200 {
		t.Errorf("whole speed %+v", m.WholeRate)
	}
	if m.TTFT.P50.Known() || m.TPOT.P50.Known() || m.Speed.P50.Known() || m.E2EAtN.P50.Known() || s.Spread.Known() {
		t.Errorf("%+v", m)
	}
	for _, r := range s.Requests {
		if r.TTFT.Known() || r.Stall.Known() || r.E2ESpeed.Known() || !r.E2E.Known() {
			t.Errorf("%+v", r)
		}
	}
	o := runWeir(t, args...)
	o.says(t, "e2e p50", "whole speed p50", "ttft, tpot, stalls and output speed cannot be measured")
	if strings.Contains(o.out, "ttft p50") {
		t.Errorf("%s", o.out)
	}
}

// TestBenchWholeForStream: one JSON body where a stream was asked for stays
// without times.
func TestBenchWholeForStream(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"m": "ttft=1ms,json=true"})
	m := runWeir(t, "bench", url, "--model", "m", "-n", "4", "--output-tokens", "8", "-o", "json").summary(t).Targets[0]
	if m.Outcomes["not_streamed"] == 0 || m.E2E.P50.Known() || m.WholeRate.N != 0 || m.Whole.N != 0 {
		t.Errorf("%+v", m)
	}
}
