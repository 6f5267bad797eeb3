package engine

import (
	"slices"
	"strings"
)

// named tells whether a name is one of those that something has. Capitals do
// not matter.
func named(asked, name string, also []string) bool {
	return strings.EqualFold(asked, name) || slices.ContainsFunc(also, func(a string) bool { return strings.EqualFold(asked, a) })
}

// ModelNames are all names that ModelNamed knows.
func ModelNames() []string {
	var names []string
	for _, m := range Models() {
		names = append(append(names, m.Name), m.Also...)
	}
	return names
}

// GPUNames are all names that GPUNamed knows, in lower case.
func GPUNames() []string {
	var names []string
	for _, g := range GPUs() {
		names = append(names, strings.ToLower(g.Name))
		names = append(names, g.Also...)
	}
	return names
}
