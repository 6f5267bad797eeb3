package meter_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim"
	"weir.dev/weir/meter"
)

// TestConformance: in virtual time the simulator's plan equals the meter's ticks
// to the nanosecond, kinds included, for whole, cut, stalled, buffered and
// abandoned streams in both dialects.
func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name    string
		plan    string
		leaveAt time.Duration // 0: stay to the end
		want    weir.Outcome
	}{
		{"whole", "ttft=80ms,gap=10ms,jitter=30%", 0, weir.OK},
		{"several tokens an event", "ttft=80ms,gap=10ms,jitter=30%,tokens_per_event=3", 0, weir.OK},
		{"reasoning first", "ttft=80ms,gap=10ms,reasoning=8", 0, weir.OK},
		{"usage on every event", "ttft=80ms,gap=10ms,usage=every", 0, weir.OK},
		{"no terminal event", "ttft=80ms,gap=10ms,done=false", 0, weir.OK},
		{"cut", "ttft=80ms,gap=10ms,jitter=30%,cut=7", 0, weir.Truncated},
		{"error inside", "ttft=80ms,gap=10ms,error=7", 0, weir.UpstreamError},
		{"stalled", "ttft=80ms,gap=10ms,stall=5:20s", 0, weir.OK},
		{"stalled for too long", "ttft=80ms,gap=10ms,stall=5:40s", 0, weir.TimeoutStall},
		{"buffered", "ttft=80ms,gap=10ms,buffer=true", 0, weir.OK},
		{"abandoned", "ttft=80ms,gap=10ms,jitter=30%", 131*time.Millisecond + 7, weir.Abandoned},
	} {
		for _, d := range []weir.Dialect{weir.OpenAIChat, weir.Anthropic} {
			t.Run(c.name+"/"+string(d), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { conform(t, d, c.plan, c.leaveAt, c.want) })
			})
		}
	}
}

const tokens = 24

func conform(t *testing.T, d weir.Dialect, plan string, leaveAt time.Duration, want weir.Outcome) {
	server, err := sim.New(sim.Config{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"model":%q,"max_tokens":%d,"stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hi"}]}`, plan, tokens)
	asked, err := request.Decode(d, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	planned := server.Schedule(plan, 0, asked)
	w := newWorld(t, server)
	w.meter.Limits = meter.Limits{Connect: 10 * time.Second, FirstOutput: 60 * time.Second, Stall: 30 * time.Second}

	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	if leaveAt > 0 {
		time.AfterFunc(leaveAt, func() { cancel(meter.ErrAbandoned) })
	}
	path := map[weir.Dialect]string{weir.OpenAIChat: "/v1/chat/completions", weir.Anthropic: "/v1/messages"}[d]
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://sim"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	synctest.Wait()

	tr := w.only(t)
	if tr.Outcome != want {
		t.Errorf("outcome %s (%s), want %s", tr.Outcome, tr.ErrorType, want)
	}
	if want, got := visible(planned, tr, leaveAt), seenBy(tr); len(got) < 3 || !slices.Equal(want, got) {
		t.Errorf("the plan and the meter differ\nplan  %v\nmeter %v", want, got)
	}
}

type moment struct {
	at   time.Duration
	kind weir.TickKind
}

// visible is what of the plan could reach the client: what is due before it
// left, or before a clock of its own ended the call.
func visible(planned []sim.Event, tr *weir.Trace, leaveAt time.Duration) (out []moment) {
	for _, e := range planned {
		switch {
		case e.Step == sim.StepCut,
			leaveAt > 0 && e.At > leaveAt,
			tr.Outcome == weir.TimeoutStall && e.At > tr.End.Or(0).Duration():
			return out
		}
		out = append(out, moment{e.At, e.Kind})
	}
	return out
}

func seenBy(tr *weir.Trace) (out []moment) {
	for _, tick := range tr.Ticks {
		out = append(out, moment{tick.At, tick.Kind})
	}
	return out
}
