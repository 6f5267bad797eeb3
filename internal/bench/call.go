package bench

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
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
func (p *phase) call(q prepared, leave pass, due time.Time) (trace *weir.Trace, refused []byte) {
	ctx := meter.WithCall(catalog.WithTarget(p.ctx, p.Name), meter.Call{
		Due: due, Kind: weir.Bench, Target: p.Name, Model: p.Model, Dialect: p.Dialect, WorkloadID: p.id, Warmup: p.warmup,
		AskedTokens: q.asks.OutputTokens, Stream: weir.Some(!p.Work.NoStream), IgnoreEOS: p.ignoresEOS(),
		Sink: func(tr *weir.Trace) { trace = tr },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.enc.URL, bytes.NewReader(q.enc.Body))
	if err != nil {
		return p.notEncoded(q.k, err, due, p.warmup), nil
	}
	req.Header = q.enc.Header
	p.took.add(step{target: p.index, number: q.k})
	rec := p.record(q.enc.Body)
	resp, err := p.client.Do(req)
	if err != nil {
		p.keep(rec, trace)
		return trace, nil
	}
	p.hear(rec, resp)
	if resp.StatusCode < 300 {
		p.gate.accept(leave)
	}
	if resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnprocessableEntity {
		refused, _ = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	}
	drain(resp.Body)
	_ = resp.Body.Close() // how it ended is in the trace
	p.keep(rec, trace)
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
