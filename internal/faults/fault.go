package faults

import (
	"context"
	"slices"
	"time"
)

// fault is one unit of the wall: what goes wrong, what a good gateway does, and
// the three things that follow: how the provider does it, how the driver asks
// for it, and how what both saw is judged.
type fault struct {
	id   string
	what string // the fault
	want string // what a good gateway does

	serve  func(*exchange) error // the provider's side
	whole  func(*exchange) error // the same where no stream was asked for; nil: serve
	outage time.Duration         // how long it lasts from the first request on; 0: it does not end by time
	alone  bool                  // measured when nothing else is asked

	// cases are what the driver asks; nil is one plain stream. Each is a part of
	// the cell. judge adds to the ruling that follows from how the answer ended.
	cases []ask
	judge func(*ruling, sight)
	// play replaces both where a part is more than one request. It then has
	// variants beside those of cases.
	play     func(context.Context, *cell) []Part
	variants []string
}

// known lists the names of a fault's cases, but for the plain one.
func (f fault) known() []string {
	list := slices.Clone(f.variants)
	for _, a := range f.cases {
		if a.variant != "" {
			list = append(list, a.variant)
		}
	}
	return list
}

// ask is one call of the driver's.
type ask struct {
	variant string
	whole   bool // no stream is asked for
	usage   bool // include_usage is asked for
	tools   bool // a tool is offered
	limit   time.Duration
	body    func(model, mark string) []byte // nil: a short one
	path    string                          // "": /chat/completions
	header  map[string]string
	leave   func(View) bool // tells when the caller leaves; nil: never
	after   time.Duration   // the caller leaves then; 0: never
}

// Fault is one line of the catalogue.
type Fault struct {
	ID   string `json:"id"`
	What string `json:"fault"`
	Want string `json:"want"`
}

// Catalogue lists the faults in the order of the scorecard.
func Catalogue() []Fault {
	var list []Fault
	for _, f := range catalogue() {
		list = append(list, Fault{f.id, f.what, f.want})
	}
	return list
}

func catalogue() []fault {
	return []fault{
		rateLimitedOnce(), rateLimited(), errorOnce(), unavailable(), resetOnce(), silent(), slowFirst(), cut(),
		stalled(), brokenEvent(), noDone(), tooLong(), refused(), cutWithStrictFallback(), outage(), whoAnswered(),
		errorFirst(), onlyComments(), noStream(), crawling(), stuckReader(), leaving(), connections(), encodings(),
		usageForms(), halfCall(), longPrompts(), secrets(),
	}
}
