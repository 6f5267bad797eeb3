package translate

import (
	"bytes"
	"encoding/json"
	"fmt"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/request"
)

// BadAnswer is the code of the error for an answer that cannot be told to its
// caller: it is not whole, or not what its dialect allows.
const BadAnswer = "bad_answer"

// Whole turns the body of an answer that is not streamed into one of its
// caller's dialect. from and to are those of NewStream. Errors are *weir.Error
// with the code BadAnswer; nothing of the answer has then been told.
func Whole(from, to weir.Dialect, body []byte, o AnswerOptions) ([]byte, error) {
	var answer dialect.Answer
	var into collected
	var r *dialect.Reader
	blocks := assemble(&into, from, to, func() string {
		id, _ := named(r.SoFar(), o)
		return id
	})
	r = reader(from, &answer, blocks, o)
	r.Feed(body, weir.Stamp{})
	res := r.End(nil)
	reason, problem := ending(from, to, res, blocks)
	if problem != nil {
		return nil, badAnswer(from, problem.Message)
	}
	blocks.end()
	switch {
	case answer.Cut:
		return nil, badAnswer(from, "it is too long to translate")
	case blocks.fault != "":
		return nil, badAnswer(from, "it has "+blocks.fault)
	}
	whole := request.Answer{Finish: reason, Blocks: into.blocks}
	if to == weir.Anthropic {
		var err error
		if whole.Blocks, err = soundCalls(from, whole); err != nil {
			return nil, err
		}
	}
	return write(from, to, whole, res, o), nil
}

func write(from, to weir.Dialect, a request.Answer, res dialect.Result, o AnswerOptions) []byte {
	out := writer(from, to, o)
	out.ID, out.Model = named(res, o)
	usage, with := res.Usage, request.With{}
	switch {
	case to == weir.Anthropic:
		usage = numbered(usage)
		with.Usage = &usage
	case usage.Reported():
		with.Usage = &usage
	}
	return out.AppendWhole(nil, a, with)
}

// soundCalls are the blocks of an answer in which calls have JSON objects, not
// texts, as Anthropic's messages have them. A call that a limit cut off is left
// out: it was never made, and the stop reason says so.
func soundCalls(from weir.Dialect, a request.Answer) ([]request.Block, error) {
	sound := a.Blocks[:0]
	for _, b := range a.Blocks {
		if b.Channel == request.Call && !isObject(b.Text) {
			if a.Finish == request.FinishLength {
				continue
			}
			return nil, badAnswer(from, fmt.Sprintf("the arguments of its call of %.64q are no JSON object", b.Name))
		}
		sound = append(sound, b)
	}
	return sound, nil
}

func isObject(text string) bool {
	b := bytes.TrimSpace([]byte(text))
	return len(b) > 0 && b[0] == '{' && json.Valid(b)
}

func badAnswer(from weir.Dialect, what string) error {
	return &weir.Error{
		Code: BadAnswer, Message: fmt.Sprintf("the target's answer (%s) cannot be translated: %s", from, what),
		Hint: "another target may do better; if this one answers so often, look at it with weir inspect",
	}
}
