package main

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
)

func TestLiveView(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		requests int
		want     string
	}{
		{4, "2/4"},
		{0, "a  2 done"}, // as many as the time gives
	} {
		v := liveView{&progress{
			cfg: &bench.Config{Targets: []weir.Target{{Name: "a"}}}, requests: c.requests,
			targets: []targetProgress{{ended: 2}},
		}}
		if got := v.View().Content; !strings.Contains(got, c.want) || c.requests == 0 && strings.Contains(got, "/0") {
			t.Errorf("of %d requests: %q", c.requests, got)
		}
	}
}

// TestLinesWhileWaiting: where there is no terminal a line comes every few seconds,
// also while nothing happens, and says what a quota does.
func TestLinesWhileWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		cfg := &bench.Config{Targets: []weir.Target{{Name: "a"}}, Requests: 6, Concurrency: 1}
		v := newProgress(&process{err: &out}, cfg)
		v.event(bench.Event{Started: true})
		v.event(bench.Event{Sample: &weir.Sample{Outcome: weir.OK}})
		v.event(bench.Event{Started: true})
		v.event(bench.Event{Refused: true, Wait: weir.SpanOf(12 * time.Second)})
		time.Sleep(12 * time.Second)
		v.event(bench.Event{Sample: &weir.Sample{Outcome: weir.RateLimited, Warnings: []string{bench.WarnRetried}}})
		v.event(bench.Event{Started: true})
		time.Sleep(4 * time.Second)
		for range 5 {
			v.event(bench.Event{Sample: &weir.Sample{Outcome: weir.OK}})
			v.event(bench.Event{Started: true})
		}
		v.event(bench.Event{Sample: &weir.Sample{Outcome: weir.OK}})
		time.Sleep(5 * time.Second)
		v.close()
		want := "1 of 6 requests after 5 s, refused 1 times for a quota: waiting for 7 s more\n" +
			"1 of 6 requests after 10 s, refused 1 times for a quota: waiting for 2 s more\n" +
			"1 of 6 requests after 15 s, refused 1 times for a quota\n"
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s", out.String())
		}
	})
}

// TestRetriedIsOneRequest: a request that a quota refused and that was sent again
// counts once.
func TestRetriedIsOneRequest(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	inner := simulated(t, map[string]string{"m": "ttft=1ms,gap=100us"})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 3 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		inner.ServeHTTP(w, r)
	})) + "/v1"
	var ended []int
	cfg := bench.Config{Targets: []weir.Target{{Name: "a"}}, Requests: 6}
	v := &progress{cfg: &cfg, out: &bytes.Buffer{}, said: time.Now(), targets: make([]targetProgress, 1), requests: 6}
	for _, e := range []bench.Event{
		{Started: true},
		{Refused: true},
		{Sample: &weir.Sample{Outcome: weir.RateLimited, Warnings: []string{bench.WarnRetried}}},
		{Started: true},
		{Sample: &weir.Sample{Outcome: weir.OK}},
	} {
		v.event(e)
		ended = append(ended, v.targets[0].ended)
	}
	if ended[2] != 0 || ended[4] != 1 || v.targets[0].flying != 0 || v.targets[0].failed != 0 {
		t.Errorf("%v, %+v", ended, v.targets[0])
	}
	o := runWeir(t, "bench", url, "--model", "m", "-n", "6", "--output-tokens", "4", "--retry-429")
	o.says(t, "limited by the provider's quota")
	if o.code != 0 {
		t.Errorf("%+v", o)
	}
}
