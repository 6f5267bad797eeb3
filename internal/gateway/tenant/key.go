package tenant

import (
	"fmt"
	"time"

	"weir.dev/weir"
)

// Key is what the configuration says of one virtual key. No way of printing it
// shows the hash.
type Key struct {
	Name   string           `json:"name"`
	SHA256 [32]byte         `json:"-"` // of the secret
	Routes []string         `json:"routes"`
	RPM    int              `json:"rpm"`    // requests a minute; 0: no limit
	TPM    int              `json:"tpm"`    // tokens a minute, prompts and answers together; 0: no limit
	Budget weir.Opt[Budget] `json:"budget"` // empty: no limit
}

// Format implements fmt.Formatter for every verb.
func (k Key) Format(w fmt.State, _ rune) { fmt.Fprint(w, "key "+k.Name) }

// Budget is what the requests of one period may cost.
type Budget struct {
	USD float64 `json:"usd"`
	Per Period  `json:"per"`
}

// String is the form of the configuration, such as 50usd/day.
func (b Budget) String() string { return fmt.Sprintf("%gusd/%s", b.USD, b.Per) }

// Period is a stretch of the calendar in UTC, whatever the zone of the machine.
type Period string

// The periods.
const (
	Day   Period = "day"
	Week  Period = "week" // from Monday
	Month Period = "month"
)

// end is the first instant after the period that now is in.
func (p Period) end(now time.Time) time.Time {
	now = now.UTC()
	y, m, d := now.Date()
	switch p {
	case Month:
		m, d = m+1, 1
	case Week:
		d += 7 - (int(now.Weekday())+6)%7
	default:
		d++
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
