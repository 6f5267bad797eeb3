package splice

import (
	"bytes"
	"fmt"
)

// SyntaxError says where a text stops being JSON that can be taken, and what
// would have been right there.
type SyntaxError struct {
	Offset int    // of the byte at fault, from 0; the text's length if it ends too early
	Line   int    // from 1
	Column int    // from 1, in bytes
	What   string // such as "a comma or } was due, not 'x'"
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d (byte %d): %s", e.Line, e.Column, e.Offset, e.What)
}

// syntaxError places a fault in its text.
func syntaxError(b []byte, at int, what string) *SyntaxError {
	before := b[:min(at, len(b))]
	return &SyntaxError{
		Offset: at,
		Line:   bytes.Count(before, []byte{'\n'}) + 1,
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
		What:   what + ", " + found(b, at),
	}
}

func found(b []byte, at int) string {
	switch {
	case at >= len(b):
		return "but the text ends"
	case b[at] > ' ' && b[at] < 0x7F:
		return fmt.Sprintf("not %q", b[at])
	}
	return fmt.Sprintf("not byte 0x%02X", b[at])
}
