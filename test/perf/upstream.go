//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"
)

// The provider behind a gateway under test. What it sends is ordered in the
// prompt, as "perf:EVENTSxGAP", with a "!" behind it where the first event waits
// for nothing, since a prompt is what every gateway lets pass.
// Each output event holds its number and the time before it was written:
//
//	{"choices":[{"delta":{"content":"000007@1764550800000000000"} ...
const (
	eventsHead  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	eventBefore = `data: {"id":"chatcmpl-perf","object":"chat.completion.chunk","created":1700000000,"model":"perf","choices":[{"index":0,"delta":`
	roleDelta   = `{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}` + "\n\n"
	outputDelta = `{"content":"%06d@%019d"},"logprobs":null,"finish_reason":null}]}` + "\n\n"
	finishDelta = `{},"logprobs":null,"finish_reason":"stop"}]}` + "\n\n"
	usageEvent  = `data: {"id":"chatcmpl-perf","object":"chat.completion.chunk","created":1700000000,"model":"perf","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d,"total_tokens":%d}}` + "\n\n"
	wholeAnswer = `{"id":"chatcmpl-perf","object":"chat.completion","created":1700000000,"model":"perf","choices":[{"index":0,"message":{"role":"assistant","content":"000000@%019d"},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`
)

func gatewayUpstream(ctx context.Context, args []string) error {
	if err := parse("gateway-upstream", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { ln.Close() })
	fmt.Fprintf(os.Stderr, "serving at http://%s\n", ln.Addr())
	for {
		c, err := ln.Accept()
		if err != nil {
			return ctx.Err()
		}
		go func() {
			defer c.Close()
			for in := bufio.NewReader(c); ; {
				if err := answer(c, in); err != nil {
					return // the gateway is done with the connection
				}
			}
		}()
	}
}

var ordered = regexp.MustCompile(`perf:(\d+)x([0-9a-z]+)(!?)`)

// answer serves one request of a connection.
func answer(c net.Conn, in *bufio.Reader) error {
	req, err := http.ReadRequest(in)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		text := fmt.Sprintf(wholeAnswer, time.Now().UnixNano())
		_, err := fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		return err
	}
	order := ordered.FindSubmatch(body)
	if order == nil {
		return fmt.Errorf("no order in %.200q", body)
	}
	events, _ := strconv.Atoi(string(order[1]))
	gap, _ := time.ParseDuration(string(order[2]))
	wait := time.Duration(0)
	if len(order[3]) == 0 {
		wait = time.Duration(rand.Int64N(int64(gap) + 1))
	}
	return stream(c, events, gap, wait, bytes.Contains(body, []byte("include_usage")))
}

// stream writes events, the first after a wait, each on its own where there is a
// gap between them.
func stream(c net.Conn, events int, gap, wait time.Duration, usage bool) error {
	out := append([]byte(eventsHead), chunk(eventBefore+roleDelta)...)
	due := time.Now().Add(wait)
	for i := range events {
		if gap > 0 {
			if _, err := c.Write(out); err != nil {
				return err
			}
			out = out[:0]
			time.Sleep(time.Until(due))
			due = due.Add(gap)
		}
		out = append(out, chunk(eventBefore+fmt.Sprintf(outputDelta, i, time.Now().UnixNano()))...)
	}
	out = append(out, chunk(eventBefore+finishDelta)...)
	if usage {
		out = append(out, chunk(fmt.Sprintf(usageEvent, events, 9+events))...)
	}
	out = append(out, chunk("data: [DONE]\n\n")...)
	_, err := c.Write(append(out, "0\r\n\r\n"...))
	return err
}
