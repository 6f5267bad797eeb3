package stored

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"weir.dev/weir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var began = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)

func trace(id string) *weir.Trace {
	return &weir.Trace{
		ID: id, Kind: weir.Bench, Target: "north", Model: "m", WorkloadID: "0123456789ab", Due: began, Sent: began.Add(100 * time.Microsecond), Outcome: weir.OK, Status: 200,
		Ticks: weir.Ticks{
			{At: 50 * time.Millisecond, Lo: 50 * time.Millisecond, Kind: weir.TickText, Bytes: 4},
			{At: 60 * time.Millisecond, Lo: 59 * time.Millisecond, Kind: weir.TickText, Bytes: 4},
		},
		Usage: weir.Usage{Prompt: weir.Some(9), Completion: weir.Some(2)}, TokenSource: weir.TokensFromUsage, End: weir.SpanOf(61 * time.Millisecond),
	}
}
