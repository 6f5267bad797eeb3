package typeschema

import (
	"encoding/json"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
)

// Draft names the dialect of JSON Schema that is made.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Object is a JSON object.
type Object = map[string]any

// Schemas makes JSON Schemas of types, each struct a definition of its own.
type Schemas struct {
	defs     Object
	enums    map[reflect.Type]any // closed lists of values
	comments map[string]string    // of a type or of its field, such as Summary.Started
}

// New makes a collection without any definition.
func New() *Schemas {
	return &Schemas{defs: Object{}, enums: map[reflect.Type]any{}, comments: map[string]string{}}
}

// Enum makes a type the closed list of its values.
func (g *Schemas) Enum(t reflect.Type, values any) { g.enums[t] = values }

// Const pins a field of a definition that was made to one value.
func (g *Schemas) Const(def, field string, value any) {
	g.defs[def].(Object)["properties"].(Object)[field] = Object{"const": value}
}

// Defs are the definitions of the structs that Of met.
func (g *Schemas) Defs() Object { return g.defs }

// Of is the schema of a type's values.
func (g *Schemas) Of(t reflect.Type) Object {
	if enum, ok := g.enums[t]; ok {
		return Object{"enum": enum}
	}
	switch {
	case t == reflect.TypeFor[weir.Dur]():
		return Object{"type": "number"}
	case t == reflect.TypeFor[time.Time]():
		return Object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return Object{}
	case strings.HasPrefix(t.Name(), "Opt["):
		return orNull(g.Of(t.Field(0).Type))
	}
	switch t.Kind() {
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Float64:
		return Object{"type": "number"}
	case reflect.Pointer:
		return orNull(g.Of(t.Elem()))
	case reflect.Slice:
		return Object{"type": []string{"array", "null"}, "items": g.Of(t.Elem())}
	case reflect.Map:
		return Object{"type": []string{"object", "null"}, "propertyNames": g.Of(t.Key()), "additionalProperties": g.Of(t.Elem())}
	case reflect.Struct:
		if g.defs[t.Name()] == nil {
			g.define(t)
		}
		return Object{"$ref": "#/$defs/" + t.Name()}
	}
	return Object{"type": "integer"}
}

func orNull(s Object) Object {
	if one, ok := s["type"].(string); ok && s["format"] == nil {
		return Object{"type": []string{one, "null"}}
	}
	return Object{"anyOf": []any{s, Object{"type": "null"}}}
}

func (g *Schemas) define(t reflect.Type) {
	properties, required := Object{}, []string{}
	g.defs[t.Name()] = Object{}
	g.fields(t, properties, &required)
	slices.Sort(required)
	def := Object{"type": "object", "properties": properties, "required": required}
	if c := g.comments[t.Name()]; c != "" {
		def["description"] = c
	}
	g.defs[t.Name()] = def
}

func (g *Schemas) fields(t reflect.Type, properties Object, required *[]string) {
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
		s := g.Of(f.Type)
		if c := g.comments[t.Name()+"."+f.Name]; c != "" {
			s["description"] = c
		}
		properties[name] = s
		if rest == "" {
			*required = append(*required, name)
		}
	}
}

// ReadComments keeps what a package's folder says of its types and their fields.
func (g *Schemas) ReadComments(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				g.keep(d)
			}
		}
	}
	return nil
}

func (g *Schemas) keep(d *ast.GenDecl) {
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
