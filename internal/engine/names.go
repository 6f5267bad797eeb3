package engine

import (
	"fmt"
	"slices"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/nearest"
)

// ModelNamed finds a model in the table by any of its names. Capitals do not
// matter, here and below.
func ModelNamed(name string) (Model, bool) { return named(name, Models(), Model.names) }

// GPUNamed finds a device in the table by any of its names.
func GPUNamed(name string) (GPU, bool) { return named(name, GPUs(), GPU.names) }

// ProfileNamed finds an engine in the table.
func ProfileNamed(name string) (Profile, bool) { return named(name, Profiles(), Profile.names) }

// FindModel is ModelNamed with an error that says which names are near.
func FindModel(name string) (Model, error) { return find("model", name, Models(), Model.names) }

// FindGPU is GPUNamed, likewise.
func FindGPU(name string) (GPU, error) { return find("GPU", name, GPUs(), GPU.names) }

// FindProfile is ProfileNamed, likewise.
func FindProfile(name string) (Profile, error) {
	return find("engine", name, Profiles(), Profile.names)
}

// ModelNames are all names that ModelNamed knows.
func ModelNames() []string { return all(Models(), Model.names) }

// GPUNames are all names that GPUNamed knows, in lower case.
func GPUNames() []string { return all(GPUs(), GPU.names) }

func (m Model) names() []string   { return append([]string{m.Name}, m.Also...) }
func (g GPU) names() []string     { return append([]string{strings.ToLower(g.Name)}, g.Also...) }
func (p Profile) names() []string { return []string{p.Name} }

func named[T any](asked string, table []T, names func(T) []string) (found T, ok bool) {
	for _, t := range table {
		if slices.ContainsFunc(names(t), func(n string) bool { return strings.EqualFold(asked, n) }) {
			return t, true
		}
	}
	return found, false
}

func all[T any](table []T, names func(T) []string) []string {
	var known []string
	for _, t := range table {
		known = append(known, names(t)...)
	}
	return known
}

func find[T any](kind, asked string, table []T, names func(T) []string) (T, error) {
	t, ok := named(asked, table, names)
	if ok {
		return t, nil
	}
	var first []string
	for _, t := range table {
		first = append(first, names(t)[0])
	}
	hint := "one of " + strings.Join(first, ", ")
	if near := nearest.Names(asked, all(table, names)); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "? " + hint
	}
	return t, &weir.Error{Code: "unknown_" + strings.ToLower(kind), Message: fmt.Sprintf("there is no %s %q in the tables", kind, asked), Hint: hint}
}
