package dialect

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

// fact is a sentence of the page, with the condition under which it may stand.
type fact struct {
	holds bool
	says  string
}

func facts(t *testing.T, onCases, onAnswers []compared) []fact {
	t.Helper()
	m03, m14, s15 := find(t, onCases, "M03"), find(t, onCases, "M14"), find(t, onCases, "S15")
	plain, late := find(t, onAnswers, "128 tokens, one an event"), find(t, onAnswers, "128 tokens, usage 300 ms after the last")
	uncounted, thinks := find(t, onAnswers, "128 tokens, eight an event, no usage"), find(t, onAnswers, "512 tokens of thinking, then 128")
	piece, cut := find(t, onAnswers, "128 tokens in one piece at the end"), find(t, onAnswers, "128 tokens, the body ends cleanly after 64")
	groups := byVerdict(onCases)
	short := 0
	for _, c := range onCases {
		if c.verdict != otherAPI && c.short.raised == "IndexError" && c.script.raised == "" {
			short++
		}
	}
	return []fact{
		{
			plain.verdict == agrees && plain.script.tokens == 128,
			fmt.Sprintf("A plain answer of 128 tokens: the script says %s, Weir %s. Nothing to add.", speedText(plain.script.speed), speedOf(plain.trace)),
		},
		{
			late.script.speed < 85 && near1(late.trace, 100),
			fmt.Sprintf("The same answer with its usage 300 ms late: %s. The wait after the last token was taken for generation.", speedText(late.script.speed)),
		},
		{
			uncounted.script.tokens == 16 && uncounted.script.speed < 20 && !uncounted.trace.OutputSpeed().Known(),
			fmt.Sprintf("The same tokens, eight in an event and without usage: %d tokens, %s. Chunks are no tokens.", uncounted.script.tokens, speedText(uncounted.script.speed)),
		},
		{
			thinks.script.speed > 450 && thinks.script.ttft > 5*time.Second && near1(thinks.trace, 100) &&
				m03.verdict == lateTTFT && m14.script.speed > 1000 && !m14.trace.OutputSpeed().Known(),
			fmt.Sprintf("The same answer after 512 tokens of thinking: ttft %s instead of %s, and %s instead of %s, since the thinking's tokens are divided by the answer's time. In M03 the ttft is %s instead of %s; in M14 the speed is %s where none can be told.",
				msText(thinks.script.ttft), ttftText(thinks.trace), speedText(thinks.script.speed), speedOf(thinks.trace), msText(m03.script.ttft), ttftText(m03.trace), speedText(m14.script.speed)),
		},
		{
			piece.script.speed > 5000 && s15.script.speed > 100_000 && !piece.trace.OutputSpeed().Known() && !s15.trace.OutputSpeed().Known(),
			fmt.Sprintf("The same answer from a proxy that holds it back and sends it in one piece: %s. That is how fast the client parses, whoever the provider is. In S15, where 17,500 tokens are one event, it is %s.", speedText(piece.script.speed), speedText(s15.script.speed)),
		},
		{
			cut.verdict == failureAsAnswer && cut.script.speed > 100 && cut.trace.Outcome == weir.Truncated && len(groups[failureAsAnswer]) >= 3,
			fmt.Sprintf("The same answer with a body that ends in the middle: %d tokens at %s, a success, and sooner done than the whole answers. Of the recorded failures %d are reported as answers.", cut.script.tokens, speedText(cut.script.speed), len(groups[failureAsAnswer])),
		},
		{
			len(groups[answerLost]) >= 5,
			fmt.Sprintf("%d good answers end in an exception: no text (a tool call, a refusal), or bytes that the SDK stumbles over.", len(groups[answerLost])),
		},
		{
			short >= 20,
			fmt.Sprintf("The short form, `chunk.choices[0]` without a look whether there is one, fails with an IndexError on %d more streams: usage comes in a chunk without choices.", short),
		},
	}
}

// near1 tells whether Weir's speed is that within 1 %.
func near1(tr *weir.Trace, want float64) bool {
	v, ok := tr.OutputSpeed().Get()
	return ok && math.Abs(v/want-1) < 0.01
}

func factList(t *testing.T, onCases, onAnswers []compared) string {
	t.Helper()
	var b strings.Builder
	for _, f := range facts(t, onCases, onAnswers) {
		if !f.holds {
			t.Errorf("no longer true: %s", f.says)
		}
		fmt.Fprintf(&b, "- %s\n", f.says)
	}
	return b.String()
}

func answerTable(all []compared) string {
	var b strings.Builder
	b.WriteString("| the stream | the script | Weir |\n|---|---|---|\n")
	for _, c := range all {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.id, c.script, weirCell(c.trace))
	}
	return b.String()
}

