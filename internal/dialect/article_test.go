package dialect

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

var update = flag.Bool("update", false, "write docs/article.md's tables anew")

const articlePage = "../../docs/article.md"

// verdict is how the script's report compares with what is true. The page has
// one table for each, in this order.
type verdict string

const (
	failureAsAnswer verdict = "Failures reported as answers"
	answerLost      verdict = "Good answers lost to an exception"
	lateTTFT        verdict = "A later ttft"
	guessedTokens   verdict = "Tokens that nobody counted"
	noSpeed         verdict = "A speed where none can be told"
	otherSpeed      verdict = "Right ttft, right tokens, another speed"
	agrees          verdict = "The same figures"
	bothFail        verdict = "Both say that it failed"
	otherAPI        verdict = "Another API"
)

var verdicts = []verdict{failureAsAnswer, answerLost, lateTTFT, guessedTokens, noSpeed, otherSpeed, agrees, bothFail, otherAPI}

// compared is one stream under the script and under Weir.
type compared struct {
	id      string
	verdict verdict
	script  figures
	short   figures // the script's short form
	trace   *weir.Trace
}

func compare(id string, o Options, r recording) compared {
	c := compared{id: id, script: script{}.run(r), short: script{short: true}.run(r), trace: r.trace(o)}
	c.verdict = c.judge(o.Dialect)
	return c
}

func (c compared) judge(d weir.Dialect) verdict {
	ttft, seen := c.trace.TTFT().Get()
	n, counted := c.trace.NSeen().Get()
	speed, told := c.trace.OutputSpeed().Get()
	ok := c.trace.Outcome == weir.OK
	switch {
	case d != weir.OpenAIChat:
		return otherAPI
	case c.script.raised != "" && !ok:
		return bothFail
	case c.script.raised != "":
		return answerLost
	case !ok:
		return failureAsAnswer
	case !seen || (c.script.ttft-ttft.Duration()).Abs() > time.Millisecond:
		return lateTTFT
	case !counted || c.script.tokens != n:
		return guessedTokens
	case !told:
		return noSpeed
	case math.Abs(c.script.speed/speed-1) > 0.02:
		return otherSpeed
	}
	return agrees
}

// trace is what Weir makes of the recording, due when it was sent.
func (r recording) trace(o Options) *weir.Trace {
	o.Stream, o.Status, o.Header = true, r.status, r.header
	reader, at := NewReader(o), time.Duration(0)
	for _, w := range r.writes {
		at = w.at
		reader.Feed(w.data, weir.Exactly(at))
	}
	res := reader.End(r.end)
	return &weir.Trace{
		Ticks: reader.Ticks, Usage: res.Usage, TokenSource: weir.TokensFromUsage, Outcome: res.Outcome,
		OutputChars: res.Chars, End: weir.SpanOf(at),
	}
}

// recording has the case's own timeline, or where it has none each block of the
// body as one write, the i-th at 100 ms + 10 ms x i.
func (c streamCase) recording(t *testing.T) recording {
	t.Helper()
	r, body := recording{status: 200}, c.raw
	if c.http {
		res, err := readResponse(bufio.NewReader(bytes.NewReader(c.raw)))
		if err != nil {
			t.Fatal(c.id, err)
		}
		r.status, r.header = res.status, res.header
		if body, err = io.ReadAll(res.body); err != nil && !errors.Is(err, io.EOF) {
			r.end = err
		}
	}
	from := 0
	for _, w := range c.want.Timeline {
		r.writes = append(r.writes, write{time.Duration(w[1] * float64(time.Millisecond)), body[from:int(w[0])]})
		from = int(w[0])
	}
	if r.writes == nil {
		for i, b := range blocks(body) {
			r.writes = append(r.writes, write{time.Duration(100+10*i) * time.Millisecond, b})
		}
	}
	return r
}

func comparedCases(t *testing.T) (all []compared) {
	t.Helper()
	for _, c := range cases(t) {
		o := Options{Dialect: weir.Dialect(c.want.API)}
		if c.want.Request != nil {
			o.AskedTokens, o.IgnoreEOS = c.want.Request.MaxTokens, c.want.Request.IgnoreEOS
		}
		all = append(all, compare(c.id, o, c.recording(t)))
	}
	return all
}

// madeAnswer is a stream as long as real ones: a role chunk at 50 ms, the first
// token at 200 ms, then one every 10 ms, so that its true speed is 100 tokens/s.
type madeAnswer struct {
	name             string
	tokens, thinking int
	hidden           bool // the thinking is billed and not sent
	per              int  // tokens in an event
	trailer          time.Duration
	noUsage          bool
	buffered         bool // all of it comes with the last byte
	cut              int  // the body ends after so many tokens; 0: it is whole
}

var madeAnswers = []madeAnswer{
	{name: "128 tokens, one an event", tokens: 128, per: 1},
	{name: "1,024 tokens", tokens: 1024, per: 1},
	{name: "16 tokens", tokens: 16, per: 1},
	{name: "128 tokens, usage 300 ms after the last", tokens: 128, per: 1, trailer: 300 * time.Millisecond},
	{name: "128 tokens, eight an event", tokens: 128, per: 8},
	{name: "128 tokens, eight an event, no usage", tokens: 128, per: 8, noUsage: true},
	{name: "512 tokens of thinking, then 128", tokens: 128, thinking: 512, per: 1},
	{name: "512 tokens of thinking that are not sent, then 128", tokens: 128, thinking: 512, hidden: true, per: 1},
	{name: "128 tokens in one piece at the end", tokens: 128, per: 1, buffered: true},
	{name: "128 tokens, the body ends cleanly after 64", tokens: 128, per: 1, cut: 64},
}

