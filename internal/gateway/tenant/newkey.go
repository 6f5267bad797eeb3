package tenant

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"regexp"
	"strings"
)

// A secret is "wk-", 32 random bytes in base 62, and the CRC-32 of those digits
// in base 62: a form that scanners for leaked secrets can tell from other text
// without asking anyone, and that survives a double click.
const (
	secretPrefix = "wk-"
	randomBytes  = 32
	randomDigits = 43 // that any 32 bytes fit in
	checkDigits  = 6  // that any CRC-32 fits in
)

var secretForm = regexp.MustCompile(fmt.Sprintf("^%s[0-9A-Za-z]{%d}$", secretPrefix, randomDigits+checkDigits))

// NewKey makes a secret from 32 bytes of random, which is crypto/rand.Reader
// outside of tests, and the hash that the configuration keeps of it. The only
// error is one of random.
func NewKey(random io.Reader) (secret string, hash [32]byte, err error) {
	b := make([]byte, randomBytes)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", hash, fmt.Errorf("reading %d random bytes for a new key: %w", randomBytes, err)
	}
	digits := base62(new(big.Int).SetBytes(b), randomDigits)
	secret = secretPrefix + digits + checksum(digits)
	return secret, sha256.Sum256([]byte(secret)), nil
}

// IsSecret tells whether s has the form of a secret, checksum included: one that
// was mistyped, cut or made elsewhere has not. It says nothing of whether the
// key is in use.
func IsSecret(s string) bool {
	if !secretForm.MatchString(s) {
		return false
	}
	digits := s[len(secretPrefix) : len(secretPrefix)+randomDigits]
	return checksum(digits) == s[len(secretPrefix)+randomDigits:]
}

func checksum(digits string) string {
	return base62(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(digits)))), checkDigits)
}

func base62(n *big.Int, width int) string {
	s := n.Text(62)
	return strings.Repeat("0", width-len(s)) + s
}
