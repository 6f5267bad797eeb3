package config

import (
	"fmt"
	"io"
	"log/slog"
)

const hidden = "[secret]"

// Secret is text that is shown nowhere: printed, logged or marshaled it is
// "[secret]", or empty if it was not given. Its zero value is not given.
type Secret struct{ text string }

// Hide makes a secret of a text.
func Hide(s string) Secret { return Secret{s} }

// Reveal is the secret itself, for the one place that sends it.
func (s Secret) Reveal() string { return s.text }

// Given tells whether there is a secret.
func (s Secret) Given() bool { return s.text != "" }

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s.text == "" {
		return ""
	}
	return hidden
}

// Format implements fmt.Formatter: no verb shows the secret.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText implements encoding.TextMarshaler, for JSON and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

var (
	_ fmt.Formatter  = Secret{}
	_ slog.LogValuer = Secret{}
	_ fmt.Formatter  = Auth{}
)
