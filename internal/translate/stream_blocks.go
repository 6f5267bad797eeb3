package translate

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/request"
)

// teller is told an answer block by block, one at a time.
type teller interface {
	begin(b request.Block) // the block's text is still to come
	more(text []byte)
	sign(b request.Block) // Signature or Redacted belong to the block that is open
	stop()
}

var (
	_ teller = (*Stream)(nil)
	_ teller = (*collected)(nil)
)

// assembly makes blocks of an answer's pieces, which may be interleaved: chat
// has an index for each tool call, while Anthropic's messages are written one
// block after the other, and some of its SDKs read them so.
type assembly struct {
	to     teller
	from   weir.Dialect
	caller weir.Dialect
	seed   func() string // what ids are made from: the answer's

	interleaves bool // calls may be told in turns

	inside bool
	open   request.Channel
	call   *dialect.Call // the one that is open

	next   *dialect.Call // named, and not begun yet: the name may go on
	held   []*dialect.Call
	begun  []*dialect.Call
	hosted []*dialect.Call // answered by the provider: the caller never asked for them
	google string          // a signature for the part that follows
	signed string          // that of next, where the caller gets it in the call

	refused bool
	fault   string // why the pieces make no answer
}

func assemble(to teller, from, caller weir.Dialect, seed func() string) *assembly {
	interleaves := from != weir.Anthropic && from != weir.Gemini
	return &assembly{to: to, from: from, caller: caller, seed: seed, interleaves: interleaves}
}

var channels = [...]request.Channel{
	dialect.ChannelText: request.Text, dialect.ChannelReasoning: request.Reasoning,
	dialect.ChannelSummary: request.Summary, dialect.ChannelRefusal: request.Refusal,
}

// take takes the next piece. Callers get the first of several choices.
func (a *assembly) take(p dialect.Piece) {
	if p.Choice != 0 || a.fault != "" {
		return
	}
	switch p.Channel {
	case dialect.ChannelCallName:
		a.named(p)
	case dialect.ChannelCallArguments:
		a.arguments(p)
	case dialect.ChannelSignature:
		if a.from == weir.Gemini {
			a.google = string(p.Text)
			return
		}
		a.sign(request.Block{Signature: a.sealed(p.Text)})
	case dialect.ChannelRedacted:
		a.sign(request.Block{Redacted: a.sealed(p.Text)})
	default:
		a.text(channels[p.Channel], p.Text)
	}
	a.google = ""
}

// sealed is a signature as the caller gets it. Chat says beside it whose it is.
func (a *assembly) sealed(value []byte) string {
	if a.caller == weir.OpenAIChat {
		return string(value)
	}
	return sealSignature(signature{owner: a.from, value: string(value)})
}

func (a *assembly) text(c request.Channel, text []byte) {
	a.refused = a.refused || c == request.Refusal
	a.beginNext()
	if !a.inside || a.open != c {
		a.begin(request.Block{Channel: c})
	}
	a.to.more(text)
}

// sign closes the reasoning that it belongs to: what follows has its own.
func (a *assembly) sign(b request.Block) {
	a.beginNext()
	if !a.inside || a.open != request.Reasoning && a.open != request.Summary || b.Redacted != "" {
		b.Channel = request.Reasoning
		a.begin(b)
	}
	a.to.sign(b)
	a.stop()
}

func (a *assembly) named(p dialect.Piece) {
	switch {
	case p.Hosted:
		a.hosted = append(a.hosted, p.Call)
	case a.next != p.Call && !a.known(p.Call):
		a.beginNext()
		a.next = p.Call
	}
	if a.google != "" && a.next == p.Call {
		a.signCall()
	}
}

// signCall tells the signature of the call that is next. Chat has a place for
// it in the call; elsewhere it goes with the reasoning before the call.
func (a *assembly) signCall() {
	if a.caller == weir.OpenAIChat {
		a.signed = a.google
		return
	}
	next := a.next
	a.next = nil
	a.sign(request.Block{Signature: a.sealed([]byte(a.google))})
	a.next = next
}

func (a *assembly) known(c *dialect.Call) bool {
	return slices.Contains(a.begun, c) || slices.Contains(a.held, c) || slices.Contains(a.hosted, c)
}

func (a *assembly) arguments(p dialect.Piece) {
	switch {
	case slices.Contains(a.hosted, p.Call), slices.Contains(a.held, p.Call):
	case a.next == p.Call:
		a.beginNext()
	case a.call == p.Call:
		a.to.more(p.Text)
	case slices.Contains(a.begun, p.Call):
		a.fault = "arguments of a tool call after its end"
	default:
		a.fault = "arguments of a tool call without a name"
	}
}

// beginNext begins the call that is named. While the arguments of the one
// before are not whole, the calls after it are held.
func (a *assembly) beginNext() {
	c := a.next
	if a.next = nil; c == nil {
		return
	}
	if len(a.held) > 0 || a.interleaves && a.call != nil && !json.Valid(a.call.Arguments) {
		a.held = append(a.held, c)
		return
	}
	a.beginCall(c)
}

func (a *assembly) beginCall(c *dialect.Call) {
	b := request.Block{Channel: request.Call, ID: c.ID, Name: string(c.Name), Signature: a.signed}
	if a.signed = ""; b.ID == "" {
		b.ID = callID(a.seed(), len(a.begun))
	}
	a.begin(b)
	a.call = c
	a.begun = append(a.begun, c)
	if len(c.Arguments) > 0 {
		a.to.more(c.Arguments)
	}
}

// callID is an id for the n-th call of an answer whose provider gives none. It
// is the same each time the answer is read, another in each answer, and within
// what all dialects take.
func callID(answer string, n int) string {
	h := fnv.New64a()
	h.Write([]byte(answer))
	return fmt.Sprintf("call_%016x_%d", h.Sum64(), n)
}

func (a *assembly) begin(b request.Block) {
	a.stop()
	a.inside, a.open = true, b.Channel
	a.to.begin(b)
}

func (a *assembly) stop() {
	if !a.inside {
		return
	}
	if a.call != nil && len(a.call.Arguments) == 0 {
		a.to.more([]byte("{}")) // callers parse what they get
	}
	a.inside, a.call = false, nil
	a.to.stop()
}

// end tells what was held. Nothing more is taken.
func (a *assembly) end() {
	a.beginNext()
	a.stop()
	for _, c := range a.held {
		a.beginCall(c)
		a.stop()
	}
	a.held = nil
}

// collected are the blocks of an answer.
type collected struct {
	blocks []request.Block
	text   strings.Builder
}

func (c *collected) begin(b request.Block) { c.blocks = append(c.blocks, b) }

func (c *collected) more(text []byte) { c.text.Write(text) }

func (c *collected) sign(b request.Block) {
	last := &c.blocks[len(c.blocks)-1]
	last.Signature, last.Redacted = b.Signature, b.Redacted
}

func (c *collected) stop() {
	c.blocks[len(c.blocks)-1].Text = c.text.String()
	c.text.Reset()
}
