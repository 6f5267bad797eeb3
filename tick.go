package weir

import (
	"strings"
	"time"
)

// A Tick is one event of a stream: when its last byte arrived and what it was.
type Tick struct {
	At     time.Duration // offset from the trace's Sent
	Lo     time.Duration // earliest possible arrival; Lo < At when the stamp is only bounded
	Tokens int32         // output tokens this event's own usage added; 0 when it said none
	Bytes  int32         // UTF-8 bytes of generated text in it, tool names and arguments included
	Kind   TickKind
}

// Stamp is the arrival time of some bytes: at At, or somewhere in [Lo, At].
type Stamp struct{ At, Lo time.Duration }

// Exactly is the stamp of bytes whose arrival time is known.
func Exactly(at time.Duration) Stamp { return Stamp{At: at, Lo: at} }

// Exact tells whether the arrival is known and not just bounded.
func (t Tick) Exact() bool { return t.Lo >= t.At }

// TickKind says what an event carried. One event may carry several things, so
// it is a set; an event with nothing in it (a ping, an empty delta) is 0.
type TickKind uint16

// What an event can carry.
const (
	TickRole      TickKind = 1 << iota // opens a message: role, message_start, response.created
	TickText                           // answer text
	TickReasoning                      // reasoning as generated
	TickSummary                        // a summary of reasoning, written by the provider
	TickRefusal                        // refusal text
	TickTool                           // a tool call's name or arguments
	TickUsage                          // token counts
	TickFinish                         // a finish reason
	TickDone                           // the terminal event: [DONE], message_stop, done:true
	TickError                          // an error inside the stream
	TickBroken                         // bytes that are not what the dialect allows
)

const (
	tickThought = TickReasoning | TickSummary
	tickAnswer  = TickText | TickRefusal | TickTool
	tickOutput  = tickThought | tickAnswer
)

// Output tells whether the event carried any generated token.
func (k TickKind) Output() bool { return k&tickOutput != 0 }

// Answer tells whether it carried answer text, a refusal or a tool call.
func (k TickKind) Answer() bool { return k&tickAnswer != 0 }

// Thought tells whether it carried reasoning or its summary.
func (k TickKind) Thought() bool { return k&tickThought != 0 }

var tickNames = []struct {
	kind TickKind
	name string
}{
	{TickRole, "role"},
	{TickText, "text"},
	{TickReasoning, "reasoning"},
	{TickSummary, "reasoning_summary"},
	{TickRefusal, "refusal"},
	{TickTool, "tool"},
	{TickUsage, "usage"},
	{TickFinish, "finish"},
	{TickDone, "done"},
	{TickError, "error"},
	{TickBroken, "broken"},
}

// String joins the names of what is in the set with "+"; the empty set is "none".
func (k TickKind) String() string {
	var parts []string
	for _, n := range tickNames {
		if k&n.kind != 0 {
			parts = append(parts, n.name)
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "+")
}

// ParseTickKind is the inverse of String.
func ParseTickKind(s string) (TickKind, bool) {
	if s == "none" {
		return 0, true
	}
	var k TickKind
next:
	for part := range strings.SplitSeq(s, "+") {
		for _, n := range tickNames {
			if n.name == part {
				k |= n.kind
				continue next
			}
		}
		return 0, false
	}
	return k, true
}
