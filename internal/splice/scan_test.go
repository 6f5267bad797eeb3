package splice_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weir.dev/weir/internal/splice"
)

func TestScanFinds(t *testing.T) {
	const want = "model"
	for _, c := range []struct {
		body, value string
		count       int
	}{
		{`{}`, ``, 0},
		{`{"model":"a"}`, `"a"`, 1},
		{" \t\r\n{ \"model\" : \"a\" } \n", `"a"`, 1},
		{`{"mod\u0065l":"a"}`, `"a"`, 1},
		{`{"\u006D\u006f\u0064\u0065\u006c":"a"}`, `"a"`, 1},
		{`{"model":"a","model":"b"}`, `"b"`, 2},
		{`{"model":"a","x":1,"mod\u0065l":{"y":[]}}`, `{"y":[]}`, 2},
		{`{"Model":"b"}`, ``, 0},
		{`{"model":"a","MODEL":"b"}`, `"a"`, 1},
		{`{"mode":"b","modelo":"c","model ":"d","model\u0000":"e"}`, ``, 0},
		{`{"x":{"model":"b"},"y":[{"model":"c"}]}`, ``, 0},
		{`{"x":"\",\"model\":\"b\"","model":"a"}`, `"a"`, 1},
		{`{"x":"model","model":-1.50e+03}`, `-1.50e+03`, 1},
		{`{"model":null,"model":[[],{}, {"model":1} ]}`, `[[],{}, {"model":1} ]`, 2},
	} {
		var o splice.Object
		if err := splice.Scan([]byte(c.body), &o, "other", want); err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		if raw, ok := o.Raw(want); string(raw) != c.value || ok != (c.value != "") || o.Count(want) != c.count {
			t.Errorf("%s: found %q %v, %d times; want %q, %d times", c.body, raw, ok, o.Count(want), c.value, c.count)
		}
		if sole := c.count == 1 && !strings.Contains(c.body, "MODEL"); o.Sole(want) != sole {
			t.Errorf("%s: the only one is %v", c.body, !sole)
		}
		if raw, ok := o.Raw("other"); ok {
			t.Errorf("%s: found another member: %s", c.body, raw)
		}
	}
}

