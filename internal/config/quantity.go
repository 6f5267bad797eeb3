package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The forms of values with a unit. The JSON Schema has them, too.
const (
	durationForm = `^([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+$`
	sizeForm     = `^([0-9]+(?:\.[0-9]+)?) ?(B|kB|KB|MB|GB|KiB|MiB|GiB)$`
	percentForm  = `^([0-9]+(?:\.[0-9]+)?) ?%$`
	budgetForm   = `^([0-9]+(?:\.[0-9]+)?) ?usd */ *(day|week|month)$`
)

var (
	durationRE = regexp.MustCompile(durationForm)
	sizeRE     = regexp.MustCompile(sizeForm)
	percentRE  = regexp.MustCompile(percentForm)
	budgetRE   = regexp.MustCompile(budgetForm)
)

// quantity reads a value of the spec's kind as a number: ns, bytes, a share
// of 1, 0 or 1.
func (s *spec) quantity(sc *scalar) (float64, *fault) {
	word := strings.TrimSpace(sc.text)
	if s.off && word == "off" {
		return 0, nil
	}
	var x float64
	var ok bool
	switch s.kind {
	case toggle:
		x, ok = map[string]float64{"false": 0, "true": 1}[strings.ToLower(word)]
	case duration:
		x, ok = nanoseconds(word)
	case size:
		x, ok = byteCount(word)
	case share:
		x, ok = shareOf(word)
	default:
		x, f := s.parse(sc)
		if f == nil && s.most > 0 && x > s.most {
			f = s.tooMuch(sc)
		}
		return x, f
	}
	if !ok {
		return 0, &fault{fmt.Sprintf("%s wants %s, not %s", sc.name, s.what(), sc.shown()), s.doc}
	}
	return x, s.within(sc, x)
}

// within holds a value with a unit to the spec's bounds.
func (s *spec) within(sc *scalar, x float64) *fault {
	least, most := s.least, s.most
	if s.kind == share {
		least, most = minShare, 1
	}
	switch {
	case s.kind == toggle:
	case x == 0 && s.off:
		return &fault{fmt.Sprintf("%s cannot be 0; it is %s", sc.name, sc.shown()), "to switch it off, write off"}
	case x < least:
		return &fault{fmt.Sprintf("%s is at least %s; it is %s", sc.name, s.show(least), sc.shown()), s.doc}
	case x > most:
		return s.tooMuch(sc)
	}
	return nil
}

// minShare is the least share that is not off: one in ten thousand.
const minShare = 0.0001

func (s *spec) tooMuch(sc *scalar) *fault {
	most := s.most
	if s.kind == share {
		most = 1
	}
	return &fault{fmt.Sprintf("%s is at most %s; it is %s", sc.name, s.show(most), sc.shown()), s.doc}
}

// show is a value in the unit of its kind.
func (s *spec) show(x float64) string {
	switch s.kind {
	case duration:
		d := time.Duration(x).String()
		if strings.HasSuffix(d, "m0s") {
			d = strings.TrimSuffix(d, "0s")
		}
		if strings.HasSuffix(d, "h0m") {
			d = strings.TrimSuffix(d, "0m")
		}
		return d
	case size:
		if x >= 1<<20 {
			return strconv.FormatFloat(x/(1<<20), 'g', 4, 64) + "MiB"
		}
		return strconv.FormatFloat(x/(1<<10), 'g', 4, 64) + "KiB"
	case share:
		return strconv.FormatFloat(x*100, 'g', 6, 64) + "%"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func nanoseconds(word string) (float64, bool) {
	if !durationRE.MatchString(word) {
		return 0, false
	}
	d, err := time.ParseDuration(word)
	return float64(d), err == nil
}

func byteCount(word string) (float64, bool) {
	m := sizeRE.FindStringSubmatch(word)
	if m == nil {
		return 0, false
	}
	unit := map[string]float64{"B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	x, err := strconv.ParseFloat(m[1], 64)
	return x * unit[m[2]], err == nil
}

func shareOf(word string) (float64, bool) {
	if m := percentRE.FindStringSubmatch(word); m != nil {
		x, err := strconv.ParseFloat(m[1], 64)
		return x / 100, err == nil
	}
	if !decimal.MatchString(word) {
		return 0, false
	}
	x, err := strconv.ParseFloat(word, 64)
	return x, err == nil && x >= 0
}

// maxBudget is beyond what anyone spends a month, so that a slip is found.
const maxBudget = 1e7

func checkBudget(s *scalar) *fault {
	_, f := parseBudget(s)
	return f
}

func parseBudget(s *scalar) (Budget, *fault) {
	const like = "as in 50usd/day, 200usd/week or 1000usd/month"
	m := budgetRE.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s.text)))
	if m == nil {
		return Budget{}, &fault{s.name + " wants an amount a period, not " + s.shown(), like}
	}
	usd, err := strconv.ParseFloat(m[1], 64)
	switch {
	case err != nil || usd > maxBudget:
		return Budget{}, &fault{s.name + " is too large; it is " + s.shown(), like}
	case usd == 0:
		return Budget{}, &fault{s.name + " cannot be 0; it is " + s.shown(), "a key that may spend nothing lets nobody in: delete the key instead"}
	}
	return Budget{USD: usd, Period: Period(m[2])}, nil
}
