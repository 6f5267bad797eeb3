package provider

import (
	"time"

	"weir.dev/weir/internal/sim/cast"
)

// active yields the faults that hold at the time d.
func active(faults []cast.Fault, d time.Duration, yield func(cast.Fault)) {
	for _, f := range faults {
		if f.From <= d && d < f.To {
			yield(f)
		}
	}
}

// delay is what the faults at the time d add to the way back.
func delay(faults []cast.Fault, d time.Duration) (sum time.Duration) {
	active(faults, d, func(f cast.Fault) { sum += f.Delay })
	return sum
}

// meets finds the faults that a request meets which arrives at the time d and
// drew chance, from 0 to 1: the one that refuses it, and after how many tokens
// its answer is cut, -1 for never.
func meets(faults []cast.Fault, d time.Duration, chance float64) (refused *cast.Fault, cut int) {
	cut = -1
	active(faults, d, func(f cast.Fault) {
		switch hit := f.Share == 0 || chance < f.Share; {
		case !hit:
		case f.Status != 0 && refused == nil:
			refused = &f
		case f.Cut != nil && (cut < 0 || *f.Cut < cut):
			cut = *f.Cut
		}
	})
	return refused, cut
}
