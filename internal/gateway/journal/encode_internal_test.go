package journal

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weir.dev/weir"
)

// fillIn gives every field of a record a value, or leaves out what may be.
func fillIn(t *rapid.T, v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
		return
	case *weir.Opt[int]:
		*x = maybe(t, rapid.Int())
		return
	case *weir.Opt[float64]:
		*x = maybe(t, rapid.Float64Range(-1e300, 1e300))
		return
	case *weir.Span:
		*x = maybe(t, rapid.Map(rapid.Int64(), func(n int64) weir.Dur { return weir.Dur(n) }))
		return
	case *weir.Opt[time.Time]:
		*x = maybe(t, rapid.Map(rapid.Int64Range(0, 4e9), func(s int64) time.Time { return time.Unix(s, 0).UTC() }))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "number"))
	case reflect.Struct:
		for _, field := range v.Fields() {
			fillIn(t, field)
		}
	case reflect.Slice:
		if n := rapid.IntRange(-1, 2).Draw(t, "length"); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fillIn(t, v.Index(i))
			}
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fillIn(t, v.Elem())
		}
	default:
		t.Fatalf("no value for a %s", v.Type())
	}
}

func maybe[T any](t *rapid.T, g *rapid.Generator[T]) weir.Opt[T] {
	if !rapid.Bool().Draw(t, "known") {
		return weir.None[T]()
	}
	return weir.Some(g.Draw(t, "value"))
}

// TestEncoderIsTheTags holds the encoder against encoding/json: the same members
// in the same order with the same values.
func TestEncoderIsTheTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Record
		fillIn(t, reflect.ValueOf(&r).Elem())
		got, err := new(encoder).appendRecord(nil, &r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		// Numbers may be written in another way: both are read and written anew.
		if g, w := anew(t, got), anew(t, want); g != w {
			t.Fatalf("got  %s\nwant %s", g, w)
		}
	})
}

func anew(t *rapid.T, b []byte) string {
	var r Record
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	var keys any
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal([]any{&r, keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(again)
}

func TestEncoderSaysWhatJSONCannot(t *testing.T) {
	for _, r := range []Record{{Cost: weir.Some(math.Inf(1))}, {At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}} {
		if b, err := new(encoder).appendRecord(nil, &r); err == nil {
			t.Errorf("%s", b)
		}
	}
}

func TestEncoderAllocatesNothing(t *testing.T) {
	r := Record{ID: "01", Route: "chat", Candidates: []Candidate{{Target: "a"}}, Attempts: []Attempt{{Target: "a", End: weir.SpanOf(time.Second)}}}
	e, buf := new(encoder), make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { buf, _ = e.appendRecord(buf[:0], &r) }); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	r := Record{Schema: Schema, ID: "01J", At: time.Now(), Route: "chat", Outcome: weir.OK, Attempts: []Attempt{{Target: "a", Model: "m", End: weir.SpanOf(time.Second)}}}
	b.Run("ours", func(b *testing.B) {
		var e encoder
		var buf []byte
		for b.Loop() {
			buf, _ = e.appendRecord(buf[:0], &r)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		for b.Loop() {
			_, _ = json.Marshal(&r)
		}
	})
}
