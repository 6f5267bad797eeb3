//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// caller asks over one connection at a time, with as little of the machine as it
// can.
type caller struct {
	addr string
	conn net.Conn
	in   *bufio.Reader
}

func (c *caller) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// ask sends a request and reads the head of its answer. It ends with the context.
func (c *caller) ask(ctx context.Context, request []byte) (*http.Response, error) {
	if c.conn == nil {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", c.addr)
		if err != nil {
			return nil, err
		}
		c.conn, c.in = conn, bufio.NewReader(conn)
	}
	if _, err := c.conn.Write(request); err != nil {
		c.close()
		return nil, err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.close()
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		c.close()
		return nil, fmt.Errorf("%s: %s", resp.Status, b)
	}
	return resp, nil
}

// order is what to ask for: an answer in one piece where there are no events.
type order struct {
	events int
	gap    time.Duration
	atOnce bool // the first event waits for nothing; else for a part of the gap
	prompt int  // bytes
}

// request is the bytes of an order.
func (s *subject) request(o order) []byte {
	pad := strings.Repeat("lorem ipsum dolor sit amet, ", o.prompt/28+1)[:o.prompt]
	streamed, begin := "", ""
	if o.atOnce {
		begin = "!"
	}
	if o.events > 0 {
		streamed = `"stream":true,`
	}
	body := fmt.Sprintf(`{"model":%q,%s"max_tokens":64,"messages":[{"role":"user","content":"perf:%dx%dns%s %s"}]}`, s.model, streamed, o.events, o.gap, begin, pad)
	return fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.addr, s.key, len(body), body)
}

// errCut says that an answer ended early or is not the one that was sent.
var errCut = errors.New("cut")

// read reads an answer to its end. Each output event's delay, from its write at
// the provider to its arrival here, goes to seen.
func (c *caller) read(resp *http.Response, o order, seen func(delay time.Duration)) error {
	defer resp.Body.Close()
	if o.events == 0 {
		b, err := io.ReadAll(resp.Body)
		switch {
		case err != nil:
			c.close()
			return err
		case !bytes.Contains(b, []byte(`"finish_reason":"stop"`)):
			return errCut
		}
		return nil
	}
	body := &arrivals{Reader: resp.Body}
	next, finished, done := 0, false, false
	for lines := bufio.NewScanner(body); lines.Scan(); {
		line := lines.Bytes()
		if i := bytes.IndexByte(line, '@'); i >= 6 && len(line) > i+19 {
			number, _ := strconv.Atoi(string(line[i-6 : i]))
			sent, _ := strconv.ParseInt(string(line[i+1:i+20]), 10, 64)
			if number != next {
				return errCut
			}
			next++
			seen(time.Duration(body.at.UnixNano() - sent))
		}
		finished = finished || bytes.Contains(line, []byte(`"finish_reason":"stop"`))
		done = done || bytes.Equal(line, []byte("data: [DONE]"))
	}
	if next != o.events || !finished || !done {
		c.close()
		return errCut
	}
	return nil
}

// arrivals knows when the last bytes came.
type arrivals struct {
	io.Reader
	at time.Time
}

func (a *arrivals) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.at = time.Now()
	return n, err
}
