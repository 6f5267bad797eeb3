package splice_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"weir.dev/weir/internal/splice"
)

// The kinds of prompts: prose is one run of plain text, code has an escape each
// 40 bytes, and the others have no run at all or many short ones.
var benchTexts = []struct{ name, text string }{
	{"plain", "all that a prompt of plain words holds, with no escape in it; "},
	{"code", `\tif err := run(ctx, args); err != nil {\n\t\treturn fmt.Errorf(\"run: %w\", err)\n\t}\n`},
	{"accents", "Größere Änderungen müssen später überprüft werden, sagte er. "},
	{"chinese", "网关是一个不会妨碍任何人的代理服务器。"},
}

// benchBody is a chat request of about size bytes with the text in few long
// messages.
func benchBody(size int, text string) []byte {
	messages := fmt.Sprintf(`{"role":"system","content":"You help."},{"role":"user","content":"%s"}`, strings.Repeat(text, size/len(text)+1))
	return fmt.Appendf(nil, `{"model":"fast","messages":[%s],"temperature":0.7,"stream":true,"max_tokens":256}`, messages)
}

// benchTools is a body of about size bytes that is short tokens all over.
func benchTools(size int) []byte {
	tool := `{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1}},"required":["city"]}}},`
	return fmt.Appendf(nil, `{"model":"fast","messages":[],"tools":[%s{}]}`, strings.Repeat(tool, size/len(tool)+1))
}

// BenchmarkRequest times Request.Read and json.Valid by turns on the same body
// and takes the best turn of each, so that figures hold on a busy machine too.
func BenchmarkRequest(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10, 1 << 20} {
		for _, t := range benchTexts {
			benchRatio(b, fmt.Sprintf("%dKB/%s", size>>10, t.name), benchBody(size, t.text))
		}
		benchRatio(b, fmt.Sprintf("%dKB/tools", size>>10), benchTools(size))
	}
}

func benchRatio(b *testing.B, name string, body []byte) {
	b.Run(name, func(b *testing.B) {
		var r splice.Request
		read, valid := time.Hour, time.Hour
		turns := max(1, 1<<16/len(body))
		b.ReportAllocs()
		for b.Loop() {
			start := time.Now()
			for range turns {
				if err := r.Read(body); err != nil {
					b.Fatal(err)
				}
			}
			middle := time.Now()
			for range turns {
				if !json.Valid(body) {
					b.Fatal("json.Valid")
				}
			}
			read = min(read, middle.Sub(start))
			valid = min(valid, time.Since(middle))
		}
		b.ReportMetric(float64(turns*len(body))/float64(read), "GB/s")
		b.ReportMetric(float64(valid)/float64(read), "x_json.Valid")
		b.ReportMetric(float64(read)/float64(turns), "ns/read")
		b.ReportMetric(0, "ns/op") // both together: says nothing
	})
}

// BenchmarkEdits is what an attempt costs beside the copy of the body.
func BenchmarkEdits(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10, 1 << 20} {
		body := benchBody(size, benchTexts[0].text)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			var r splice.Request
			if err := r.Read(body); err != nil {
				b.Fatal(err)
			}
			e, out := editsOfAnAttempt(), []byte(nil)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if out, err = e.AppendTo(out[:0], &r.Object); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func editsOfAnAttempt() *splice.Edits {
	var e splice.Edits
	e.SetString("model", "gpt-5-mini")
	e.SetIn("stream_options", "include_usage", []byte("true"))
	return &e
}

// benchEvent is a chat event of the size that providers send.
const benchEvent = `{"id":"chatcmpl-0123456789abcdef0123456789abcdef","object":"chat.completion.chunk","created":1700000000,"model":"mock-llama-3-70b-instruct","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}],"usage":null}`

func BenchmarkEvents(b *testing.B) {
	for _, c := range []struct {
		name string
		e    splice.Events
	}{
		{"kept", splice.Events{Model: "fast"}},
		{"renamed", splice.Events{Model: "fast", Rewrite: true}},
		{"usage dropped", splice.Events{Model: "fast", DropUsage: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(benchEvent)))
			b.ReportAllocs()
			data := []byte(benchEvent)
			for b.Loop() {
				c.e.Edit(data)
			}
		})
	}
}
