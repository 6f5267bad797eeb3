package tenant_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func key(name, secret string) tenant.Key {
	return tenant.Key{Name: name, SHA256: sha256.Sum256([]byte(secret))}
}

func TestWho(t *testing.T) {
	g := tenant.New([]tenant.Key{key("first", "one"), key("middle", "two"), key("last", "three")})
	hash := sha256.Sum256([]byte("one"))
	for secret, want := range map[string]string{
		"one": "first", "two": "middle", "three": "last",
		"": "", "One": "", "on": "", "one ": "", string(hash[:]): "", hex.EncodeToString(hash[:]): "", strings.Repeat("x", 1<<20): "",
	} {
		who, ok := g.Who(secret)
		if ok != (want != "") || ok && who.Name() != want {
			t.Errorf("%.20q is %v, want %q", secret, who, want)
		}
	}
	if g.Open() {
		t.Error("a gate with keys is open")
	}
}

func TestWithoutKeysAnyoneMayComeIn(t *testing.T) {
	g := tenant.New(nil)
	who, ok := g.Who("whatever")
	if !ok || !g.Open() || who.Name() != "" || !who.May("anything") {
		t.Fatalf("%v, %v", who, ok)
	}
	if _, refusal := who.Reserve(time.Now(), 1<<40, weir.None[float64]()); refusal != nil {
		t.Error(refusal)
	}
}

func TestRoutes(t *testing.T) {
	some := key("some", "one")
	some.Routes = []string{"chat", "code"}
	g := tenant.New([]tenant.Key{some, key("all", "two")})
	for _, c := range []struct {
		secret, route string
		want          bool
	}{{"one", "chat", true}, {"one", "code", true}, {"one", "cod", false}, {"one", "", false}, {"two", "code", true}} {
		if who, _ := g.Who(c.secret); who.May(c.route) != c.want {
			t.Errorf("%v on %q: %v", who, c.route, !c.want)
		}
	}
}

// Neither the secret nor its hash is in anything that prints.
func TestNothingPrintsAKey(t *testing.T) {
	const secret = "wk-canary"
	k := key("ci", secret)
	k.RPM, k.Budget = 1, weir.Some(tenant.Budget{USD: 1, Per: tenant.Day})
	g := tenant.New([]tenant.Key{k})
	who, _ := g.Who(secret)
	hold, _ := who.Reserve(time.Now(), 1, weir.Some(0.5))
	_, refusal := who.Reserve(time.Now(), 1, weir.Some(0.5))
	var all bytes.Buffer
	for _, v := range []any{k, &k, []tenant.Key{k}, struct{ K tenant.Key }{k}, g, *g, who, *who, &hold, refusal, refusal.Err(), who.Level(time.Now())} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
			fmt.Fprintf(&all, verb+"\n", v)
		}
		json.NewEncoder(&all).Encode(v)
		slog.New(slog.NewTextHandler(&all, nil)).Info("text", slog.Any("v", v))
		slog.New(slog.NewJSONHandler(&all, nil)).Info("json", slog.Any("v", v))
	}
	h := k.SHA256[:]
	for name, form := range map[string]string{
		"the secret": secret, "hex": hex.EncodeToString(h), "HEX": strings.ToUpper(hex.EncodeToString(h)),
		"base64": base64.StdEncoding.EncodeToString(h), "bytes": strings.Trim(fmt.Sprint(h[:6]), "[]"), "JSON": strings.Join(strings.Fields(strings.Trim(fmt.Sprint(h[:6]), "[]")), ","),
		"Go": strings.Trim(fmt.Sprintf("%#v", h[:6]), "[]byte{}"), "raw": string(h[:6]),
	} {
		if strings.Contains(all.String(), form) {
			t.Errorf("%s is in what is printed", name)
		}
	}
}

func BenchmarkWho(b *testing.B) {
	keys := make([]tenant.Key, 1000)
	for i := range keys {
		keys[i] = key(fmt.Sprint(i), fmt.Sprint("secret", i))
	}
	g := tenant.New(keys)
	b.ReportAllocs()
	for b.Loop() {
		g.Who("secret500")
	}
}

func TestACallAllocatesNothing(t *testing.T) {
	k := key("ci", "wk-secret")
	k.RPM, k.TPM, k.Budget = 1e6, 1e9, weir.Some(tenant.Budget{USD: 1e5, Per: tenant.Day})
	g, now := tenant.New([]tenant.Key{k}), time.Now()
	if n := testing.AllocsPerRun(100, func() {
		who, _ := g.Who("wk-secret")
		hold, _ := who.Reserve(now, 10, weir.Some(0.1))
		hold.Settle(now, 12, weir.Some(0.2))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
