package dialect

import (
	"unicode/utf16"
	"unicode/utf8"
)

// appendText appends the text of a JSON string's raw inside. A lone surrogate
// becomes U+FFFD, as in encoding/json.
func appendText(dst, raw []byte) []byte {
	for len(raw) > 0 {
		if raw[0] != '\\' {
			n := 1
			for n < len(raw) && raw[n] != '\\' {
				n++
			}
			dst, raw = append(dst, raw[:n]...), raw[n:]
			continue
		}
		r, n := unescape(raw)
		dst, raw = utf8.AppendRune(dst, r), raw[n:]
	}
	return dst
}

// measure counts the UTF-8 bytes and the code points of that text.
func measure(raw []byte, esc bool) (bytes, chars int) {
	if !esc {
		return len(raw), utf8.RuneCount(raw)
	}
	for len(raw) > 0 {
		if raw[0] == '\\' {
			r, n := unescape(raw)
			bytes += utf8.RuneLen(r)
			chars++
			raw = raw[n:]
			continue
		}
		_, n := utf8.DecodeRune(raw)
		bytes += n
		chars++
		raw = raw[n:]
	}
	return bytes, chars
}

// unescape decodes the escape that raw begins with; rawString has checked it.
func unescape(raw []byte) (r rune, n int) {
	switch raw[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ = hex4(raw[2:])
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			if low, ok := hex4(raw[8:]); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return pair, 12
				}
			}
		}
		return utf8.RuneError, 6
	}
	return rune(raw[1]), 2
}
