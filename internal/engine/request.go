package engine

import (
	"math/rand/v2"
	"time"

	"weir.dev/weir"
)

// ID names a request: the number of its Submit, from 0.
type ID int64

// Request is what a client asks for, with the length of the answer known
// beforehand.
type Request struct {
	Arrival time.Duration // on the engine's clock
	Prompt  int           // tokens
	Output  int           // tokens that the model will generate
	// MaxTokens is the limit that the client set; at least Output. Schedulers
	// that reserve do so by it. 0: the same as Output.
	MaxTokens int
	// Blocks names the content of the prompt's and then the answer's full
	// blocks, as HashBlocks does. Blocks past its end are shared with nobody.
	Blocks []Hash
	// MostCached bounds the tokens whose KV may be found in the prefix cache:
	// what a policy above the engine grants. Unknown: whatever is there.
	MostCached weir.Opt[int]
	// Acceptance is the chance that a draft is right in this content; unknown:
	// the deployment's.
	Acceptance weir.Opt[float64]
}

// Kind says what an Event is.
type Kind uint8

// The kinds of events, in the order in which a request sees them.
const (
	Admitted  Kind = iota + 1 // left the queue; again after each preemption
	Token                     // one token, or up to 1 + drafts at once
	Preempted                 // lost its KV and is back at the head of the queue
	Finished                  // has all its tokens; at the same time as the last Token
)

// Event is something that happened to a request.
type Event struct {
	At      time.Duration
	Request ID
	Kind    Kind
	Tokens  int // of a Token: how many came
	Done    int // output tokens so far, these included
	Cached  int // of an Admitted: tokens whose KV was found in the prefix cache
	Step    int // the step that it came with, from 0
}

// First tells whether the event brings the request's first token.
func (e Event) First() bool { return e.Kind == Token && e.Done == e.Tokens }

// sequence is a request on its way.
type sequence struct {
	Request
	id       ID
	due      time.Duration // when it can be scheduled
	computed int           // tokens whose KV exists, or will when the step under way ends
	produced int           // output tokens that were emitted
	granted  int           // tokens that it computes in the step under way
	drafts   int           // of these, proposed ones
	blocks   []int32
	named    int  // blocks that the prefix cache knows
	promised int  // blocks that it may still take, of those set aside for it
	padding  bool // ended, and computed until its static batch ends
	canceled bool
	random   *rand.Rand
}

// known is how many tokens the sequence has, prompt and answer.
func (q *sequence) known() int { return q.Prompt + q.produced }

// pending is how many of them have no KV.
func (q *sequence) pending() int { return q.known() - q.computed }

// generates tells whether its next token is all that is missing.
func (q *sequence) generates() bool { return q.produced > 0 && q.pending() == 1 }

// blocksFor is how many blocks so many tokens take.
func blocksFor(tokens, size int) int { return (tokens + size - 1) / size }
