package callers

import (
	"testing"

	"weir.dev/weir"
)

// scenario is one thing that clients do, and what then has to be.
type scenario struct {
	name     string
	provider provider
	plays    string // a plan of weir sim, or a script's play
	route    string // more keys of the route, in YAML
	call     Call   // what is not filled in for each client
	own      bool   // with a target of the caller's dialect alone, or chat's where there is none
	fits     func(Client) bool
	check    func(*testing.T, *cell)
}

// provider is who is behind the gateway.
type provider string

const (
	plans    provider = "plans"  // weir sim's plans: chat and anthropic
	creek    provider = "creek"  // a simulated provider, which speaks all dialects
	scripts  provider = "script" // chat, anthropic and gemini
	engine   provider = "engine" // a real one, which speaks chat
	somebody provider = ""       // nobody is asked
)

// dialects that a provider can be asked in.
func (p provider) dialects() []weir.Dialect {
	switch p {
	case plans:
		return []weir.Dialect{weir.OpenAIChat, weir.Anthropic}
	case creek:
		return []weir.Dialect{weir.OpenAIChat, weir.Anthropic, weir.Gemini, weir.OpenAIResponses}
	case scripts:
		return []weir.Dialect{weir.OpenAIChat, weir.Anthropic, weir.Gemini}
	}
	return []weir.Dialect{weir.OpenAIChat}
}

// The plan of an answer: twelve words, three at a time.
const (
	shortPlan  = "ttft=2ms,gap=1ms,tokens=12,eos=12,tokens_per_event=3"
	shortWords = 12
	never      = "ttft=60s,tokens=12"
	timeoutMS  = 800
)

var streamed = Call{Stream: true, Usage: true}

func scenarios() []scenario {
	return []scenario{
		{name: "whole", provider: plans, plays: shortPlan, check: answered(shortWords, 0)},
		{name: "streamed", provider: plans, plays: shortPlan, call: streamed, check: answered(shortWords, 0)},
		{name: "streamed, usage not asked for", provider: plans, plays: shortPlan, call: Call{Stream: true}, fits: choosesUsage, check: withoutUsage},
		{name: "reasoning", provider: plans, plays: shortPlan + ",reasoning=6", check: answered(6, 6)},
		{name: "reasoning, streamed", provider: plans, plays: shortPlan + ",reasoning=6", call: streamed, check: answered(6, 6)},
		{name: "provider", provider: creek, check: answered(creekTokens, 0)},
		{name: "provider, streamed", provider: creek, call: streamed, check: answered(creekTokens, 0)},

		{name: "limit", provider: plans, plays: shortPlan, call: Call{Limit: 6}, check: limited},
		{name: "limit, streamed", provider: plans, plays: shortPlan, call: Call{Limit: 6, Stream: true, Usage: true}, check: limited},

		{name: "tools", provider: scripts, plays: playTools, call: Call{Tools: true}, check: tools},
		{name: "tools, streamed", provider: scripts, plays: playTools, call: Call{Tools: true, Stream: true, Usage: true}, check: tools},
		{name: "structured", provider: scripts, plays: playReading, call: Call{Schema: true}, check: structured},
		{name: "structured, streamed", provider: scripts, plays: playReading, call: Call{Schema: true, Stream: true, Usage: true}, check: structured},

		{name: "the caller leaves", provider: plans, plays: shortPlan + ",stall=2:60s", call: Call{Stream: true, Leave: 2}, check: left},
		{name: "the caller's timeout", provider: plans, plays: never, call: Call{TimeoutMS: timeoutMS}, check: timedOut},
		{name: "the caller's timeout, streamed", provider: plans, plays: never, call: Call{Stream: true, TimeoutMS: timeoutMS}, check: timedOut},
		{name: "the route's deadline", provider: plans, plays: never, route: "deadline: 300ms", own: true, call: Call{Retries: 1}, check: deadline},

		{name: "no such key", call: Call{Key: strangersKey, Retries: 2}, own: true, check: refused(BadKey, 401, "invalid_api_key", "authentication_error")},
		{name: "no such route", call: Call{Model: "no-such-route", Retries: 2}, own: true, check: refused(NotFound, 404, "model_not_found", "not_found_error")},
		{name: "the key's limit", call: Call{Key: spentKey}, own: true, check: refused(Limited, 429, "rate_limit_exceeded", "rate_limit_error")},

		{name: "400", provider: plans, plays: "status=400", call: Call{Retries: 2}, check: failed(BadRequest, 400)},
		{name: "400, streamed", provider: plans, plays: "status=400", call: Call{Stream: true, Retries: 2}, check: failed(BadRequest, 400)},
		{name: "401 of a target", provider: plans, plays: "status=401", call: Call{Retries: 1}, check: barred},
		{name: "429", provider: plans, plays: "status=429:7s", check: failed(Limited, 429)},
		{name: "429, streamed", provider: plans, plays: "status=429:7s", call: Call{Stream: true}, check: failed(Limited, 429)},
		{name: "429 once", provider: scripts, plays: playBusy, call: Call{Retries: 2}, check: waited},
		{name: "429 once, streamed", provider: scripts, plays: playBusy, call: Call{Stream: true, Usage: true, Retries: 2}, own: true, check: waited},
		{name: "503", provider: plans, plays: "status=503", call: Call{Retries: 1}, check: failed(Unavailable, 503)},
		{name: "503, streamed", provider: plans, plays: "status=503", call: Call{Stream: true, Retries: 1}, check: failed(Unavailable, 503)},

		{name: "an error in mid-stream", provider: plans, plays: shortPlan + ",error=2", call: Call{Stream: true}, check: brokeOff},
		{name: "cut in mid-stream", provider: plans, plays: shortPlan + ",cut=2", call: Call{Stream: true}, check: brokeOff},
	}
}

// engineScenarios are for a real engine, which is slow and says what it likes.
func engineScenarios() []scenario {
	const few = 16
	return []scenario{
		{name: "whole", provider: engine, call: Call{Limit: few}, check: asGenerated},
		{name: "streamed", provider: engine, call: Call{Limit: few, Stream: true, Usage: true}, check: asGenerated},
		{name: "the caller leaves", provider: engine, call: Call{Limit: 500, Stream: true, Leave: 2}, check: leftEngine},
	}
}

func choosesUsage(c Client) bool { return c.Speaks == weir.OpenAIChat && !c.AsksUsage }
