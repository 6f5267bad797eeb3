package config

import (
	"strings"

	"weir.dev/weir"
)

// kind is the form of a value.
type kind int

const (
	object kind = iota // a mapping with known keys
	table              // a mapping from names of the user's own
	list
	text
	number // above 0
	price  // 0 or more
	count  // a whole number above 0
	toggle // true or false
	duration
	size  // of bytes
	share // 95% or 0.95
	later // a section of a later version
)

// spec says what a value may be. The walk and the JSON Schema both follow it,
// and so do the defaults.
type spec struct {
	kind   kind
	doc    string
	says   string                 // what it wants in words, where its form does not say it all
	keys   []key                  // of an object
	short  []string               // of an object: the keys that a value stands for which is no mapping
	elem   *spec                  // of a table or list
	name   *rule                  // of a table's keys
	enum   []string               // of a text, empty: any
	check  func(s *scalar) *fault // of a text, beside enum
	one    string                 // of a list: the hint where it is one text
	secret bool                   // of a text or list of texts: never shown
	empty  bool                   // of an object: null is as good as {}
	some   bool                   // of a list or table: not empty
	lone   bool                   // of a list: one item alone is a list of one
	number string                 // of a text: this number is one, too
	digits bool                   // of a text: any number is one
	def    string                 // of a value: what holds without it, as the file would have it
	off    bool                   // of a value: it may be off, which is 0
	least  float64                // of a value: in its unit (ns, bytes); 0: the kind's own
	most   float64
}

// key is a key of an object.
type key struct {
	name     string
	required bool
	*spec
}

// find returns the key with this name.
func (s *spec) find(name string) *key {
	for i := range s.keys {
		if s.keys[i].name == name {
			return &s.keys[i]
		}
	}
	return nil
}

func (s *spec) names() []string {
	var out []string
	for _, k := range s.keys {
		if k.kind != later {
			out = append(out, k.name)
		}
	}
	return out
}

// root is the file.
func root() *spec {
	s := &spec{kind: object, doc: "Weir's configuration: providers, the targets that serve a model, and what the gateway makes of them.", keys: []key{
		{"providers", false, &spec{kind: table, elem: providerSpec(), name: nameRule(), doc: "Places that serve models. The name of a preset (weir providers) needs nothing more: name: {}."}},
		{"models", false, &spec{kind: table, elem: modelSpec(), name: nameRule(), doc: "Names of your own for weights, each with the targets that serve them."}},
	}}
	s.keys = append(s.keys, gatewayKeys()...)
	s.keys = append(s.keys, laterKey("watch", "weir watch"), laterKey("store", "weir watch"), laterKey("share", "state across replicas"))
	return s
}

func laterKey(name, with string) key {
	return key{name, false, &spec{kind: later, doc: "comes with " + with}}
}

func providerSpec() *spec {
	return &spec{kind: object, empty: true, doc: "How a provider is reached.", keys: []key{
		{"base_url", false, &spec{kind: text, check: checkURL, doc: "Where its API begins, such as http://10.0.0.5:8000/v1. A preset has its own."}},
		{"dialect", false, &spec{kind: text, enum: dialects(), doc: "The API it speaks: openai (the same as openai-chat) by default, or what its preset says."}},
		{"params", false, &spec{kind: table, elem: &spec{kind: text, digits: true, check: checkLabel, doc: "Its value: letters, digits, -, _ and ."}, name: wordRule("a placeholder"), doc: "What fills the placeholders of a preset's URL, such as resource or region."}},
		{"api_key", false, &spec{kind: text, secret: true, check: checkToken, doc: "The key, best as \"${VAR}\" or \"${file:PATH}\". A preset's usual variable is read without it."}},
		{"auth", false, &spec{kind: object, doc: "A command that prints a token, in place of api_key.", keys: []key{
			{"command", true, &spec{kind: list, some: true, secret: true, one: "write it as a list: [program, argument, ...]", elem: &spec{kind: text, secret: true, check: checkArgument, doc: "The program, then its arguments; no shell."}, doc: "The program and its arguments. It runs without a shell; what it prints is the token and is never logged."}},
			{"refresh", false, &spec{kind: text, number: "401", check: checkRefresh, doc: "When to run it again: 401 (the default: when the provider refuses the token), or a duration such as 30m."}},
		}}},
		{"headers", false, &spec{kind: table, secret: true, elem: &spec{kind: text, secret: true, check: checkHeader, doc: "The header's value, never shown."}, name: headerRule(), doc: "Headers that every request carries."}},
	}}
}

func modelSpec() *spec {
	rate := func(name string, required bool, of string) key {
		return key{name, required, &spec{kind: price, doc: "USD per million " + of + "."}}
	}
	target := &spec{kind: object, doc: "A model at a provider.", keys: append([]key{
		{"provider", true, &spec{kind: text, check: notEmpty, doc: "A name under providers, or a preset."}},
		{"model", true, &spec{kind: text, check: notEmpty, doc: "What that provider calls the model."}},
		{"weight", false, &spec{kind: number, doc: "Its share of the requests beside the other targets, with policy weighted or least_busy; 1 by default."}},
		{"context", false, &spec{kind: count, doc: "Tokens that fit, prompt and answer together."}},
		{"price", false, &spec{kind: object, doc: "What you pay, where it is not the price of Weir's table. It is taken whole: a rate that is left out is unknown.", keys: []key{
			rate("input", true, "prompt tokens"),
			rate("cached_input", false, "prompt tokens read from the cache"),
			rate("cache_write", false, "prompt tokens written to the cache"),
			rate("output", true, "tokens of the answer"),
			rate("reasoning", false, "reasoning tokens, where that is another rate than output"),
			{"request", false, &spec{kind: price, doc: "USD per request, on top of the tokens."}},
		}}},
	}, targetKeys()...)}
	return &spec{kind: object, doc: "A model and who serves it.", keys: []key{
		{"targets", true, &spec{kind: list, some: true, elem: target, doc: "Who serves it."}},
	}}
}

func dialects() []string {
	out := []string{"openai"}
	for _, d := range weir.Dialects() {
		out = append(out, string(d))
	}
	return out
}

// what is the form in words, as in "wants ...".
func (s *spec) what() string {
	if s.says != "" {
		return s.says
	}
	switch s.kind {
	case object, table:
		return "a mapping"
	case list:
		return "a list"
	case number, price:
		return "a number"
	case count:
		return s.orOff("a whole number")
	case toggle:
		return "true or false"
	case duration:
		return s.orOff("a duration such as 10s")
	case size:
		return s.orOff("a size such as 32MiB")
	case share:
		return s.orOff("a share such as 95%")
	}
	if len(s.enum) > 0 {
		return "one of " + strings.Join(s.enum, ", ")
	}
	if s.number != "" {
		return s.number + " or a duration"
	}
	return "text"
}

func (s *spec) orOff(what string) string {
	if s.off {
		return what + ", or off"
	}
	return what
}

// worded tells of a value that is a word: quotes do no harm.
func (s *spec) worded() bool {
	return s.kind == text || s.kind == duration || s.kind == size || s.kind == share
}
