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

// words are common and short: each is one token in the tokenizers in use, so
// that n words are about n tokens, and four bytes with its blank, so that an
// estimate by bytes agrees. What a prompt really took stands in the usage.
var words = strings.Fields(`the and you that was for are with his they this have from one had word but not what all
were when your can said use each which she how their will other about out many then them these some her would make
like him into time has look two more see way day man new now old off our put say sun top try war why win yes boy cat
dog eye far few fly get got hot ice job key law let low map may men net oil own pay red run sea set six sky son ten
tie tip toy van wet who air arm art ask bad bag bar bed big bit box bus buy car cup cut dry due ear eat egg end fat`)

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
