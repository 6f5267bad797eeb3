package route

import (
	"cmp"
	"math"
	"slices"
)

// arrange puts the ranks of a plan in the policy's order, as many as it names.
// But for fixed, whose order is the user's, the fallbacks at other providers than
// the first one's come first: what fails it may be the provider's.
func (b *binding) arrange(r *Route, a *Ask, p *Plan) {
	switch {
	case len(p.ranks) == 0:
		return
	case b.policy == Fixed:
		p.ranks = p.ranks[:min(len(p.ranks), most)]
		return
	case b.policy == Weighted:
		b.drawKeys(p.ranks)
	case b.policy == LeastBusy:
		b.drawTwo(r, a, p.ranks)
	case b.policy == SLO:
		b.classify(a, p.ranks)
	}
	lead(p.ranks)
	if home := r.Targets[p.ranks[0].target].Provider; home != "" {
		for i := 1; i < len(p.ranks); i++ {
			if k := &p.ranks[i]; k.class < domain && r.Targets[k.target].Provider == home {
				k.class += domain
			}
		}
	}
	p.ranks = p.ranks[:1+best(p.ranks[1:], most-1)]
}

func byRank(a, b rank) int {
	switch {
	case a.class != b.class:
		return int(a.class) - int(b.class)
	case a.key < b.key:
		return -1
	case a.key > b.key:
		return 1
	}
	return int(a.target) - int(b.target)
}

// lead puts the best rank first.
func lead(ranks []rank) {
	for i := 1; i < len(ranks); i++ {
		if byRank(ranks[i], ranks[0]) < 0 {
			ranks[0], ranks[i] = ranks[i], ranks[0]
		}
	}
}

// best sorts the n best to the front, and returns how many that are.
func best(ranks []rank, n int) int {
	n = min(n, len(ranks))
	slices.SortFunc(ranks[:n], byRank)
	for i := n; i < len(ranks); i++ {
		k := ranks[i]
		if byRank(k, ranks[n-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(ranks[:n], k, byRank)
		copy(ranks[at+1:n], ranks[at:n-1])
		ranks[at] = k
	}
	return n
}

// drawKeys draws an order in which each next target comes with a probability in
// proportion to its weight: the order of exponential waits (Efraimidis and
// Spirakis, "Weighted Random Sampling with a Reservoir", 2006).
func (b *binding) drawKeys(ranks []rank) {
	b.fleet.drawing.Lock()
	defer b.fleet.drawing.Unlock()
	for i := range ranks {
		ranks[i].key = b.fleet.rng.ExpFloat64() / b.places[ranks[i].target].weight
	}
}

// drawTwo draws two and makes the less busy one the first, that of the caller's
// dialect where they are equal; the rest goes by load. Two choices are nearly as
// even as all, and do not send a whole burst to one (Mitzenmacher, "The Power of
// Two Choices in Randomized Load Balancing", 2001).
func (b *binding) drawTwo(r *Route, a *Ask, ranks []rank) {
	least := ranks[0].class
	for i := range ranks {
		least = min(least, ranks[i].class)
	}
	n := 0
	for i := range ranks {
		if ranks[i].class == least {
			ranks[n], ranks[i] = ranks[i], ranks[n]
			n++
		}
	}
	one, two := b.fleet.drawPair(n)
	speaks := func(i int) bool { return r.Targets[ranks[i].target].Dialect == a.Dialect }
	if c := cmp.Compare(ranks[one].key, ranks[two].key); c > 0 || c == 0 && speaks(two) && !speaks(one) {
		one = two
	}
	ranks[one].class = first
}

// classify leaves the order as configured, but for targets that break the SLO.
// Of those a small share of the requests tries one all the same that would come
// first if it had healed: a share that doubles with each good answer in a row. A
// request that has failed somewhere is not used for that.
func (b *binding) classify(a *Ask, ranks []rank) {
	ahead := 0 // of the first that keeps the SLO
	for ahead < len(ranks) && ranks[ahead].slow {
		ahead++
	}
	if ahead < len(ranks) && len(a.Without) == 0 {
		for i := range ahead {
			if k := &ranks[i]; b.fleet.draw() < exploring(b.explore, int(k.run)) {
				k.class, k.explore = first, true
				break
			}
		}
	}
	for i := range ranks {
		k := &ranks[i]
		k.key = float64(k.target)
		if k.slow && !k.explore {
			k.class += slow
		}
	}
}

// exploring is the share of the requests that try a slow target, after so many
// good answers in a row: up to a third, where the route asks for less.
func exploring(share float64, run int) float64 {
	return max(share, min(math.Ldexp(share, run), 1.0/3))
}
