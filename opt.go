package weir

import (
	"encoding/json"
	"time"
)

// Opt is a value that may not have been measured or reported. The zero value
// is "not measured"; there is no way to confuse it with a measured zero.
type Opt[T any] struct {
	value T
	known bool
}

// Some is a measured value.
func Some[T any](v T) Opt[T] { return Opt[T]{value: v, known: true} }

// None is the value that was not measured; it reads better than Opt[T]{}.
func None[T any]() Opt[T] { return Opt[T]{} }

// Get returns the value and whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.value, o.known }

// Known tells whether there is a value.
func (o Opt[T]) Known() bool { return o.known }

// Or returns the value, or d where there is none.
func (o Opt[T]) Or(d T) T {
	if o.known {
		return o.value
	}
	return d
}

// MarshalJSON writes null where there is no value.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.known {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads null as no value.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*o = Opt[T]{}
		return nil
	}
	if err := json.Unmarshal(b, &o.value); err != nil {
		return err
	}
	o.known = true
	return nil
}

// Span is a duration that may not have been measured. In JSON it is float64
// milliseconds with nanosecond precision, or null.
type Span = Opt[Dur]

// Dur is a time.Duration (nanoseconds) that is written in JSON as float64 milliseconds.
type Dur time.Duration

// Duration converts back to the standard library's type.
func (m Dur) Duration() time.Duration { return time.Duration(m) }

// MS is the length in milliseconds.
func (m Dur) MS() float64 { return float64(m) / float64(time.Millisecond) }

// MarshalJSON writes milliseconds.
func (m Dur) MarshalJSON() ([]byte, error) { return json.Marshal(m.MS()) }

// UnmarshalJSON reads milliseconds, rounded to the nanosecond.
func (m *Dur) UnmarshalJSON(b []byte) error {
	var ms float64
	if err := json.Unmarshal(b, &ms); err != nil {
		return err
	}
	*m = durFromMS(ms)
	return nil
}

func durFromMS(ms float64) Dur {
	ns := ms * float64(time.Millisecond)
	if ns < 0 {
		return Dur(ns - 0.5)
	}
	return Dur(ns + 0.5)
}

// SpanOf is a measured duration.
func SpanOf(d time.Duration) Span { return Some(Dur(d)) }
