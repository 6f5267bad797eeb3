package stats

// nth puts the k-th smallest of the values, from 0, at its place and returns it;
// smaller ones come to stand before it, larger ones after it (Hoare, "Algorithm
// 65: FIND", 1961). A bootstrap takes medians by the hundred thousand, and needs
// no more order than this.
func nth(values []float64, k int) float64 {
	lo, hi := 0, len(values)-1
	for lo < hi {
		pivot := values[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return values[k]
		}
	}
	return values[k]
}

// median reorders its values, of which there is at least one.
func median(values []float64) float64 {
	n := len(values)
	upper := nth(values, n/2)
	if n%2 == 1 {
		return upper
	}
	lower := values[0]
	for _, v := range values[1 : n/2] {
		lower = max(lower, v)
	}
	return (lower + upper) / 2
}

// hodgesLehmann is the median of the means of all pairs, each value with itself
// included. buf may be nil, or of an earlier call.
func hodgesLehmann(values, buf []float64) (center float64, used []float64) {
	buf = buf[:0]
	for i, a := range values {
		for _, b := range values[i:] {
			buf = append(buf, (a+b)/2)
		}
	}
	return median(buf), buf
}
