package ablate

// lattice is all that lies between two deployments that differ in k dimensions:
// state i has the value of the second one in each dimension whose bit is set
// in i, else that of the first.
type lattice struct {
	k     int
	fits  []bool    // by state: the model fits, so it can be run
	below []float64 // by state: in how many ways it is reached from the first
	above []float64 // and the second from it
}

// newLattice counts the orders in which the first can become the second, one
// dimension after the other, through states that fit.
func newLattice(k int, fits func(state int) bool) *lattice {
	n := 1 << k
	l := &lattice{k: k, fits: make([]bool, n), below: make([]float64, n), above: make([]float64, n)}
	for i := range n {
		l.fits[i] = fits(i)
	}
	for i := range n {
		l.below[i] = l.sum(i, l.below, func(i, bit int) (int, bool) { return i &^ bit, i&bit != 0 }, i == 0)
	}
	for i := n - 1; i >= 0; i-- {
		l.above[i] = l.sum(i, l.above, func(i, bit int) (int, bool) { return i | bit, i&bit == 0 }, i == n-1)
	}
	return l
}

func (l *lattice) sum(i int, of []float64, next func(i, bit int) (int, bool), end bool) float64 {
	switch {
	case !l.fits[i]:
		return 0
	case end:
		return 1
	}
	total := 0.0
	for d := range l.k {
		if j, ok := next(i, 1<<d); ok {
			total += of[j]
		}
	}
	return total
}

// orders is how many there are.
func (l *lattice) orders() float64 { return l.above[0] }

// used tells whether a state lies on one of them.
func (l *lattice) used(i int) bool { return l.below[i]*l.above[i] > 0 }

// shares are what each dimension makes of the difference: by how much it
// changes the value when its turn comes, on average over the orders. They add
// up to the whole difference. With all k! orders these are Shapley's values
// ("A Value for n-Person Games", 1953). There must be an order.
func (l *lattice) shares(value func(state int) float64) []float64 {
	shares := make([]float64, l.k)
	for i := range l.fits {
		for d := range l.k {
			j := i | 1<<d
			if j == i || !l.used(i) || !l.used(j) {
				continue
			}
			shares[d] += l.below[i] * l.above[j] / l.orders() * (value(j) - value(i))
		}
	}
	return shares
}
