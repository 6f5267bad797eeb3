package faults

import (
	"context"
	"net/http"

	"weir.dev/weir"
)

// targetKeyPrefix begins the keys that a gateway may be given for the wall's
// models: wall-key-NAME for the model NAME. The wall then sees when one target's
// key comes to another.
const targetKeyPrefix = "wall-key-"

// secretHeaders hold secrets in the dialects that gateways speak.
func secretHeaders() []string {
	return []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie", "Proxy-Authorization"}
}

func secrets() fault {
	return fault{
		id: "W12", what: "caller's and other targets' secrets", want: "never seen by the wrong target",
		serve: (*exchange).unavailable,
		play: func(ctx context.Context, c *cell) []Part {
			a := ask{header: c.canaries(true)}
			v := c.call(ctx, a)
			if v.Status == weir.Some(http.StatusUnauthorized) || v.Status == weir.Some(http.StatusForbidden) {
				// It takes its own keys from a header that a canary stands in.
				a.header = c.canaries(false)
				v = c.call(ctx, a)
			}
			s := c.see(ctx, a, v)
			r := base(s)
			if len(s.faulty()) == 0 {
				return []Part{r.part(s)}
			}
			r.pass("no secret of the caller's or of another target's came to the wall")
			c.judgeSecrets(r, s, a.header)
			return []Part{r.part(s)}
		},
	}
}

// canaries are secrets of the caller's that no target may see.
func (c *cell) canaries(keys bool) map[string]string {
	h := map[string]string{"Cookie": "session=weir-canary-cookie", "Proxy-Authorization": "Basic d2Vpci1jYW5hcnk="}
	if c.key == "" {
		h["Authorization"] = "Bearer weir-canary-bearer"
	} else {
		h["Authorization"] = "Bearer " + c.key
	}
	if keys {
		h["X-Api-Key"], h["Api-Key"] = "weir-canary-x-api-key", "weir-canary-api-key"
	}
	return h
}

func (c *cell) judgeSecrets(r *ruling, s sight, sent map[string]string) {
	own := map[string]string{}
	for name, value := range sent {
		own[fingerprint(c.run, bare(value))] = name
	}
	for _, a := range s.Attempts {
		for _, k := range a.Credentials {
			from, leaked := own[k.SHA256]
			r.require(!leaked, "the caller's %s came to %s, in %s", from, a.Model, k.Header)
			r.require(k.KeyFor == "" || k.KeyFor == a.Model, "the key of %s came to %s", k.KeyFor, a.Model)
		}
	}
}
