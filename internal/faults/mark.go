package faults

import (
	"bytes"
	"fmt"
	"regexp"
)

// mark stands in the prompt of every request of the driver. It tells the wall
// which case of which fault the request is part of and how long the waits are,
// and the driver which lines of the wall's log are its own, whatever an endpoint
// between them does to names and headers.
type mark struct {
	Run     string // hexadecimal, one for each Run
	Cell    string // the fault's id
	Variant string // may be empty
	Profile Profile
}

const markStart = "[weir-faults "

var markForm = regexp.MustCompile(`^\[weir-faults run=([0-9a-f]{8,32}) cell=([SW][0-9]{2}) variant=([a-z0-9-]{0,24}) profile=(full|fast)\]`)

// markLen is more than the longest mark has.
const markLen = 128

// String is the mark as it stands in a prompt. JSON needs no escapes for it.
func (m mark) String() string {
	return fmt.Sprintf("%srun=%s cell=%s variant=%s profile=%s]", markStart, m.Run, m.Cell, m.Variant, m.Profile)
}

// findMark finds the first mark in a request's body.
func findMark(body []byte) (mark, bool) {
	at := bytes.Index(body, []byte(markStart))
	if at < 0 {
		return mark{}, false
	}
	got := markForm.FindSubmatch(body[at:min(len(body), at+markLen)])
	if got == nil {
		return mark{}, false
	}
	return mark{string(got[1]), string(got[2]), string(got[3]), Profile(got[4])}, true
}
