package config

import (
	"encoding/hex"
	"fmt"
	"strings"

	"weir.dev/weir"
)

// KeyLine is the item of keys that lets in who holds the secret of a hash.
// Without routes it may use all. Its error is a *weir.Error.
func KeyLine(name string, hash [32]byte, routes []string) (string, error) {
	if f := nameRule().fault(name); f != nil {
		return "", &weir.Error{Code: "bad_name", Message: f.msg, Hint: f.hint}
	}
	line := fmt.Sprintf("- {name: %q, sha256: %q", name, hex.EncodeToString(hash[:]))
	var quoted []string
	for _, route := range routes {
		if f := routeRule().fault(route); f != nil {
			return "", &weir.Error{Code: "bad_route", Message: f.msg, Hint: f.hint}
		}
		quoted = append(quoted, fmt.Sprintf("%q", route))
	}
	if len(quoted) > 0 {
		line += ", routes: [" + strings.Join(quoted, ", ") + "]"
	}
	return line + "}", nil
}
