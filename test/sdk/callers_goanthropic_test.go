package sdk

import (
	"cmp"
	"context"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func callMessages(ctx context.Context, g *goCall) error {
	client := anthropic.NewClient(
		option.WithBaseURL(g.base), option.WithAPIKey(g.Key), option.WithMaxRetries(g.Retries),
		option.WithRequestTimeout(g.timeout()), option.WithMiddleware(g.keep),
	)
	params := anthropic.MessageNewParams{
		Model: g.Model, MaxTokens: int64(cmp.Or(g.Limit, 100)),
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(g.Prompt))},
	}
	if g.Tools {
		params.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: toolName, Description: anthropic.String(toolDescription),
			InputSchema: anthropic.ToolInputSchemaParam{Properties: toolSchema["properties"], Required: []string{"gauge"}},
		}}}
	}
	if g.Schema {
		params.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: readingSchema}
	}
	for {
		answer, err := g.message(ctx, client, params)
		if err != nil || answer == nil {
			return err
		}
		stop := string(answer.StopReason)
		g.Finish = &stop
		g.used(answer.Usage.InputTokens, answer.Usage.OutputTokens, answer.Usage.CacheReadInputTokens)
		text := ""
		var results []anthropic.ContentBlockParamUnion
		for _, block := range answer.Content {
			switch block := block.AsAny().(type) {
			case anthropic.TextBlock:
				text += block.Text
			case anthropic.ThinkingBlock:
				g.Reasoning += block.Thinking
			case anthropic.ToolUseBlock:
				results = append(results, anthropic.NewToolResultBlock(block.ID, g.tool(block.ID, block.Name, string(block.Input)), false))
			}
		}
		if !g.Stream {
			g.Text += text
		}
		if len(results) == 0 {
			return g.readAs(text)
		}
		params.Messages = append(params.Messages, answer.ToParam(), anthropic.NewUserMessage(results...))
	}
}

// message is nil where the caller walked away.
func (g *goCall) message(ctx context.Context, client anthropic.Client, params anthropic.MessageNewParams) (*anthropic.Message, error) {
	if !g.Stream {
		return client.Messages.New(ctx, params)
	}
	stream := client.Messages.NewStreaming(ctx, params)
	defer stream.Close()
	var whole anthropic.Message
	pieces := 0
	for stream.Next() {
		event := stream.Current()
		if err := whole.Accumulate(event); err != nil {
			return nil, err
		}
		if event.Type == "content_block_delta" && event.Delta.Type == "text_delta" {
			g.Text += event.Delta.Text
			pieces++
		}
		if g.leaves(pieces) {
			return nil, nil
		}
	}
	return &whole, stream.Err()
}
