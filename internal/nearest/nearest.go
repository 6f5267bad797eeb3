package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Names returns up to three of the known names that someone who wrote s may
// have meant, the likeliest first: those that begin with it or hold it, then
// those that a few slips of the finger lead to.
func Names(s string, known []string) []string {
	const most, longest = 3, 64
	s = strings.ToLower(s)
	if s == "" || len(s) > longest {
		return nil
	}
	type candidate struct {
		name string
		cost int
	}
	var found []candidate
	for _, name := range known {
		lower := strings.ToLower(name)
		slips := distance(s, lower)
		switch {
		case slips <= max(1, min(len(s), len(lower))/3):
			found = append(found, candidate{name, slips})
		case len(s) >= 3 && strings.Contains(lower, s), len(lower) >= 3 && strings.Contains(s, lower):
			found = append(found, candidate{name, 1 + slips})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range found[:min(most, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that lead from a to b (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
