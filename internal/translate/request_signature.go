package translate

import (
	"strings"

	"weir.dev/weir"
)

// signature is what a provider asks to have back beside its model's reasoning.
// Only the one that made it takes it: any other answers 400.
type signature struct {
	owner weir.Dialect // "": nobody's
	value string
}

// sealMark begins a signature that a caller got under its own dialect's name
// from a target of another one. Between the marks stands whose it is. The
// alphabet is that of Anthropic's and Google's signatures, and of ids.
const sealMark = "weir_"

// sealSignature writes whose a signature is, for a caller that will send it back.
func sealSignature(s signature) string { return sealMark + string(s.owner) + "_" + s.value }

// openSignature reads what a caller sent back. One that is not sealed is the
// caller's own.
func openSignature(sent string, own weir.Dialect) signature {
	if rest, ok := strings.CutPrefix(sent, sealMark); ok {
		for _, owner := range []weir.Dialect{weir.Anthropic, weir.Gemini, weir.OpenAIChat} {
			if value, ok := strings.CutPrefix(rest, string(owner)+"_"); ok {
				return signature{owner: owner, value: value}
			}
		}
	}
	if sent == "" {
		own = ""
	}
	return signature{owner: own, value: sent}
}
