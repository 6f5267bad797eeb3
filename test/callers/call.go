package callers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"
)

// Call is what a driver is to do with its client.
type Call struct {
	Client    string `json:"client"` // Client.Name
	Model     string `json:"model"`
	Prompt    string `json:"prompt"` // the one message, the user's
	Key       string `json:"key"`
	Stream    bool   `json:"stream"`
	Usage     bool   `json:"usage"`       // a stream's usage is asked for, where the client has a choice
	Tools     bool   `json:"tools"`       // offer the tool `level`, and do what is asked for until there is an answer
	Limit     int    `json:"limit"`       // tokens of the answer; 0: none, or 100 where the API needs one
	Schema    bool   `json:"schema"`      // the answer is to be a reading: {"gauge": string, "level": number}
	Leave     int    `json:"leave_after"` // the caller walks away after so many pieces of text; 0: never
	TimeoutMS int    `json:"timeout_ms"`  // the client's own limit; 0: 20 s
	Retries   int    `json:"retries"`     // that the client may make by itself
}

// Result is what the client's user got. What the client did not say is nil.
type Result struct {
	Text      string          `json:"text"` // of all turns
	Reasoning string          `json:"reasoning"`
	Calls     []ToolCall      `json:"calls"`
	Finish    *string         `json:"finish"`
	Input     *int            `json:"input"`  // tokens, of the last turn, as the client counts them
	Output    *int            `json:"output"` // likewise
	Cached    *int            `json:"cached"` // likewise
	Object    json.RawMessage `json:"object"` // the reading, as the client parsed it
	Sent      []string        `json:"sent"`   // bodies of its requests
	LeftAt    *float64        `json:"left_at_ms"`
	TookMS    float64         `json:"took_ms"`
	Error     *Error          `json:"error"`
}

// ToolCall is a call of a tool as the client gave it.
type ToolCall struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// Error is what was raised.
type Error struct {
	Class      string  `json:"class"` // that a caller would test for
	Status     *int    `json:"status"`
	Kind       *string `json:"kind"` // the code of OpenAI's errors, the type of Anthropic's
	Message    string  `json:"message"`
	RetryAfter *string `json:"retry_after"`
}

// Driver makes calls, many at a time, at a gateway's root, without /v1. The results
// are in the order of the calls.
type Driver func(ctx context.Context, base string, calls []Call) ([]Result, error)

// Command is the driver that is another program: it has the base as its last
// argument, calls on its standard input, and results on its output.
func Command(name string, args ...string) Driver {
	return func(ctx context.Context, base string, calls []Call) ([]Result, error) {
		in, err := json.Marshal(calls)
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, name, append(args, base)...)
		cmd.WaitDelay = 5 * time.Second
		var out, log bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &log
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, log.Bytes())
		}
		var results []Result
		if err := json.Unmarshal(out.Bytes(), &results); err != nil {
			return nil, fmt.Errorf("%v: %w in its output:\n%s\n%s", cmd.Args, err, out.Bytes(), log.Bytes())
		}
		return results, nil
	}
}
