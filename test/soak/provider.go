//go:build linux

package soak

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Deadlines of the places that fail (config.go has them in the gateway's
// config), and how long slow and late take to their first output.
const (
	firstOutput = time.Second
	stallLimit  = time.Second
	slowFirst   = 2 * time.Second
	lateFirst   = 150 * time.Millisecond
)

// place is one provider. It speaks OpenAI chat and Anthropic Messages.
type place struct {
	name   string
	orders *orders
	server *httptest.Server
	down   atomic.Bool // it answers 503, whatever was ordered

	open, served atomic.Int64
	mu           sync.Mutex
	idle         map[net.Conn]bool
	altered      []string // requests that did not come as they were sent
}

func newPlace(name string, orders *orders) *place {
	p := &place{name: name, orders: orders, idle: map[net.Conn]bool{}}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if s == http.StateIdle || s == http.StateNew {
			p.idle[c] = true
		} else {
			delete(p.idle, c)
		}
	}
	p.server.Start()
	return p
}

// rest closes the connections that nothing runs on.
func (p *place) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.idle {
		c.Close()
	}
}

func (p *place) alter(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.altered = append(p.altered, fmt.Sprintf(format, args...))
}

// asked is what a place reads of a request.
type asked struct {
	Model         string
	Stream        bool
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []struct{ Content json.RawMessage }
}

func (a *asked) prompt() string {
	if len(a.Messages) != 1 {
		return ""
	}
	var whole string
	if json.Unmarshal(a.Messages[0].Content, &whole) == nil {
		return whole
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(a.Messages[0].Content, &blocks)
	for _, b := range blocks {
		whole += b.Text
	}
	return whole
}

func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.open.Add(1)
	defer p.open.Add(-1)
	p.served.Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller left in the middle
	}
	var a asked
	if err := json.Unmarshal(body, &a); err != nil {
		p.alter("place %s got %.200q: %v", p.name, body, err)
		return
	}
	prompt := a.prompt()
	o := p.orders.of(prompt)
	if o == nil {
		return // its caller has just left
	}
	if prompt != o.prompt || a.Stream != o.stream || a.Model != modelOf(p.name) {
		p.alter("place %s got another request than %s sent: model %q, stream %v, %d bytes of a prompt of %d", p.name, o.id, a.Model, a.Stream, len(prompt), len(o.prompt))
		return
	}
	f := o.visit(p.name)
	if p.down.Load() {
		f = unavailable
	}
	s := &serving{
		place: p, w: w, r: r, order: o, fault: f, usage: a.StreamOptions.IncludeUsage, wire: chat,
		rand: rand.New(rand.NewPCG(rand.Uint64(), 1)), // what it decides does not change what is said
	}
	if strings.HasSuffix(r.URL.Path, "/messages") {
		s.wire, s.usage = messages, true
	}
	s.run()
}

func modelOf(place string) string { return "model-of-" + place }

// serving is one request at a place.
type serving struct {
	place *place
	w     http.ResponseWriter
	r     *http.Request
	order *order
	fault fault
	wire  wire
	usage bool
	rand  *rand.Rand
}

func (s *serving) run() {
	switch s.fault {
	case unavailable:
		s.says(http.StatusServiceUnavailable, "application/json", `{"error":{"message":"down for repairs","type":"server_error"}}`)
	case limited:
		s.w.Header().Set("Retry-After-Ms", "60")
		s.w.Header().Set("Retry-After", "1")
		s.says(http.StatusTooManyRequests, "application/json", `{"error":{"message":"slow down","type":"rate_limit_error"}}`)
	case once:
		s.says(http.StatusInternalServerError, "application/json", `{"error":{"message":"once","type":"server_error"}}`)
	case reset:
		s.hangUp()
	case html:
		s.says(http.StatusOK, "text/html", "<html><body>It works!</body></html>")
	case empty:
		s.says(http.StatusOK, s.kind(), "")
	case errorFirst:
		s.says(http.StatusOK, s.kind(), s.failure())
	default:
		s.wait(map[fault]time.Duration{slow: slowFirst, late: lateFirst}[s.fault])
		if s.order.stream {
			s.streams()
		} else {
			s.whole()
		}
	}
}

func (s *serving) kind() string {
	if s.order.stream {
		return "text/event-stream"
	}
	return "application/json"
}

func (s *serving) says(status int, kind, body string) {
	s.w.Header().Set("Content-Type", kind)
	s.w.WriteHeader(status)
	io.WriteString(s.w, body)
}

// failure is an error inside a 200.
func (s *serving) failure() string {
	const body = `{"type":"error","error":{"type":"overloaded_error","message":"overloaded"}}`
	switch {
	case !s.order.stream:
		return body
	case s.wire == messages:
		return "event: error\ndata: " + body + "\n\n"
	}
	return "data: " + body + "\n\n"
}

// hangUp resets the connection.
func (s *serving) hangUp() {
	c, _, err := http.NewResponseController(s.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.Close()
}

// wait ends early, and the request with it, if the other side is gone.
func (s *serving) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

func (s *serving) whole() {
	body := s.wholeBody()
	if s.fault != cut && s.fault != stall {
		if s.fault == errorLater {
			body = s.failure()
		}
		s.says(http.StatusOK, "application/json", body)
		return
	}
	s.w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	s.says(http.StatusOK, "application/json", body[:len(body)/2])
	http.NewResponseController(s.w).Flush()
	if s.fault == stall {
		s.wait(time.Minute)
	}
	panic(http.ErrAbortHandler)
}

// streams sends the events, some together, some torn, with pauses.
func (s *serving) streams() {
	events, outputs := s.events()
	breakAt := len(events) + 1
	if s.fault.breaks() || s.fault == garbage {
		breakAt = outputs[s.rand.IntN(len(outputs))] + 1 // after an output
	}
	s.w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(s.w)
	pace := time.Duration(s.rand.IntN(8)) * time.Millisecond
	for i, e := range events {
		if i == breakAt && !s.goOn(control) {
			return
		}
		at := len(e)
		if s.rand.IntN(6) == 0 {
			at = s.rand.IntN(len(e))
		}
		io.WriteString(s.w, e[:at])
		if s.rand.IntN(4) > 0 || at < len(e) {
			control.Flush()
			if pace > 0 && s.rand.IntN(3) == 0 {
				s.wait(pace)
			}
		}
		io.WriteString(s.w, e[at:])
	}
	if breakAt == len(events) {
		s.goOn(control)
	}
}

// goOn does what is wrong with the stream, in its middle; false ends it.
func (s *serving) goOn(control *http.ResponseController) bool {
	switch s.fault {
	case garbage:
		io.WriteString(s.w, "data: {\"choices\":[{\"delta\"\n\n")
		return true
	case errorLater:
		io.WriteString(s.w, s.failure())
		return false
	}
	control.Flush()
	if s.fault == stall {
		s.wait(time.Minute)
	}
	panic(http.ErrAbortHandler)
}
