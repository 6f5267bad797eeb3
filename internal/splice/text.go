package splice

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD, as encoding/json has it; of what is, only quotes, backslashes and
// control characters are escaped.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
		case r == '"' || r == '\\':
			dst = append(append(dst, s[from:i]...), '\\', byte(r))
			from = i + 1
		case r < ' ':
			dst = append(append(dst, s[from:i]...), '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
			from = i + 1
		}
	}
	return append(append(dst, s[from:]...), '"')
}

// unquote is what a valid JSON string says; false if raw is another value. It
// allocates only where there are escapes.
func unquote(raw []byte) ([]byte, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return nil, false
	}
	inside := raw[1 : len(raw)-1 : len(raw)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside, true
	}
	return appendText(nil, inside), true
}

// appendText appends what the inside of a valid JSON string says. Half a
// surrogate pair becomes U+FFFD, as encoding/json has it.
func appendText(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		switch c := raw[i+1]; c {
		case 'u':
			r := hex4(raw[i+2:])
			i += maxEscape
			if utf16.IsSurrogate(r) {
				low := rune(0)
				if i+1 < len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
					low = hex4(raw[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += maxEscape
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		default:
			dst = append(dst, c)
		}
		i += 2
	}
	return dst
}

// hex4 is the number that the first four bytes of b make, which are hexadecimal
// digits.
func hex4(b []byte) (r rune) {
	for _, c := range b[:4] {
		if c > '9' {
			c = c | 0x20 - 'a' + '0' + 10
		}
		r = r<<4 | rune(c-'0')
	}
	return r
}
