package config

import (
	"fmt"
	"strings"
)

// nearest returns the known name that someone who wrote s most likely meant,
// or "".
func nearest(s string, known []string) string {
	const longest = 64
	s = plain(s)
	if s == "" || len(s) > longest {
		return ""
	}
	best, cost := "", longest
	for _, name := range known {
		k := plain(name)
		slips := distance(s, k)
		switch {
		case slips <= max(1, min(len(s), len(k))/3):
		case len(s) >= 3 && (strings.Contains(k, s) || strings.Contains(s, k)):
			slips++
		default:
			continue
		}
		if slips < cost {
			best, cost = name, slips
		}
	}
	return best
}

// suggest is the hint for a name that is not among the known ones.
func suggest(s string, known []string) string {
	if near := nearest(s, known); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return ""
}

// plain drops what people get wrong without meaning another name: case and
// what joins the words.
func plain(s string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(s))
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
