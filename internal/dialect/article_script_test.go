package dialect

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"weir.dev/weir"
)

// recording is an answer on the wire, with the time each piece of it arrived.
type recording struct {
	status int
	header http.Header
	writes []write
	end    error // of the transport; nil: the body ended cleanly
}

// write is a piece of a body. At counts from when the request was sent.
type write struct {
	at   time.Duration
	data []byte
}

// figures are what the script prints, or the exception that ended it.
type figures struct {
	ttft   time.Duration
	tokens int
	speed  float64 // tokens/s
	raised string
}

// perEvent is what OpenAI's SDK for Python takes to make a chunk of an event:
// 0.12 ms of processor time here (3.57.0, Python 3.11). The script's clock is
// read after that, so that events which came together look that far apart.
const perEvent = 100 * time.Microsecond

// articleScript is the recipe of many articles. This is its careful form: the
// short one reads chunk.choices[0] unasked. The page shows it.
const articleScript = `start = time.perf_counter()
first, chunks, usage = None, 0, None
stream = client.chat.completions.create(..., stream=True, stream_options={"include_usage": True})
for chunk in stream:
    if chunk.usage:
        usage = chunk.usage
    if chunk.choices and chunk.choices[0].delta.content:
        if first is None:
            first = time.perf_counter()
        chunks += 1
end = time.perf_counter()
tokens = usage.completion_tokens if usage else chunks
ttft, speed = first - start, tokens / (end - first)
`

// script is articleScript's logic over OpenAI's SDK for Python. The SDK's
// retries are off (max_retries=0): they are made inside create, and so inside
// ttft. An exception is told by the name of its class, an APIConnectionError
// where the body breaks, whatever came before it.
type script struct{ short bool }

func (s script) run(r recording) figures {
	switch {
	case r.status == http.StatusUnauthorized:
		return figures{raised: "AuthenticationError"}
	case r.status == http.StatusTooManyRequests:
		return figures{raised: "RateLimitError"}
	case r.status >= http.StatusInternalServerError:
		return figures{raised: "InternalServerError"}
	case r.status >= http.StatusBadRequest:
		return figures{raised: "APIStatusError"}
	}
	loop := scriptLoop{script: s}
	for _, w := range r.writes {
		loop.now = max(loop.now, w.at)
		for _, data := range loop.sdk.feed(w.data) {
			if strings.HasPrefix(data, "[DONE]") {
				return loop.figures()
			}
			if raised := loop.event(data); raised != "" {
				return figures{raised: raised}
			}
		}
	}
	if r.end != nil {
		return figures{raised: "APIConnectionError"}
	}
	return loop.figures()
}

// scriptLoop is the script's "for chunk in stream".
type scriptLoop struct {
	script

	sdk    sdkDecoder
	now    time.Duration
	first  weir.Opt[time.Duration]
	chunks int
	usage  *sdkUsage
}

type sdkUsage struct {
	Completion *int `json:"completion_tokens"`
}

// event makes a chunk of an event as the SDK does, and gives it to the loop's
// body. It tells the exception, if one was raised.
func (l *scriptLoop) event(data string) (raised string) {
	l.now += perEvent
	var chunk struct {
		Error   json.RawMessage `json:"error"`
		Usage   *sdkUsage       `json:"usage"`
		Choices []struct {
			Delta struct {
				Content json.RawMessage `json:"content"`
			} `json:"delta"`
		} `json:"choices"`
	}
	if json.Unmarshal([]byte(data), &chunk) != nil {
		return "JSONDecodeError"
	}
	if truthy(chunk.Error) {
		return "APIError"
	}
	if chunk.Usage != nil {
		l.usage = chunk.Usage
	}
	if len(chunk.Choices) == 0 {
		switch {
		case !l.short:
			return ""
		case chunk.Choices == nil:
			return "TypeError" // None[0]
		}
		return "IndexError"
	}
	if truthy(chunk.Choices[0].Delta.Content) {
		if !l.first.Known() {
			l.first = weir.Some(l.now)
		}
		l.chunks++
	}
	return ""
}

func (l *scriptLoop) figures() figures {
	first, ok := l.first.Get()
	if !ok {
		return figures{raised: "TypeError"} // None - float
	}
	tokens := l.chunks
	if l.usage != nil {
		if l.usage.Completion == nil {
			return figures{raised: "TypeError"} // None / float
		}
		tokens = *l.usage.Completion
	}
	if l.now == first {
		return figures{raised: "ZeroDivisionError"}
	}
	return figures{ttft: first, tokens: tokens, speed: float64(tokens) / (l.now - first).Seconds()}
}

// truthy is Python's bool of a JSON value.
func truthy(v json.RawMessage) bool {
	switch string(bytes.TrimSpace(v)) {
	case "", "null", "false", "0", `""`, "[]", "{}":
		return false
	}
	return true
}

// sdkDecoder is the SDK's reader of server-sent events (openai/_streaming.py).
// It differs from the standard where it matters here: a byte order mark stays,
// a block without data is an event once there was an id or a retry, and a block
// that the body's end cuts is dropped.
type sdkDecoder struct {
	line    []byte
	afterCR bool
	event   string
	id      string
	retry   bool
	data    []string
}

func (d *sdkDecoder) feed(b []byte) (events []string) {
	for _, c := range b {
		switch {
		case c == '\n' && d.afterCR:
		case c == '\n', c == '\r':
			if data, ok := d.endLine(string(d.line)); ok {
				events = append(events, data)
			}
			d.line = d.line[:0]
		default:
			d.line = append(d.line, c)
		}
		d.afterCR = c == '\r'
	}
	return events
}

func (d *sdkDecoder) endLine(line string) (data string, dispatched bool) {
	if line == "" {
		dispatched = d.event != "" || len(d.data) > 0 || d.id != "" || d.retry
		data = strings.Join(d.data, "\n")
		d.event, d.data, d.retry = "", nil, false // the id stays
		return data, dispatched
	}
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "event":
		d.event = value
	case "data":
		d.data = append(d.data, value)
	case "id":
		d.id = value
	case "retry":
		d.retry = true
	}
	return "", false
}

var blockEnd = regexp.MustCompile(`(\r\n){2,}|\n{2,}|\r{2,}`)

// blocks cuts a body after each run of blank lines.
func blocks(body []byte) (out [][]byte) {
	from := 0
	for _, at := range blockEnd.FindAllIndex(body, -1) {
		out, from = append(out, body[from:at[1]]), at[1]
	}
	if from < len(body) {
		out = append(out, body[from:])
	}
	return out
}
