package main

import (
	"strings"
	"time"

	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/config"
	"weir.dev/weir/internal/nearest"
)

// notATarget says what would be right in place of a name without a model.
func notATarget(cfg *config.Config, name string) error {
	if provider, err := catalog.Find(name); err == nil {
		known := ""
		if models := catalog.Offered(provider.Name, time.Now()); len(models) > 0 {
			known = "; known there: " + strings.Join(models, ", ")
		}
		return usage("%s is a provider, and the model is missing: write %s/MODEL%s (weir models %s lists what it serves)", name, name, known, name)
	}
	if _, ok := cfg.Provider(name); ok {
		return usage("%s is a provider of the config, and the model is missing: write %s/MODEL", name, name)
	}
	if weights, err := catalog.FindModel(name); err == nil {
		return usage("%s is the name of open weights, not of a target: --model %s --all asks all who serve them, provider/model one", name, weights.Name)
	}
	if strings.Contains(name, ":") {
		return noScheme(name)
	}
	return usage("there is no target %q: %sa target is provider/model, a model of the config, or a URL that begins with http:// or https://", name, meant(name, known(cfg)))
}

// notAProvider is for provider/model.
func notAProvider(cfg *config.Config, name string) error {
	if strings.Contains(name, ":") {
		return noScheme(name)
	}
	var names []string
	for _, one := range cfg.Providers {
		names = append(names, one.Name)
	}
	for _, one := range catalog.Providers() {
		names = append(append(names, one.Name), one.Aliases...)
	}
	return usage("there is no provider %q: %sweir providers lists them all; a URL begins with http:// or https://", name, meant(name, names))
}

// noScheme is for a host and port.
func noScheme(name string) error {
	return usage("%q is no target: a URL begins with http:// or https://, such as http://127.0.0.1:8000/v1; else a target is provider/model", name)
}

func meant(name string, known []string) string {
	if near := nearest.Names(name, known); len(near) > 0 {
		return "did you mean " + strings.Join(near, ", ") + "? "
	}
	return ""
}

// known are all names that may stand alone or before a slash.
func known(cfg *config.Config) (names []string) {
	for _, m := range cfg.Models {
		names = append(names, m.Name)
	}
	for _, one := range cfg.Providers {
		names = append(names, one.Name)
	}
	for _, one := range catalog.Providers() {
		names = append(names, one.Name)
	}
	for _, m := range catalog.CanonicalModels() {
		names = append(names, m.Name)
	}
	return names
}
