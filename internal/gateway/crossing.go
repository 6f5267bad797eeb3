package gateway

import (
	"bytes"
	"net/http"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/translate"
	"weir.dev/weir/meter"
)

// foreign turns the events of a target into its caller's dialect.
type foreign interface {
	Feed(dst, name, data []byte) []byte
	End(dst []byte, failure *request.Problem) []byte
}

var _ foreign = (*translate.Stream)(nil)

// crossing is what translates the target's answer; nil if its bytes pass.
func (a *attempt) crossing() foreign {
	if a.passes(a.target) {
		return nil
	}
	return translate.NewStream(a.target.Dialect, a.dialect, a.answerOptions())
}

// tell has an event go down in the caller's dialect.
func (a *attempt) tell(e meter.Event) {
	f := &a.flow
	f.text = f.foreign.Feed(f.text[:0], e.Name, e.Data)
	if f.untold = saysError(f.text); !f.untold {
		f.window.put(e.End, f.text)
	} else if !f.begun { // nobody has seen anything of it
		f.committed = false
	}
}

// saysError tells whether translated events end with an error, which the target
// did not send: its own are not translated. Inside a string the quotes would be
// escaped.
func saysError(events []byte) bool { return bytes.Contains(events, []byte(`"error":{`)) }

func (a *attempt) answerOptions() translate.AnswerOptions {
	o := translate.AnswerOptions{Model: a.target.Model, Created: a.arrived.Unix(), IncludeUsage: a.asked.IncludeUsage, Limit: a.plant.bounds.Answer}
	if a.dialect == weir.OpenAIResponses {
		o.TextFormat, _ = a.asked.Raw("text")
	}
	if a.site.RewriteModel {
		o.Model, o.RewriteModel = a.site.name, true
	}
	return o
}

// translated is a target's error body in the caller's dialect.
func (x *exchange) translated(status int, header http.Header, body []byte) []byte {
	return translate.Problem(x.dialect, status, header, body)
}
