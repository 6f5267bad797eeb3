package gateway_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/faults"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/internal/weirtest"
	"weir.dev/weir/meter"
)

// wallConfig is the gateway that the fault wall is meant for: a route for each
// fault, to the model of its name and then to the fallback; two retries, 30 s in
// all, and a rescue by matching. All waits are divided.
func wallConfig(auth *catalog.Auth, divide time.Duration) gateway.Config {
	h := gateway.DefaultHandling()
	h.Budget = 30 * time.Second / divide
	h.Hold, h.KeepAlive, h.Write, h.Trailer = h.Hold/divide, h.KeepAlive/divide, 10*time.Second/divide, h.Trailer/divide
	c := gateway.Config{Handling: h, Upstream: auth}
	for _, f := range faults.Catalogue() {
		r := gateway.Route{Rescue: gateway.RescueMatch, Plan: &route.Route{
			Name: f.ID, Grace: 12 * time.Second / divide,
			Limits: route.Limits{Connect: 5 * time.Second / divide, FirstOutput: 8 * time.Second / divide, Stall: 10 * time.Second / divide},
		}}
		health := route.HealthSettings{OpenFor: 5 * time.Second / divide, OpenMax: 20 * time.Second / divide, Window: 30 * time.Second / divide, CoolMin: time.Second / divide}
		if f.ID == "S15" {
			health.Failures = 2
		}
		for _, model := range []string{f.ID, "good"} {
			for _, d := range dialectsOf(f.ID) {
				t := weir.Target{Name: f.ID + "/" + model + "/" + string(d), URL: "http://wall/v1", Dialect: d, Model: model}
				if err := auth.Add(t, "wall-key-"+model); err != nil {
					panic(err)
				}
				r.Targets = append(r.Targets, gateway.Target{Target: t})
				window := weir.None[int]()
				if f.ID == "S12" {
					window = weir.Some(map[string]int{"S12": 8_192, "good": 128_000}[model])
				}
				r.Plan.Targets = append(r.Plan.Targets, route.Target{Name: t.Name, Dialect: d, Keyed: true, Context: window, Health: health})
			}
		}
		c.Routes = append(c.Routes, r)
	}
	return c
}

// dialectsOf are those in which a fault is asked for.
func dialectsOf(id string) []weir.Dialect {
	if id == "W11" {
		return []weir.Dialect{weir.OpenAIChat, weir.Anthropic}
	}
	return []weir.Dialect{weir.OpenAIChat}
}

func TestFaultWall(t *testing.T) {
	for profile, divide := range map[faults.Profile]time.Duration{faults.Fast: 20, faults.Full: 1} {
		for _, two := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %v", profile, two), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { runWall(t, profile, divide, two) })
			})
		}
	}
}

func runWall(t *testing.T, profile faults.Profile, divide time.Duration, two bool) {
	wallNet, front := weirtest.NewNetwork(), weirtest.NewNetwork()
	wall := faults.NewWall(faults.WallConfig{}).Server()
	wall.ErrorLog = log.New(io.Discard, "", 0)
	go wall.Serve(wallNet.Listen())
	base := meter.NewTransport(meter.Options{Dial: wallNet.Dial})
	base.Protocols.SetHTTP1(!two)
	base.Protocols.SetUnencryptedHTTP2(two)
	s, err := gateway.New(wallConfig(&catalog.Auth{Base: base}, divide), gateway.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	server := s.HTTP()
	go server.Serve(front.Listen())
	down := &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if strings.HasPrefix(addr, "wall:") {
			return wallNet.Dial(ctx, network, addr)
		}
		return front.Dial(ctx, network, addr)
	}}
	var only []string
	if two { // what it does to its connection it does to all that share it
		only = []string{"W07"}
	}
	card, err := faults.Run(t.Context(), faults.Config{
		Only: only,
		URL:  "http://gateway", Wall: "http://wall", Transport: down, Profile: profile, Run: "0123456789abcdef", Key: "caller-key",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range card.Cells {
		for _, p := range cell.Parts {
			if p.Verdict == faults.Skipped && (two || cell.ID != "W07") {
				t.Errorf("%s %s: %s", cell.ID, p.Variant, p.Why)
			}
		}
		if cell.Verdict == faults.Pass {
			continue
		}
		t.Errorf("%s: %s", cell.ID, cell.Verdict)
		for _, p := range cell.Parts {
			t.Logf("  %s %s: %s %q (caller %s after %v: %s; %d attempts)", p.Variant, p.Verdict, p.Why, p.Notes, p.Caller.Ended, p.Caller.EndedAfter.Duration(), p.Caller.Error.Or(""), len(p.Attempts))
		}
	}
	down.CloseIdleConnections()
	server.Close()
	base.CloseIdleConnections()
	wall.Close()
	time.Sleep(time.Hour) // what still waits comes to its end
	synctest.Wait()
}
