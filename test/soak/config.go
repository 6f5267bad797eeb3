//go:build linux

package soak

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

const callersKey = "wk-soak"

// rescues tells which routes go on with a stream that broke off, and in which
// words a request has to come for that: a translated one is not gone on with.
var rescues = map[string]wire{"match": chat, "busy": chat, "claude": messages}

// routes are those that callers ask for.
var routes = []string{"match", "off", "busy", "claude"}

// yaml is a config of all routes. Its variants differ in what makes no answer
// another one.
func yaml(places []*place, variant int) string {
	var b strings.Builder
	fmt.Fprintln(&b, "providers:")
	for _, p := range places {
		fmt.Fprintf(&b, "  %s: {base_url: %q, dialect: openai}\n", p.name, p.server.URL+"/v1")
		fmt.Fprintf(&b, "  %s-native: {base_url: %q, dialect: anthropic, api_key: soak}\n", p.name, p.server.URL+"/v1")
	}
	fmt.Fprintln(&b, "models:")
	for model, suffix := range map[string]string{"plain": "", "native": "-native"} {
		fmt.Fprintf(&b, "  %s:\n    targets:\n", model)
		for i, p := range places {
			limits := fmt.Sprintf(", limits: {first_output: %v, stall: %v}", firstOutput, stallLimit)
			if i == len(places)-1 {
				limits = "" // it is the one that never fails
			}
			weight := fmt.Sprintf(", weight: %d", 1+(variant+i)%3)
			if model == "native" {
				weight = "" // no policy goes by it
			}
			fmt.Fprintf(&b, "      - {provider: %s%s, model: %s, price: {input: 1, output: 2}%s%s}\n", p.name, suffix, modelOf(p.name), weight, limits)
		}
	}
	fmt.Fprintf(&b, `routes:
  match: {model: plain, policy: fixed, rescue: match}
  off: {model: plain, policy: weighted}
  busy: {model: plain, policy: least_busy, rescue: match}
  claude: {model: native, policy: fixed, rescue: match}
`)
	if variant%2 == 1 {
		fmt.Fprintln(&b, "  spare: {model: plain, policy: slo, slo: \"ttft<=1s\"}")
	}
	fmt.Fprintf(&b, `keys:
  - {name: soak, sha256: "%x", rpm: %d, tpm: 1000000000, budget: 1000000usd/day}
gateway:
  attempts: 8
  duplicates: 8
  retry_budget: off
  requests: 256
  breaker: {open: 200ms, open_max: 1s}
  cooldown: {min: 50ms, max: 1s}
`, sha256.Sum256([]byte(callersKey)), 1_000_000+variant)
	return b.String()
}
