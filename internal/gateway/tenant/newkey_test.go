package tenant_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"weir.dev/weir/internal/gateway/tenant"
)

func TestNewKey(t *testing.T) {
	for name, random := range map[string][]byte{"zeros": make([]byte, 32), "ones": bytes.Repeat([]byte{255}, 32)} {
		secret, hash, err := tenant.NewKey(bytes.NewReader(random))
		if err != nil || !regexp.MustCompile(`^wk-[0-9A-Za-z]{49}$`).MatchString(secret) || hash != sha256.Sum256([]byte(secret)) {
			t.Errorf("%s: %s, %x, %v", name, secret, hash, err)
		}
		if !tenant.IsSecret(secret) {
			t.Errorf("%s: %s is no secret", name, secret)
		}
	}
	a, _, _ := tenant.NewKey(rand.Reader)
	b, _, _ := tenant.NewKey(rand.Reader)
	if a == b {
		t.Errorf("twice the same secret")
	}
	if _, _, err := tenant.NewKey(strings.NewReader("too short")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("short of randomness: %v", err)
	}
}

// A secret in which any one character is wrong is told from a good one.
func TestMistypedSecrets(t *testing.T) {
	secret, hash, _ := tenant.NewKey(rand.Reader)
	for i := range secret {
		for _, c := range "0aZ-" {
			wrong := secret[:i] + string(c) + secret[i+1:]
			if wrong != secret && tenant.IsSecret(wrong) {
				t.Errorf("%s passes for %s", wrong, secret)
			}
		}
	}
	for _, s := range []string{"", "wk-", secret[:51], secret + "0", " " + secret, secret + "\n", string(hash[:]), strings.ToUpper(secret)} {
		if tenant.IsSecret(s) {
			t.Errorf("%q passes for a secret", s)
		}
	}
}

func FuzzIsSecret(f *testing.F) {
	secret, _, _ := tenant.NewKey(bytes.NewReader(make([]byte, 32)))
	f.Add(secret)
	f.Add("sk-1234")
	f.Fuzz(func(t *testing.T, s string) {
		if tenant.IsSecret(s) && (len(s) != len(secret) || !strings.HasPrefix(s, "wk-")) {
			t.Errorf("%q", s)
		}
	})
}
