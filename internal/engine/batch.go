package engine

// Batch is what one step computes, summed up. The zero value is empty; Window
// must be the model's before anything is added.
type Batch struct {
	Window int // tokens that windowed layers see; 0: no such layers

	Decoding      int     // sequences that generate
	DecodeTokens  int     // their tokens in this step: one each, and drafts
	Context       float64 // tokens that they attend to, summed
	WindowContext float64 // of these within Window

	Prompts       int     // chunks of prompts
	PrefillTokens int     // their tokens
	Pairs         float64 // query-key pairs of the chunks, n*(start + n/2) summed
	WindowPairs   float64
	Reread        float64 // tokens of KV before the chunks, read again
	WindowReread  float64

	Sampled int     // rows that the LM head computes
	Loaded  float64 // tokens of KV that come back from host memory
}

// Decode adds a sequence that computes n tokens, the last of which attends to
// context tokens.
func (b *Batch) Decode(n, context int) {
	b.Decoding++
	b.DecodeTokens += n
	b.Context += float64(context)
	b.WindowContext += b.seen(float64(context))
}

// Prefill adds n tokens of a prompt of which start are computed.
func (b *Batch) Prefill(n, start int) {
	c, s := float64(n), float64(start)
	b.Prompts++
	b.PrefillTokens += n
	b.Pairs += c * (s + c/2)
	b.WindowPairs += c * b.seen(s+c/2)
	b.Reread += s
	b.WindowReread += b.seen(s)
}

func (b *Batch) seen(tokens float64) float64 {
	if b.Window == 0 {
		return tokens
	}
	return min(tokens, float64(b.Window))
}

// Tokens is how many tokens the step computes.
func (b *Batch) Tokens() int { return b.DecodeTokens + b.PrefillTokens }
