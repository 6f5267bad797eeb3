package reconcile

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"weir.dev/weir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/reconcile -update writes it)", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

func printed(t *testing.T, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

func at(n float64, k weir.TickKind, bytes int32) weir.Tick {
	return weir.Tick{At: ms(n), Lo: ms(n), Kind: k, Bytes: bytes}
}

const (
	role    = weir.TickRole
	text    = weir.TickText
	thought = weir.TickReasoning
	finish  = weir.TickFinish
	usage   = weir.TickUsage
	done    = weir.TickDone
)

var started = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// answer is a good answer: due 2 ms before it was sent, a connection after
// 5 ms, the body's end at 115 ms.
func answer(n int, ticks ...weir.Tick) *weir.Trace {
	return &weir.Trace{
		Outcome: weir.OK, Model: "m", Sent: started, Due: started.Add(-ms(2)), GotConn: weir.SpanOf(ms(5)), End: weir.SpanOf(ms(115)),
		Usage: weir.Usage{Completion: weir.Some(n)}, TokenSource: weir.TokensFromUsage, Ticks: ticks,
	}
}

// plain is 8 tokens in 4 equal events, so that the first holds 2 of them: our
// ttft is 52 ms, our tpot (110 - 50)/(8 - 2) = 10 ms.
func plain() *weir.Trace {
	return answer(8, at(20, role, 0), at(50, text, 8), at(70, text, 8), at(90, text, 8), at(110, text, 8),
		at(111, finish, 0), at(111.5, usage, 0), at(112, done, 0))
}

// thinker is 4 tokens of reasoning, one an event, and 2 of the answer.
func thinker() *weir.Trace {
	t := answer(6, at(20, role, 0), at(50, thought, 4), at(60, thought, 4), at(70, thought, 4), at(80, thought, 4),
		at(90, text, 4), at(110, text, 4), at(110, finish, 0), at(111, usage, 0), at(112, done, 0))
	t.Usage.Reasoning = weir.Some(4)
	return t
}

// hider bills 10 tokens of reasoning and streams none of them.
func hider() *weir.Trace {
	t := answer(14, at(50, text, 4), at(70, text, 4), at(90, text, 4), at(110, text, 4), at(110, finish, 0), at(111, usage, 0), at(112, done, 0))
	t.Usage.Reasoning = weir.Some(10)
	return t
}

// uncounted is plain without usage.
func uncounted() *weir.Trace {
	t := plain()
	t.Usage, t.TokenSource = weir.Usage{}, ""
	return t
}
