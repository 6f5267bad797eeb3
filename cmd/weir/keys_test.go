package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"weir.dev/weir/internal/config"
	"weir.dev/weir/internal/gateway/tenant"
)

// TestKeysNew: the secret is shown once, and the line lets in who holds it.
func TestKeysNew(t *testing.T) {
	o := runWeir(t, "keys", "new", "--name", "web", "--route", "chat", "--route", "a/b,c")
	if o.code != exitUsage || o.out != "" {
		t.Errorf("a route with a comma in its name: %+v", o)
	}
	o = runWeir(t, "keys", "new", "--name", "web", "--route", "chat", "--route", "nightly")
	secret := strings.TrimSuffix(o.out, "\n")
	if o.code != 0 || !tenant.IsSecret(secret) || strings.Contains(o.err, secret) {
		t.Fatalf("%+v", o)
	}
	_, line, _ := strings.Cut(o.err, "weir.yaml:\n")
	cfg, problems := config.Load("weir.yaml", []byte("providers: {p: {base_url: http://h}}\nroutes: {chat: p/x, nightly: p/y}\nkeys:\n"+line), config.World{})
	if problems.Err() != nil || len(cfg.Keys) != 1 {
		t.Fatalf("%q: %v", line, problems)
	}
	if k := cfg.Keys[0]; k.SHA256 != sha256.Sum256([]byte(secret)) || k.Name != "web" || len(k.Routes) != 2 {
		t.Errorf("%+v", k)
	}
}

func TestKeysNewNamesItself(t *testing.T) {
	o := runWeir(t, "keys", "new")
	hash := sha256.Sum256([]byte(strings.TrimSpace(o.out)))
	o.says(t, `name: "key-`+hex.EncodeToString(hash[:3])+`"`)
	if again := runWeir(t, "keys", "new"); again.out == o.out {
		t.Error("the same key twice")
	}
	runWeir(t, "keys", "new", "--name", "two words").oneClearLine(t, exitUsage, "two words", "letters")
}
