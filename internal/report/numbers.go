package report

import (
	"fmt"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// How figures are written for people, in every form alike.

// Count is a number of things, such as "1 target" and "2 targets".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Millis shows a latency with three digits that count, and its unit.
func Millis(ms float64) string {
	show, unit := Scale(ms)
	return show(ms) + " " + unit
}

// Scale is how to show latencies about as long as ms.
func Scale(ms float64) (show func(float64) string, unit string) {
	number := func(format string, by float64) func(float64) string {
		return func(v float64) string { return fmt.Sprintf(format, v/by) }
	}
	switch {
	case ms >= 9_995:
		return number("%.1f", 1000), "s"
	case ms >= 995:
		return number("%.2f", 1000), "s"
	case ms >= 99.5:
		return number("%.0f", 1), "ms"
	case ms >= 9.95:
		return number("%.1f", 1), "ms"
	}
	return number("%.2f", 1), "ms"
}

// Between shows an interval: "[205, 220]", in the unit of the value before it.
func Between(ci stats.Interval, show func(float64) string) string {
	lo, ok1 := ci.Lo.Get()
	hi, ok2 := ci.Hi.Get()
	if !ok1 || !ok2 {
		return ""
	}
	return fmt.Sprintf("[%s, %s]", show(lo), show(hi))
}

// Latency shows a percentile: with "+" where the data do not bound it from
// above, ">60 s" where what was cut might have reached it, and where it was never
// reached, how many were ever answered.
func Latency(q Quantiles, p float64) string {
	v, _ := q.At(p)
	ms, ok := v.Get()
	if ok {
		return Millis(ms) + q.mark(p)
	}
	if q.N == 0 || q.Reached+q.Cut == 0 {
		return "n/a"
	}
	never := q.N - q.Reached - q.Cut
	if cut, ok := q.CutAt.Get(); ok && float64(never) <= (1-p)*float64(q.N) {
		return ">" + Millis(cut)
	}
	return fmt.Sprintf("n/a: %.0f %% came", 100*float64(q.Reached)/float64(q.N))
}

// Speed is a median speed with its unit: "125 tok/s".
func Speed(q Quantiles) string {
	v, ok := q.P50.Get()
	switch {
	case !ok:
		return "n/a"
	case v >= 99.5:
		return fmt.Sprintf("%.0f tok/s", v)
	}
	return fmt.Sprintf("%.1f tok/s", v)
}

// Throughput shows a rate with three digits that count, without a unit.
func Throughput(r float64) string {
	switch {
	case r >= 99.5:
		return fmt.Sprintf("%.0f", r)
	case r >= 9.95:
		return fmt.Sprintf("%.1f", r)
	}
	return fmt.Sprintf("%.2f", r)
}

// Percent shows a fraction: "99.5 %", and "n/a" where it is not known.
func Percent(v weir.Opt[float64]) string {
	f, ok := v.Get()
	switch {
	case !ok:
		return "n/a"
	case f == 1:
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", 100*f)
}

// Tokens shows a mean number of tokens, and "n/a" where it is not known.
func Tokens(v weir.Opt[float64]) string {
	f, ok := v.Get()
	if !ok {
		return "n/a"
	}
	return fmt.Sprintf("%.0f", f)
}

// Dollars shows an amount to the cent, and one below with two digits.
func Dollars(usd float64) string {
	if usd >= 0.01 || usd <= 0 {
		return fmt.Sprintf("$%.2f", usd)
	}
	return fmt.Sprintf("$%.2g", usd)
}

// Chance shows a p value.
func Chance(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.2g", p)
}

// YesNo is a judgement in a word: yes, no or unknown.
func YesNo(v weir.Opt[bool]) string {
	b, ok := v.Get()
	switch {
	case !ok:
		return "unknown"
	case b:
		return "yes"
	}
	return "no"
}
