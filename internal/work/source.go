package work

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"weir.dev/weir/internal/request"
)

// Source makes requests. What it makes follows from the plan, the seed, the
// salt, the arguments and, where c still learns, from what c has learned; it is
// safe for concurrent use.
type Source interface {
	// Prompt is the k-th request to a target, both from 0. Its words depend on
	// k, not on the target; a nonce depends on both. c turns tokens into words;
	// nil is a guess that never learns.
	Prompt(target, k int, c *Calibration) Request
	// Align is the first number from k on at which a session begins: warm-up and
	// measured requests must not share one.
	Align(k int) int
}

// Request is one request of a source, without a model.
type Request struct {
	System   string
	Messages []request.Message // the last one is the user's; they are marked where caches are to keep what comes again

	InputTokens  int // wanted; 0: unknown, the text is not ours
	OutputTokens int // wanted; 0: no limit
	// Words is what to tell Calibration.Observe with this request's prompt
	// tokens; 0: nothing can be learned from it.
	Words int

	Session int           // requests of one session go out one after the other
	Turn    int           // from 0
	More    bool          // the request k+1 is the next turn of this session
	Think   time.Duration // from the end of the answer before in this session to this one's due time

	Cache CacheRole // which half of a pair it is; the pair's number is Session
}

// CacheRole is which half of a pair a request is.
type CacheRole string

// The halves of a pair; other requests have none.
const (
	ColdHalf CacheRole = "cold"
	WarmHalf CacheRole = "warm"
)

// maker is what all sources share.
type maker struct {
	plan Plan
	seed uint64
	salt string
}

// The streams of chance, apart from each other, so that a change of one thing
// leaves the rest of a seed's requests as they were.
const (
	streamWords = iota
	streamPrefix
	streamLengths
	streamAnswers
	streamThink
)

func (m *maker) rand(stream uint64, k int) *rand.Rand {
	return rand.New(rand.NewPCG(mix(m.seed+stream), mix(uint64(k))))
}

// mix spreads a number over all 64 bits (the finalizer of SplitMix64): PCG's
// first numbers for seeds in a row are alike.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// lengths are those of the k-th request, to whatever target.
func (m *maker) lengths(k int) (in, out int) {
	in, out = m.plan.Lengths.Draw(m.rand(streamLengths, k))
	if m.plan.Sizes == nil {
		return in, out
	}
	sizeIn, sizeOut := m.plan.Sizes(k)
	return cmp.Or(sizeIn, in), cmp.Or(sizeOut, out)
}

// scope says for what a nonce is new.
type scope string

const (
	perRun     scope = "run"
	perSession scope = "session" // a request without a session is one
	perRequest scope = "request"
)

// nonce is always as many tokens: tokenizers cut digits into threes or ones,
// and hex digits as chance has it.
func (m *maker) nonce(target int, s scope, id int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%s/%d/%s/%d", m.seed, m.salt, target, s, id))
	return fmt.Sprintf("[%012d] ", binary.BigEndian.Uint64(sum[:])%1e12)
}

// front is the nonce before all else of a request.
func (m *maker) front(target, session, k int) string {
	switch {
	case m.plan.Cache == CacheAny:
		return ""
	case m.plan.repeatsPrefix():
		return m.nonce(target, perRun, 0)
	case m.plan.Cache == CacheCold:
		return m.nonce(target, perRequest, k)
	}
	return m.nonce(target, perSession, session)
}

// complete puts the nonce before all else that is sent as text, chat having the
// system's text first, and has caches keep what comes again whole.
func (m *maker) complete(r *Request, target, k int) {
	nonce, first := m.front(target, r.Session, k), &r.Messages[0]
	switch {
	case r.System != "":
		r.System = nonce + r.System
	default:
		first.Text = nonce + first.Text
		if first.CacheUpTo > 0 {
			first.CacheUpTo += len(nonce)
		}
	}
	r.Messages[len(r.Messages)-1].CacheAll = m.comesAgain(r)
}

// comesAgain tells whether what is asked comes again, from its first word to
// its last, and caches may know: in the next turn, as the warm half of a pair,
// or in the next round of a text that is given.
func (m *maker) comesAgain(r *Request) bool {
	switch {
	case m.plan.Cache == CacheCold:
		return false
	case m.plan.Cache == CacheCompare, m.plan.Cache == CacheWarm && !m.plan.synthetic():
		return true
	}
	return r.More || r.Turn > 0 // the last turn has to ask for what the one before left
}

func user(text string, images ...string) request.Message {
	return request.Message{Role: request.RoleUser, Text: text, Images: images}
}

// single is a source of requests that have nothing to do with each other.
type single struct{ maker }

var _ Source = (*single)(nil)

// Align implements Source.
func (s *single) Align(k int) int { return k }

// Prompt implements Source.
func (s *single) Prompt(target, k int, c *Calibration) Request {
	in, out := s.lengths(k)
	r := Request{System: s.plan.System, OutputTokens: out, Session: k}
	if s.plan.Prompt != "" {
		r.Messages = []request.Message{user(s.plan.Prompt, s.plan.Image...)}
	} else {
		r.InputTokens, r.Words = in, s.plan.words(c, in)
		r.Messages = []request.Message{s.opening(target, k, k, r.Words)}
	}
	s.complete(&r, target, k)
	return r
}

// opening is the first message of a session, of n words and what is asked to do
// with them. Where a part is shared it comes first, and a nonce of the session
// after it.
func (m *maker) opening(target, session, k, n int) request.Message {
	shared := int(m.plan.share() * float64(n))
	text, upTo := "", 0
	if shared > 0 {
		text = m.plan.Class.text(m.rand(streamPrefix, 0), shared)
		upTo = len(text)
		if m.plan.Cache != CacheAny {
			text += "\n" + m.nonce(target, perSession, session)
		} else {
			text += "\n"
		}
	}
	text += m.plan.Class.text(m.rand(streamWords, k), n-shared) + m.plan.Class.task()
	opening := user(text, m.plan.Image...)
	opening.CacheUpTo = upTo
	return opening
}
