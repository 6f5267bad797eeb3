package faults

import (
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plainProxy reads the body first: a bare ReverseProxy loses some answers that
// come while it is still sending the request.
func plainProxy(up http.RoundTripper) http.Handler {
	p := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "wall"})
	p.Transport, p.FlushInterval, p.ErrorLog = up, -1, log.New(io.Discard, "", 0)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.ServeHTTP(w, requestWith(r, taken(r)))
	})
}

// inVirtualTime are the faults that a bubble can hold: ReverseProxy has a mutex
// locked while its caller does not read, and time stands still for it.
func inVirtualTime() []string {
	var ids []string
	for _, f := range Catalogue() {
		if f.ID != "W05" {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// withoutGateway is what no gateway at all scores.
func withoutGateway() map[string]Verdict {
	return map[string]Verdict{
		"S01": Safe, "S02": Safe, "S03": Safe, "S04": Safe, "S05": Safe, "S06": Fail, "S07": Fail, "S08": Fail,
		"S09": Safe, "S10": Fail, "S11": Partial, "S12": Safe, "S13": Pass, "S14": Safe, "S15": Safe, "S16": Safe,
		"W01": Safe, "W02": Fail, "W03": Fail, "W04": Pass, "W06": Pass, "W07": Safe, "W08": Fail, "W09": Pass,
		"W10": Fail, "W11": Pass, "W12": Fail,
	}
}

func TestPlainProxyFailsWhereItShould(t *testing.T) {
	for _, p := range []Profile{Full, Fast} {
		t.Run(string(p), func(t *testing.T) {
			inBubble(t, Config{Profile: p, Only: inVirtualTime()}, plainProxy, func(t *testing.T, card *Scorecard) {
				holds(t, card, withoutGateway())
			})
		})
	}
}

func TestWallWithoutAnythingBetween(t *testing.T) {
	inBubble(t, Config{Only: inVirtualTime()}, nil, func(t *testing.T, card *Scorecard) {
		want := maps.Clone(withoutGateway())
		want["W07"] = Safe
		holds(t, card, want)
	})
}

func TestGoodGatewayPasses(t *testing.T) {
	for _, p := range []Profile{Full, Fast} {
		t.Run(string(p), func(t *testing.T) {
			divide := map[Profile]int{Full: 1, Fast: fastDivisor}[p]
			inBubble(t, Config{Profile: p}, newGoodGateway(divide), func(t *testing.T, card *Scorecard) {
				want := map[string]Verdict{}
				for _, f := range Catalogue() {
					want[f.ID] = Pass
				}
				holds(t, card, want)
			})
		})
	}
}

// holds compares all verdicts, and tells why those that differ are what they are.
func holds(t *testing.T, card *Scorecard, want map[string]Verdict) {
	t.Helper()
	if diff := cmp.Diff(want, verdicts(card)); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	for _, c := range card.Cells {
		for _, p := range c.Parts {
			if c.Verdict != want[c.ID] {
				t.Logf("%s/%s %s: %s %q (%s after %v, %d attempts)", c.ID, p.Variant, p.Verdict, p.Why, p.Notes, p.Caller.Ended, p.Caller.EndedAfter.Duration(), len(p.Attempts))
			}
		}
	}
}
