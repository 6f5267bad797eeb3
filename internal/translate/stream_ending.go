package translate

import (
	"fmt"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/request"
)

// ending is why an answer ended, as its caller should hear it; a problem if it
// did not end as an answer does. An event that was no JSON is survived.
func ending(from, to weir.Dialect, res dialect.Result, blocks *assembly) (request.FinishReason, *request.Problem) {
	survived := res.Finished && res.Outcome == weir.Malformed
	if res.Outcome != weir.OK && !survived {
		p := unended(res)
		return "", &p
	}
	reason := request.ReadFinish(from, res.Finish)
	called := len(blocks.begun)+len(blocks.held) > 0 || blocks.next != nil
	switch reason {
	case request.FinishBroken:
		p := upstreamProblem(fmt.Sprintf("the model's answer ended with %.64q", res.Finish), strings.ToLower(res.Finish))
		return "", &p
	case request.FinishStop, request.FinishSequence:
		switch {
		case called: // Gemini has no word for it, and some servers of chat forget theirs
			reason = request.FinishCalls
		case blocks.refused && to == weir.Anthropic:
			reason = request.FinishFilter
		}
	case request.FinishCalls:
		if !called {
			reason = request.FinishStop
		}
	}
	return reason, nil
}

// unended is what went wrong with an answer, as far as its reader can tell.
func unended(res dialect.Result) request.Problem {
	p := problem(0, dialect.Verdict{Outcome: res.Outcome, ErrorType: res.ErrorType, Message: res.ErrorText, Type: res.OwnType, Code: res.OwnCode})
	if res.ErrorText == "" {
		p.Message = "the target's answer is not whole: " + strings.TrimSpace(string(res.Outcome)+" "+res.ErrorType)
	}
	return p
}