// verdictWords lead each table of the page. A verdict without any has no stream.
var verdictWords = map[verdict]string{
	failureAsAnswer: "The script ends without an exception and prints figures. The answer was not whole, or not what was asked for.",
	answerLost:      "The answer was whole. In a loop with `except: continue` it is gone, and with it what kind of answer fails.",
	lateTTFT:        "What the script cannot see was generated too, and is in the tokens it divides by the time of the rest.",
	guessedTokens:   "Without usage the script counts chunks. Weir leaves the count and the speed open.",
	noSpeed:         "One instant, or one token, has no speed.",
	otherSpeed: "Here only the formula differs: tokens / (end - first) counts the first token, whose time was before `ttft`, and the events after the last. " +
		"Weir's is (tokens - those of the first event) / (last output - first output). These streams are a few tokens long: see the table above for what it is on longer ones.",
	bothFail: "The exception is right, and the SDK deserves the credit. It says less than an outcome (a TypeError is how \"no text came\" reads), and what was measured before it is lost.",
	otherAPI: "The script speaks OpenAI chat only. These streams are in Weir's own test ([reading.md](reading.md)).",
}

func caseTables(t *testing.T, all []compared) string {
	t.Helper()
	var b strings.Builder
	groups := byVerdict(all)
	for _, v := range verdicts {
		group := groups[v]
		if (len(group) > 0) != (verdictWords[v] != "") {
			t.Errorf("%q has %d streams and the words %q", v, len(group), verdictWords[v])
		}
		if len(group) == 0 {
			continue
		}
		fmt.Fprintf(&b, "### %s: %d\n%s\n\n", v, len(group), verdictWords[v])
		switch v {
		case otherAPI:
			b.WriteString("| case | API | Weir |\n|---|---|---|\n")
			for _, c := range group {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", c.id, articleNotes[c.id].stream, weirCell(c.trace))
			}
		case otherSpeed, bothFail:
			b.WriteString("| case | the stream | the script | Weir |\n|---|---|---|---|\n")
			for _, c := range group {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.id, streamWords(c.id), c.script, weirCell(c.trace))
			}
		default:
			b.WriteString("| case | the stream | the script | Weir | why |\n|---|---|---|---|---|\n")
			for _, c := range group {
				n := articleNotes[c.id]
				if n.why == "" {
					t.Errorf("%s is in %q and its note says no why", c.id, v)
				}
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.id, n.stream, c.script, weirCell(c.trace), n.why)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// streamWords is the note's words, with its why where the formula is not all.
func streamWords(id string) string {
	n := articleNotes[id]
	if n.why == "" {
		return n.stream
	}
	return n.stream + "; " + n.why
}

func (f figures) String() string {
	if f.raised != "" {
		return "`" + f.raised + "`"
	}
	return fmt.Sprintf("ttft %s, %s, %s", msText(f.ttft), countText(f.tokens), speedText(f.speed))
}

// weirCell is a trace's outcome where it is not ok, and what of its figures is known.
func weirCell(tr *weir.Trace) string {
	var parts []string
	if tr.Outcome != weir.OK {
		parts = append(parts, "`"+string(tr.Outcome)+"`")
	}
	if tr.TTFT().Known() || tr.Outcome == weir.OK {
		parts = append(parts, "ttft "+ttftText(tr))
	}
	if first := tr.TTFAT(); first.Known() && first != tr.TTFT() {
		parts = append(parts, "ttfat "+msText(first.Or(0).Duration()))
	}
	if n, ok := tr.NSeen().Get(); ok {
		parts = append(parts, countText(n))
	} else if tr.Outcome == weir.OK {
		parts = append(parts, "tokens null")
	}
	if tr.OutputSpeed().Known() || tr.Outcome == weir.OK {
		parts = append(parts, speedOf(tr))
	}
	if tr.Buffered() {
		parts = append(parts, "`buffered`")
	}
	return strings.Join(parts, ", ")
}

func msText(d time.Duration) string {
	return grouped(int(d.Round(time.Millisecond).Milliseconds())) + " ms"
}

// grouped sets off the thousands of a number under a million.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func ttftText(tr *weir.Trace) string {
	if v, ok := tr.TTFT().Get(); ok {
		return msText(v.Duration())
	}
	return "null"
}

func countText(n int) string {
	if n == 1 {
		return "1 token"
	}
	return grouped(n) + " tokens"
}

func speedText(v float64) string {
	if v >= 100 {
		return grouped(int(math.Round(v))) + " tok/s"
	}
	return fmt.Sprintf("%.1f tok/s", v)
}

func speedOf(tr *weir.Trace) string {
	if v, ok := tr.OutputSpeed().Get(); ok {
		return speedText(v)
	}
	return "speed null"
}
