package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"weir.dev/weir"
)

// What the rows of a CSV file are.
const (
	RowsRequests = "requests" // a row a request, warm-up included: weir.Sample
	RowsTargets  = "targets"  // a row a target: TargetSummary
)

// CSV writes a document as comma-separated values: a head, and a row for each
// request or target. The columns and their order follow from the types alone,
// with the names of the JSON, those inside an object after a dot; of a sweep or
// a comparison, point or run stands before them. What was not measured is
// empty, several texts are separated by "; ".
func CSV(w io.Writer, d Document, rows string) error {
	columns := columnsOf(reflect.TypeFor[weir.Sample](), "")
	if rows == RowsTargets {
		columns = columnsOf(reflect.TypeFor[TargetSummary](), "")
	}
	out := csv.NewWriter(w)
	labels, runs := d.runs()
	head := slices.Clone(labels)
	for _, c := range columns {
		head = append(head, c.name)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, run := range runs {
		values := reflect.ValueOf(run.Requests)
		if rows == RowsTargets {
			values = reflect.ValueOf(run.Targets)
		}
		for i := range values.Len() {
			record := make([]string, 0, len(head))
			for _, label := range run.labels {
				record = append(record, inField(label))
			}
			for _, c := range columns {
				record = append(record, c.of(values.Index(i)))
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// column is one of a struct's values as text.
type column struct {
	name string
	of   func(reflect.Value) string
}

var (
	marshaler  = reflect.TypeFor[json.Marshaler]()
	stringList = reflect.TypeFor[[]string]()
	outcomes   = reflect.TypeFor[map[weir.Outcome]int]()
)

// columnsOf goes through a struct's fields in order.
func columnsOf(t reflect.Type, prefix string) (columns []column) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inside := prefix + name + "."
		if f.Anonymous && name == "" {
			inside = prefix
		}
		for _, c := range fieldColumns(f.Type, prefix+name, inside) {
			columns = append(columns, column{c.name, func(v reflect.Value) string { return c.of(v.Field(i)) }})
		}
	}
	return columns
}

// fieldColumns are those of one value: itself, or what is inside it.
func fieldColumns(t reflect.Type, name, inside string) []column {
	switch {
	case t == outcomes:
		return outcomeColumns(inside)
	case t.Implements(marshaler):
	case t.Kind() == reflect.Struct:
		return columnsOf(t, inside)
	case t.Kind() == reflect.Pointer:
		columns := columnsOf(t.Elem(), inside)
		for i, c := range columns {
			columns[i].of = func(v reflect.Value) string {
				if v.IsNil() {
					return ""
				}
				return c.of(v.Elem())
			}
		}
		return columns
	}
	return []column{{name, asText}}
}

// outcomeColumns count each outcome there is.
func outcomeColumns(inside string) (columns []column) {
	for _, o := range weir.Outcomes() {
		columns = append(columns, column{inside + string(o), func(v reflect.Value) string {
			return strconv.Itoa(v.Interface().(map[weir.Outcome]int)[o])
		}})
	}
	return columns
}

// asText is a value as text: as in JSON, null empty, texts without their quotes.
func asText(v reflect.Value) string {
	switch {
	case v.Type() == stringList:
		return inField(strings.Join(v.Interface().([]string), "; "))
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0:
		return ""
	case v.Kind() == reflect.String:
		return inField(v.String())
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	b, err := json.Marshal(v.Interface())
	text := string(b)
	if err != nil {
		return fmt.Sprint(v.Interface()) // a number that JSON does not have
	}
	if text == "null" {
		return ""
	}
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(b, &text); err != nil {
			return inField(string(b))
		}
	}
	return inField(text)
}

// inField is a text as a field has it: Visible, but for the ends of its lines.
func inField(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Visible(lines[i])
	}
	return strings.Join(lines, "\n")
}
