package dialect

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

// expectation is a case's JSON: what inspect should see, and the metrics that
// follow from its timeline.
type expectation struct {
	API              string          `json:"api"`
	OutputText       json.RawMessage `json:"output_text"`
	ReasoningText    string          `json:"reasoning_text"`
	RefusalText      string          `json:"refusal_text"`
	ToolCalls        []InspectedCall `json:"tool_calls"`
	PromptTokens     *int            `json:"prompt_tokens"`
	CachedTokens     *int            `json:"cached_tokens"`
	CompletionTokens *int            `json:"completion_tokens"`
	ReasoningTokens  *int            `json:"reasoning_tokens"`
	ContentEvents    int             `json:"content_events"`
	FirstOutput      *int            `json:"first_output_event_index"`
	FinishReason     *string         `json:"finish_reason"`
	Error            *string         `json:"error"`
	ErrorType        *string         `json:"error_type"`
	HTTPStatus       *int            `json:"http_status"`
	RetryAfterMS     *float64        `json:"retry_after_ms"`
	Warnings         []string        `json:"warnings"`
	Buffered         bool            `json:"buffered"`
	Choices          []struct {
		Index        int     `json:"index"`
		Text         string  `json:"text"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	SplitReadsAt []int        `json:"split_reads_at"`
	Timeline     [][2]float64 `json:"timeline"`
	Metrics      *struct {
		TTFT       *float64  `json:"ttft_ms"`
		TTFAT      *float64  `json:"ttfat_ms"`
		LastOutput *float64  `json:"last_output_ms"`
		TPOT       *float64  `json:"tpot_ms"`
		Gaps       []float64 `json:"gaps_ms"`
		N1         *float64  `json:"n1"`
		N1Source   *string   `json:"n1_source"`
		End        *float64  `json:"end_ms"`
		E2E        *float64  `json:"e2e_ms"`
	} `json:"metrics"`
	Request *struct {
		MaxTokens int  `json:"max_tokens"`
		IgnoreEOS bool `json:"ignore_eos"`
	} `json:"request"`
	ErrorIfIgnoreEOS string `json:"error_if_ignore_eos"`
}

type streamCase struct {
	id   string
	http bool
	raw  []byte
	want expectation
}

func cases(t testing.TB) (out []streamCase) {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases found", err)
	}
	for _, f := range files {
		c := streamCase{id: strings.TrimSuffix(filepath.Base(f), ".json")}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &c.want); err != nil {
			t.Fatal(f, err)
		}
		base := strings.TrimSuffix(f, ".json")
		if c.raw, err = os.ReadFile(base + ".sse"); err != nil {
			c.http = true
			c.raw, err = os.ReadFile(base + ".http")
		}
		if c.id == "S15" {
			c.raw, c.http, err = longLine(), false, nil
			c.want.OutputText, _ = json.Marshal(strings.Repeat("x", 70000))
		}
		if err != nil {
			t.Fatal(f, err)
		}
		out = append(out, c)
	}
	return out
}

// longLine is S15's recipe.
func longLine() []byte {
	var b bytes.Buffer
	for _, data := range []string{
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 70000) + `"},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":17500,"total_tokens":17509}}`,
		`[DONE]`,
	} {
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	return b.Bytes()
}

func (c streamCase) check(t *testing.T, got *Inspection) {
	t.Helper()
	w := c.want
	var text string
	if err := json.Unmarshal(w.OutputText, &text); err != nil {
		t.Fatal(err)
	}
	outcome := "ok"
	if w.Error != nil {
		outcome = *w.Error
	}
	type plain struct {
		Text, Reasoning, Refusal, Outcome      string
		Prompt, Cached, Completion, ReasoningN *int
		Events                                 int
		First                                  *int
		Finish                                 *string
		Status                                 *int
		Retry                                  *float64
		Calls                                  []InspectedCall
	}
	var retry *float64
	if d, ok := got.RetryAfter.Get(); ok {
		ms := d.MS()
		retry = &ms
	}
	status := got.HTTPStatus
	if w.HTTPStatus == nil {
		status = weir.None[int]()
	}
	have := plain{
		got.OutputText, got.ReasoningText, got.RefusalText, string(got.Outcome),
		ptr(got.PromptTokens), ptr(got.CachedTokens), ptr(got.CompletionTokens), ptr(got.ReasoningTokens),
		got.OutputEvents, ptr(got.FirstOutputEvent), ptr(got.FinishReason), ptr(status), retry, got.ToolCalls,
	}
	want := plain{
		text, w.ReasoningText, w.RefusalText, outcome, w.PromptTokens, w.CachedTokens, w.CompletionTokens, w.ReasoningTokens,
		w.ContentEvents, w.FirstOutput, w.FinishReason, w.HTTPStatus, w.RetryAfterMS, append([]InspectedCall{}, w.ToolCalls...),
	}
	if d := cmp.Diff(want, have); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(append([]string{}, w.Warnings...), got.Warnings); d != "" {
		t.Error("warnings:", d)
	}
	if w.ErrorType != nil && got.ErrorType.Or("") != *w.ErrorType {
		t.Errorf("error_type %q, want %q", got.ErrorType.Or(""), *w.ErrorType)
	}
	if w.API != "" && string(got.Dialect) != w.API {
		t.Errorf("dialect %q, want %q", got.Dialect, w.API)
	}
	if len(w.Choices) != len(got.Choices) {
		t.Fatalf("%d choices, want %d", len(got.Choices), len(w.Choices))
	}
	for i, ch := range w.Choices {
		g := got.Choices[i]
		if g.Index != ch.Index || g.Text != ch.Text || g.FinishReason.Or("") != *ch.FinishReason {
			t.Errorf("choice %d: %+v, want %+v", i, g, ch)
		}
	}
}

func ptr[T any](o weir.Opt[T]) *T {
	if v, ok := o.Get(); ok {
		return &v
	}
	return nil
}

// pieces reads b in the given pieces, one a call.
type pieces struct{ left [][]byte }

func (p *pieces) Read(b []byte) (int, error) {
	for len(p.left) > 0 && len(p.left[0]) == 0 {
		p.left = p.left[1:]
	}
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.left[0])
	p.left[0] = p.left[0][n:]
	return n, nil
}

func TestCases(t *testing.T) {
	const seed = 20261130
	t.Logf("seed %d", seed)
	for _, c := range cases(t) {
		t.Run(c.id, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, uint64(len(c.raw))))
			splits := map[string][][]byte{"whole": {c.raw}, "one byte at a time": bytes.SplitAfter(c.raw, nil)}
			for i := range 8 {
				splits[fmt.Sprint("random split ", i)] = randomSplit(rnd, c.raw)
			}
			if at := c.want.SplitReadsAt; at != nil {
				splits["stated split"] = splitAt(c.raw, at)
			}
			for name, split := range splits {
				got, err := Inspect(&pieces{split}, InspectOptions{HTTP: c.http})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				c.check(t, got)
				if t.Failed() {
					t.Fatalf("fed: %s", name)
				}
			}
			c.feed(t, rnd)
		})
	}
}

// feed gives the body's bytes to a Reader itself, which sees every split that
// Inspect's buffering hides.
func (c streamCase) feed(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	for _, split := range [][][]byte{{c.raw}, bytes.SplitAfter(c.raw, nil), randomSplit(rnd, c.raw)} {
		o, body, end := c.body(t, split)
		answer := new(Answer)
		o.Answer = answer
		r := NewReader(o)
		for _, p := range body {
			p = bytes.Clone(p)
			r.Feed(p, weir.Stamp{})
			clear(p) // the reader must keep nothing of it
		}
		got := inspection(r, r.End(end), answer)
		got.Dialect, got.HTTPStatus = o.Dialect, weir.Some(o.Status)
		c.check(t, got)
	}
}

// body is the decoded body of the case in pieces, and how it ends.
func (c streamCase) body(t *testing.T, split [][]byte) (o Options, body [][]byte, end error) {
	t.Helper()
	o = Options{Dialect: weir.Dialect(c.want.API), Stream: true, Status: 200}
	if !c.http {
		return o, split, nil
	}
	res, err := readResponse(bufio.NewReader(&pieces{split}))
	if err != nil {
		t.Fatal(err)
	}
	o.Status, o.Header = res.status, res.header
	for {
		buf := make([]byte, 7)
		n, err := res.body.Read(buf)
		body = append(body, buf[:n])
		if err != nil {
			return o, body, err
		}
	}
}

func randomSplit(rnd *rand.Rand, b []byte) [][]byte {
	at := make([]int, 1+rnd.IntN(12))
	for i := range at {
		at[i] = rnd.IntN(len(b) + 1)
	}
	slices.Sort(at)
	return splitAt(b, at)
}

func splitAt(b []byte, at []int) (out [][]byte) {
	from := 0
	for _, i := range at {
		out = append(out, b[from:i])
		from = i
	}
	return append(out, b[from:])
}

// TestTimelines holds the metrics that METRICS.md defines against those each
// case states for its timeline.
func TestTimelines(t *testing.T) {
	n := 0
	for _, c := range cases(t) {
		if c.want.Metrics == nil {
			continue
		}
		n++
		t.Run(c.id, func(t *testing.T) {
			tr := c.trace()
			w := c.want.Metrics
			near(t, "ttft_ms", w.TTFT, tr.TTFT())
			near(t, "ttfat_ms", w.TTFAT, tr.TTFAT())
			near(t, "tpot_ms", w.TPOT, tr.TPOT())
			near(t, "e2e_ms", w.E2E, tr.E2E())
			near(t, "last_output_ms", w.LastOutput, tr.E2E()) // due = 0
			near(t, "end_ms", w.End, tr.End)
			gaps := []float64{}
			for g := range tr.Gaps() {
				gaps = append(gaps, weir.Dur(g).MS())
			}
			if !slices.Equal(gaps, w.Gaps) {
				t.Errorf("gaps_ms %v, want %v", gaps, w.Gaps)
			}
			n1, source := tr.N1()
			if (w.N1 == nil) != !n1.Known() || (w.N1 != nil && math.Abs(n1.Or(0)-*w.N1) > 5e-4) {
				t.Errorf("n1 %v, want %v", n1, w.N1)
			}
			if (w.N1Source == nil && source != "") || (w.N1Source != nil && string(source) != *w.N1Source) {
				t.Errorf("n1_source %q, want %v", source, w.N1Source)
			}
			if tr.Buffered() != c.want.Buffered {
				t.Errorf("buffered %v, want %v", tr.Buffered(), c.want.Buffered)
			}
		})
	}
	if n < 10 {
		t.Errorf("only %d timeline cases", n)
	}
}

// trace plays the case's timeline: each write's bytes arrive at its time.
func (c streamCase) trace() *weir.Trace {
	r := NewReader(Options{Dialect: weir.Dialect(c.want.API), Stream: true, Status: 200})
	from, at := 0, time.Duration(0)
	for _, w := range c.want.Timeline {
		at = time.Duration(w[1] * float64(time.Millisecond))
		r.Feed(c.raw[from:int(w[0])], weir.Exactly(at))
		from = int(w[0])
	}
	res := r.End(nil)
	return &weir.Trace{Ticks: r.Ticks, Usage: res.Usage, TokenSource: weir.TokensFromUsage, End: weir.SpanOf(at)}
}

func near(t *testing.T, name string, want *float64, got weir.Span) {
	t.Helper()
	v, ok := got.Get()
	if ok != (want != nil) || (ok && math.Abs(v.MS()-*want) > 6e-4) {
		t.Errorf("%s %v (known %v), want %v", name, v.MS(), ok, want)
	}
}

// M20: complete on the wire, and a failure when exactly that many tokens were
// asked for.
func TestShortOutput(t *testing.T) {
	for _, c := range cases(t) {
		if c.want.Request == nil {
			continue
		}
		r := NewReader(Options{Dialect: weir.Dialect(c.want.API), Stream: true, AskedTokens: c.want.Request.MaxTokens, IgnoreEOS: c.want.Request.IgnoreEOS})
		r.Feed(c.raw, weir.Stamp{})
		if res := r.End(nil); string(res.Outcome) != c.want.ErrorIfIgnoreEOS {
			t.Errorf("%s: outcome %q, want %q", c.id, res.Outcome, c.want.ErrorIfIgnoreEOS)
		}
	}
}
