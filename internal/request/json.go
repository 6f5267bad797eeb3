package request

import (
	"strconv"
	"unicode/utf8"

	"weir.dev/weir"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string, without allocating. Bytes that are
// not UTF-8 become U+FFFD, as encoding/json has it.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscape(dst, c)
		i += size
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch {
	case c >= utf8.RuneSelf:
		return append(dst, "\uFFFD"...)
	case c == '\n':
		return append(dst, `\n`...)
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendCount appends `"name":n,` where n is known.
func appendCount(dst []byte, name string, n weir.Opt[int]) []byte {
	v, ok := n.Get()
	if !ok {
		return dst
	}
	dst = append(append(append(dst, '"'), name...), `":`...)
	return append(strconv.AppendInt(dst, int64(v), 10), ',')
}

// endObject closes an object whose members were each written with a comma after.
func endObject(dst []byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst[len(dst)-1] = '}'
		return dst
	}
	return append(dst, '}')
}

// appendNS appends the server's clock as a last member, where it is known.
func appendNS(dst []byte, ns int64) []byte {
	if ns == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, `,"weir_ns":`...), ns, 10)
}
