package main

import (
	"strings"
	"testing"

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
