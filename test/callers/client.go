package callers

import (
	"maps"

	"weir.dev/weir"
)

// Client is one way of using one library.
type Client struct {
	Name   string       // that its driver knows it by
	Speaks weir.Dialect // to the gateway
	Stop   string       // how it says that an answer came to its end
	Limit  string       // or to the caller's limit
	Raises map[Failure]string

	AsksUsage   bool // a stream's usage is always asked for
	Thoughtless bool // it does not show reasoning; of Responses, only summaries
	AddsCached  bool // its input tokens have those of the cache in them, whatever it speaks
	Unoverruled bool // it retries whatever x-should-retry says
}

// Failure is something that a caller has to be able to tell from others.
type Failure string

// The failures.
const (
	BadKey      Failure = "401"
	BadRequest  Failure = "400"
	NotFound    Failure = "404"
	Limited     Failure = "429"
	Unavailable Failure = "503"
	BadGateway  Failure = "502"
	TimedOut    Failure = "the client's own timeout"
	BrokenOff   Failure = "an error event"
)

// openAIClasses are those of OpenAI's clients for Node and Python; a map of what
// differs goes on top.
func openAIClasses(but map[Failure]string) map[Failure]string {
	return over(map[Failure]string{
		BadKey: "AuthenticationError", BadRequest: "BadRequestError", NotFound: "NotFoundError", Limited: "RateLimitError",
		Unavailable: "InternalServerError", BadGateway: "InternalServerError", BrokenOff: "APIError",
	}, but)
}

// one says that a client has a single class for all that has a status.
func one(class string, but map[Failure]string) map[Failure]string {
	all := map[Failure]string{}
	for _, f := range []Failure{BadKey, BadRequest, NotFound, Limited, Unavailable, BadGateway} {
		all[f] = class
	}
	return over(all, but)
}

func over(all, but map[Failure]string) map[Failure]string {
	maps.Copy(all, but)
	return all
}

// Node are the clients of test/sdk/callers.mjs.
func Node() []Client {
	openAI := openAIClasses(map[Failure]string{TimedOut: "APIConnectionTimeoutError"})
	vercel := one("APICallError", map[Failure]string{TimedOut: "DOMException", BrokenOff: "StreamError"})
	return []Client{
		{Name: "openai", Speaks: weir.OpenAIChat, Stop: "stop", Limit: "length", Raises: openAI},
		{Name: "openai, responses", Speaks: weir.OpenAIResponses, Stop: "completed", Limit: "incomplete", Raises: openAI},
		{
			Name: "@anthropic-ai/sdk", Speaks: weir.Anthropic, Stop: "end_turn", Limit: "max_tokens",
			Raises: over(openAIClasses(nil), map[Failure]string{TimedOut: "APIConnectionTimeoutError", Unavailable: "ServiceUnavailableError"}),
		},
		{Name: "@ai-sdk/openai-compatible", Speaks: weir.OpenAIChat, Stop: "stop", Limit: "length", Raises: vercel, Unoverruled: true},
		{Name: "@ai-sdk/openai, chat", Speaks: weir.OpenAIChat, Stop: "stop", Limit: "length", Raises: vercel, Unoverruled: true, AsksUsage: true, Thoughtless: true},
		{Name: "@ai-sdk/openai, responses", Speaks: weir.OpenAIResponses, Stop: "stop", Limit: "length", Raises: vercel, Unoverruled: true, Thoughtless: true},
		{Name: "@ai-sdk/anthropic", Speaks: weir.Anthropic, Stop: "stop", Limit: "length", Raises: vercel, Unoverruled: true, AddsCached: true},
	}
}

// Go are the clients of test/sdk.
func Go() []Client {
	openAI := one("*openai.Error", map[Failure]string{TimedOut: "context.DeadlineExceeded", BrokenOff: "*ssestream.StreamError"})
	return []Client{
		{Name: "openai-go", Speaks: weir.OpenAIChat, Stop: "stop", Limit: "length", Raises: openAI},
		{Name: "openai-go, responses", Speaks: weir.OpenAIResponses, Stop: "completed", Limit: "incomplete", Raises: openAI},
		{
			Name: "anthropic-sdk-go", Speaks: weir.Anthropic, Stop: "end_turn", Limit: "max_tokens",
			Raises: one("*anthropic.Error", map[Failure]string{TimedOut: "context.DeadlineExceeded", BrokenOff: "*anthropic.Error"}),
		},
	}
}

// Python are the clients of test/real/callers.py.
func Python() []Client {
	openAI := openAIClasses(map[Failure]string{TimedOut: "APITimeoutError"})
	langChain := map[Failure]string{
		BadKey: "OpenAIAuthenticationError", BadRequest: "OpenAIInvalidRequestError", NotFound: "OpenAIModelNotFoundError", Limited: "OpenAIRateLimitError",
		Unavailable: "OpenAIAPIError", BadGateway: "OpenAIAPIError", TimedOut: "OpenAITimeoutError", BrokenOff: "APIError",
	}
	return []Client{
		{Name: "openai", Speaks: weir.OpenAIChat, Stop: "stop", Limit: "length", Raises: openAI},
		{Name: "openai, responses", Speaks: weir.OpenAIResponses, Stop: "completed", Limit: "incomplete", Raises: openAI},
		{
			Name: "anthropic", Speaks: weir.Anthropic, Stop: "end_turn", Limit: "max_tokens",
			Raises: over(openAIClasses(nil), map[Failure]string{TimedOut: "APITimeoutError", Unavailable: "ServiceUnavailableError", BrokenOff: "APIStatusError"}),
		},
		{Name: "langchain-openai", Speaks: weir.OpenAIChat, Stop: "stop", Limit: "length", Raises: langChain, Thoughtless: true},
		{Name: "langchain-openai, responses", Speaks: weir.OpenAIResponses, Stop: "completed", Limit: "incomplete", Raises: langChain, Thoughtless: true},
	}
}
