package config

import (
	"crypto/sha256"
	"errors"
	"slices"
	"testing"

	"weir.dev/weir"
)

// What is written is what is read.
func TestKeyLine(t *testing.T) {
	hash := sha256.Sum256([]byte("a secret"))
	for _, routes := range [][]string{nil, {"chat"}, {"chat", "busy/model:v1@eu"}} {
		line, err := KeyLine("web-1", hash, routes)
		if err != nil {
			t.Fatal(err)
		}
		cfg, ps := Load("weir.yaml", []byte("routes: {chat: groq/x, 'busy/model:v1@eu': groq/y}\nkeys:\n  - {name: all, sha256: "+
			"3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d}\n  "+line+"\n"), testWorld())
		if ps.Err() != nil {
			t.Fatalf("%s: %v", line, ps)
		}
		if k := cfg.Keys[1]; k.Name != "web-1" || k.SHA256 != hash || !slices.Equal(k.Routes, routes) {
			t.Errorf("%s: %+v", line, k)
		}
	}
	for _, c := range []struct {
		name   string
		routes []string
	}{{"a b", nil}, {"", nil}, {`x", sha256: "`, nil}, {"web", []string{"a]"}}, {"web", []string{""}}} {
		_, err := KeyLine(c.name, hash, c.routes)
		if e, ok := errors.AsType[*weir.Error](err); !ok || e.Hint == "" {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
