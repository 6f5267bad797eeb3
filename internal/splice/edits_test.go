package splice_test

import (
	"encoding/json"
	"strings"
	"testing"

	"weir.dev/weir/internal/splice"
)

// apply changes body by edits written as lines: "name=value" sets, "-name"
// removes, "in.name" is one level down.
func apply(t *testing.T, body, edits string) string {
	t.Helper()
	var o splice.Object
	if err := splice.Scan([]byte(body), &o, "model", "stream_options", "usage", "a", "b", "c"); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	var e splice.Edits
	for line := range strings.FieldsSeq(edits) {
		name, value, set := strings.Cut(line, "=")
		in, key, nested := strings.Cut(strings.TrimPrefix(name, "-"), ".")
		switch {
		case nested && set:
			e.SetIn(in, key, []byte(value))
		case nested:
			e.RemoveIn(in, key)
		case set:
			e.Set(in, []byte(value))
		default:
			e.Remove(in)
		}
	}
	out, err := e.AppendTo([]byte("before"), &o)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	got, ok := strings.CutPrefix(string(out), "before")
	if !ok || !json.Valid([]byte(got)) {
		t.Errorf("%s with %s: %s", body, edits, out)
	}
	return got
}

func TestEdits(t *testing.T) {
	for _, c := range []struct{ body, edits, want string }{
		{`{ "z" : 1.0e0 , "model":"x","z":2}`, ``, `{ "z" : 1.0e0 , "model":"x","z":2}`},
		{`{ "z" : 1.0e0 , "model" : "x" ,"z":2}`, `model="y"`, `{ "z" : 1.0e0 , "model" : "y" ,"z":2}`},
		{`{"model":"x","z":[{"model":"x"}],"model":"w"}`, `model="y"`, `{"model":"y","z":[{"model":"x"}],"model":"y"}`},
		{`{"mod\u0065l":"x"}`, `model="y"`, `{"mod\u0065l":"y"}`},
		{`{"model":"x","Model":"w","MODEL":{"a":1}}`, `model="y"`, `{"model":"y","Model":"y","MODEL":"y"}`},
		{`{"Model":"w"}`, `model="y"`, `{"Model":"y","model":"y"}`},
		{`{"z":"{\"model\":\"x\"}"}`, `model="y"`, `{"z":"{\"model\":\"x\"}","model":"y"}`},
		{`{}`, `model="y"`, `{"model":"y"}`},
		{" { \n } ", `model="y" a=1`, " {\"model\":\"y\",\"a\":1 \n } "},
		{"{\"z\":1 \n}", `a=1 b=2`, "{\"z\":1,\"a\":1,\"b\":2 \n}"},
		{`{"model":"x"}`, `model="v" model="y"`, `{"model":"y"}`},

		{`{"a":1}`, `-a`, `{}`},
		{`{ "a" : 1 }`, `-a`, `{  }`},
		{`{"a":1,"z":2}`, `-a`, `{"z":2}`},
		{`{"z":2,"a":1}`, `-a`, `{"z":2}`},
		{`{ "z": 2 , "a" : 1 }`, `-a`, `{ "z": 2  }`},
		{`{ "a" : 1 , "z" : 2 }`, `-a`, `{ "z" : 2 }`},
		{`{"y":1,"a":1,"z":2}`, `-a`, `{"y":1,"z":2}`},
		{`{"a":1,"b":2,"z":3}`, `-a -b`, `{"z":3}`},
		{`{"z":3,"a":1,"b":2}`, `-a -b`, `{"z":3}`},
		{`{"y":0,"a":1, "b":2 ,"a":[","],"z":3}`, `-a -b`, `{"y":0,"z":3}`},
		{`{"a":1,"z":3,"b":2}`, `-a -b`, `{"z":3}`},
		{`{"a":1,"b":2}`, `-a -b`, `{}`},
		{`{"a":1,"b":2,"a":3,"A":4}`, `-a`, `{"b":2}`},
		{`{"a":1,"b":2,"c":3}`, `-a b=9 -c`, `{"b":9}`},
		{`{"a":1}`, `-a b=2`, `{"b":2}`},
		{`{"a":1,"c":2}`, `-a -c b=2`, `{"b":2}`},
		{`{"z":0,"a":1}`, `-a b=2`, `{"z":0,"b":2}`},
		{`{"a":1,"z":0}`, `-a b=2`, `{"z":0,"b":2}`},
		{`{"z":0}`, `-a`, `{"z":0}`},
		{`{"a":1}`, `a=2 -a`, `{}`},

		{`{"z":0}`, `stream_options.include_usage=true`, `{"z":0,"stream_options":{"include_usage":true}}`},
		{`{"z":0}`, `stream_options.x=1 stream_options.y=2`, `{"z":0,"stream_options":{"x":1,"y":2}}`},
		{`{"z":0}`, `-stream_options.x`, `{"z":0}`},
		{`{"z":0,"stream_options":{"x":1,"X":2}}`, `-stream_options.x`, `{"z":0,"stream_options":{}}`},
		{`{"stream_options":null}`, `stream_options.include_usage=true`, `{"stream_options":{"include_usage":true}}`},
		{`{"stream_options":null}`, `-stream_options.include_usage`, `{"stream_options":null}`},
		{`{"stream_options":{}}`, `stream_options.include_usage=true`, `{"stream_options":{"include_usage":true}}`},
		{`{"stream_options":{ "z":1 }}`, `stream_options.include_usage=true`, `{"stream_options":{ "z":1,"include_usage":true }}`},
		{`{"stream_options":{"include_usage":false,"z":1},"z":1}`, `stream_options.include_usage=true`, `{"stream_options":{"include_usage":true,"z":1},"z":1}`},
		{`{"a":0,"stream_options":{"include_usage":false},"stream_options":{"include_\u0075sage":false}}`, `stream_options.include_usage=true -a`, `{"stream_options":{"include_usage":true},"stream_options":{"include_\u0075sage":true}}`},
		{`{"stream_options":5}`, `stream_options.include_usage=true`, `{"stream_options":5}`},
		{`{"stream_options":[{"include_usage":false}]}`, `stream_options.include_usage=true`, `{"stream_options":[{"include_usage":false}]}`},
		{`{"stream_options":{"x":1,"include_usage":true,"y":2},"z":0}`, `-stream_options.include_usage model="y"`, `{"stream_options":{"x":1,"y":2},"z":0,"model":"y"}`},
		{`{"a":1,"stream_options":{"y":2},"b":1}`, `-a -b stream_options.x=1`, `{"stream_options":{"y":2,"x":1}}`},
		{`{"stream_options":{"y":2},"b":1}`, `stream_options=null stream_options.x=1`, `{"stream_options":null,"b":1}`},
		{`{"stream_options":{"y":2},"b":1}`, `-stream_options stream_options.x=1`, `{"b":1}`},
	} {
		if got := apply(t, c.body, c.edits); got != c.want {
			t.Errorf("%s with %s:\n got %s\nwant %s", c.body, c.edits, got, c.want)
		}
	}
}

