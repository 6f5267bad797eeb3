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
	"runtime"
	"time"

	"weir.dev/weir/internal/clock"
)

// cpuServer serves streams with as little of the machine as it can, so that the
// rest of it is the client's: prebuilt events, one write each, from one
// goroutine that turns a wheel of 200 phases per gap. It waits until all
// streams of a session are open, writes their events, ends them and waits for
// the next session.
func cpuServer(ctx context.Context, args []string) error {
	s := session{streams: 2000, events: 250, gap: 40 * time.Millisecond}
	if err := parse("cpu-server", args, func(f *flag.FlagSet) {
		f.IntVar(&s.streams, "streams", s.streams, "streams of a session")
		f.IntVar(&s.events, "events", s.events, "events of a stream")
		f.DurationVar(&s.gap, "gap", s.gap, "time between the events of a stream")
	}); err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { ln.Close() })
	s.clock, err = clock.NewPrecise()
	if err != nil {
		return err
	}
	defer s.clock.Close()
	s.build()
	fmt.Fprintf(os.Stderr, "serving at http://%s\n", ln.Addr())
	for ctx.Err() == nil {
		if err := s.serve(ctx, ln); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

type session struct {
	streams, events int
	gap             time.Duration
	clock           *clock.Precise
	chunks          [64][]byte // events of one length, each a chunk of HTTP/1.1
	last            []byte     // finish, usage and [DONE], and the end of the body
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"

// build makes events as OpenAI sends them, about 290 bytes: what stands before
// the text is always the same, the text and what comes after it are not.
func (s *session) build() {
	const before = `data: {"id":"chatcmpl-0123456789abcdef0123456789abcdef","object":"chat.completion.chunk","created":1700000000,"model":"mock-llama-3-70b-instruct","choices":[{"index":0,"delta":`
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range s.chunks {
		s.chunks[i] = chunk(before + fmt.Sprintf(`{"content":" w%05d"},"logprobs":null,"finish_reason":null}],"obfuscation":"%016x"}`+"\n\n", rnd.IntN(100_000), rnd.Uint64()))
	}
	s.last = append(s.last, chunk(before+`{},"logprobs":null,"finish_reason":"stop"}]}`+"\n\n")...)
	s.last = append(s.last, chunk(fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d}}`+"\n\ndata: [DONE]\n\n", s.events))...)
	s.last = append(s.last, "0\r\n\r\n"...)
}

func chunk(event string) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(event), event) }

func (s *session) serve(ctx context.Context, ln net.Listener) error {
	conns := make([]net.Conn, 0, s.streams)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for len(conns) < s.streams {
		c, err := ln.Accept()
		if err != nil {
			return err
		}
		conns = append(conns, c)
		if err := greet(c); err != nil {
			return err
		}
	}
	runtime.GC()
	const phases = 200
	wheel := make([][]net.Conn, phases)
	for i, c := range conns {
		wheel[i%phases] = append(wheel[i%phases], c)
	}
	start := time.Now().Add(200 * time.Millisecond)
	var late []float64
	for n := range s.events * phases {
		due := start.Add(time.Duration(n) * s.gap / phases)
		if err := s.clock.Until(ctx, due); err != nil {
			return err
		}
		late = append(late, time.Since(due).Seconds()*1e3)
		for i, c := range wheel[n%phases] {
			if _, err := c.Write(s.chunks[(n+i)%len(s.chunks)]); err != nil {
				return err
			}
		}
	}
	for _, c := range conns {
		if _, err := c.Write(s.last); err != nil {
			return err
		}
	}
	l := sorted(late)
	fmt.Printf("late by %.2f ms at p50, %.2f at p99, %.2f at most\n", l.at(0.5), l.at(0.99), l.at(1))
	return nil
}

// greet reads a request and answers with the head of a stream.
func greet(c net.Conn) error {
	c.SetDeadline(time.Now().Add(10 * time.Second))
	defer c.SetDeadline(time.Time{})
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return err
	}
	_, err = io.Copy(c, bytes.NewReader([]byte(head)))
	return err
}
