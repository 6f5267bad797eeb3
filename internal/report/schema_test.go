package report_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

// TestSchemaIsOfTheTypes: the published schema is what the Go types and their
// comments say.
func TestSchemaIsOfTheTypes(t *testing.T) {
	want := generated(t)
	published := filepath.Join("..", "..", "docs", "schema", "report.json")
	for _, path := range []string{"schema.json", published} {
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (go test ./internal/report -update writes it)", err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s (-types +published; go test ./internal/report -update writes it):\n%s", path, d)
		}
	}
}

// TestSchemaTakesWhatIsWritten: real documents keep to it, and what is not in it
// is in no document.
func TestSchemaTakesWhatIsWritten(t *testing.T) {
	v := validator(t)
	sweep := handmade.Queueing()
	before, after := handmade.Run(), handmade.Run()
	handmade.Good(&before, "north", 3, time.Second, time.Millisecond)
	handmade.Good(&after, "north", 3, time.Second, time.Millisecond)
	handmade.Apart(&before, &after)
	comparison := report.NewComparison([]report.Named{{Name: "before", Run: before}, {Name: "after", Run: after}})
	merged := before
	merged.Merged = []report.MergedRun{{Name: "before", Started: before.Started, Duration: weir.Dur(before.Duration), Seed: 1}, {Name: "after", Started: after.Started, Duration: weir.Dur(after.Duration), Seed: 2}}
	full := handmade.EveryClass()
	full.Settings.SLO, full.Settings.Extra = "ttft<=300ms,success>=99%", map[string]json.RawMessage{"top_p": json.RawMessage("0.9")}
	full.Settings.Targets[0].Price = &weir.Price{Rates: weir.Rates{Input: weir.Some(1.0)}, Tiers: []weir.PriceTier{{From: 9}}}
	full.Lost = []string{"something"}
	for name, doc := range map[string]any{
		"nothing": report.Summarise(handmade.Run()), "every class": report.Summarise(full), "merged": report.Summarise(merged), "zero": report.Summarise(report.Run{}),
		"laps":  report.Summarise(handmade.Laps(30, time.Minute, [2]time.Duration{time.Second, time.Second}, [2]time.Duration{1e6, 2e6})),
		"sweep": sweep, "comparison": comparison,
	} {
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Validate(instance); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		object := instance.(map[string]any)
		delete(object, "metrics_version")
		if v.Validate(object) == nil {
			t.Errorf("%s: taken without its metrics version", name)
		}
	}
}

// validator is the published schema, under which nothing else may be in an
// object: the published one leaves room for new fields.
func validator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	for _, def := range doc.(map[string]any)["$defs"].(map[string]any) {
		if def := def.(map[string]any); def["properties"] != nil {
			def["additionalProperties"] = false
		}
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type object = map[string]any

// schemas makes JSON Schemas of types, each struct a definition of its own.
type schemas struct {
	defs     object
	comments map[string]string // of a type or of its field, such as Summary.Started
}

func generated(t *testing.T) []byte {
	t.Helper()
	g := schemas{object{}, map[string]string{}}
	for _, dir := range []string{".", "../stats", "../.."} {
		g.readComments(t, dir)
	}
	forms := []any{g.of(reflect.TypeFor[report.Summary]()), g.of(reflect.TypeFor[report.Sweep]()), g.of(reflect.TypeFor[report.Comparison]())}
	for def, form := range map[string]string{"Summary": report.Schema, "SweepPoint": report.Schema, "ComparedRun": report.Schema, "Sweep": report.SweepSchema, "Comparison": report.ComparisonSchema} {
		g.defs[def].(object)["properties"].(object)["schema"] = object{"const": form}
	}
	b, err := json.MarshalIndent(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://weir.dev/schema/report.json",
		"title":       "what weir writes with -o json",
		"description": "Names that end in _ms are milliseconds, rates are per second, shares are fractions. What was not measured is null, never 0.", "oneOf": forms, "$defs": g.defs,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

// of is the schema of a type's values.
func (g *schemas) of(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[weir.Dur]():
		return object{"type": "number"}
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return object{}
	case t == reflect.TypeFor[weir.Outcome]():
		return object{"enum": weir.Outcomes()}
	case strings.HasPrefix(t.Name(), "Opt["):
		return orNull(g.of(t.Field(0).Type))
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Pointer:
		return orNull(g.of(t.Elem()))
	case reflect.Slice:
		return object{"type": []string{"array", "null"}, "items": g.of(t.Elem())}
	case reflect.Map:
		return object{"type": []string{"object", "null"}, "propertyNames": g.of(t.Key()), "additionalProperties": g.of(t.Elem())}
	case reflect.Struct:
		if g.defs[t.Name()] == nil {
			g.define(t)
		}
		return object{"$ref": "#/$defs/" + t.Name()}
	}
	return object{"type": "integer"}
}

func orNull(s object) object {
	if one, ok := s["type"].(string); ok && s["format"] == nil {
		return object{"type": []string{one, "null"}}
	}
	return object{"anyOf": []any{s, object{"type": "null"}}}
}

func (g *schemas) define(t reflect.Type) {
	properties, required := object{}, []string{}
	g.defs[t.Name()] = object{}
	g.fields(t, properties, &required)
	slices.Sort(required)
	def := object{"type": "object", "properties": properties, "required": required}
	if c := g.comments[t.Name()]; c != "" {
		def["description"] = c
	}
	g.defs[t.Name()] = def
}

func (g *schemas) fields(t reflect.Type, properties object, required *[]string) {
	for f := range t.Fields() {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			g.fields(inner, properties, required)
			continue
		}
		s := g.of(f.Type)
		if c := g.comments[t.Name()+"."+f.Name]; c != "" {
			s["description"] = c
		}
		properties[name] = s
		if rest == "" {
			*required = append(*required, name)
		}
	}
}

// readComments keeps what a package says of its types and their fields.
func (g *schemas) readComments(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				g.keep(d)
			}
		}
	}
}

func (g *schemas) keep(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		spec := spec.(*ast.TypeSpec)
		g.comments[spec.Name.Name] = new(doc.Package).Synopsis(d.Doc.Text())
		of, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range of.Fields.List {
			text := f.Comment.Text()
			if text == "" {
				text = f.Doc.Text()
			}
			for _, name := range f.Names {
				g.comments[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(text), " ")
			}
		}
	}
}
