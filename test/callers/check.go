package callers

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

// answered holds that the client has the provider's answer, all of it and
// nothing else.
func answered(words, thoughts int) func(*testing.T, *cell) {
	return func(t *testing.T, c *cell) {
		c.succeeded(t, 1)
		if len(c.seen) == 0 {
			return
		}
		text, reasoning := c.seen[0].said(c.target)
		if c.result.Text != text || len(strings.Fields(text)) != words {
			t.Errorf("text %q, the provider said %q, %d words of it", c.result.Text, text, words)
		}
		if len(strings.Fields(reasoning)) != thoughts {
			t.Errorf("the provider's reasoning was %q, want %d words", reasoning, thoughts)
		}
		if c.client.Thoughtless {
			reasoning = ""
		}
		if c.result.Reasoning != reasoning {
			t.Errorf("reasoning %q, the provider's was %q", c.result.Reasoning, reasoning)
		}
		c.used(t, promptTokens, 0, words+thoughts)
	}
}

// limited holds that the caller's limit reached the target, and that the client
// knows why the answer is no longer.
func limited(t *testing.T, c *cell) {
	c.ended(t, 1, c.client.Limit)
	if len(c.seen) == 0 {
		return
	}
	if text, _ := c.seen[0].said(c.target); c.result.Text != text || len(strings.Fields(text)) != 6 {
		t.Errorf("text %q, the provider said %q, 6 words", c.result.Text, text)
	}
	c.used(t, promptTokens, 0, 6)
}

// asGenerated is answered for a provider of which only its own words are known.
func asGenerated(t *testing.T, c *cell) {
	if len(c.seen) != 1 {
		t.Fatalf("the provider was asked %d times, want 1", len(c.seen))
	}
	s := c.seen[0].answer(c.target)
	finish := c.client.Stop
	if s.finish == "length" {
		finish = c.client.Limit
	}
	c.ended(t, 1, finish)
	if c.result.Text != s.text || s.text == "" {
		t.Errorf("text %q, the provider said %q", c.result.Text, s.text)
	}
	c.used(t, s.usage.Prompt.Or(-1), s.usage.Cached.Or(0), s.usage.Completion.Or(-1))
}

// leftEngine is left for such a provider.
func leftEngine(t *testing.T, c *cell) {
	text := c.departed(t)
	if c.result.Text == "" || !strings.HasPrefix(text, c.result.Text) {
		t.Errorf("text %q, the provider had said %q", c.result.Text, text)
	}
}

// withoutUsage is for a client that did not ask for usage in a stream: it sees
// none, and the gateway has asked all the same.
func withoutUsage(t *testing.T, c *cell) {
	c.succeeded(t, 1)
	if len(c.seen) == 0 {
		return
	}
	if text, _ := c.seen[0].said(c.target); c.result.Text != text || len(strings.Fields(text)) != shortWords {
		t.Errorf("text %q, the provider said %q", c.result.Text, text)
	}
	if c.result.Output != nil {
		t.Errorf("usage of %d tokens, that was not asked for", *c.result.Output)
	}
	if c.target == weir.OpenAIChat && !bytes.Contains(c.seen[0].Body, []byte(`"stream_options":{"include_usage":true}`)) {
		t.Error("the target was not asked for usage")
	}
}

// tools holds that two calls came, that what the tool gave went back under the
// right names, and that the answer made of it came.
func tools(t *testing.T, c *cell) {
	c.succeeded(t, 2)
	if c.result.Text != toolsText {
		t.Errorf("text %q, want %q", c.result.Text, toolsText)
	}
	if len(c.result.Calls) != 2 {
		t.Fatalf("%d calls, want 2", len(c.result.Calls))
	}
	ids := map[string]bool{}
	for i, gauge := range []string{"north", "south"} {
		call := c.result.Calls[i]
		if call.Name != "level" || !reflect.DeepEqual(call.Arguments, map[string]any{"gauge": gauge}) {
			t.Errorf("call %d is %+v, want level of %s", i, call, gauge)
		}
		ids[call.ID] = true
		if want := map[weir.Dialect]string{weir.OpenAIChat: "call_", weir.Anthropic: "toolu_"}[c.target]; want != "" && call.ID != want+gauge {
			t.Errorf("call %d has the id %q, want %q", i, call.ID, want+gauge)
		}
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("ids %v, want two", ids)
	}
	c.used(t, scriptInput, scriptCached, scriptOutput)
}