func TestScanRefuses(t *testing.T) {
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for _, c := range []struct{ body, want string }{
		{``, "line 1, column 1 (byte 0): an object was due, but the text ends"},
		{`[1]`, "line 1, column 1 (byte 0): an object was due, not '['"},
		{"\xEF\xBB\xBF{}", "line 1, column 1 (byte 0): an object was due, not byte 0xEF"},
		{"{\n \"a\":1,\n}", "line 3, column 1 (byte 10): a name in double quotes was due, not '}'"},
		{`{,}`, "line 1, column 2 (byte 1): a name in double quotes was due, not ','"},
		{`{a:1}`, "line 1, column 2 (byte 1): a name in double quotes was due, not 'a'"},
		{`{"a" 1}`, "line 1, column 6 (byte 5): a colon was due, not '1'"},
		{`{"a":}`, "line 1, column 6 (byte 5): a value was due, not '}'"},
		{`{"a":1`, "line 1, column 7 (byte 6): a comma or } was due, but the text ends"},
		{`{"a":1 "b":2}`, `line 1, column 8 (byte 7): a comma or } was due, not '"'`},
		{`{"a":[1 2]}`, "line 1, column 9 (byte 8): a comma or ] was due, not '2'"},
		{`{"a":[1,]}`, "line 1, column 9 (byte 8): a value was due, not ']'"},
		{`{"a":[1}}`, "line 1, column 8 (byte 7): a comma or ] was due, not '}'"},
		{`{"a":{"b":1]}`, "line 1, column 12 (byte 11): a comma or } was due, not ']'"},
		{`{"a":{"b":1,}}`, "line 1, column 13 (byte 12): a name in double quotes was due, not '}'"},
		{`{} x`, "line 1, column 4 (byte 3): nothing was due after the object, not 'x'"},
		{`{}{}`, "line 1, column 3 (byte 2): nothing was due after the object, not '{'"},
		{"{}\x00", "line 1, column 3 (byte 2): nothing was due after the object, not byte 0x00"},
		{"{\"a\":\"b\tc\"}", "line 1, column 8 (byte 7): an escape in place of a control character was due, not byte 0x09"},
		{`{"a":"bcdefghijk\x"}`, "line 1, column 18 (byte 17): an escape that JSON has was due, not 'x'"},
		{`{"a":"\u12g4"}`, "line 1, column 11 (byte 10): a hexadecimal digit was due, not 'g'"},
		{`{"a":"\`, "line 1, column 8 (byte 7): an escape that JSON has was due, but the text ends"},
		{`{"a":"never ends`, "line 1, column 17 (byte 16): a closing quote was due, but the text ends"},
		{"{\"a\":\"0123456789 \xC3\xA9 \xC3\"}", "line 1, column 21 (byte 20): UTF-8 was due, not byte 0xC3"},
		{"{\"a\":\"\xED\xA0\x80\"}", "line 1, column 7 (byte 6): UTF-8 was due, not byte 0xED"},
		{"{\"a\xFF\":1}", "line 1, column 4 (byte 3): UTF-8 was due, not byte 0xFF"},
		{`{"a":nul}`, "line 1, column 9 (byte 8): null was due, not '}'"},
		{`{"a":TRUE}`, "line 1, column 6 (byte 5): a value was due, not 'T'"},
		{`{"a":true1}`, "line 1, column 10 (byte 9): a comma or } was due, not '1'"},
		{`{"a":NaN}`, "line 1, column 6 (byte 5): a value was due, not 'N'"},
		{`{"a":+1}`, "line 1, column 6 (byte 5): a value was due, not '+'"},
		{`{"a":-}`, "line 1, column 7 (byte 6): a digit was due, not '}'"},
		{`{"a":01}`, "line 1, column 7 (byte 6): a comma or } was due, not '1'"},
		{`{"a":1.}`, "line 1, column 8 (byte 7): a digit was due, not '}'"},
		{`{"a":.5}`, "line 1, column 6 (byte 5): a value was due, not '.'"},
		{`{"a":1e+}`, "line 1, column 9 (byte 8): a digit was due, not '}'"},
		{`{"a":'b'}`, `line 1, column 6 (byte 5): a value was due, not '\''`},
		{deep(splice.MaxDepth), fmt.Sprintf("line 1, column 517 (byte 516): at most %d levels were due, not '['", splice.MaxDepth)},
		{`{` + strings.Repeat(`"want":1,`, 64) + `"want":1}`, `line 1, column 578 (byte 577): fewer repeated members were due, not '"'`},
	} {
		var o splice.Object
		err := splice.Scan([]byte(c.body), &o, "want")
		var fault *splice.SyntaxError
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("%.40s: %v; want %s", c.body, err, c.want)
		}
		if _, ok := o.Raw("want"); ok {
			t.Errorf("%.40s: a member is left after a fault", c.body)
		}
	}
	var o splice.Object
	if err := splice.Scan([]byte(deep(splice.MaxDepth-1)), &o); err != nil {
		t.Error(err)
	}
	if err := splice.Scan([]byte(`{}`), &o, strings.Repeat("n", 65)); err == nil {
		t.Error("a name that is too long was taken")
	}
}

// A fault is found wherever it stands in the words that strings are read by.
func TestScanFaultAtAnyPlace(t *testing.T) {
	var o splice.Object
	for n := range 40 {
		for bad, at := range map[string]int{"\x1f": 0, "\x00": 0, "\xff": 0, `\q`: 1, `\u00g0`: 4} {
			text := strings.Repeat("é", n/2) + strings.Repeat("x", n%2)
			body := fmt.Sprintf(`{"a":"%s%s%s"}`, text, bad, strings.Repeat("y", 20))
			var fault *splice.SyntaxError
			if err := splice.Scan([]byte(body), &o); !errors.As(err, &fault) || fault.Offset != 6+len(text)+at {
				t.Errorf("%q: %v", body, err)
			}
		}
	}
}

func TestObjectValues(t *testing.T) {
	var o splice.Object
	err := splice.Scan([]byte(`{"s":"a\u00e9\n\ud83d\ude00\ud800\"\\\/\b\f\r\t","p":"plain","t":true,"f":false,"n":null,
		"i":12,"neg":-7,"d":12.0,"e":1e3,"half":0.5,"huge":1e30,"q":"12","max":9007199254740993}`), &o,
		"s", "p", "t", "f", "n", "i", "neg", "d", "e", "half", "huge", "q", "max")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"s": "aé\n😀\uFFFD\"\\/\b\f\r\t", "p": "plain"} {
		if got, ok := o.String(name); got != want || !ok {
			t.Errorf("%s: %q %v, want %q", name, got, ok, want)
		}
	}
	for name, want := range map[string]int{"i": 12, "neg": -7, "d": 12, "e": 1000, "max": 9007199254740993} {
		if got, ok := o.Int(name); got != want || !ok {
			t.Errorf("%s: %d %v, want %d", name, got, ok, want)
		}
	}
	for _, name := range []string{"half", "huge", "q", "t", "n", "absent"} {
		if got, ok := o.Int(name); ok {
			t.Errorf("%s: an integer, %d", name, got)
		}
	}
	for name, want := range map[string][2]bool{"t": {true, true}, "f": {false, true}, "n": {}, "i": {}, "absent": {}} {
		if got, ok := o.Bool(name); got != want[0] || ok != want[1] {
			t.Errorf("%s: %v %v, want %v", name, got, ok, want)
		}
	}
	for _, name := range []string{"i", "n", "absent"} {
		if got, ok := o.Text(name); ok {
			t.Errorf("%s: a text, %q", name, got)
		}
	}
}
