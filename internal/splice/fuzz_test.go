package splice_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"weir.dev/weir/internal/splice"
)

// FuzzScan holds Scan to encoding/json. They differ in what is taken: Scan
// wants an object, UTF-8, and at most MaxDepth levels. Then it holds Edits to
// what encoding/json sees of the text before and after.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"model":"x","messages":[{"role":"user","content":"a\nb\ud83d\ude00"}],"stream_options":{"include_usage":false,"z":[1]},"usage":null}`,
		` { "mod\u0065l" : 1.50e-3 , "usage":{} , "Usage" :[ [ ] , { } ] } `,
		`{"usage":1,"usage":2,"stream_options":null,"stream_options":{"Include_Usage":1}}`,
		`{"a":{"model":true},"b":"\"model\":false","":-0}`, "{\"a\":\"\xff\"}", `{"a":"\q"}`, `[1]`, `{"a":01}`, `{"model":1,}`,
	} {
		f.Add([]byte(seed), "y")
	}
	f.Fuzz(func(t *testing.T, body []byte, model string) {
		var o splice.Object
		err := splice.Scan(body, &o, "model", "stream_options", "usage")
		valid := json.Valid(body) && bytes.TrimLeft(body, " \t\r\n")[0] == '{' && utf8.Valid(body) && depth(body) <= splice.MaxDepth
		if (err == nil) != valid {
			if valid && strings.Contains(err.Error(), "repeated") { // a bound that encoding/json has not
				return
			}
			t.Fatalf("%q: valid %v, but %v", body, valid, err)
		}
		if !valid {
			return
		}
		var e splice.Edits
		if out, err := e.AppendTo(nil, &o); err != nil || !bytes.Equal(out, body) {
			t.Fatalf("%q without an edit: %q %v", body, out, err)
		}
		quoted, _ := json.Marshal(strings.ToValidUTF8(model, "\uFFFD"))
		checkReplaced(t, body, &o, quoted)

		e.Set("model", quoted)
		e.Remove("usage")
		e.SetIn("stream_options", "include_usage", []byte("true"))
		out, err := e.AppendTo(nil, &o)
		if err != nil {
			if strings.Contains(err.Error(), "repeated") {
				return
			}
			t.Fatalf("%q: %v", body, err)
		}
		checkEdited(t, fields(t, body), fields(t, out), string(quoted))
	})
}

// FuzzEvents holds what Edit promises of an event to what encoding/json sees of
// it, and that there is nothing left to do after an edit.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		benchEvent, `{"model" : "" , "choices":[ ],"usage":{}}`, `{"response":{"model":"x"},"message":{"model":null},"modelVersion":"y"}`,
		`{"choices":[],"usage":null,"model":"model\":"}`, `{"model":1,"model":"x"}`, `[DONE]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e := splice.Events{Model: "m", Rewrite: true, DropUsage: true}
		out, change := e.Edit(data)
		if change != splice.Edited && !bytes.Equal(out, data) {
			t.Fatalf("%q: changed to %q, and said %d", data, out, change)
		}
		var o splice.Object
		if splice.Scan(data, &o) != nil || bytes.Contains(data, []byte(`\u`)) { // a key may be spelled so
			return
		}
		var seen map[string]json.RawMessage
		if err := json.Unmarshal(out, &seen); err != nil {
			t.Fatalf("%q: %q %v", data, out, err)
		}
		if change == splice.UsageOnly {
			if seen["usage"] == nil || seen["choices"] == nil {
				t.Fatalf("%q: not a usage alone", data)
			}
			return
		}
		if seen["usage"] != nil {
			t.Fatalf("%q: the usage is still in %q", data, out)
		}
		for _, in := range []string{"", "response", "message"} {
			object := seen
			if in != "" {
				object = nil
				_ = json.Unmarshal(seen[in], &object) // no object: no names
			}
			if name := object["model"]; len(name) > 0 && name[0] == '"' && string(name) != `"m"` {
				t.Fatalf("%q: model %s in %q of %q", data, name, in, out)
			}
		}
		again := bytes.Clone(out)
		if out, change := e.Edit(again); change != splice.Kept {
			t.Fatalf("%q: %q changed again to %q, %d", data, again, out, change)
		}
	})
}

// checkReplaced holds replacing to the very bytes: all others are as before.
func checkReplaced(t *testing.T, body []byte, o *splice.Object, quoted []byte) {
	if o.Count("model") == 0 {
		return
	}
	var want []byte
	done := 0
	for _, f := range fields(t, body) {
		if foldsTo(f.name, "model") {
			want = append(append(want, body[done:f.end-len(f.value)]...), quoted...)
			done = f.end
		}
	}
	want = append(want, body[done:]...)
	var e splice.Edits
	e.Set("model", quoted)
	if out, err := e.AppendTo(nil, o); err != nil || !bytes.Equal(out, want) {
		t.Fatalf("%q: %q %v, want %q", body, out, err, want)
	}
}

type field struct {
	name, value string
	end         int // of the value
}

// fields are an object's members by encoding/json, their values as they stand.
func fields(t *testing.T, body []byte) (list []field) {
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		list = append(list, field{name.(string), string(value), int(d.InputOffset())})
	}
	if !json.Valid(body) {
		t.Fatalf("no JSON: %q", body)
	}
	return list
}

// withValue is list with the member name set to value: where it stands, or else
// as the last.
func withValue(list []field, name, value string) []field {
	var want []field
	there := false
	for _, f := range list {
		if foldsTo(f.name, name) {
			f.value = value
		}
		there = there || f.name == name
		want = append(want, f)
	}
	if !there {
		want = append(want, field{name: name, value: value})
	}
	return want
}

// checkEdited holds the edits of FuzzScan to what they should make of before.
func checkEdited(t *testing.T, before, after []field, model string) {
	before = slices.DeleteFunc(before, func(f field) bool { return foldsTo(f.name, "usage") })
	want := withValue(before, "model", model)
	if !slices.ContainsFunc(want, func(f field) bool { return f.name == "stream_options" }) {
		want = append(want, field{name: "stream_options", value: "null"})
	}
	same := func(got, want field) bool {
		if !foldsTo(want.name, "stream_options") {
			return got.name == want.name && got.value == want.value
		}
		switch want.value[0] {
		case 'n':
			want.value = `{"include_usage":true}`
		case '{':
			inner := withValue(fields(t, []byte(want.value)), "include_usage", "true")
			return slices.EqualFunc(fields(t, []byte(got.value)), inner, func(a, b field) bool { return a.name == b.name && a.value == b.value })
		}
		return got.name == want.name && got.value == want.value
	}
	if !slices.EqualFunc(after, want, same) {
		t.Fatalf("got %+v\nwant %+v", after, want)
	}
}

// foldsTo tells whether two names differ at most in the case of ASCII letters.
func foldsTo(name, want string) bool {
	return len(name) == len(want) && strings.EqualFold(name, want)
}

// depth is how deep a valid text is.
func depth(body []byte) (deepest int) {
	n, inside := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			n++
			deepest = max(deepest, n)
		case c == '}' || c == ']':
			n--
		}
	}
	return deepest
}
