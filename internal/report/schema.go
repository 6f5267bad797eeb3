package report

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var jsonSchema []byte

// JSONSchema is the JSON Schema (draft 2020-12) of a Summary, a Sweep and a
// Comparison, as -o json writes them; docs/schema has it, too. A new field leaves
// a form's number as it is; one that is gone, renamed or of another meaning
// raises it.
func JSONSchema() []byte { return slices.Clone(jsonSchema) }
