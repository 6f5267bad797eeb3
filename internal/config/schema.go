package config

import (
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
	return out
}

func (s *spec) form() schema {
	orVariable := func(x schema) schema { return schema{"anyOf": []any{x, withVariable()}} }
	switch s.kind {
	case object:
		return s.objectForm()
	case table:
		return schema{"type": "object", "additionalProperties": s.elem.schema(), "propertyNames": schema{"pattern": s.name.pattern}}
	case list:
		out := schema{"type": "array", "items": s.elem.schema()}
		if s.some {
			out["minItems"] = 1
		}
		return out
	case number:
		return orVariable(schema{"type": "number", "exclusiveMinimum": 0, "maximum": maxNumber})
	case price:
		return orVariable(schema{"type": "number", "minimum": 0, "maximum": maxNumber})
	case count:
		return orVariable(schema{"type": "integer", "minimum": 1, "maximum": maxNumber})
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
