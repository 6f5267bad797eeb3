package gateway_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
)

func paced(n int) func(*call) {
	return func(c *call) {
		c.role()
		for range n {
			c.wait(time.Second)
			c.tok("x")
		}
		c.fin()
		c.done()
	}
}

func TestDrain(t *testing.T) {
	inBubble(t, setup{bounds: gateway.Bounds{Drain: 10 * time.Second}}, []*upstream{up("A", turns(paced(5), paced(60), func(c *call) { c.forever() }))}, func(t *testing.T, g *rig) {
		answers := make(chan answer, 3)
		for range 3 {
			go func() { answers <- g.ask(plainBody) }()
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		cut := make(chan int)
		began := time.Now()
		go func() { cut <- g.server.Drain(context.Background()) }()
		time.Sleep(time.Millisecond)
		if a := g.ask(plainBody); a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Connection") != "close" && !a.Close {
			t.Errorf("a new request: %d %v", a.StatusCode, a.Header)
		}
		if a := <-answers; !a.isDone() || a.text() != "xxxxx" {
			t.Errorf("the first stream: %s", a.body)
		}
		for range 2 {
			a := <-answers
			if a.StatusCode == http.StatusOK {
				if kind, _ := a.failure(); kind != string(weir.Canceled) || a.isDone() {
					t.Errorf("the long stream: %s", a.body)
				}
			} else if a.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("the silent one: %d %s", a.StatusCode, a.body)
			}
		}
		if n := <-cut; n != 2 || time.Since(began) < 10*time.Second || time.Since(began) > 11*time.Second {
			t.Errorf("%d were cut after %v", n, time.Since(began))
		}
	})
}

func TestReload(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", paced(5)), up("B", good)}, func(t *testing.T, g *rig) {
		got := make(chan answer)
		go func() { got <- g.ask(plainBody) }()
		time.Sleep(time.Second)
		next := g.config(setup{}, []*upstream{g.ups["B"]}, g.base)
		if err := g.server.Apply(gateway.Config{Routes: []gateway.Route{next.Routes[0], next.Routes[0]}}); err == nil {
			t.Error("two routes of one name were taken")
		}
		if err := g.server.Apply(next); err != nil {
			t.Fatal(err)
		}
		if a := g.ask(plainBody); a.Header.Get("X-Weir-Target") != "B" {
			t.Errorf("after the reload: %v", a.Header)
		}
		if a := <-got; a.text() != "xxxxx" || !a.isDone() {
			t.Errorf("the stream under way: %s", a.body)
		}
	})
}
