//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"
)

// The part of docs/peers.md that make peers writes stands between these.
const (
	begins = "<!-- measured by make peers -->\n"
	ends   = "<!-- end -->\n"
)

// rewrite puts a report in place of the measured part of a document.
func rewrite(name, report string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	doc, err := replaced(string(b), report)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name, []byte(doc), 0o644)
}

func replaced(doc, report string) (string, error) {
	head, rest, found := strings.Cut(doc, begins)
	_, tail, ended := strings.Cut(rest, ends)
	if !found || !ended {
		return "", fmt.Errorf("no place for the report: it stands between %q and %q", strings.TrimSpace(begins), strings.TrimSpace(ends))
	}
	return head + begins + report + ends + tail, nil
}
