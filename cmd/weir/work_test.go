package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weir.dev/weir/internal/report"
)

// caching answers like an engine with a prompt cache: it knows a prompt that it
// was asked before, and says so and is faster. It keeps what it was asked.
type caching struct {
	mu    sync.Mutex
	known map[string]bool
	asked []string
}

func (c *caching) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Messages json.RawMessage }
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &body)
	prompt := string(body.Messages)
	c.mu.Lock()
	hit := c.known[prompt]
	if c.known == nil {
		c.known = map[string]bool{}
	}
	c.known[prompt] = true
	c.asked = append(c.asked, prompt)
	c.mu.Unlock()
	tokens, cached, wait := len(prompt)/4, 0, 40*time.Millisecond
	if hit {
		cached, wait = tokens-2, 5*time.Millisecond
	}
	time.Sleep(wait)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":1,\"prompt_tokens_details\":{\"cached_tokens\":%d}}}\n\ndata: [DONE]\n\n", tokens, cached)
}

func TestCompareCache(t *testing.T) {
	t.Parallel()
	server := &caching{}
	url := serve(t, server) + "/v1"
	args := []string{"bench", url, "--model", "m", "--cache", "compare", "-n", "12", "--price", "input=1,cached_input=0.1,output=1"}
	o := runWeir(t, append(args, "-o", "json")...)
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	c := o.summary(t).Targets[0].Cache
	if c.Pairs != 6 || c.Timed != 6 || c.TTFTRatio.Or(9) > 0.8 || c.WarmShare.Or(0) < 0.9 || c.ColdShare.Or(1) != 0 || c.Saves.Or(0) < 0.1 {
		t.Errorf("%+v", c)
	}
	if o := runWeir(t, args...); !strings.Contains(o.out, "x cold [") || !strings.Contains(o.out, "% of the prompt cached, saves $0.") {
		t.Error(o.out)
	}
}

func TestConversations(t *testing.T) {
	t.Parallel()
	server := &caching{}
	o := runWeir(t, "bench", serve(t, server)+"/v1", "--model", "m", "--turns", "3", "--think", "5ms~1ms", "-n", "6", "--warmup", "0",
		"--mix", "50%:40/4,50%:80~10/8", "--content", "code", "-o", "json")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	for i, asked := range server.asked {
		var messages []any
		_ = json.Unmarshal([]byte(asked), &messages)
		if len(messages) != []int{1, 3, 5}[i%3] {
			t.Errorf("request %d has %d messages", i, len(messages))
		}
	}
	w := o.summary(t).Settings.Work
	if w.Turns != 3 || w.Think != "5ms~1ms" || w.Content != "code" || w.Lengths != "50%:40/4,50%:80~10[1..120]/8" {
		t.Errorf("%+v", w)
	}
}

// pixel is the smallest PNG there is.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func TestDataSets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	jsonl := write("chat.jsonl", `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"one"}],"output_tokens":9}`+"\n\n"+`{"prompt":"two"}`+"\n")
	share := write("share.json", `[{"conversations":[{"from":"human","value":"first"},{"from":"gpt","value":"yes"},{"from":"human","value":"second"}]}]`)
	ask := func(args ...string) ([]string, *report.Summary) {
		server := &caching{}
		o := runWeir(t, append([]string{"bench", serve(t, server) + "/v1", "--model", "m", "--warmup", "0", "--no-nonce", "-o", "json"}, args...)...)
		if o.code != 0 {
			t.Fatalf("%v: %+v", args, o)
		}
		return server.asked, o.summary(t)
	}
	asked, s := ask("--data", jsonl, "-n", "3")
	want := []string{`[{"role":"system","content":"Be brief."},{"role":"user","content":"one"}]`, `[{"role":"user","content":"two"}]`}
	if !slices.Equal(asked, append(want, want[0])) {
		t.Errorf("%q", asked)
	}
	if d := s.Settings.Work.Data; d.Name != "chat.jsonl" || d.Records != 2 || d.Hash == "" {
		t.Errorf("%+v", d)
	}
	if asked, _ = ask("--data", share, "--data-turns", "each", "-n", "2"); !slices.Equal(asked, []string{
		`[{"role":"user","content":"first"}]`,
		`[{"role":"user","content":"first"},{"role":"assistant","content":"yes"},{"role":"user","content":"second"}]`,
	}) {
		t.Errorf("%q", asked)
	}
	raw, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	file := write("pixel.png", string(raw))
	if asked, _ = ask("--prompt", "What is it?", "--image", file, "--image", "https://a.example/cat.png", "-n", "1"); len(asked) != 1 ||
		!strings.Contains(asked[0], "data:image/png;base64,"+pixel) || !strings.Contains(asked[0], "https://a.example/cat.png") {
		t.Errorf("%q", asked)
	}
	for args, words := range map[string][]string{
		"--data " + write("bad.jsonl", "{\"prompt\":\"a\"}\n{\"prompt\":5}\n{\n"):                                                                {"bad.jsonl", "line 2", "line 3"},
		"--data " + write("out.jsonl", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"../../etc/passwd"}}]}]}`): {"line 1", "passwd"},
		"--data nowhere.jsonl":                {"--data", "nowhere.jsonl"},
		"--data-turns each":                   {"--data-turns is for --data"},
		"--image " + jsonl:                    {"--image", "no image"},
		"--cache cold --shared-prefix 50%":    {"cold", "shared"},
		"--shared-prefix half":                {"--shared-prefix", "50%"},
		"--mix 60%:1/1,60%:2/2":               {"--mix", "120 %"},
		"--mix 256/128 --input-tokens 9":      {"--mix", "--input-tokens"},
		"--think 5s~2s":                       {"--think", "--turns"},
		"--turns 0":                           {"--turns"},
		"--cache-gap 5s":                      {"--cache compare"},
		"--cache warm --no-nonce":             {"--no-nonce"},
		"--turns 2 --cache compare":           {"turns"},
		"--content poetry":                    {"--content", "prose"},
		"--output-tokens 10~5[20..30]":        {"--output-tokens", "around the mean"},
		"--data " + jsonl + " --prompt hello": {"a prompt and a data set"},
	} {
		o := runWeir(t, append([]string{"bench", "http://127.0.0.1:1/v1", "--model", "m"}, strings.Fields(args)...)...)
		if o.code != 2 || slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(o.err, w) }) {
			t.Errorf("%s: %d %s", args, o.code, o.err)
		}
	}
}