// structured holds that the schema went to the target as the caller wrote it,
// and the client could read the answer by it.
func structured(t *testing.T, c *cell) {
	c.succeeded(t, 1)
	var got any
	if err := json.Unmarshal(c.result.Object, &got); err != nil || !reflect.DeepEqual(got, map[string]any{"gauge": "north", "level": 42.0}) {
		t.Errorf("object %s, want %s", c.result.Object, readingJSON)
	}
	if c.result.Text != readingJSON {
		t.Errorf("text %q, want %q", c.result.Text, readingJSON)
	}
	c.used(t, scriptInput, scriptCached, scriptOutput)
	if len(c.seen) == 0 || len(c.result.Sent) == 0 {
		return
	}
	want, sent := schemaIn(c.client.Speaks, []byte(c.result.Sent[0])), schemaIn(c.target, c.seen[0].Body)
	if want == nil || !reflect.DeepEqual(want, sent) {
		t.Errorf("the target got the schema %v, the caller sent %v", sent, want)
	}
}

// schemaIn is the schema of a request, wherever its dialect has it.
func schemaIn(d weir.Dialect, body []byte) any {
	path := map[weir.Dialect]string{
		weir.OpenAIChat: "response_format.json_schema.schema", weir.OpenAIResponses: "text.format.schema",
		weir.Anthropic: "output_config.format.schema", weir.Gemini: "generationConfig.responseJsonSchema",
	}[d]
	var at any
	if json.Unmarshal(body, &at) != nil {
		return nil
	}
	for name := range strings.SplitSeq(path, ".") {
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = object[name]
	}
	return at
}

// soon is how much later than its caller a provider may learn that nobody
// listens. The gateway's own tests hold it to 100 ms in virtual time; here two
// processes and their scheduling are in it.
const soon = 1500 * time.Millisecond

// left holds that a caller who walked away had the beginning, and that the
// provider was told.
func left(t *testing.T, c *cell) {
	if text := c.departed(t); c.result.Text != text || len(strings.Fields(text)) != 6 {
		t.Errorf("text %q, the provider had said %q, 6 words", c.result.Text, text)
	}
}

// departed gives what the provider had said when it was told.
func (c *cell) departed(t *testing.T) (text string) {
	t.Helper()
	if c.result.Error != nil || c.result.LeftAt == nil || len(c.seen) != 1 {
		t.Fatalf("error %s, left at %s, the provider was asked %d times", asJSON(c.result.Error), asJSON(c.result.LeftAt), len(c.seen))
	}
	at := time.UnixMicro(int64(*c.result.LeftAt * 1000))
	if late := c.seen[0].Left.Sub(at); c.seen[0].Left.IsZero() || late > soon {
		t.Errorf("the provider noticed %v after the caller had left, want %v at most", late, soon)
	}
	text, _ = c.seen[0].said(c.target)
	return text
}

// timedOut holds that the client's own timeout is what it says it is, and that
// the provider was told.
func timedOut(t *testing.T, c *cell) {
	c.attempts(t, 1)
	c.raised(t, TimedOut)
	if len(c.seen) == 0 {
		return
	}
	if after := c.seen[0].Left.Sub(c.seen[0].At); c.seen[0].Left.IsZero() || after > timeoutMS*time.Millisecond+soon {
		t.Errorf("the provider noticed after %v", after)
	}
}

func deadline(t *testing.T, c *cell) {
	c.raised(t, Unavailable)
	c.told(t, 503)
	c.attempts(t, c.persistence())
	if e := c.result.Error; e != nil && !strings.Contains(e.Message, "deadline") {
		t.Errorf("message %q does not speak of the deadline", e.Message)
	}
	if c.result.TookMS < 300 {
		t.Errorf("took %.0f ms, the deadline is 300 ms", c.result.TookMS)
	}
}

