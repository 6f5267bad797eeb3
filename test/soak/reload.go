//go:build linux

package soak

import (
	"context"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"
)

// reloads has the config change until the context ends: by signal and by the
// file alone, to good ones and bad ones. It returns how many of each there were.
func (r *rig) reloads(ctx context.Context, t *testing.T, seed uint64) (good, bad int) {
	rand := rand.New(rand.NewPCG(seed, 1<<33))
	for variant := 1; ; variant++ {
		select {
		case <-time.After(time.Duration(1+rand.IntN(3)) * time.Second):
		case <-ctx.Done():
			return good, bad
		}
		spoilt, signal := rand.IntN(3) == 0, rand.IntN(2) == 0
		config := yaml(r.places, variant)
		if spoilt {
			config = some(rand, []string{"routes: [", config + "unknown: 1\n", "", "routes: {}\n", config[:len(config)/2]})
		}
		taken, kept := r.gateway.reloads()
		r.gateway.write(t, config)
		if signal {
			_ = os.Rename(r.gateway.log(), r.gateway.log()+".1") // as logs are rotated
			_ = r.gateway.cmd.Process.Signal(syscall.SIGHUP)
		}
		if !r.heard(taken, kept, spoilt) {
			t.Errorf("a config (good: %v, by signal: %v) was not taken note of in 15 s:\n%s", !spoilt, signal, r.gateway.said())
			return good, bad
		}
		if spoilt {
			bad++
		} else {
			good++
		}
	}
}

// heard waits until the gateway has taken the config over, or refused it.
func (r *rig) heard(taken, kept int, spoilt bool) bool {
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		t, k := r.gateway.reloads()
		if spoilt && k > kept || !spoilt && t > taken {
			return true
		}
	}
	return false
}
