package meter_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/meter"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestEventsAreToldInsideTheRead(t *testing.T) {
	body := data(role) + ": comment\n\n" + data(word) + data(finish) + data("[DONE]")
	m := &meter.Transport{Base: roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
	})}
	var kinds []string
	var passed strings.Builder
	var last int64
	var answer dialect.Answer
	got := make([]byte, 0, len(body))
	ctx := meter.WithCall(t.Context(), meter.Call{Stream: weir.Some(true), Answer: &answer, OnEvent: func(e meter.Event) {
		kinds = append(kinds, e.Tick.Kind.String())
		passed.Write(got[last:e.End:cap(got)]) // the bytes are there, the Read has not returned
		last = e.End
	}})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://h/v1/chat/completions", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for err == nil {
		var n int
		n, err = resp.Body.Read(got[len(got):min(len(got)+10, cap(got))])
		got = got[:len(got)+n]
	}
	if want := "role text finish done"; strings.Join(kinds, " ") != want || passed.String() != body || string(answer.Choice(0).Text) != " w" {
		t.Errorf("%v\n%q", kinds, passed.String())
	}
}