// refused is for what the gateway itself says: code is OpenAI's, kind
// Anthropic's.
func refused(f Failure, status int, code, kind string) func(*testing.T, *cell) {
	return func(t *testing.T, c *cell) {
		c.raised(t, f)
		c.told(t, status)
		want := code
		if c.client.Speaks == weir.Anthropic {
			want = kind
		}
		if e := c.result.Error; e != nil && (e.Kind == nil || *e.Kind != want) {
			t.Errorf("kind %s, want %q", asJSON(e.Kind), want)
		}
		c.attempts(t, 0)
		if len(c.result.Sent) != 1 {
			t.Errorf("the client sent %d requests, want 1", len(c.result.Sent))
		}
		if status == 429 {
			c.waitTold(t, 1, 60)
		}
	}
}

// failed is for what a target says and the gateway passes on, or sums up.
func failed(f Failure, status int) func(*testing.T, *cell) {
	return func(t *testing.T, c *cell) {
		c.raised(t, f)
		c.told(t, status)
		want := 1
		if status >= 500 {
			want = c.persistence()
		}
		c.attempts(t, want)
		if len(c.seen) > 0 && c.result.Error != nil {
			if said := messageIn(c.seen[0].Wire); said == "" || !strings.Contains(c.result.Error.Message, said) {
				t.Errorf("message %q, the target said %q", c.result.Error.Message, said)
			}
		}
		if status == 429 {
			c.waitTold(t, 6, 7)
		}
	}
}

// barred is for a target that does not take its key: it is not asked again, and
// the caller is not told that its own key is wrong.
func barred(t *testing.T, c *cell) {
	c.raised(t, BadGateway)
	c.told(t, 502)
	c.attempts(t, 1)
	if len(c.result.Sent) != c.persistence() {
		t.Errorf("the client sent %d requests, want %d", len(c.result.Sent), c.persistence())
	}
	c.result.Sent = c.result.Sent[:min(1, len(c.result.Sent))] // checkBytes looks at what the target got
}

// waited holds that the client asked again when, and not before, it was told to.
func waited(t *testing.T, c *cell) {
	c.succeeded(t, 2)
	if c.result.Text != afterBusy {
		t.Errorf("text %q, want %q", c.result.Text, afterBusy)
	}
	if len(c.seen) == 2 {
		if gap := c.seen[1].At.Sub(c.seen[0].At); gap < 950*time.Millisecond || c.client.Unoverruled && gap > 1900*time.Millisecond { // by itself it waits 2s, the others less than 1s
			t.Errorf("asked again after %v, told was 1s", gap)
		}
	}
}

// brokeOff holds that a broken stream is never taken for a whole one: what came
// before is there, and then an error.
func brokeOff(t *testing.T, c *cell) {
	c.attempts(t, 1)
	c.raised(t, BrokenOff)
	if len(c.seen) == 0 {
		return
	}
	if text, _ := c.seen[0].said(c.target); c.result.Text != text || len(strings.Fields(text)) != 6 {
		t.Errorf("text %q, the provider had said %q, 6 words", c.result.Text, text)
	}
	if c.result.Finish != nil {
		t.Errorf("finish %q of a stream that broke off", *c.result.Finish)
	}
}

func (c *cell) succeeded(t *testing.T, attempts int) {
	t.Helper()
	c.ended(t, attempts, c.client.Stop)
}

func (c *cell) ended(t *testing.T, attempts int, finish string) {
	t.Helper()
	if c.result.Error != nil {
		t.Errorf("error %s", asJSON(c.result.Error))
	}
	c.attempts(t, attempts)
	if c.result.Finish == nil || *c.result.Finish != finish {
		t.Errorf("finish %s, want %q", asJSON(c.result.Finish), finish)
	}
}

func (c *cell) attempts(t *testing.T, n int) {
	t.Helper()
	if len(c.seen) != n {
		t.Errorf("the provider was asked %d times, want %d", len(c.seen), n)
	}
}

// persistence is how often a client asks that is told not to ask again.
func (c *cell) persistence() int {
	if c.client.Unoverruled {
		return 1 + c.asked.Retries
	}
	return 1
}

