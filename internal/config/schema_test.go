package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

func schemaOf(t *testing.T) map[string]any {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemaGolden(t *testing.T) { golden(t, "schema.json", string(Schema())) }

// Every key that the walk knows is in the schema, at the same place, and the
// other way round.
func TestSchemaHasEveryKey(t *testing.T) {
	var compare func(path string, s *spec, x map[string]any)
	compare = func(path string, s *spec, x map[string]any) {
		if x == nil {
			t.Errorf("%s is not in the schema", path)
			return
		}
		if d, _ := x["description"].(string); d == "" {
			t.Errorf("%s has no description", path)
		}
		if options, ok := x["anyOf"].([]any); ok && (s.kind == object || s.kind == list) {
			x = options[0].(map[string]any)
		}
		switch s.kind {
		case object:
			props, _ := x["properties"].(map[string]any)
			if len(props) != len(s.keys) {
				t.Errorf("%s: %d properties for %d keys", path, len(props), len(s.keys))
			}
			if x["additionalProperties"] != false {
				t.Errorf("%s takes other keys", path)
			}
			for _, k := range s.keys {
				p, _ := props[k.name].(map[string]any)
				compare(path+"."+k.name, k.spec, p)
				required, _ := x["required"].([]any)
				if slices.Contains(required, any(k.name)) != k.required {
					t.Errorf("%s.%s: required is not %t", path, k.name, k.required)
				}
			}
		case table:
			elem, _ := x["additionalProperties"].(map[string]any)
			compare(path+".*", s.elem, elem)
		case list:
			elem, _ := x["items"].(map[string]any)
			compare(path+"[]", s.elem, elem)
		}
	}
	compare("", root(), schemaOf(t))
}

// What Load takes, the schema takes.
func TestSchemaAgreesWithGoodFiles(t *testing.T) {
	schema := schemaOf(t)
	paths, _ := filepath.Glob("testdata/good/*.yaml")
	doubtful, _ := filepath.Glob("testdata/doubtful/*.yaml")
	paths = append(paths, doubtful...)
	for _, path := range append(paths, "example.yaml") {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range violations(schema, plainTree(t, src), "") {
			t.Errorf("%s: %s", path, fault)
		}
	}
}

// What is wrong in form with these, the schema says, too.
func TestSchemaRefusesBadFiles(t *testing.T) {
	schema := schemaOf(t)
	for _, name := range []string{"unknown_key", "wrong_type", "wrong_type_root", "price_negative", "weight_zero", "provider_name", "target_incomplete", "model_without_targets", "dialect_bad", "sections_later", "header_bad", "settings_bad", "target_settings", "keys_bad", "routes_empty", "route_policy", "listen_bad"} {
		src, err := os.ReadFile(filepath.Join("testdata", "bad", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if len(violations(schema, plainTree(t, src), "")) == 0 {
			t.Errorf("the schema takes %s", name)
		}
	}
}

// plainTree is what a file says, as JSON would have it.
func plainTree(t *testing.T, src []byte) any {
	t.Helper()
	r := &reader{seen: map[string]bool{}, anchors: map[string]anchor{}}
	text, _ := r.text(src)
	f, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	body := r.single(f)
	r.collect(body)
	var plain func(n ast.Node) any
	plain = func(n ast.Node) any {
		switch n := r.resolve(n, "").(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			out := map[string]any{}
			for _, e := range r.entries(n, "") {
				out[e.name] = plain(e.value)
			}
			return out
		case *ast.SequenceNode:
			out := []any{}
			for _, v := range n.Values {
				out = append(out, plain(v))
			}
			return out
		case ast.ScalarNode:
			return word(n)
		}
		return nil
	}
	return plain(body)
}

// word is a scalar as JSON would have it.
func word(n ast.ScalarNode) any {
	switch n := n.(type) {
	case *ast.StringNode:
		if n.Token.Type == token.StringType && decimal.MatchString(n.Value) { // 1e3, which the library takes for text
			v, _ := (&spec{kind: price}).parse(&scalar{text: n.Value})
			return v
		}
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.IntegerNode:
		return reflect.ValueOf(n.Value).Convert(reflect.TypeFor[float64]()).Interface()
	}
	return n.GetValue()
}

// violations checks a value against the words of JSON Schema that Schema uses.
func violations(s map[string]any, v any, path string) (out []string) {
	bad := func(format string, args ...any) { out = append(out, path+": "+fmt.Sprintf(format, args...)) }
	if any, ok := s["anyOf"].([]any); ok {
		for _, option := range any {
			if len(violations(option.(map[string]interface{}), v, path)) == 0 {
				return nil
			}
		}
		bad("%v is none of what it may be", v)
		return out
	}
	if _, ok := s["not"]; ok {
		bad("not allowed")
	}
	if enum, ok := s["enum"].([]any); ok && !slices.Contains(enum, v) {
		bad("%v is not in the enum", v)
	}
	if c, ok := s["const"]; ok && c != v {
		bad("%v is not %v", v, c)
	}
	if types := fmt.Sprint(s["type"]); s["type"] != nil && !strings.Contains(types, typeOf(v)) && (types != "number" || typeOf(v) != "integer") {
		bad("%v is no %s", v, types)
		return out
	}
	return append(out, within(s, v, path)...)
}

// within checks a value of the right type.
func within(s map[string]any, v any, path string) (out []string) {
	bad := func(format string, args ...any) { out = append(out, path+": "+fmt.Sprintf(format, args...)) }
	switch v := v.(type) {
	case string:
		if p, ok := s["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) {
			bad("%q does not match %s", v, p)
		}
		if s["minLength"] != nil && v == "" {
			bad("empty")
		}
	case float64:
		if m, ok := s["minimum"].(float64); ok && v < m {
			bad("%v is too small", v)
		}
		if m, ok := s["exclusiveMinimum"].(float64); ok && v <= m {
			bad("%v is too small", v)
		}
		if m, ok := s["maximum"].(float64); ok && v > m {
			bad("%v is too large", v)
		}
	case []any:
		if s["minItems"] != nil && len(v) == 0 {
			bad("empty")
		}
		items, _ := s["items"].(map[string]any)
		for _, item := range v {
			out = append(out, violations(items, item, path+"[]")...)
		}
	case map[string]any:
		if s["minProperties"] != nil && len(v) == 0 {
			bad("empty")
		}
		out = append(out, inObject(s, v, path)...)
	}
	return out
}

func inObject(s, v map[string]any, path string) (out []string) {
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			out = append(out, path+": no "+name.(string))
		}
	}
	props, _ := s["properties"].(map[string]any)
	for name, value := range v {
		if names, ok := s["propertyNames"].(map[string]any); ok && !regexp.MustCompile(names["pattern"].(string)).MatchString(name) {
			out = append(out, path+": bad name "+name)
		}
		p, ok := props[name].(map[string]any)
		if !ok {
			if p, ok = s["additionalProperties"].(map[string]any); !ok {
				out = append(out, path+": unknown "+name)
				continue
			}
		}
		out = append(out, violations(p, value, path+"."+name)...)
	}
	return out
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func TestExample(t *testing.T) {
	w := testWorld()
	cfg, ps := Load("weir.yaml", []byte(Example()), w)
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	if targets, ok := cfg.Model("llama-70b"); !ok || len(targets) != 2 {
		t.Errorf("targets: %+v", targets)
	}
	// What is commented out is sound, too.
	commented := regexp.MustCompile(`(?m)^( *)# ( *(?:- )?[A-Za-z_0-9-]+:( .*)?)$`)
	all := commented.ReplaceAllString(Example(), "$1$2")
	if n := len(commented.FindAllString(Example(), -1)); n != 32 {
		t.Errorf("%d keys are commented out, not 32:\n%s", n, all)
	}
	if _, ps := Load("weir.yaml", []byte(all), w); ps.Err() != nil {
		t.Errorf("with all comments taken away:\n%v\n%s", ps, all)
	}
}
