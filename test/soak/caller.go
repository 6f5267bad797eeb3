//go:build linux

package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// phase is when a caller leaves.
type phase string

const (
	stays      phase = ""
	inBody     phase = "in its body"
	inWait     phase = "before the head"
	atHead     phase = "at the head"
	inAnswer   phase = "in the answer"
	atTheEnd   phase = "after the last output"
	longAnswer       = 3_000 // words, more than sockets hold
)

func phases() []phase { return []phase{inBody, inWait, atHead, inAnswer, atTheEnd} }

// manner is how a caller behaves.
type manner struct {
	leaves phase
	after  time.Duration // inWait
	pieces int           // inAnswer: so many pieces are read
	slow   bool          // it reads little by little
}

// result is what became of a request.
type result string

const (
	whole   result = "whole"
	left    result = "left"
	broken  result = "broken" // it broke off after some output, and the caller was told
	refused result = "refused"
	wrong   result = "wrong" // not what was to come
)

// verdict is the result of one request.
type verdict struct {
	is  result
	why string
	id  string // of the request at the gateway
}

// body is what a caller sends.
func (o *order) body() []byte {
	b := []byte(`{"model":` + quoted(o.route))
	if o.wire == messages {
		b = append(b, `,"max_tokens":100000`...)
	}
	if o.stream {
		b = append(b, `, "stream" : true`...)
	}
	if o.usage {
		b = append(b, `,"stream_options":{"include_usage":true}`...)
	}
	return append(b, `,"messages":[{"role":"user","content":`+quoted(o.prompt)+`}]}`...)
}

func (o *order) request(ctx context.Context, url string, body io.Reader) (*http.Request, error) {
	path := "/v1/chat/completions"
	if o.wire == messages {
		path = "/v1/messages"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+callersKey)
	r.Header.Set("Content-Type", "application/json")
	return r, nil
}

// callers are the two kinds of connections: kept ones, and ones of which a slow
// reader's socket holds little.
type callers struct{ kept, small *http.Client }

func newCallers() *callers {
	little := func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4 << 10)
		}
		return c, err
	}
	return &callers{
		kept:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}},
		small: &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: little, ReadBufferSize: 4 << 10}},
	}
}

// ask sends an order and compares the answer.
func (c *callers) ask(ctx context.Context, url string, o *order, m manner) verdict {
	ctx, leave := context.WithTimeout(ctx, 2*time.Minute)
	defer leave()
	body := o.body()
	var from io.Reader = bytes.NewReader(body)
	switch m.leaves {
	case inBody:
		from = &torn{Reader: bytes.NewReader(body), left: len(body) / 2, leave: leave}
	case inWait:
		defer time.AfterFunc(m.after, leave).Stop()
	}
	r, err := o.request(ctx, url, from)
	if err != nil {
		return verdict{is: wrong, why: err.Error()}
	}
	r.ContentLength = int64(len(body))
	client := c.kept
	if m.slow {
		client = c.small
	}
	resp, err := client.Do(r)
	if err != nil {
		if m.leaves != stays {
			return verdict{is: left}
		}
		return verdict{is: refused, why: err.Error()}
	}
	defer resp.Body.Close()
	v := o.judge(resp, m, leave)
	v.id = resp.Header.Get("X-Weir-Request-Id")
	return v
}

// torn is a body that its caller does not finish.
type torn struct {
	io.Reader
	left  int
	leave func()
}

func (t *torn) Read(p []byte) (int, error) {
	if t.left <= 0 {
		t.leave()
		return 0, errors.New("the caller has left")
	}
	n, err := t.Reader.Read(p[:min(len(p), t.left)])
	t.left -= n
	return n, err
}

func (o *order) judge(resp *http.Response, m manner, leave func()) verdict {
	if resp.StatusCode != http.StatusOK {
		b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		if m.leaves != stays && err != nil {
			return verdict{is: left}
		}
		return verdict{is: refused, why: resp.Status + " " + string(b)}
	}
	if m.leaves == atHead {
		leave()
		return verdict{is: left}
	}
	var from io.Reader = resp.Body
	if m.slow {
		from = &slowly{from: resp.Body}
	}
	if !o.stream {
		b, err := io.ReadAll(from)
		switch {
		case err != nil && m.leaves != stays:
			return verdict{is: left}
		case err != nil:
			return verdict{is: wrong, why: "the answer in one piece ends with " + err.Error()}
		}
		return o.compareWhole(b)
	}
	s := &reading{order: o, manner: m, leave: leave}
	return s.read(from)
}

// slowly gives out a little at a time.
type slowly struct {
	from io.Reader
	n    int
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.n++; s.n%16 == 0 {
		time.Sleep(20 * time.Millisecond)
	}
	return s.from.Read(p[:min(len(p), 2<<10)])
}

// compareWhole compares an answer in one piece.
func (o *order) compareWhole(b []byte) verdict {
	var got struct {
		Choices []struct {
			Message      struct{ Content string }
			FinishReason string `json:"finish_reason"`
		}
		Content    []struct{ Type, Text string }
		StopReason string `json:"stop_reason"`
		Usage      struct {
			PromptTokens     int `json:"prompt_tokens"`
			CompletionTokens int `json:"completion_tokens"`
			TotalTokens      int `json:"total_tokens"`
			InputTokens      int `json:"input_tokens"`
			OutputTokens     int `json:"output_tokens"`
		}
	}
	if err := json.Unmarshal(b, &got); err != nil {
		return verdict{is: wrong, why: fmt.Sprintf("%v: %.300q", err, b)}
	}
	p, n, u := o.promptTokens(), o.words, got.Usage
	said, finish, counted := "", got.StopReason == "end_turn", u.InputTokens == p && u.OutputTokens == n
	if o.wire == chat && len(got.Choices) == 1 {
		said, finish = got.Choices[0].Message.Content, got.Choices[0].FinishReason == "stop"
		counted = u.PromptTokens == p && u.CompletionTokens == n && u.TotalTokens == p+n
	}
	for _, block := range got.Content {
		said += block.Text
	}
	switch {
	case said != o.text():
		return verdict{is: wrong, why: "text: " + difference(said, o.text())}
	case !finish:
		return verdict{is: wrong, why: fmt.Sprintf("the reason of its end: %.300q", b)}
	case !counted:
		return verdict{is: wrong, why: fmt.Sprintf("usage %+v for %d and %d", u, p, n)}
	}
	return verdict{is: whole}
}

// difference shows where two texts part.
func difference(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	cutOut := func(s string) string {
		return fmt.Sprintf("%.60q", strings.ToValidUTF8(s[min(len(s), max(0, i-20)):], "?"))
	}
	return fmt.Sprintf("at byte %d of %d (got %d): %s, not %s", i, len(want), len(got), cutOut(got), cutOut(want))
}
