package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/nearest"
	"weir.dev/weir/internal/report"
)

// listWait is the most time for a provider's list of models. A run does not
// hang on it.
const listWait = 5 * time.Second

// listed asks providers whether they list the model that is wanted of them:
// with --all each of them, else those at which the catalog knows no such model.
// With --all, who does not list it is left out. A name that the user wrote is
// asked for all the same, since not all lists are whole. A list that does not
// come changes nothing.
func (f *targetFlags) listed(p *process, places []place, auth *catalog.Auth) ([]place, error) {
	lists := f.lists(p.ctx, places, auth)
	auth.CloseIdleConnections() // who was asked may not be warmer than the others
	var kept []place
	for i, at := range places {
		near, missing := unlisted(at.Model, lists[i])
		switch {
		case !missing:
			kept = append(kept, at)
		case f.All:
			fmt.Fprintf(p.err, "weir: %s is left out: it does not list %s%s\n", report.Visible(at.Name), report.Visible(at.Model), near)
		default:
			fmt.Fprintf(p.err, "weir: %s does not list %s%s; it is asked all the same, since lists may leave names out\n", report.Visible(at.Name), report.Visible(at.Model), near)
			kept = append(kept, at)
		}
	}
	if len(kept) == 0 {
		return nil, usage("none of the providers of %s that there is a key for lists it: weir models PROVIDER shows what one serves; a target named as provider/model is asked all the same", f.Model[0])
	}
	return kept, nil
}

// lists are the names of models at each place; nil where nobody was asked, or
// there was no answer.
func (f *targetFlags) lists(ctx context.Context, places []place, auth *catalog.Auth) [][]string {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	out := make([][]string, len(places))
	var all sync.WaitGroup
	for i, at := range places {
		if !f.All && !unheardOf(at) {
			continue
		}
		all.Go(func() {
			models, err := catalog.Models(ctx, auth, at.Target)
			if err != nil {
				return
			}
			for _, m := range models {
				out[i] = append(out[i], m.ID)
			}
		})
	}
	all.Wait()
	return out
}

// unheardOf tells whether the catalog knows a hosted provider, and not that the
// model is served there, or that it no longer is. Catalogs age, so that means
// little.
func unheardOf(at place) bool {
	name := at.provider.Name
	if at.provider.Title == "" || at.provider.NoKey || slices.Contains(catalog.Offered(name, time.Now()), at.Model) {
		return false
	}
	_, ended := catalog.CanonicalOf(name, at.Model)
	return ended || at.Price == nil
}

// unlisted tells whether a list lacks a model, and which of it are nearest, in
// words. What follows a colon may be a way of routing, not a part of the name.
func unlisted(model string, list []string) (near string, missing bool) {
	bare, _, _ := strings.Cut(model, ":")
	if len(list) == 0 || slices.ContainsFunc(list, func(m string) bool { return strings.EqualFold(m, model) || strings.EqualFold(m, bare) }) {
		return "", false
	}
	if names := nearest.Names(model, list); len(names) > 0 {
		near = " (did you mean " + report.Visible(strings.Join(names, ", ")) + "?)"
	}
	return near, true
}
