package bench

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/meter"
)

// maxAnswer bounds how much of an error is read for what it teaches, and
// maxStream how much of an answer: one that never ends is left there.
const (
	maxAnswer = 64 << 10
	maxStream = 1 << 30
)

// call makes one call and returns its trace, and its refusal where it was
// refused as malformed.
func (t *target) call(ctx context.Context, enc *request.Encoded, due time.Time, warmup bool) (trace *weir.Trace, refused []byte) {
	ctx = meter.WithCall(catalog.WithTarget(ctx, t.Name), meter.Call{
		Due: due, Kind: weir.Bench, Target: t.Name, Model: t.Model, Dialect: t.Dialect, WorkloadID: t.id, Warmup: warmup,
		AskedTokens: t.Work.OutputTokens, Stream: weir.Some(!t.Work.NoStream), IgnoreEOS: t.ignoresEOS(),
		Sink: func(tr *weir.Trace) { trace = tr },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, enc.URL, bytes.NewReader(enc.Body))
	if err != nil {
		return t.notEncoded(err, due, warmup), nil
	}
	req.Header = enc.Header
	t.took.add(step{target: t.index})
	resp, err := t.client.Do(req)
	if err != nil {
		return trace, nil
	}
	if resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnprocessableEntity {
		refused, _ = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	}
	drain(resp.Body)
	_ = resp.Body.Close() // how it ended is in the trace
	return trace, refused
}

// ignoresEOS tells whether the request as it is sent asks for exactly so many
// tokens; an endpoint may have refused that.
func (t *target) ignoresEOS() bool {
	knows := t.Dialect == weir.OpenAIChat || t.Dialect == weir.OpenAICompletions
	return t.Work.IgnoreEOS && knows && !slices.Contains(t.learned.Dropped(), "ignore_eos")
}

func drain(body io.Reader) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	for total := 0; total < maxStream; {
		n, err := body.Read(*buf)
		if err != nil {
			return
		}
		total += n
	}
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}
