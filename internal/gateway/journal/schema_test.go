package journal_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/weirtest/typeschema"
)

var update = flag.Bool("update", false, "write the schema in docs")

// TestSchemaIsOfTheTypes: the published schema is what the Go types and their
// comments say.
func TestSchemaIsOfTheTypes(t *testing.T) {
	want := generated(t)
	path := filepath.Join("..", "..", "..", "docs", "schema", "request.json")
	if *update {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/gateway/journal -update writes it)", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-types +published; go test ./internal/gateway/journal -update writes it):\n%s", path, d)
	}
}

// TestSchemaTakesWhatIsWritten: records keep to it, and what is not in it is in
// none.
func TestSchemaTakesWhatIsWritten(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(generated(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, def := range doc.(typeschema.Object)["$defs"].(typeschema.Object) {
		def.(typeschema.Object)["additionalProperties"] = false // the published one leaves room for new fields
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("request.json", doc); err != nil {
		t.Fatal(err)
	}
	v, err := c.Compile("request.json")
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, journal.Options{})
	whole, empty := full(), journal.Record{ID: "2", Outcome: weir.Canceled}
	for _, r := range []*journal.Record{&whole, &empty} {
		l.Add(r)
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Validate(instance); err != nil {
			t.Errorf("%s: %v", b, err)
		}
		delete(instance.(typeschema.Object), "outcome")
		if v.Validate(instance) == nil {
			t.Error("taken without an outcome")
		}
	}
}

func generated(t *testing.T) []byte {
	t.Helper()
	g := typeschema.New()
	g.Enum(reflect.TypeFor[weir.Outcome](), weir.Outcomes())
	for _, dir := range []string{".", "../../.."} {
		if err := g.ReadComments(dir); err != nil {
			t.Fatal(err)
		}
	}
	form := g.Of(reflect.TypeFor[journal.Record]())
	g.Const("Record", "schema", journal.Schema)
	b, err := json.MarshalIndent(typeschema.Object{
		"$schema": typeschema.Draft, "$id": "https://weir.dev/schema/request.json",
		"title":       "one request of weir gateway",
		"description": "A line of the request log, and what GET /api/v1/requests/{id} answers. Names that end in _ms are milliseconds. What was not measured is null, never 0.",
		"$ref":        form["$ref"], "$defs": g.Defs(),
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}
