package catalog

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Mask takes every key out of a text and leaves the rest of it as it is, which
// makes it the one for long texts: Redact gives a text up whole where a key
// stands in it in other letters. The text may be JSON: keys are found behind its
// escapes too.
func (a *Auth) Mask(s string) string {
	known := slices.Clone(a.known())
	slices.SortFunc(known, func(x, y disguise) int { return cmp.Compare(len(y.text), len(x.text)) }) // the longest hide the others
	for _, d := range known {
		s = strings.ReplaceAll(s, d.text, redacted)
	}
	for _, d := range known {
		s = maskSpelled(s, d.letters)
	}
	return s
}

// maskSpelled replaces what has the letters of a key, and the beginning of one
// in which the text ends.
func maskSpelled(s, key string) string {
	if len(key) < shortestDisguised {
		return s
	}
	var bare strings.Builder
	for l := range spelled(s) {
		bare.WriteByte(l.is)
	}
	hits := hitsOf(bare.String(), key)
	if len(hits) == 0 {
		return s
	}
	var b strings.Builder
	n, written := 0, 0
	for l := range spelled(s) {
		if len(hits) == 0 {
			break
		}
		if n == hits[0].from {
			b.WriteString(s[written:l.from] + redacted)
		}
		if n++; n == hits[0].to {
			written, hits = l.to, hits[1:]
		}
	}
	b.WriteString(s[written:])
	return b.String()
}

// span is a part of a text.
type span struct{ from, to int }

// hitsOf are the places of the key in the letters of a text.
func hitsOf(bare, key string) (hits []span) {
	end := 0
	for {
		i := strings.Index(bare[end:], key)
		if i < 0 {
			break
		}
		hits = append(hits, span{end + i, end + i + len(key)})
		end += i + len(key)
	}
	for n := min(len(key), len(bare)-end); n >= shortestDisguised; n-- {
		if strings.HasSuffix(bare, key[:n]) {
			return append(hits, span{len(bare) - n, len(bare)})
		}
	}
	return hits
}

// letter is a letter or digit of a text, in lower case, and where it stands.
type letter struct {
	is byte
	span
}

// spelled are the letters of a text; one that JSON has escaped is the one that
// is meant.
func spelled(s string) iter.Seq[letter] {
	return func(yield func(letter) bool) {
		for i := 0; i < len(s); {
			c, width := s[i], 1
			if c == '\\' && i+6 <= len(s) && s[i+1] == 'u' {
				if r, err := strconv.ParseUint(s[i+2:i+6], 16, 16); err == nil {
					c, width = byte(min(r, 0x80)), 6
				}
			}
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if (c >= 'a' && c <= 'z' || c >= '0' && c <= '9') && !yield(letter{c, span{i, i + width}}) {
				return
			}
			i += width
		}
	}
}
