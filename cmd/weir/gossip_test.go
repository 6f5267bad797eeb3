package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// gossip is a server that repeats all that it was told, in every way that the
// first part of its path asks for.
type gossip struct {
	secrets []string
	mu      sync.Mutex
	heard   map[string]map[string]bool // by place in the path, then by secret
}

// told are the secrets that a request holds.
func (g *gossip) told(kind string, r *http.Request) (out []string) {
	var all bytes.Buffer
	_ = r.Header.Write(&all)
	body, _ := io.ReadAll(r.Body)
	all.Write(body)
	if _, basic, ok := strings.Cut(r.Header.Get("Proxy-Authorization"), " "); ok {
		plain, _ := base64.StdEncoding.DecodeString(basic)
		all.Write(plain)
		defer func() { out = append(out, basic) }()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.secrets {
		quoted, _ := json.Marshal(s)
		if text := all.String(); strings.Contains(text, s) || strings.Contains(text, strings.Trim(string(quoted), `"`)) {
			out = append(out, s)
			if g.heard[kind] == nil {
				g.heard[kind] = map[string]bool{}
			}
			g.heard[kind][s] = true
		}
	}
	return out
}

// repeated is a text of secrets, each in several forms. One in another case
// would have all of the text taken out.
func repeated(told []string) string {
	var b strings.Builder
	for _, s := range told {
		quoted, _ := json.Marshal(s)
		fmt.Fprintf(&b, "%s | %s | %s | %s | Bearer %s | ", s, url.QueryEscape(s), base64.StdEncoding.EncodeToString([]byte(s)), quoted, s)
	}
	return b.String()
}

func (g *gossip) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.Method == http.MethodConnect {
		kind = "connect"
	}
	told := g.told(kind, r)
	last := ""
	if len(told) > 0 {
		last = told[len(told)-1]
	}
	said := repeated(told)
	object := func(v any) []byte { b, _ := json.Marshal(v); return b }
	failure := object(map[string]any{"error": map[string]any{"message": said, "type": last, "code": last, "param": last}})
	header := func(h http.Header) {
		for _, name := range []string{"X-Request-Id", "Request-Id", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Limit-Tokens", "Retry-After", "Server", "Cf-Ray"} {
			h.Set(name, last+" "+url.QueryEscape(last))
		}
	}
	switch kind {
	case "unauthorized", "forbidden", "unfit", "limited", "broken":
		w.Header().Set("Content-Type", "application/json")
		header(w.Header())
		w.WriteHeader(map[string]int{"unauthorized": 401, "forbidden": 403, "unfit": 422, "limited": 429, "broken": 500}[kind])
		_, _ = w.Write(failure)
	case "plain":
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, said)
	case "loud":
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write(object(map[string]any{"error": map[string]string{"message": strings.ToUpper(last), "type": strings.ToUpper(last)}}))
	case "cut": // the message's end is cut inside the key
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(object(map[string]any{"error": map[string]string{"message": strings.Repeat("x", 484) + last, "type": strings.Repeat("y", 32) + last}}))
	case "redirect":
		to := url.URL{Scheme: "https", Host: strings.Map(hostSign, last) + ".example", Path: "/" + last, RawQuery: "key=" + url.QueryEscape(last)}
		w.Header().Set("Location", to.String())
		w.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = io.WriteString(w, said)
	case "frame":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\nevent: error\ndata: %s\n\n", object(chunk(last, "hello")), failure)
	case "chatty":
		w.Header().Set("Content-Type", "text/event-stream")
		header(w.Header())
		fmt.Fprintf(w, ": %s\n\ndata: %s\n\ndata: %s\n\ndata: [DONE]\n\n", said, object(chunk(last, said)), bytes.ReplaceAll(object(chunk(last, "", "stop")), object(last), []byte(`"`+escaped(last)+`"`)))
	case "malformed":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: {%s\n\n%s\n", object(chunk(last, "hello")), said, said)
	case "connect": // a proxy's refusal, whose reason is all that a client learns
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(conn, "HTTP/1.1 407 %s\r\n\r\n", said)
		conn.Close()
	case "garbage": // no HTTP at all: the client's error quotes it
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(conn, "HTTP/1.1 %s\r\n\r\n", last)
		conn.Close()
	case "badheader":
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\n%s\r\nContent-Length: %s\r\n\r\n", last, last)
		conn.Close()
	case "list": // of models
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(object(map[string]any{"data": []any{map[string]string{"id": last, "display_name": said, "owned_by": last, "type": last}, map[string]string{"id": "m"}}}))
	}
}

// escaped is a text as JSON may write it and hardly anybody does.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

func hostSign(r rune) rune {
	if r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

// chunk is one of a stream, with the secret wherever a text may be.
func chunk(secret, content string, finish ...string) map[string]any {
	c := map[string]any{
		"id": secret, "model": secret, "system_fingerprint": secret,
		"choices":   []any{map[string]any{"index": 0, "delta": map[string]string{"content": content}}},
		"x_groq":    map[string]any{"id": secret, "usage": map[string]any{"queue_time": 0.1, "note": secret}},
		"usage":     map[string]any{"prompt_tokens": 3, "completion_tokens": 2, secret: 1, "queue_time": secret},
		"timings":   map[string]any{"prompt_ms": 1, "note": secret},
		"time_info": map[string]any{"total_time": 1, "note": secret},
	}
	for _, f := range finish {
		c["choices"].([]any)[0].(map[string]any)["finish_reason"] = f
		c["x_finish"] = secret
	}
	return c
}

var gossipKinds = []string{"unauthorized", "forbidden", "unfit", "limited", "broken", "plain", "loud", "cut", "redirect", "frame", "chatty", "malformed", "garbage", "badheader", "list", "nowhere"}
