package dialect

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"weir.dev/weir"
)

// benchEvents is a stream of ~290-byte OpenAI events. With varied set no two
// events have a byte-identical frame: text, a clock and an obfuscation differ.
func benchEvents(n int, varied bool) []byte {
	var b bytes.Buffer
	for i := range n {
		text, clock := " token", "0000000000000000000"
		if varied {
			text = fmt.Sprintf(" tok%d\\n", i*i%977)
			clock = fmt.Sprintf("%019d", i*7919)
		}
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-0123456789abcdef0123456789abcdef","object":"chat.completion.chunk","created":1700000000,"model":"mock-llama-3-70b-instruct","choices":[{"index":0,"delta":{"content":"%s"},"logprobs":null,"finish_reason":null}],"t":["%s","0000000000000000000"]}`+"\n\n", text, clock)
	}
	return b.Bytes()
}

const benchN = 1000

func BenchmarkReader(b *testing.B) {
	for _, varied := range []bool{false, true} {
		in := benchEvents(benchN, varied)
		b.Run(fmt.Sprintf("varied=%v", varied), func(b *testing.B) {
			r := NewReader(Options{})
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				r.Reset(Options{Dialect: weir.OpenAIChat, Stream: true})
				for rest := in; len(rest) > 0; {
					n := min(len(rest), 4096)
					r.Feed(rest[:n], weir.Stamp{})
					rest = rest[n:]
				}
				if len(r.Ticks) != benchN || !r.Ticks[benchN-1].Kind.Output() {
					b.Fatal(len(r.Ticks))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchN, "ns/event")
		})
	}
}

// BenchmarkEncodingJSON is the baseline: the usual client, a line scanner and
// encoding/json into the slimmest struct that gives the text.
func BenchmarkEncodingJSON(b *testing.B) {
	in := benchEvents(benchN, true)
	type slim struct {
		Choices []struct {
			Delta struct {
				Content string `json:"content"`
			} `json:"delta"`
		} `json:"choices"`
	}
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		sc := bufio.NewScanner(bytes.NewReader(in))
		n := 0
		for sc.Scan() {
			data, ok := bytes.CutPrefix(sc.Bytes(), []byte("data: "))
			if !ok {
				continue
			}
			var s slim
			if err := json.Unmarshal(data, &s); err != nil || s.Choices[0].Delta.Content == "" {
				b.Fatal(err)
			}
			n++
		}
		if n != benchN {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchN, "ns/event")
}

func TestReadingAllocatesNothing(t *testing.T) {
	in := benchEvents(benchN, true)
	r := NewReader(Options{})
	read := func() {
		r.Reset(Options{Dialect: weir.OpenAIChat, Stream: true})
		for rest := in; len(rest) > 0; {
			n := min(len(rest), 1000)
			r.Feed(rest[:n], weir.Stamp{})
			rest = rest[n:]
		}
	}
	read()
	// Per stream, not per event: the id and the model are kept once, as are the
	// first bytes while the framing is undecided.
	if allocs := testing.AllocsPerRun(10, read); allocs > 8 {
		t.Errorf("%v allocations for %d events", allocs, benchN)
	}
}
