package weir

import (
	"encoding/json"
	"time"
)

// Sample is the metrics of one trace by value: a row of a table, of the store,
// of a report. It is computed once, by Trace.Sample, and holds no events.
type Sample struct {
	ID         string    `json:"id"`
	Kind       Kind      `json:"kind"`
	Target     string    `json:"target"`
	Model      string    `json:"model"`
	WorkloadID string    `json:"workload_id,omitempty"`
	Warmup     bool      `json:"warmup"`
	Due        time.Time `json:"due"`

	Block     Opt[int] `json:"block,omitzero"`
	Session   Opt[int] `json:"session,omitzero"`
	Turn      Opt[int] `json:"turn,omitzero"`
	CacheRole string   `json:"cache_role,omitempty"`

	Outcome    Outcome  `json:"outcome"`
	Status     Opt[int] `json:"http_status"`
	ErrorType  string   `json:"error_type,omitempty"`
	ErrorText  string   `json:"error_message,omitempty"`
	RetryAfter Span     `json:"retry_after_ms"`
	Finish     string   `json:"finish_reason,omitempty"`

	TTFT       Span         `json:"ttft_ms"`
	TTFTSent   Span         `json:"ttft_sent_ms"`
	TTFAT      Span         `json:"ttfat_ms"`
	TPOT       Span         `json:"tpot_ms"`
	Speed      Opt[float64] `json:"output_speed"`
	E2E        Span         `json:"e2e_ms"`
	E2ESpeed   Opt[float64] `json:"e2e_speed"`
	Trailer    Span         `json:"trailer_ms"`
	Stall      Span         `json:"stall_ms"`
	GapP50     Span         `json:"gap_p50_ms"` // median gap between its output events
	Stalls     Opt[float64] `json:"stalls_per_1k"`
	Smooth     Opt[float64] `json:"smooth_speed"`
	ServerWait Span         `json:"server_wait_ms"`
	End        Span         `json:"end_ms"`
	Lateness   Dur          `json:"lateness_ms"`
	CensoredAt Span         `json:"censored_at_ms"`

	ConnReused Opt[bool] `json:"conn_reused"`
	DNS        Span      `json:"dns_ms"`
	Connect    Span      `json:"connect_ms"`
	TLS        Span      `json:"tls_ms"`

	Usage
	NSeen          Opt[int]     `json:"n_seen"` // output tokens that came as output events
	TokenSource    TokenSource  `json:"token_source,omitempty"`
	OutputEvents   int          `json:"output_events"`
	BoundedEvents  int          `json:"bounded_events"` // output events whose stamp is only bounded
	StampError     Dur          `json:"stamp_error_ms"`
	KernelStamps   bool         `json:"kernel_stamps"`
	TokensPerEvent Opt[float64] `json:"tokens_per_event"`
	CharsPerSecond Opt[float64] `json:"chars_per_second"`
	LengthShare    Opt[float64] `json:"length_share"`
	CacheShare     Opt[float64] `json:"cache_share"`
	OutputChars    int          `json:"output_chars"`
	Buffered       bool         `json:"buffered"`
	Unstamped      bool         `json:"unstamped"`         // it looks buffered, and may not have been
	Implausible    bool         `json:"implausible_usage"` // the count of output tokens cannot be true

	RequestID   string          `json:"provider_request_id,omitempty"`
	ServedModel string          `json:"served_model,omitempty"`
	Provider    json.RawMessage `json:"provider,omitempty"`
	Warnings    []string        `json:"warnings,omitempty"`
}

// Sample computes the metrics of the trace.
func (t *Trace) Sample() Sample {
	how := inPieces
	if n, ok := t.NSeen().Get(); ok {
		how = t.shape(n)
	}
	s := Sample{
		ID: t.ID, Kind: t.Kind, Target: t.Target, Model: t.Model, WorkloadID: t.WorkloadID, Warmup: t.Warmup, Due: t.Due,
		Block: t.Block, Session: t.Session, Turn: t.Turn, CacheRole: t.CacheRole,
		Outcome: t.Outcome, ErrorType: t.ErrorType, ErrorText: t.ErrorText, RetryAfter: t.RetryAfter, Finish: t.Finish,
		TTFT: t.TTFT(), TTFTSent: t.TTFTSent(), TTFAT: t.TTFAT(), TPOT: t.TPOT(), Speed: t.OutputSpeed(),
		E2E: t.E2E(), E2ESpeed: t.E2ESpeed(), Trailer: t.Trailer(), Stall: t.Stall(), Stalls: t.StallsPer1K(), Smooth: t.SmoothSpeed(), ServerWait: t.ServerWait(),
		End: t.End, Lateness: Dur(t.Lateness()), CensoredAt: t.CensoredAt(),
		ConnReused: t.ConnReused, DNS: t.DNS, Connect: t.Connect, TLS: t.TLS,
		Usage: t.Usage, NSeen: t.NSeen(), TokenSource: t.TokenSource, OutputEvents: t.OutputEvents(),
		TokensPerEvent: t.TokensPerEvent(), CharsPerSecond: t.CharsPerSecond(), LengthShare: t.LengthShare(),
		CacheShare: t.CacheShare(), OutputChars: t.OutputChars, Buffered: how == inOnePiece, Unstamped: how == unstamped, Implausible: t.UsageImplausible(), GapP50: t.GapP50(), StampError: t.StampError, KernelStamps: t.KernelStamps,
		RequestID: t.RequestID, ServedModel: t.ServedModel, Provider: t.Provider, Warnings: t.Warnings,
	}
	if t.Status != 0 {
		s.Status = Some(t.Status)
	}
	for tick := range t.outputs() {
		if !tick.Exact() {
			s.BoundedEvents++
		}
	}
	return s
}
