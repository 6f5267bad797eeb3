package handmade

import (
	"time"

	"weir.dev/weir"
)

// Sample is a good answer: 128 tokens in 128 events, ttft and tpot as given.
func Sample(target string, ttft, tpot time.Duration) weir.Sample {
	return weir.Sample{
		ID: "01TEST", Kind: weir.Bench, Target: target, Model: "llama-3.3-70b", WorkloadID: "0123456789ab",
		Due: time.Date(2026, 11, 30, 12, 0, 1, 0, time.UTC), Outcome: weir.OK, Status: weir.Some(200), Finish: "length",
		TTFT: weir.SpanOf(ttft), TTFTSent: weir.SpanOf(ttft), TTFAT: weir.SpanOf(ttft), TPOT: weir.SpanOf(tpot),
		Speed: weir.Some(1 / tpot.Seconds()), E2E: weir.SpanOf(ttft + 127*tpot), GapP50: weir.SpanOf(tpot), End: weir.SpanOf(ttft + 127*tpot),
		Lateness: weir.Dur(100 * time.Microsecond), ConnReused: weir.Some(true), StampError: weir.Dur(50 * time.Microsecond),
		Usage:       weir.Usage{Prompt: weir.Some(260), Completion: weir.Some(128)},
		TokenSource: weir.TokensFromUsage, OutputEvents: 128, LengthShare: weir.Some(1.0),
	}
}

// Whole is a good answer that came in one piece, since no stream was asked for.
func Whole(target string, took time.Duration, n int) weir.Sample {
	s := Sample(target, time.Second, time.Millisecond)
	s.TTFT, s.TTFTSent, s.TTFAT, s.TPOT, s.Speed, s.GapP50, s.OutputEvents = weir.Span{}, weir.Span{}, weir.Span{}, weir.Span{}, weir.None[float64](), weir.Span{}, 0
	s.E2E, s.End, s.Completion, s.KernelStamps = weir.SpanOf(took), weir.SpanOf(took), weir.Some(n), true
	return s
}

// Failed is a call that ended without output.
func Failed(target string, o weir.Outcome, status int, errorType, text string) weir.Sample {
	s := weir.Sample{
		ID: "01TEST", Kind: weir.Bench, Target: target, Model: "llama-3.3-70b", Outcome: o, ErrorType: errorType, ErrorText: text,
		Due: time.Date(2026, 11, 30, 12, 0, 1, 0, time.UTC), Lateness: weir.Dur(100 * time.Microsecond), End: weir.SpanOf(time.Second),
	}
	if status != 0 {
		s.Status = weir.Some(status)
	}
	if o == weir.TimeoutFirstOutput {
		s.End, s.CensoredAt = weir.SpanOf(time.Minute), weir.SpanOf(time.Minute)
	}
	return s
}

// Trace is a good answer of two tokens with its events, of which the second's
// arrival is only bounded.
func Trace(id string) *weir.Trace {
	at := time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)
	return &weir.Trace{
		ID: id, Kind: weir.Bench, Target: "north", Model: "m", WorkloadID: "0123456789ab", Due: at, Sent: at.Add(100 * time.Microsecond), Outcome: weir.OK, Status: 200,
		Ticks: weir.Ticks{
			{At: 50 * time.Millisecond, Lo: 50 * time.Millisecond, Kind: weir.TickText, Bytes: 4},
			{At: 60 * time.Millisecond, Lo: 59 * time.Millisecond, Kind: weir.TickText, Bytes: 4},
		},
		Usage: weir.Usage{Prompt: weir.Some(9), Completion: weir.Some(2)}, TokenSource: weir.TokensFromUsage, End: weir.SpanOf(61 * time.Millisecond),
	}
}