func (a madeAnswer) recording() recording {
	const step = 10 * time.Millisecond
	r := recording{status: 200}
	at := 50 * time.Millisecond
	send := func(format string, args ...any) {
		r.writes = append(r.writes, write{at, []byte("data: " + fmt.Sprintf(format, args...) + "\n\n")})
	}
	delta := func(field, text string) {
		send(`{"choices":[{"index":0,"delta":{%q:%q},"finish_reason":null}]}`, field, text)
	}
	delta("role", "assistant")
	at = 200*time.Millisecond - step
	for i := 0; i < a.thinking+a.tokens && (a.cut == 0 || i < a.cut); i += a.per {
		at += step * time.Duration(a.per)
		switch text := strings.Repeat(" tok", a.per); {
		case i >= a.thinking:
			delta("content", text)
		case !a.hidden:
			delta("reasoning_content", text)
		}
	}
	if a.cut == 0 {
		send(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
		at += a.trailer
		if !a.noUsage {
			send(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d,"completion_tokens_details":{"reasoning_tokens":%d}}}`, a.thinking+a.tokens, a.thinking)
		}
		send("[DONE]")
	}
	for i := range r.writes {
		if a.buffered {
			r.writes[i].at = at
		}
	}
	return r
}

func comparedAnswers() (all []compared) {
	for _, a := range madeAnswers {
		all = append(all, compare(a.name, Options{Dialect: weir.OpenAIChat}, a.recording()))
	}
	return all
}

// TestArticle holds docs/article.md to what the script and Weir report on the
// cases of testdata/streams and on answers of a usual length.
func TestArticle(t *testing.T) {
	onCases, onAnswers := comparedCases(t), comparedAnswers()
	page, err := os.ReadFile(articlePage)
	if err != nil {
		t.Fatal(err)
	}
	got := string(page)
	for name, block := range map[string]string{
		"script":  "```python\n" + articleScript + "```\n",
		"facts":   factList(t, onCases, onAnswers),
		"answers": answerTable(onAnswers),
		"cases":   caseTables(t, onCases),
	} {
		got = fill(t, got, name, block)
	}
	if *update {
		if err := os.WriteFile(articlePage, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := gocmp.Diff(string(page), got); d != "" {
		t.Errorf("%s is not what the streams say; go test ./internal/dialect -run Article -update writes it (-page +streams):\n%s", articlePage, d)
	}
}

// TestArticleNotes: each case has its words, and no words are left of a case
// that is gone.
func TestArticleNotes(t *testing.T) {
	ids := map[string]bool{}
	for _, c := range cases(t) {
		ids[c.id] = true
		if _, ok := articleNotes[c.id]; !ok {
			t.Errorf("%s has no note", c.id)
		}
	}
	for id := range articleNotes {
		if !ids[id] {
			t.Errorf("the note of %s has no case", id)
		}
	}
}

// TestArticleGetsRight holds the cases that the page names in the script's favour.
func TestArticleGetsRight(t *testing.T) {
	all := comparedCases(t)
	for id, want := range map[string]verdict{
		"M01": otherSpeed, "S07": otherSpeed, "S34": otherSpeed, // it waits for text
		"M06": otherSpeed, "S26": otherSpeed, // it does not add usage up
		"M19": bothFail, "S46": bothFail, "S56": bothFail, // the SDK raises
	} {
		if c := find(t, all, id); c.verdict != want {
			t.Errorf("%s is in %q, want %q", id, c.verdict, want)
		}
	}
}

// TestArticleFormula: on a plain stream the script is right but for the formula,
// and that only as far as an answer is short.
func TestArticleFormula(t *testing.T) {
	for _, c := range []struct {
		tokens  int
		atLeast float64
		atMost  float64
	}{{16, 1.05, 1.07}, {128, 1.00, 1.01}, {1024, 0.999, 1.002}} {
		got := compare("", Options{Dialect: weir.OpenAIChat}, madeAnswer{tokens: c.tokens, per: 1}.recording())
		if v := got.trace.OutputSpeed().Or(0); math.Abs(v-100) > 1e-6 {
			t.Errorf("%d tokens: Weir says %v tokens/s, want 100", c.tokens, v)
		}
		if v := got.script.speed / 100; v < c.atLeast || v > c.atMost {
			t.Errorf("%d tokens: the script is off by %.4f, want %v to %v", c.tokens, v, c.atLeast, c.atMost)
		}
	}
}

// fill puts a block between its marks in the page.
func fill(t *testing.T, page, name, block string) string {
	t.Helper()
	from, to := "<!-- "+name+": written by the test -->\n", "<!-- end of "+name+" -->"
	head, rest, ok1 := strings.Cut(page, from)
	_, tail, ok2 := strings.Cut(rest, to)
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks the marks %q and %q", articlePage, from, to)
	}
	return head + from + block + to + tail
}

// find is the comparison of that case, or of the answer of that name.
func find(t *testing.T, all []compared, id string) compared {
	t.Helper()
	i := slices.IndexFunc(all, func(c compared) bool { return c.id == id })
	if i < 0 {
		t.Fatalf("there is no stream %q", id)
	}
	return all[i]
}

// byVerdict sorts the comparisons into the page's tables.
func byVerdict(all []compared) map[verdict][]compared {
	out := map[verdict][]compared{}
	for _, c := range all {
		out[c.verdict] = append(out[c.verdict], c)
	}
	for _, group := range out {
		slices.SortFunc(group, func(a, b compared) int { return cmp.Compare(a.id, b.id) })
	}
	return out
}
