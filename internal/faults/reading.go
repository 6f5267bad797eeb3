package faults

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/dialect"
)

// reading turns a response into a View.
type reading struct {
	view   View
	clock  clock.Clock
	redact func(string) string
	stream bool
	reader *dialect.Reader
	answer dialect.Answer
	ids    map[string]bool
	failed bool // an error event came
	broken bool // an event that is no JSON came
	events int
}

// The bounds on what an endpoint can make the driver hold.
const (
	maxAnswer   = 1 << 20
	maxBodyRead = 256 << 20
	maxShown    = 300 // characters of an error
)

func newReading(d *driver, stream bool) *reading {
	return &reading{clock: d.clock, redact: d.redact, stream: stream, ids: map[string]bool{}, answer: dialect.Answer{Limit: maxAnswer}, view: View{sent: d.clock.Now()}}
}

func (r *reading) head(resp *http.Response, d weir.Dialect) {
	r.view.Status = weir.Some(resp.StatusCode)
	r.reader = dialect.NewReader(dialect.Options{
		Dialect: d, Stream: r.stream, Status: resp.StatusCode, Header: resp.Header, LineCap: 4 << 20, Answer: &r.answer, OnEvent: r.event,
	})
}

func (r *reading) event(tick weir.Tick, _, data []byte) {
	r.events++
	r.failed = r.failed || tick.Kind&weir.TickError != 0
	r.broken = r.broken || tick.Kind&weir.TickBroken != 0
	if tick.Kind&weir.TickRole != 0 {
		r.view.Roles++
	}
	r.view.Done = r.view.Done || tick.Kind&weir.TickDone != 0
	if tick.Kind.Output() {
		r.view.lastOutput = r.clock.Now()
		if !r.view.FirstOutput.Known() {
			r.view.FirstOutput = weir.SpanOf(r.view.lastOutput.Sub(r.view.sent))
		}
		r.view.Tokens = rightTokens(r.text())
	}
	var ev struct{ ID string }
	if json.Unmarshal(data, &ev) == nil && ev.ID != "" && len(r.ids) < 16 {
		r.ids[ev.ID] = true
	}
}

func (r *reading) text() string {
	if c := r.answer.Choice(0); c != nil {
		return string(c.Text)
	}
	return ""
}

// decoded undoes a stated content coding as strictly as an SDK's HTTP library.
func decoded(resp *http.Response) io.Reader {
	if resp.Header.Get("Content-Encoding") != "gzip" {
		return resp.Body
	}
	return &lateGzip{in: bufio.NewReader(resp.Body)}
}

// lateGzip reads the header of the gzip at the first Read, which may block.
type lateGzip struct {
	in io.Reader
	z  *gzip.Reader
}

var errCoding = errors.New("the body is not in the coding that its header states")

func (l *lateGzip) Read(p []byte) (int, error) {
	if l.z == nil {
		z, err := gzip.NewReader(l.in)
		if err != nil {
			return 0, errors.Join(errCoding, err)
		}
		l.z = z
	}
	return l.z.Read(p)
}

// body reads until the end, the terminal event, or leave says so.
func (r *reading) body(in io.Reader, leave func(View) bool) (left bool, err error) {
	buf := make([]byte, 32<<10)
	for r.view.Bytes < maxBodyRead {
		n, err := in.Read(buf)
		r.view.Bytes += int64(n)
		r.reader.Feed(buf[:n], weir.Exactly(r.clock.Now().Sub(r.view.sent)))
		switch {
		case leave != nil && leave(r.view):
			return true, nil
		case r.reader.Done(), errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return false, errors.New("the body has no end")
}

// end makes the view. err is the transport's; cause says why the call's context
// ended, if it did.
func (r *reading) end(err, cause error, left bool) View {
	v := &r.view
	v.ended = r.clock.Now()
	v.EndedAfter = weir.Dur(v.ended.Sub(v.sent))
	v.IDs = len(r.ids)
	var res dialect.Result
	if r.reader != nil {
		res = r.reader.End(err)
		v.Usage = res.Usage
		v.Model, v.Finish = known(res.Model), known(res.Finish)
		v.Error = known(r.shown(res.ErrorText))
		if !r.stream {
			v.Tokens = rightTokens(r.text())
		}
	}
	switch {
	case left, errors.Is(cause, errLeaves):
		v.Ended = Left
	case errors.Is(cause, context.DeadlineExceeded):
		v.Ended = Hung
	case r.reader == nil:
		v.Ended, v.Error = Broken, weir.Some(r.shown(err.Error()))
	default:
		v.Ended = r.ending(err, res)
	}
	if !v.Error.Known() && err != nil {
		v.Error = weir.Some(r.shown(err.Error()))
	}
	return *v
}

// ending judges what came as an SDK would.
func (r *reading) ending(err error, res dialect.Result) Ending {
	switch {
	case r.view.Status.Or(0) >= http.StatusMultipleChoices, r.failed:
		return Failed
	case errors.Is(err, errCoding), r.broken:
		return Garbled
	case err != nil:
		return Broken
	case r.stream && r.events == 0:
		return Empty
	case r.whole(res):
		return Whole
	case r.view.Tokens == 0 && len(r.text()) == 0 && !r.called():
		return Empty
	case r.called(), strings.HasPrefix(Text, r.text()):
		return Truncated
	case r.view.Finish.Known():
		return Different
	}
	return Truncated
}

func (r *reading) called() bool {
	c := r.answer.Choice(0)
	return c != nil && len(c.Calls) > 0
}

func (r *reading) whole(res dialect.Result) bool {
	if res.Finish == "" {
		return false
	}
	if r.called() {
		call := r.answer.Choice(0).Calls[0]
		return string(call.Name) == toolName && string(call.Arguments) == toolArguments
	}
	return r.text() == Text
}

func known(s string) weir.Opt[string] {
	if s == "" {
		return weir.None[string]()
	}
	return weir.Some(s)
}

// shown is what may be shown of what the endpoint says.
func (r *reading) shown(s string) string {
	s = r.redact(s)
	if all := []rune(s); len(all) > maxShown {
		return string(all[:maxShown]) + "..."
	}
	return s
}

// errLeaves is why a caller that leaves as planned ends its call.
var errLeaves = errors.New("the caller leaves, as planned")

// tail is the time from the last output to the end.
func (v View) tail() time.Duration {
	if v.lastOutput.IsZero() {
		return 0
	}
	return v.ended.Sub(v.lastOutput)
}
