package sdk

import (
	"context"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

func (g *goCall) openAI() openai.Client {
	return openai.NewClient(
		option.WithBaseURL(g.base+"/v1"), option.WithAPIKey(g.Key), option.WithMaxRetries(g.Retries),
		option.WithRequestTimeout(g.timeout()), option.WithMiddleware(g.keep),
	)
}

func callChat(ctx context.Context, g *goCall) error {
	client := g.openAI()
	params := openai.ChatCompletionNewParams{Model: g.Model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(g.Prompt)}}
	if g.Limit > 0 {
		params.MaxCompletionTokens = openai.Int(int64(g.Limit))
	}
	if g.Tools {
		params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: toolName, Description: openai.String(toolDescription), Parameters: toolSchema,
		})}
	}
	if g.Schema {
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "reading", Strict: openai.Bool(true), Schema: readingSchema},
		}
	}
	if g.Stream && g.Usage {
		params.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	for {
		answer, err := g.completion(ctx, client, params)
		if err != nil || answer == nil {
			return err
		}
		choice := answer.Choices[0]
		g.Finish = &choice.FinishReason
		if answer.JSON.Usage.Valid() || answer.Usage.TotalTokens > 0 {
			g.used(answer.Usage.PromptTokens, answer.Usage.CompletionTokens, answer.Usage.PromptTokensDetails.CachedTokens)
		}
		if len(choice.Message.ToolCalls) == 0 {
			return g.readAs(choice.Message.Content)
		}
		params.Messages = append(params.Messages, choice.Message.ToParam())
		for _, call := range choice.Message.ToolCalls {
			params.Messages = append(params.Messages, openai.ToolMessage(g.tool(call.ID, call.Function.Name, call.Function.Arguments), call.ID))
		}
	}
}

// completion is nil where the caller walked away.
func (g *goCall) completion(ctx context.Context, client openai.Client, params openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
	if !g.Stream {
		answer, err := client.Chat.Completions.New(ctx, params)
		if err == nil {
			g.Text += answer.Choices[0].Message.Content
			g.Reasoning += extra(answer.Choices[0].Message.JSON.ExtraFields["reasoning_content"].Raw())
		}
		return answer, err
	}
	stream := client.Chat.Completions.NewStreaming(ctx, params)
	defer stream.Close()
	var whole openai.ChatCompletionAccumulator
	pieces := 0
	for stream.Next() {
		chunk := stream.Current()
		whole.AddChunk(chunk)
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != "" {
				pieces++
			}
			g.Text += choice.Delta.Content
			g.Reasoning += extra(choice.Delta.JSON.ExtraFields["reasoning_content"].Raw())
		}
		if g.leaves(pieces) {
			return nil, nil
		}
	}
	return &whole.ChatCompletion, stream.Err()
}

// extra is a text that the client has no field for.
func extra(raw string) (text string) {
	if raw != "" {
		_ = json.Unmarshal([]byte(raw), &text) // null is no text
	}
	return text
}

func callResponses(ctx context.Context, g *goCall) error {
	client := g.openAI()
	input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(g.Prompt, responses.EasyInputMessageRoleUser)}
	params := responses.ResponseNewParams{Model: g.Model, Store: openai.Bool(false)}
	if g.Limit > 0 {
		params.MaxOutputTokens = openai.Int(int64(g.Limit))
	}
	if g.Tools {
		params.Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction(toolName, toolSchema, true)}
	}
	if g.Schema {
		params.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("reading", readingSchema)
	}
	for {
		params.Input.OfInputItemList = input
		answer, err := g.response(ctx, client, params)
		if err != nil || answer == nil {
			return err
		}
		status := string(answer.Status)
		g.Finish = &status
		g.used(answer.Usage.InputTokens, answer.Usage.OutputTokens, answer.Usage.InputTokensDetails.CachedTokens)
		calls := len(g.Calls)
		var results responses.ResponseInputParam
		for _, item := range answer.Output {
			switch item := item.AsAny().(type) {
			case responses.ResponseReasoningItem:
				for _, part := range item.Content {
					g.Reasoning += part.Text
				}
			case responses.ResponseFunctionToolCall:
				input = append(input, responses.ResponseInputItemParamOfFunctionCall(item.Arguments, item.CallID, item.Name))
				results = append(results, responses.ResponseInputItemParamOfFunctionCallOutput(g.tool(item.CallID, item.Name, item.Arguments)))
				results[len(results)-1].OfFunctionCallOutput.CallID = openai.String(item.CallID)
			}
		}
		if len(g.Calls) == calls {
			return g.readAs(answer.OutputText())
		}
		input = append(input, results...)
	}
}

// response is nil where the caller walked away.
func (g *goCall) response(ctx context.Context, client openai.Client, params responses.ResponseNewParams) (*responses.Response, error) {
	if !g.Stream {
		answer, err := client.Responses.New(ctx, params)
		if err == nil {
			g.Text += answer.OutputText()
		}
		return answer, err
	}
	stream := client.Responses.NewStreaming(ctx, params)
	defer stream.Close()
	var whole *responses.Response
	pieces := 0
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			g.Text += event.Delta
			pieces++
		case responses.ResponseCompletedEvent:
			whole = &event.Response
		case responses.ResponseIncompleteEvent:
			whole = &event.Response
		}
		if g.leaves(pieces) {
			return nil, nil
		}
	}
	return whole, stream.Err()
}
