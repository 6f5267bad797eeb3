package work

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"weir.dev/weir"
)

// Plan is what is asked. Its zero value lacks only Lengths.
type Plan struct {
	Class   Class // of synthetic text; zero: random words
	Lengths Lengths
	Prompt  string   // asked as it is instead of synthetic text
	Data    *Dataset // asked instead of synthetic text
	System  string
	Image   []string // URLs, https: or data:, added to the first message of synthetic text or of Prompt

	Cache CachePolicy
	Share float64       // first part of a synthetic prompt's words that is the same in all requests, 0 to 1
	Gap   time.Duration // compare: from the end of the cold answer to the warm request

	Turns int // of a session; 0 and 1: no sessions
	Think ThinkTime

	// Sizes, if not nil, are the lengths of the k-th request, of a recording for
	// example; 0 is as Lengths have it. Whoever sets it puts it into the identity.
	Sizes func(k int) (input, output int)
}

// Learns tells whether warm-up answers teach how long prompts come out: those
// of synthetic text do.
func (p *Plan) Learns() bool { return p.synthetic() }

// CachePolicy says what prompt caches may know.
type CachePolicy string

// The policies. The zero value lets caches know what the work repeats of
// itself, the turns of a session and the shared part of prompts, and nothing of
// earlier runs and other targets.
const (
	CacheAuto    CachePolicy = ""
	CacheCold    CachePolicy = "cold"    // nothing: a nonce in front of every request
	CacheWarm    CachePolicy = "warm"    // most: every prompt begins with the same words
	CacheCompare CachePolicy = "compare" // pairs: a new prompt, then the same again
	CacheAny     CachePolicy = "any"     // whatever they know: no nonce
)

// ParseCache reads cold, warm, compare or any; nothing is CacheAuto.
func ParseCache(s string) (CachePolicy, error) {
	all := []CachePolicy{CacheAuto, CacheCold, CacheWarm, CacheCompare, CacheAny}
	if i := slices.Index(all, CachePolicy(s)); i >= 0 {
		return all[i], nil
	}
	return "", bad(fmt.Sprintf("cache policy %q", s), "cold, warm, compare or any")
}

// warmShare is the repeated part of a warm prompt where none is given: not all
// of it, since some answer a prompt they know without any model.
const warmShare = 0.95

// SharedPrefix is the first part of a synthetic prompt that is the same in all
// requests, as a fraction.
func (p *Plan) SharedPrefix() float64 {
	if !p.synthetic() {
		return 0
	}
	return p.share()
}

func (p *Plan) share() float64 {
	if p.Cache == CacheWarm && p.Share == 0 {
		return warmShare
	}
	return p.Share
}

func (p *Plan) repeatsPrefix() bool { return p.Cache == CacheWarm || p.Share > 0 }

func (p *Plan) synthetic() bool { return p.Prompt == "" && p.Data == nil }

func (p *Plan) sessions() bool { return p.Turns > 1 }

// Check finds what makes no sense, before anything is asked.
func (p *Plan) Check() error {
	if _, err := ParseClass(string(p.Class)); err != nil && p.Class != "" {
		return err
	}
	if _, err := ParseCache(string(p.Cache)); err != nil {
		return err
	}
	switch {
	case p.Prompt != "" && p.Data != nil:
		return bad("a prompt and a data set", "give one of them")
	case p.Data != nil && len(p.Data.Records) == 0:
		return bad("a data set without a record", "it must have at least one")
	case p.Data != nil && len(p.Image) > 0:
		return bad("an image beside a data set", "put it into the records")
	case !(p.Share >= 0 && p.Share <= 1):
		return bad(fmt.Sprintf("a shared prefix of %v %%", p.Share*100), "0 % to 100 %")
	case p.Share > 0 && !p.synthetic():
		return bad("a shared prefix of a text that is given", "it is for synthetic text; --cache warm repeats a given one")
	case p.Turns < 0 || p.Turns > maxTurns:
		return bad(fmt.Sprintf("%d turns", p.Turns), fmt.Sprintf("1 to %d", maxTurns))
	case p.sessions() && !p.synthetic():
		return bad("turns of a text that is given", "they are for synthetic text; of a data set, take each turn")
	case !p.sessions() && p.Think != ThinkTime{} && !p.Data.sessions():
		return bad("a think time without turns", "give --turns, or each turn of a data set")
	case p.Think.Mean < 0 || p.Think.SD < 0 || p.Think.Mean > maxThink || p.Think.SD > maxThink:
		return bad("think time "+p.Think.String(), "0 to 24h")
	}
	if err := p.checkCache(); err != nil {
		return err
	}
	if len(p.Lengths) == 0 && p.Sizes != nil {
		return nil
	}
	return p.Lengths.check(p.synthetic())
}

const maxTurns = 1000

func (p *Plan) checkCache() error {
	switch {
	case p.Cache == CacheCold && p.Share > 0:
		return bad("cold caches and a shared prefix", "a prefix is shared so that caches know it: leave one out")
	case p.Cache == CacheCompare && p.Share > 0:
		return bad("cold and warm pairs with a shared prefix", "the cold ones would not be cold: leave one out")
	case p.Cache == CacheCompare && (p.sessions() || p.Data.sessions()):
		return bad("cold and warm pairs of turns", "a session is no pair: leave one out")
	case p.Gap < 0 || p.Gap > maxThink:
		return bad(fmt.Sprintf("a gap of %v", p.Gap), "0 to 24h")
	case p.Gap > 0 && p.Cache != CacheCompare:
		return bad("a gap without pairs", "it is for --cache compare")
	}
	return nil
}

// Source makes the requests of a seed. The salt goes into the nonces only and
// is to be new for each run: with none, a second run of the same seed asks what
// the provider's cache may still know.
func (p Plan) Source(seed uint64, salt string) (Source, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	m := maker{p, seed, salt}
	var s Source = &single{m}
	switch {
	case p.Data != nil:
		s = &records{m}
	case p.sessions():
		s = &sessions{m}
	}
	if p.Cache == CacheCompare {
		s = &pairs{s, p.Gap}
	}
	return s, nil
}

// recipe is to be raised when the same plan and seed come to make other texts.
const recipe = 1

// ID is the identity of what is asked: not of whom, how often, how hard, or by
// which seed.
func (p Plan) ID() string {
	if p.Class == "" || !p.synthetic() {
		p.Class = RandomWords
	}
	if !p.sessions() {
		p.Turns = 0
	}
	data := ""
	if p.Data != nil {
		data = p.Data.Hash()
	}
	b, err := json.Marshal(struct {
		Recipe                        int
		Class                         Class
		Lengths, Prompt, System, Data string
		Image                         []string
		Cache                         CachePolicy
		Share                         float64
		Gap                           time.Duration
		Turns                         int
		Think                         string
	}{
		recipe, p.Class, p.Lengths.id(p.synthetic()), p.Prompt, p.System, data, p.Image,
		p.Cache, p.share(), p.Gap, p.Turns, p.Think.String(),
	})
	if err != nil {
		return "" // a share that is no number; Check says so
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

func bad(what, hint string) error {
	return &weir.Error{Code: "bad_work", Message: what, Hint: hint}
}
