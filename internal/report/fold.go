package report

import (
	"fmt"
	"slices"
	"strings"
)

// fewNames is how many targets a line names.
const fewNames = 4

// fold puts the targets' names before the lines about each; what is said of
// several alike is one line.
func fold(names []string, lines [][]string) []string {
	return alike(names, lines, func(who, line string) string { return bold.Render(who) + ": " + line })
}

// alike joins each line with those of whom it is said.
func alike(names []string, lines [][]string, join func(who, line string) string) (out []string) {
	of := map[string][]string{}
	var order []string
	for i, mine := range lines {
		for _, line := range mine {
			if of[line] == nil {
				order = append(order, line)
			}
			if !slices.Contains(of[line], names[i]) {
				of[line] = append(of[line], names[i])
			}
		}
	}
	for _, line := range order {
		out = append(out, join(these(of[line], len(names)), line))
	}
	return out
}

// these are so many names of all: the first of them, and how many more.
func these(names []string, all int) string {
	switch n := len(names); {
	case n == all && n > fewNames:
		return fmt.Sprintf("all %d targets", n)
	case n > fewNames:
		return fmt.Sprintf("%d targets (%s and %d more)", n, strings.Join(names[:fewNames-1], ", "), n-fewNames+1)
	}
	return strings.Join(names, ", ")
}
