package weir

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// Kind says why a call was made. Kinds are never ranked or merged together.
type Kind string

// The kinds of calls.
const (
	Bench Kind = "bench"
	Probe Kind = "probe"
	Live  Kind = "live"
)

// Trace is the timed record of one attempt at one target, as seen at the
// socket to the provider. It holds what was observed; the metrics (TTFT, TPOT,
// gaps, ...) are methods, so that there is one truth.
//
// Offsets count from Sent on one monotonic clock.
type Trace struct {
	ID         string `json:"id"` // ULID
	Kind       Kind   `json:"kind"`
	Target     string `json:"target"`
	Model      string `json:"model"`
	Vantage    string `json:"vantage,omitempty"`
	WorkloadID string `json:"workload_id,omitempty"`
	Warmup     bool   `json:"warmup,omitempty"` // sent to warm connections and caches; in no figure

	Block     Opt[int] `json:"block,omitzero"`       // of a comparison: the lap, from 0
	Session   Opt[int] `json:"session,omitzero"`     // of several turns, or a cold and warm pair
	Turn      Opt[int] `json:"turn,omitzero"`        // in it, from 0
	CacheRole string   `json:"cache_role,omitempty"` // cold or warm, of a pair

	Due  time.Time `json:"due"`  // when the schedule wanted it to start
	Sent time.Time `json:"sent"` // when the client began, before it had a connection

	ConnReused Opt[bool] `json:"conn_reused"`
	DNS        Span      `json:"dns_ms"`     // 0 on a reused connection
	Connect    Span      `json:"connect_ms"` // 0 on a reused connection
	TLS        Span      `json:"tls_ms"`     // 0 on a reused connection
	GotConn    Span      `json:"conn_ms"`    // offset: a connection was had
	Wrote      Span      `json:"wrote_ms"`   // offset: the request was handed to the socket
	Header     Span      `json:"header_ms"`  // offset: first byte of the response head
	End        Span      `json:"end_ms"`     // offset: last byte of the body, or of the failure

	Ticks        Ticks `json:"ticks"`                   // one per event, in order of arrival
	KernelStamps bool  `json:"kernel_stamps,omitempty"` // the kernel stamped the events, not this process
	StampError   Dur   `json:"stamp_error_ms"`          // resolution of the stamps: how far one is usually off; 0 in virtual time

	Status      int         `json:"status,omitempty"`
	Outcome     Outcome     `json:"outcome"`
	ErrorType   string      `json:"error_type,omitempty"`
	ErrorText   string      `json:"error_message,omitempty"` // bounded, as the provider worded it
	RetryAfter  Span        `json:"retry_after_ms"`
	Finish      string      `json:"finish_reason,omitempty"`
	Usage       Usage       `json:"usage"`
	TokenSource TokenSource `json:"token_source,omitempty"`
	OutputChars int         `json:"output_chars"`           // Unicode code points of all output
	AskedTokens int         `json:"asked_tokens,omitempty"` // the fixed output length that was asked for; 0: none

	RequestID    string            `json:"provider_request_id,omitempty"`
	ServedModel  string            `json:"served_model,omitempty"`
	Fingerprint  string            `json:"system_fingerprint,omitempty"`
	RateLimits   map[string]string `json:"rate_limits,omitempty"`     // response headers, as sent
	Provider     json.RawMessage   `json:"provider,omitempty"`        // the provider's own timings under their own names
	Backpressure Dur               `json:"backpressure_ms,omitempty"` // time in which the body's reader was away
	Warnings     []string          `json:"warnings,omitempty"`

	release func(*Trace)
}

// Sink receives each finished trace. It must not block, and it owns the trace
// until it calls Release.
type Sink func(*Trace)

// Release gives the trace back to whoever made it. It is optional, to be called
// at most once, and the trace must not be used afterwards.
func (t *Trace) Release() {
	if f := t.release; f != nil {
		t.release = nil
		f(t)
	}
}

// OnRelease is for makers of traces: f is called once by Release.
func (t *Trace) OnRelease(f func(*Trace)) { t.release = f }

// Warn adds a warning once.
func (t *Trace) Warn(w string) {
	if !slices.Contains(t.Warnings, w) {
		t.Warnings = append(t.Warnings, w)
	}
}

// Names of the warnings a trace may carry.
const (
	WarnCoalesced        = "coalesced"                    // events shared an arrival time; their gaps are 0
	WarnBuffered         = "buffered"                     // the answer came in one piece; no speed can be told
	WarnUnstamped        = "unstamped"                    // it may have come in pieces that this process was too busy to stamp; no speed can be told
	WarnImplausibleUsage = "implausible_usage"            // the count of output tokens cannot be true of the output that came; no speed can be told
	WarnHiddenReasoning  = "hidden_reasoning"             // reasoning was billed and not streamed
	WarnStaleConn        = "stale_connection"             // a kept connection proved dead; the request went out again on a fresh one
	WarnBackpressure     = "backpressure"                 // the body's reader was away; some stamps are bounded
	WarnRewrapped        = "rewrapped_comment"            // a proxy wrapped a comment as data
	WarnTransportLate    = "transport_error_after_finish" // the connection broke after the answer was whole
	WarnReasoningOutside = "reasoning_outside_completion" // completion_tokens left reasoning out; it was added
	WarnCompressed       = "compressed"                   // the body came compressed although identity was asked for
)

// Ticks are a trace's events. In JSON each is an array
// [at_ms, kind, tokens, bytes], with lo_ms at the end where the stamp is only
// bounded.
type Ticks []Tick

// plainTrace is a Trace without its JSON methods.
type plainTrace Trace

// traceJSON adds the lateness: Due and Sent are wall clocks in a file, and a
// clock that was set between them would change every latency.
type traceJSON struct {
	*plainTrace
	Lateness *Dur `json:"lateness_ms"`
}

// MarshalJSON writes the trace's fields and lateness_ms = sent - due, by the
// monotonic clock.
func (t *Trace) MarshalJSON() ([]byte, error) {
	late := Dur(t.Lateness())
	return json.Marshal(traceJSON{(*plainTrace)(t), &late})
}

// UnmarshalJSON reads what MarshalJSON wrote; Due follows from the lateness.
// The ticks take the room that t's have.
func (t *Trace) UnmarshalJSON(b []byte) error {
	in := traceJSON{plainTrace: (*plainTrace)(t)}
	if ticks, bare, ok := cutTicks(b, t.Ticks[:0]); ok {
		if err := json.Unmarshal(bare, &in); err != nil {
			return err
		}
		t.Ticks = ticks
	} else if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	if in.Lateness != nil {
		t.Due = t.Sent.Add(-in.Lateness.Duration())
	}
	return nil
}

// cutTicks reads the ticks of a trace's JSON, nearly all of its bytes, and
// returns the rest of it without them. It is false where the first thing of
// that name is not the trace's own, or not as MarshalJSON writes it.
func cutTicks(b []byte, room Ticks) (ticks Ticks, bare []byte, ok bool) {
	const key = `"ticks":`
	at := bytes.Index(b, []byte(key)) // in a text its first quote would be escaped
	if at < 0 || bytes.Count(b[:at], []byte("{")) != 1 {
		return nil, nil, false
	}
	s := tickScanner{text: b, at: at + len(key)}
	if ticks, ok = s.ticks(room); !ok {
		return nil, nil, false
	}
	bare = make([]byte, 0, at+len(key)+len("null")+len(b)-s.at)
	bare = append(bare, b[:at+len(key)]...)
	bare = append(bare, "null"...)
	return ticks, append(bare, b[s.at:]...), true
}
