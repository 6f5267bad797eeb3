package cast

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"weir.dev/weir"
	"weir.dev/weir/internal/nearest"
)

// MaxBytes is the largest file that Parse takes: the library's parser takes time
// quadratic in its size.
const MaxBytes = 256 << 10

const (
	maxWords     = 20_000
	maxProviders = 100
)

// Parse reads providers: a mapping of names to personalities. name is the
// file's, for its errors, which say all that is wrong with the values and the
// first thing that is wrong with the form.
func Parse(name string, src []byte) ([]Personality, error) {
	f := file{name: name, presets: Presets}
	return f.parse(src)
}

type file struct {
	name    string
	presets func() []Personality // that like may name
	wrong   []complaint
}

func (f *file) parse(src []byte) ([]Personality, error) {
	root, err := f.document(src)
	if err != nil {
		return nil, err
	}
	var all []Personality
	for _, v := range pairs(root) {
		if p, ok := f.personality(v); ok {
			all = append(all, p)
		}
	}
	if len(f.wrong) > 0 {
		return nil, f.error()
	}
	slices.SortFunc(all, func(a, b Personality) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// document is the mapping under providers.
func (f *file) document(src []byte) (root ast.Node, err error) {
	switch {
	case len(src) > MaxBytes:
		return nil, f.fail(nil, "the file is larger than 256 KiB", "is this the right file?")
	case !utf8.Valid(src):
		return nil, f.fail(nil, "the file is not UTF-8", "save it as UTF-8")
	}
	defer func() { // the library has panicked on broken input before
		if recover() != nil {
			root, err = nil, f.fail(nil, "the YAML parser cannot read this file", "")
		}
	}()
	words := lexer.Tokenize(string(src))
	if len(words) > maxWords {
		return nil, f.fail(words[maxWords], "the file holds too much", fmt.Sprintf("at most %d words and signs", maxWords))
	}
	for _, w := range words {
		if w.Type == token.AnchorType || w.Type == token.AliasType || w.Type == token.MergeKeyType || w.Type == token.TagType {
			return nil, f.fail(w, "anchors, aliases and tags are not read here", "like: NAME begins from a preset")
		}
	}
	parsed, err := parser.Parse(words, 0)
	if err != nil {
		return nil, f.library(err)
	}
	if len(parsed.Docs) != 1 || parsed.Docs[0].Body == nil {
		return nil, f.fail(nil, "the file has to be one document, and not empty", "begin with providers:")
	}
	top := pairs(parsed.Docs[0].Body)
	if len(top) != 1 || top[0].Key.GetToken().Value != "providers" || len(pairs(top[0].Value)) == 0 {
		return nil, f.fail(parsed.Docs[0].Body.GetToken(), "the file has to hold providers and nothing else", "providers: {NAME: {gpu: h100-sxm, ...}}")
	}
	if n := len(pairs(top[0].Value)); n > maxProviders {
		return nil, f.fail(top[0].Value.GetToken(), fmt.Sprintf("%d providers", n), fmt.Sprintf("at most %d", maxProviders))
	}
	return top[0].Value, nil
}

// personality reads one provider; what is wrong is noted.
func (f *file) personality(v *ast.MappingValueNode) (Personality, bool) {
	before := len(f.wrong)
	key := v.Key.GetToken()
	p, ok := f.begin(v.Value)
	if ok && f.durations(v.Value, reflect.TypeFor[Personality]()) && v.Value.Type() != ast.NullType {
		if err := yaml.NodeToValue(v.Value, &p, yaml.Strict()); err != nil {
			f.addLibrary(err)
			return p, false
		}
	}
	p.Name = key.Value
	if !validName(p.Name) {
		f.add(key, fmt.Sprintf("%q cannot be a provider's name", p.Name), "letters, digits, dots, dashes and underscores; it is a part of the URL")
	}
	if ok {
		for _, w := range p.check() {
			f.add(place(v, w.path), w.what, w.fix)
		}
	}
	return p, len(f.wrong) == before
}

// begin is the personality that a node's like names.
func (f *file) begin(n ast.Node) (Personality, bool) {
	for _, v := range pairs(n) {
		if v.Key.GetToken().Value != "like" {
			continue
		}
		name := v.Value.GetToken().Value
		presets := f.presets()
		for _, p := range presets {
			if p.Name == name {
				return p, true
			}
		}
		f.add(v.Value.GetToken(), fmt.Sprintf("there is no preset %q", name), meant(name, presets))
		return Personality{}, false
	}
	return defaults(), true
}

func meant(name string, presets []Personality) string {
	var known []string
	for _, p := range presets {
		known = append(known, p.Name)
	}
	hint := "one of " + list(known)
	if near := nearest.Names(name, known); len(near) > 0 {
		hint = "did you mean " + list(near) + "? " + hint
	}
	return hint
}

func validName(s string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 64 && strings.Trim(s, ".") != ""
}

// place is where a key of a provider stands, or the nearest thing above it.
func place(v *ast.MappingValueNode, path string) *token.Token {
	at, node := v.Key.GetToken(), v.Value
	for step := range strings.SplitSeq(strings.NewReplacer("[", ".", "]", "").Replace(path), ".") {
		next := child(node, step)
		if next == nil {
			break
		}
		at, node = next.GetToken(), next
		if m := pairs(node); len(m) > 0 { // a mapping's token is its first colon
			at = m[0].Key.GetToken()
		}
	}
	return at
}

func child(n ast.Node, step string) ast.Node {
	if seq, ok := n.(*ast.SequenceNode); ok {
		var i int
		if _, err := fmt.Sscan(step, &i); err == nil && i < len(seq.Values) {
			return seq.Values[i]
		}
		return nil
	}
	for _, v := range pairs(n) {
		if v.Key.GetToken().Value == step {
			return v.Value
		}
	}
	return nil
}

func pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// Named picks personalities by name, in that order.
func Named(all []Personality, names ...string) ([]Personality, error) {
	byName := map[string]Personality{}
	for _, p := range all {
		byName[p.Name] = p
	}
	var picked []Personality
	for _, name := range names {
		p, ok := byName[name]
		if !ok {
			return nil, &weir.Error{Code: "unknown_provider", Message: fmt.Sprintf("there is no simulated provider %q", name), Hint: meant(name, all)}
		}
		picked = append(picked, p)
	}
	return picked, nil
}

// Names are the names of all, sorted.
func Names(all []Personality) []string {
	set := map[string]bool{}
	for _, p := range all {
		set[p.Name] = true
	}
	return slices.Sorted(maps.Keys(set))
}
