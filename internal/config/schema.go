package config

import (
	"cmp"
	"encoding/json"
)

// Schema is the JSON Schema (draft 2020-12) of weir.yaml, for editors. It is
// made of the table that Load follows.
func Schema() []byte {
	s := root().schema()
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "weir.yaml"
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic("config: the schema is not JSON: " + err.Error()) // it is strings, numbers and maps
	}
	return append(b, '\n')
}

type schema = map[string]any

// withVariable is what any value may be: a text that holds a ${VAR}.
func withVariable() schema { return schema{"type": "string", "pattern": `\$\{`} }

func (s *spec) schema() schema {
	out := s.form()
	if s.doc != "" {
		out["description"] = s.doc
	}
	if s.def != "" {
		out["default"] = s.def
		switch x, _ := s.quantity(&scalar{text: s.def}); {
		case s.kind == toggle:
			out["default"] = x != 0
		case (s.kind == count || s.kind == number) && s.def != "off":
			out["default"] = x
		}
	}
	return out
}

func (s *spec) form() schema {
	orVariable := func(x schema) schema {
		any := []any{x, withVariable()}
		if s.off {
			any = append(any, schema{"const": "off"})
		}
		return schema{"anyOf": any}
	}
	switch s.kind {
	case object:
		return s.shortOr(s.objectForm())
	case table:
		out := schema{"type": "object", "additionalProperties": s.elem.schema(), "propertyNames": schema{"pattern": s.name.pattern}}
		if s.some {
			out["minProperties"] = 1
		}
		return out
	case list:
		return s.listForm()
	case toggle:
		return orVariable(schema{"type": "boolean"})
	case duration:
		return orVariable(schema{"type": "string", "pattern": durationForm})
	case size:
		return orVariable(schema{"type": "string", "pattern": sizeForm})
	case share:
		return schema{"anyOf": append(orVariable(schema{"type": "number", "minimum": minShare, "maximum": 1})["anyOf"].([]any), schema{"type": "string", "pattern": percentForm})}
	case number:
		return orVariable(schema{"type": "number", "exclusiveMinimum": 0, "maximum": maxNumber})
	case price:
		return orVariable(schema{"type": "number", "minimum": 0, "maximum": maxNumber})
	case count:
		return orVariable(schema{"type": "integer", "minimum": 1, "maximum": cmp.Or(s.most, maxNumber)})
	case later: // nothing satisfies it
		return schema{"not": schema{}}
	}
	switch {
	case len(s.enum) > 0:
		return orVariable(schema{"enum": s.enum})
	case s.number != "":
		return schema{"anyOf": []any{schema{"const": json.Number(s.number)}, schema{"type": "string", "minLength": 1}}}
	}
	out := schema{"type": "string", "minLength": 1}
	if s.digits {
		out["type"] = []string{"string", "integer"}
	}
	return out
}

func (s *spec) listForm() schema {
	out := schema{"type": "array", "items": s.elem.schema()}
	if s.some {
		out["minItems"] = 1
	}
	if s.lone {
		return schema{"anyOf": []any{out, s.elem.form()}}
	}
	return out
}

// shortOr is an object, or what stands for some of its keys.
func (s *spec) shortOr(object schema) schema {
	if len(s.short) == 0 {
		return object
	}
	any := []any{object}
	for _, name := range s.short {
		any = append(any, s.find(name).form())
	}
	return schema{"anyOf": any}
}

func (s *spec) objectForm() schema {
	properties, required := schema{}, []string{}
	for _, k := range s.keys {
		properties[k.name] = k.schema()
		if k.required {
			required = append(required, k.name)
		}
	}
	out := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	if s.empty {
		out["type"] = []string{"object", "null"}
	}
	return out
}
