package sim

import (
	"strconv"
	"strings"
	"time"
)

// field reads and writes one value of a plan as text.
type field struct {
	set func(s string) error
	get func() string // "" for zero
}

// single is a key whose value is one field.
func single(name, form string, at func(*Plan) field) key {
	return key{
		name: name,
		form: form,
		set:  func(p *Plan, v string) error { return at(p).set(v) },
		get:  func(p Plan) string { return at(&p).get() },
	}
}

// pairKey is a key whose value is two fields, a colon between; the second is
// never zero.
func pairKey(name, form string, at func(*Plan) (field, field)) key {
	return single(name, form, func(p *Plan) field {
		a, b := at(p)
		return field{
			set: func(s string) error {
				first, second, ok := strings.Cut(s, ":")
				if !ok {
					return errValue
				}
				if err := a.set(first); err != nil {
					return err
				}
				return b.set(second)
			},
			get: func() string {
				second := b.get()
				if second == "" {
					return ""
				}
				first := a.get()
				if first == "" {
					first = "0"
				}
				return first + ":" + second
			},
		}
	})
}

func durationField(at *time.Duration, least time.Duration) field {
	return field{
		set: func(s string) error {
			d, err := time.ParseDuration(s)
			if err != nil || d < least || d > maxDuration {
				return errValue
			}
			*at = d
			return nil
		},
		get: func() string {
			if *at == 0 {
				return ""
			}
			return at.String()
		},
	}
}

func shareField(at *float64) field {
	return field{
		set: func(s string) error {
			number, percent := strings.CutSuffix(s, "%")
			v, err := strconv.ParseFloat(number, 64)
			if percent {
				v /= 100
			}
			if err != nil || !(v >= 0 && v <= 1) { // NaN too
				return errValue
			}
			*at = v
			return nil
		},
		get: func() string {
			if *at == 0 {
				return ""
			}
			return strconv.FormatFloat(*at, 'g', -1, 64)
		},
	}
}

func countField(at *int, least, most int) field {
	return field{
		set: func(s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < least || n > most {
				return errValue
			}
			*at = n
			return nil
		},
		get: func() string {
			if *at == 0 {
				return ""
			}
			return strconv.Itoa(*at)
		},
	}
}

// statusField is an HTTP status that says something failed.
func statusField(at *int) field { return countField(at, 400, 599) }