func (c *cell) raised(t *testing.T, f Failure) {
	t.Helper()
	want := c.client.Raises[f]
	if c.client.Unoverruled && c.asked.Retries > 0 && strings.HasPrefix(string(f), "5") {
		want = "RetryError"
	}
	if e := c.result.Error; e == nil || e.Class != want {
		t.Errorf("error %s, want the class %s", asJSON(e), want)
	}
}

func (c *cell) told(t *testing.T, status int) {
	t.Helper()
	if e := c.result.Error; e != nil && (e.Status == nil || *e.Status != status) {
		t.Errorf("status %s, want %d", asJSON(e.Status), status)
	}
}

func (c *cell) waitTold(t *testing.T, least, most int) {
	t.Helper()
	e := c.result.Error
	if e == nil || e.RetryAfter == nil {
		t.Errorf("no Retry-After in %s", asJSON(e))
		return
	}
	if n, err := strconv.Atoi(*e.RetryAfter); err != nil || n < least || n > most {
		t.Errorf("Retry-After %q, want %d to %d", *e.RetryAfter, least, most)
	}
}

// used holds the client's counts: what Anthropic calls input has no cached
// tokens in it.
func (c *cell) used(t *testing.T, input, cached, output int) {
	t.Helper()
	if c.client.Speaks == weir.Anthropic && !c.client.AddsCached {
		input -= cached
	}
	r := &c.result
	if r.Input == nil || *r.Input != input || r.Output == nil || *r.Output != output {
		t.Errorf("usage %s in, %s out, want %d and %d", asJSON(r.Input), asJSON(r.Output), input, output)
	}
	if got := r.Cached; cached > 0 && (got == nil || *got != cached) || cached == 0 && got != nil && *got != 0 {
		t.Errorf("%s tokens from the cache, want %d", asJSON(got), cached)
	}
}

// checkKeys holds that each provider got its own key and no caller's.
func (c *cell) checkKeys(t *testing.T) {
	t.Helper()
	for _, s := range c.seen {
		var all strings.Builder
		if err := s.Header.Write(&all); err != nil {
			t.Fatal(err)
		}
		own := map[weir.Dialect]string{weir.Anthropic: s.Header.Get("X-Api-Key"), weir.Gemini: s.Header.Get("X-Goog-Api-Key")}[c.target]
		if own == "" {
			own = strings.TrimPrefix(s.Header.Get("Authorization"), "Bearer ")
		}
		if own != targetsKey || strings.Contains(all.String()+string(s.Body), c.asked.Key) {
			t.Errorf("the provider got the key %q in\n%s", own, all.String())
		}
	}
}

var usageAsked = regexp.MustCompile(`,"stream_options":\{"include_usage":true\}`)

// checkBytes holds that a body which needs no translation reaches the provider
// as the client wrote it, but for the model's name and the request for usage.
func (c *cell) checkBytes(t *testing.T) {
	t.Helper()
	if !c.passes() || len(c.seen) == 0 {
		return
	}
	if len(c.result.Sent) != len(c.seen) {
		t.Errorf("the client sent %d bodies, the provider got %d", len(c.result.Sent), len(c.seen))
		return
	}
	for i, s := range c.seen {
		sent, got := c.result.Sent[i], string(s.Body)
		want := bodyModel.ReplaceAllStringFunc(sent, func(m string) string { return strings.Replace(m, c.route, c.model, 1) })
		if c.target == weir.OpenAIChat && c.asked.Stream && !strings.Contains(sent, `"stream_options"`) {
			got = usageAsked.ReplaceAllString(got, "")
		}
		if got != want {
			t.Errorf("the provider got\n%s\nthe client sent\n%s", got, sent)
		}
	}
}

func messageIn(body []byte) string {
	var e struct{ Error struct{ Message string } }
	_ = json.Unmarshal(body, &e) // no message is what is then reported
	return e.Error.Message
}

// show prints what went over the wire.
func (c *cell) show(t *testing.T) {
	t.Helper()
	t.Logf("call %s\nresult %s", asJSON(c.asked), asJSON(c.result))
	for _, s := range c.seen {
		t.Logf("the provider got %s\n%s\nand said\n%.3000s", s.Path, s.Body, s.Wire)
	}
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
