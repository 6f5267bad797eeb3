//go:build unix

package main

import (
	"fmt"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim"
)

// stream is a model of weir sim and what is special about it.
type stream struct{ model, plan, what string }

var streams = []stream{
	{"bare", "ttft=200ms,gap=10ms,role=false", "one token an event and nothing else"},
	{"framed", "ttft=200ms,gap=10ms,stall=128:300ms", "a role chunk at once, and finish, usage and [DONE] 300 ms after the last token"},
	{"packed", "ttft=200ms,gap=40ms,tokens_per_event=4", "four tokens in each event"},
	{"thinking", "ttft=200ms,gap=10ms,reasoning=64", "a role chunk at once, and the first 64 tokens are reasoning"},
}

// truth is what the plan says a client sees at no distance: every request is
// the same, and a slot sends its next when the stream has ended.
func (s stream) truth(l load) (figures, error) {
	plan, err := sim.ParsePlan(s.plan)
	if err != nil {
		return figures{}, err
	}
	server, err := sim.New(sim.Config{Models: map[string]sim.Plan{s.model: plan}})
	if err != nil {
		return figures{}, err
	}
	events := server.Schedule(s.model, 0, request.Asked{Dialect: weir.OpenAIChat, Model: s.model, Stream: true, IncludeUsage: true, MaxTokens: l.out, IgnoreEOS: true})
	var outputs []sim.Event
	tokens := 0
	for _, e := range events {
		if e.Kind.Output() {
			outputs = append(outputs, e)
			tokens += e.Tokens
		}
	}
	if len(outputs) < 2 {
		return figures{}, fmt.Errorf("%s: %d output events have no token time", s.plan, len(outputs))
	}
	first, last := outputs[0], outputs[len(outputs)-1]
	ttft := weir.Some(first.At.Seconds() * 1000)
	decode := (last.At - first.At).Seconds() * 1000
	rate := float64(l.concurrency) / events[len(events)-1].At.Seconds()
	return figures{
		TTFTMean: ttft, TTFTp50: ttft, TTFTp99: ttft,
		TPOT: weir.Some(decode / float64(tokens-first.Tokens)), Gap: weir.Some(decode / float64(len(outputs)-1)),
		TokenRate: weir.Some(rate * float64(tokens)), RequestRate: weir.Some(rate), Out: weir.Some(float64(tokens)),
	}, nil
}