func TestEditsTwice(t *testing.T) {
	var o splice.Object
	var e splice.Edits
	for _, c := range [][2]string{{`{"a":1}`, `{"a":1,"model":"\"\\\u000a\u0001é` + "\uFFFD" + `"}`}, {`{"model":0}`, `{"model":"\"\\\u000a\u0001é` + "\uFFFD" + `"}`}} {
		if err := splice.Scan([]byte(c[0]), &o, "model"); err != nil {
			t.Fatal(err)
		}
		e.Reset()
		e.SetString("model", "\"\\\n\x01é\xff")
		for range 2 {
			if out, err := e.AppendTo(nil, &o); err != nil || string(out) != c[1] {
				t.Errorf("%s %v, want %s", out, err, c[1])
			}
		}
	}
}

func TestEditsInsideManyOfOneName(t *testing.T) {
	var o splice.Object
	body := `{"a":{` + strings.Repeat(`"b":1,`, 64) + `"b":1}}`
	if err := splice.Scan([]byte(body), &o, "a"); err != nil {
		t.Fatal(err)
	}
	var e splice.Edits
	e.SetIn("a", "b", []byte("2"))
	if out, err := e.AppendTo(nil, &o); err == nil || len(out) > 0 {
		t.Errorf("%s %v", out, err)
	}
}

func TestEditsToWhatWasNotLookedFor(t *testing.T) {
	set := func(in string) *splice.Edits {
		var e splice.Edits
		e.SetIn(in, "b", []byte("1"))
		return &e
	}
	var scanned, empty splice.Object
	if err := splice.Scan([]byte(`{"a":{},"b":0}`), &scanned, "c"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o *splice.Object
		e *splice.Edits
	}{"outer": {&scanned, set("")}, "inner": {&scanned, set("a")}, "empty": {&empty, set("")}} {
		if out, err := c.e.AppendTo([]byte("dst"), c.o); err == nil || string(out) != "dst" {
			t.Errorf("%s: %s %v", name, out, err)
		}
	}
}
