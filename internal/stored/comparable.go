package stored

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// Compare puts runs beside each other, in the order given. Runs of different
// workloads are refused, and so is one that is named twice.
func Compare(runs []report.Named) (*report.Comparison, error) {
	if err := checkComparable(runs); err != nil {
		return nil, err
	}
	return report.NewComparison(runs), nil
}

// checkComparable tells why runs may not stand beside each other: figures of
// different workloads are never ranked or merged.
func checkComparable(runs []report.Named) error {
	of := map[string]int{} // a request, and the run it is of
	for i, one := range runs {
		for k := range one.Run.Samples {
			id := one.Run.Samples[k].ID
			if j, twice := of[id]; twice && id != "" && i != j {
				return &weir.Error{
					Code: "run_twice", Message: fmt.Sprintf("%s and %s hold the same request %s", runs[j].Name, one.Name, id),
					Hint: "name each run once",
				}
			}
			of[id] = i
		}
		if err := sameWork(runs[0], one); err != nil {
			return err
		}
	}
	return nil
}

func sameWork(a, b report.Named) error {
	left, right := &a.Run.Settings, &b.Run.Settings
	if left.WorkloadID == right.WorkloadID {
		return nil
	}
	hint := "only runs of the same work under the same load are compared or merged"
	if laps(left) != laps(right) {
		hint = "several targets wait for each other in laps, which is another load than one target's: bench both with --no-laps, or the same number of targets"
	}
	what, err := differing(left, right)
	if err != nil {
		return err
	}
	if what == "" {
		what = fmt.Sprintf("workload_id %s and %s, in something that the settings do not hold", left.WorkloadID, right.WorkloadID)
	}
	return &weir.Error{
		Code: "workloads_differ", Message: fmt.Sprintf("%s and %s are of different workloads: %s", a.Name, b.Name, what),
		Hint: hint,
	}
}

// laps tells whether slots waited for each other (bench.Config.LoadID).
func laps(s *report.Settings) bool { return strings.HasPrefix(s.Shape, "laps") }

// differing is the first setting of the workload in which two runs differ, with
// both values: "input_tokens 256 and 1000".
func differing(a, b *report.Settings) (string, error) {
	left, order, err := flatten(a)
	if err != nil {
		return "", err
	}
	right, more, err := flatten(b)
	if err != nil {
		return "", err
	}
	for _, name := range append(order, more...) {
		if x, y := left[name], right[name]; x != y {
			return fmt.Sprintf("%s %s and %s", name, orNone(x), orNone(y)), nil
		}
	}
	return "", nil
}

func orNone(text string) string {
	const most = 60
	switch {
	case text == "":
		return "none"
	case len(text) > most:
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// flatten is what of the settings makes the workload, by the names in JSON.
func flatten(s *report.Settings) (values map[string]string, order []string, err error) {
	work := *s // not of whom, how often, from which seed, or until when
	work.Targets, work.Requests, work.Warmup, work.Seed, work.WorkloadID, work.SLO, work.Until = nil, 0, 0, 0, "", "", ""
	work.Limits, work.Work.Salt = report.LimitSettings{}, ""
	b, err := json.Marshal(work)
	if err != nil {
		return nil, nil, fmt.Errorf("settings: %w", err)
	}
	values = map[string]string{}
	var walk func(prefix string, raw json.RawMessage) error
	walk = func(prefix string, raw json.RawMessage) error {
		if !bytes.HasPrefix(raw, []byte("{")) {
			values[prefix] = string(raw)
			order = append(order, prefix)
			return nil
		}
		return members(raw, func(name string, value json.RawMessage) error {
			if prefix != "" {
				name = prefix + "." + name
			}
			return walk(name, value)
		})
	}
	return values, order, walk("", b)
}

// members yields an object's in their order.
func members(object json.RawMessage, yield func(name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := yield(fmt.Sprint(name), value); err != nil {
			return err
		}
	}
	return nil
}
