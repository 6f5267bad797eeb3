package faults

import (
	"context"
	"net/http"
	"strings"

	"weir.dev/weir"
)

func resetOnce() fault {
	return fault{
		id: "S05", what: "connection reset before headers, then good", want: "answers",
		serve: func(e *exchange) error {
			if !e.first() {
				return e.healthy()
			}
			return e.reset()
		},
		judge: func(r *ruling, s sight) {
			r.require(len(s.faulty()) <= maxAttempts, "%d attempts at the target, at most %d", len(s.faulty()), maxAttempts)
		},
	}
}

// The ways a stream can be cut. Cut drops the connection between two events;
// reset does it with a TCP reset; short promises more bytes than come; clean
// ends the body as if all was said, as a proxy in front of the provider does.
const (
	variantReset = "reset"
	variantShort = "short"
	variantClean = "clean"
)

func cut() fault {
	return fault{
		id: "S08", what: "stream cut after 40 of 60 tokens",
		want: "whole answer by rescue, or a clear error; never a truncated success",
		serve: func(e *exchange) error {
			if e.mark.Variant == variantShort {
				e.w.Header().Set("Content-Length", "65536")
			}
			if err := e.begin(cutAt); err != nil {
				return err
			}
			switch e.mark.Variant {
			case variantClean:
				return nil
			case variantReset:
				return e.reset()
			}
			return errCut
		},
		whole: (*exchange).halfBody,
		cases: []ask{{}, {variant: variantReset}, {variant: variantShort}, {variant: variantClean}, {variant: "json", whole: true}},
		judge: judgeSeam,
	}
}

// judgeSeam looks at what a rescue leaves behind.
func judgeSeam(r *ruling, s sight) {
	if s.Ended == Whole {
		r.advise(s.IDs <= 1, "the answer has %d ids", s.IDs)
		r.advise(s.Roles <= 1, "the answer opens %d times", s.Roles)
	}
}

// prefillRejected is the cell in which the healthy model rejects a prefill.
const prefillRejected = "S14"

func cutWithStrictFallback() fault {
	return fault{
		id: prefillRejected, what: "cut after 40 tokens; fallback rejects assistant prefill",
		want: "rescue without prefill, or the first error; never the fallback's 400",
		serve: func(e *exchange) error {
			if err := e.begin(cutAt); err != nil {
				return err
			}
			return errCut
		},
		whole: (*exchange).halfBody,
		judge: func(r *ruling, s sight) {
			judgeSeam(r, s)
			told := s.Status == weir.Some(http.StatusBadRequest) || strings.Contains(s.Error.Or(""), "prefill")
			r.require(!told, "the caller was told of the fallback's 400: %s", s.Error.Or(""))
		},
	}
}

// The ways of W07. The first two need HTTP/2 between endpoint and wall.
const (
	variantRST    = "rst-stream"
	variantGoAway = "goaway"
	variantStale  = "stale"
)

func connections() fault {
	return fault{
		id: "W07", what: "HTTP/2 GOAWAY and RST_STREAM mid-stream, stale keep-alive connection",
		want:  "one free retry where no byte was read; else as S08",
		serve: serveConnections, variants: []string{variantStale, variantRST, variantGoAway},
		whole: (*exchange).healthy,
		play: func(ctx context.Context, c *cell) []Part {
			parts := []Part{c.stale(ctx)}
			for _, v := range []string{variantRST, variantGoAway} {
				parts = append(parts, c.overHTTP2(ctx, v))
			}
			return parts
		},
	}
}

func serveConnections(e *exchange) error {
	two := e.attempt.Protocol == "HTTP/2.0"
	switch {
	case e.mark.Variant == variantStale:
		if e.before.n == 1 && e.reused && e.conn != nil {
			_ = e.conn.Close() // not a byte of the answer, as if it had been closed all along
			return errCut
		}
		return e.healthy()
	case e.marked && !two:
		return e.healthy() // the part is skipped
	case e.mark.Variant == variantGoAway:
		e.w.Header().Set("Connection", "close") // net/http makes a GOAWAY of it
		if err := e.begin(cutAt); err != nil {
			return err
		}
		_ = e.conn.Close()
		return errCut
	}
	if err := e.begin(cutAt); err != nil {
		return err
	}
	return errCut // over HTTP/2 it is an RST_STREAM
}

// stale asks twice: the first request leaves a connection behind, which the wall
// drops as soon as the second has been written to it.
func (c *cell) stale(ctx context.Context) Part {
	a := ask{variant: variantStale}
	if warm := c.call(ctx, a); warm.Ended != Whole {
		return base(c.see(ctx, a, warm)).part(c.see(ctx, a, warm))
	}
	s := c.see(ctx, a, c.call(ctx, a))
	r := base(s)
	dropped := false
	for _, at := range s.faulty() {
		dropped = dropped || !at.Status.Known()
	}
	if !dropped {
		r.note("the endpoint made a new connection, so that none was stale")
	}
	return r.part(s)
}

func (c *cell) overHTTP2(ctx context.Context, variant string) Part {
	s := c.see(ctx, ask{variant: variant}, c.call(ctx, ask{variant: variant}))
	r := base(s)
	judgeSeam(r, s)
	if n := s.faulty(); len(n) > 0 && n[0].Protocol != "HTTP/2.0" {
		r.skip("the endpoint asked over %s", n[0].Protocol)
	}
	return r.part(s)
}

func halfCall() fault {
	return fault{
		id: "W10", what: "tool-call deltas cut half-way", want: "error, never half a call as success",
		serve: func(e *exchange) error {
			if err := e.open(); err != nil {
				return err
			}
			if err := e.halfCall(); err != nil {
				return err
			}
			if e.mark.Variant == variantClean {
				return nil
			}
			return errCut
		},
		whole: (*exchange).halfBody,
		cases: []ask{{tools: true}, {variant: variantClean, tools: true}},
		judge: func(r *ruling, s sight) {
			switch s.Ended {
			case Failed, Broken: // a call that has begun cannot be rescued
				r.pass("the caller got an error")
			case Truncated:
				r.fail("half a tool call, presented as success")
			}
		},
	}
}

// halfCall sends the beginning of a tool call.
func (e *exchange) halfCall() error {
	half := len(toolArguments) / 2
	pieces := []string{toolArguments[:half/2], toolArguments[half/2 : half]}
	if e.asked.Dialect == weir.Anthropic {
		if err := e.raw("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":%q,\"input\":{}}}", toolName); err != nil {
			return err
		}
		for _, p := range pieces {
			if err := e.wait(gap); err != nil {
				return err
			}
			if err := e.raw("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":%q}}", p); err != nil {
				return err
			}
		}
		return nil
	}
	const chunk = `data: {"id":%q,"object":"chat.completion.chunk","created":%d,"model":%q,"choices":[{"index":0,"delta":{"tool_calls":[%s]},"finish_reason":null}]}`
	calls := []string{`{"index":0,"id":"call_1","type":"function","function":{"name":"` + toolName + `","arguments":""}}`}
	for _, p := range pieces {
		calls = append(calls, `{"index":0,"function":{"arguments":`+quote(p)+`}}`)
	}
	for _, call := range calls {
		if err := e.wait(gap); err != nil {
			return err
		}
		if err := e.raw(chunk, e.stream.ID, e.stream.Created, e.stream.Model, call); err != nil {
			return err
		}
	}
	return nil
}
