package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
	"weir.dev/weir/internal/weirtest/typeschema"
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

func generated(t *testing.T) []byte {
	t.Helper()
	g := typeschema.New()
	g.Enum(reflect.TypeFor[weir.Outcome](), weir.Outcomes())
	for _, dir := range []string{".", "../stats", "../.."} {
		if err := g.ReadComments(dir); err != nil {
			t.Fatal(err)
		}
	}
	forms := []any{g.Of(reflect.TypeFor[report.Summary]()), g.Of(reflect.TypeFor[report.Sweep]()), g.Of(reflect.TypeFor[report.Comparison]())}
	for def, form := range map[string]string{"Summary": report.Schema, "SweepPoint": report.Schema, "ComparedRun": report.Schema, "Sweep": report.SweepSchema, "Comparison": report.ComparisonSchema} {
		g.Const(def, "schema", form)
	}
	b, err := json.MarshalIndent(typeschema.Object{
		"$schema": typeschema.Draft, "$id": "https://weir.dev/schema/report.json",
		"title":       "what weir writes with -o json",
		"description": "Names that end in _ms are milliseconds, rates are per second, shares are fractions. What was not measured is null, never 0.", "oneOf": forms, "$defs": g.Defs(),
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}
