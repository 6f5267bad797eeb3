package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"weir.dev/weir/internal/request"
)

// words are common and short, each one token in the tokenizers in use, so that
// n words are about n tokens. What a prompt really took stands in the usage.
var words = strings.Fields(`time year people way day man thing woman life child world school state family student
group country problem hand part place case week company system program question work government number night
point home water room mother area money story fact month lot right study book eye job word business issue side
kind head house service friend father power hour game line end member law car city community name president team
minute idea kid body information back parent face others level office door health person art war history party
result change morning reason research girl guy moment air teacher force education`)

// overhead is about what the chat frame and the nonce add to a prompt, in
// tokens.
const overhead = 14

// prompt is the k-th prompt to a target. Its words depend on the seed and k
// only, so that all targets are asked the same; the nonce in front depends on
// the target too, so that no cache can know the prompt, even where two targets
// are one server.
func (w Work) prompt(seed uint64, target, k int) string {
	var b strings.Builder
	if !w.NoNonce {
		fmt.Fprintf(&b, "[%s] ", nonce(seed, target, k))
	}
	if w.Prompt != "" {
		b.WriteString(w.Prompt)
		return b.String()
	}
	rnd := rand.New(rand.NewPCG(seed, uint64(k)))
	for range max(1, w.InputTokens-overhead) {
		b.WriteString(words[rnd.IntN(len(words))])
		b.WriteByte(' ')
	}
	b.WriteString("Go on with this list of words.")
	return b.String()
}

func nonce(seed uint64, target, k int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%d", seed, target, k))
	return hex.EncodeToString(sum[:4])
}

func (w Work) spec(model, prompt string) request.Spec {
	return request.Spec{
		Model: model, System: w.System, Messages: []request.Message{{Role: request.RoleUser, Text: prompt}},
		MaxTokens: w.OutputTokens, Temperature: w.Temperature, ReasoningEffort: w.ReasoningEffort,
		IgnoreEOS: w.IgnoreEOS, Stream: !w.NoStream, Extra: w.Extra, Headers: w.Headers,
	}
}

// ID is the workload's identity: what was asked and under which load, not of
// whom. Runs of different ids are never merged.
func (c *Config) ID() string {
	w := c.Work
	b, err := json.Marshal(struct {
		Class, Prompt, System, Effort string
		In, Out, Slots                int
		Temperature                   any
		IgnoreEOS, Stream, Nonce      bool
		Extra                         map[string]json.RawMessage
	}{
		"words", w.Prompt, w.System, w.ReasoningEffort, w.InputTokens, w.OutputTokens, c.Concurrency,
		w.Temperature, w.IgnoreEOS, !w.NoStream, !w.NoNonce, w.Extra,
	})
	if err != nil {
		return "" // Extra is not JSON; Encode says so for every request
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}
