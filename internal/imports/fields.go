package imports

import (
	"math"
	"time"

	"weir.dev/weir"
)

// within reads a time given in some unit; ok is false for one that is negative,
// not finite or absurdly long.
func within(v float64, unit time.Duration) (weir.Dur, bool) {
	ns := v * float64(unit)
	if math.IsNaN(ns) || ns < 0 || ns > float64(maxDuration) {
		return 0, false
	}
	return weir.Dur(math.Round(ns)), true
}

// spanOf is within for a value that may be absent.
func spanOf(v *float64, unit time.Duration) (weir.Span, bool) {
	if v == nil {
		return weir.Span{}, true
	}
	d, ok := within(*v, unit)
	return weir.Some(d), ok
}

func optional[T comparable](v *T) weir.Opt[T] {
	if v == nil {
		return weir.None[T]()
	}
	return weir.Some(*v)
}

// text is v, where it says something.
func text(v string) weir.Opt[string] {
	if v == "" {
		return weir.None[string]()
	}
	return weir.Some(v)
}

// maxError bounds an error's text; tools write whole tracebacks.
const maxError = 500

// errorText is the last line of what the tool wrote, bounded.
func errorText(s string) string {
	end := len(s)
	for end > 0 && (s[end-1] == '\n' || s[end-1] == ' ') {
		end--
	}
	from := end
	for from > 0 && s[from-1] != '\n' && end-from < maxError {
		from--
	}
	return s[from:end]
}
