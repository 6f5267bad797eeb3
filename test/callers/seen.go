package callers

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
)

// Seen is one request that a provider got from the gateway, and what it
// answered.
type Seen struct {
	Path   string
	Header http.Header
	Body   []byte
	At     time.Time
	Left   time.Time // when the connection was given up, before the answer's end; zero: it was not
	Wire   []byte    // the answer's body
}

// generated is what an answer's events, or its body, say.
type generated struct {
	text, reasoning string
	finish          string
	usage           weir.Usage
}

// answer is read by package dialect, which the clients do not know of.
func (s *Seen) answer(d weir.Dialect) (g generated) {
	var answer dialect.Answer
	r := dialect.NewReader(dialect.Options{Dialect: d, Answer: &answer})
	r.Feed(s.Wire, weir.Stamp{})
	res := r.End(nil)
	g.finish, g.usage = res.Finish, res.Usage
	if c := answer.Choice(0); c != nil {
		g.text, g.reasoning = string(c.Text), string(c.Reasoning)
	}
	return g
}

func (s *Seen) said(d weir.Dialect) (text, reasoning string) {
	g := s.answer(d)
	return g.text, g.reasoning
}

// recorder passes requests on to providers and keeps what went by, by model.
type recorder struct {
	next http.Handler
	mu   sync.Mutex
	seen map[string][]*Seen
}

var bodyModel = regexp.MustCompile(`"model"\s*:\s*"([^"]*)"`)

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	s := &Seen{Path: req.URL.Path, Header: req.Header.Clone(), Body: body, At: time.Now()}
	model := modelOf(req.URL.Path, body)
	r.mu.Lock()
	r.seen[model] = append(r.seen[model], s)
	r.mu.Unlock()
	defer func() {
		if req.Context().Err() != nil {
			r.mu.Lock()
			s.Left = time.Now()
			r.mu.Unlock()
		}
	}()
	r.next.ServeHTTP(&tee{ResponseWriter: w, recorder: r, seen: s}, req)
}

// modelOf is the model's name in a request: Gemini has it in the path.
func modelOf(path string, body []byte) string {
	if _, call, ok := strings.Cut(path, "/models/"); ok {
		model, _, _ := strings.Cut(call, ":")
		return model
	}
	if m := bodyModel.FindSubmatch(body); m != nil {
		return string(m[1])
	}
	return ""
}

// of is what was seen of a model until now.
func (r *recorder) of(model string) []Seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Seen
	for _, s := range r.seen[model] {
		list = append(list, *s)
	}
	return list
}

// tee keeps what is written. The response controller finds the writer below by
// Unwrap.
type tee struct {
	http.ResponseWriter
	recorder *recorder
	seen     *Seen
}

func (t *tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *tee) Write(p []byte) (int, error) {
	t.recorder.mu.Lock()
	t.seen.Wire = append(t.seen.Wire, p...)
	t.recorder.mu.Unlock()
	return t.ResponseWriter.Write(p)
}
