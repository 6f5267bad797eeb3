package stats

import (
	"cmp"
	"slices"
)

// pooled is a value and the request that brought it.
type pooled struct {
	value   float64
	request int32
}

// pool is the values of all requests, sorted together.
type pool struct {
	values []pooled
	sizes  []int // how many each request brought; those that brought none are left out
}

func newPool(requests [][]float64) pool {
	var p pool
	for _, values := range requests {
		if len(values) == 0 {
			continue
		}
		for _, v := range values {
			p.values = append(p.values, pooled{v, int32(len(p.sizes))})
		}
		p.sizes = append(p.sizes, len(values))
	}
	slices.SortFunc(p.values, func(a, b pooled) int { return cmp.Compare(a.value, b.value) })
	return p
}

// quantile is the q-quantile where each request counts so many times. It walks
// down from the top, where percentiles are.
func (p pool) quantile(q float64, times []int) float64 {
	total := 0
	for i, n := range p.sizes {
		total += n * times[i]
	}
	above := total - type1(q, total)
	for _, v := range slices.Backward(p.values) {
		above -= times[v.request]
		if above < 0 {
			return v.value
		}
	}
	return p.values[0].value
}
