package catalog

import (
	"strings"
	"testing"

	"weir.dev/weir"
)

func masker(t testing.TB, keys ...string) *Auth {
	t.Helper()
	a := &Auth{}
	for i, key := range keys {
		target := weir.Target{Name: string(rune('a' + i)), URL: "http://a.test/v1"}
		if err := a.Add(target, key); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func TestMaskLeavesTheRest(t *testing.T) {
	a := masker(t, "sk-Canary-0123/xyz=", "EMPTY")
	if err := a.AddHeader(weir.Target{Name: "h", URL: "http://a.test/v1"}, "X-Team", "team-secret-0001"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"nothing to hide", "nothing to hide"},
		{"a sk-Canary-0123/xyz= b", "a [key] b"},
		{"a sk-Canary-0123/xyz= b sk-Canary-0123/xyz=", "a [key] b [key]"},
		{"a SK-CANARY-0123/XYZ b", "a [key] b"},
		{"a sk_canary_0123_xyz b skcanary0123xyz c", "a [key] b [key] c"},
		{`{"k":"sk-Canary-0123\/xyz=","n":1}`, `{"k":"[key]=","n":1}`},
		{`{"k":"\u0073k\u002dCanary-0123\u002Fxyz\u003d"}`, `{"k":"[key]\u003d"}`},
		{"cut at its end: sk-Cana", "cut at its end: [key]"},
		{"cut too soon to tell: sk-Ca", "cut too soon to tell: sk-Ca"},
		{"the bag is EMPTY", "the bag is [key]"},
		{"empty", "empty"},
		{"of TEAM-SECRET-0001.", "of [key]."},
		{`é \u00e9 \u12 \`, `é \u00e9 \u12 \`},
	} {
		if got := a.Mask(c.in); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
	if got := new(Auth).Mask("sk-Canary"); got != "sk-Canary" {
		t.Errorf("without keys: %q", got)
	}
}

// FuzzMask: whatever is around a key, it does not come through.
func FuzzMask(f *testing.F) {
	f.Add("before ", " after", true)
	f.Add(`{"a":"\u00`, `41"}`, false)
	f.Add("sk-canary sk-", "", true)
	const key = "sk-canary-0123456789"
	a := masker(f, key)
	f.Fuzz(func(t *testing.T, before, after string, upper bool) {
		k := key
		if upper {
			k = strings.ToUpper(k)
		}
		got := a.Mask(before + k + after)
		if strings.Contains(letters(got), letters(key)) {
			t.Errorf("%q comes through", got)
		}
	})
}
