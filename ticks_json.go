package weir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// MarshalJSON writes the rows described at Ticks.
func (ts Ticks) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 2+len(ts)*28)
	b = append(b, '[')
	for i, t := range ts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		b = appendMS(b, t.At)
		b = append(b, ',')
		b = strconv.AppendQuote(b, t.Kind.String())
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(t.Tokens), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(t.Bytes), 10)
		if !t.Exact() {
			b = append(b, ',')
			b = appendMS(b, t.Lo)
		}
		b = append(b, ']')
	}
	return append(b, ']'), nil
}

func appendMS(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, Dur(d).MS(), 'f', -1, 64)
}

// UnmarshalJSON reads what MarshalJSON wrote. It takes the room that ts has.
func (ts *Ticks) UnmarshalJSON(b []byte) error {
	s := tickScanner{text: b}
	if out, ok := s.ticks((*ts)[:0]); ok && s.at == len(b) {
		*ts = out
		return nil
	}
	return ts.unmarshalAny(b)
}

// unmarshalAny reads rows in any form that JSON allows, and says what is wrong.
func (ts *Ticks) unmarshalAny(b []byte) error {
	var rows [][]json.RawMessage
	if err := json.Unmarshal(b, &rows); err != nil {
		return fmt.Errorf("ticks: %w", err)
	}
	out := make(Ticks, 0, len(rows))
	for i, row := range rows {
		t, err := tickOf(row)
		if err != nil {
			return fmt.Errorf("ticks: row %d: %w", i, err)
		}
		out = append(out, t)
	}
	*ts = out
	return nil
}

func tickOf(row []json.RawMessage) (t Tick, err error) {
	if len(row) != 4 && len(row) != 5 {
		return t, fmt.Errorf("has %d values, want [at_ms, kind, tokens, bytes] or the same with lo_ms", len(row))
	}
	var at, lo Dur
	var kind string
	for i, dst := range []any{&at, &kind, &t.Tokens, &t.Bytes, &lo}[:len(row)] {
		if err := json.Unmarshal(row[i], dst); err != nil {
			return t, err
		}
	}
	if len(row) == 4 {
		lo = at
	}
	k, ok := ParseTickKind(kind)
	if !ok {
		return t, fmt.Errorf("unknown kind %q", kind)
	}
	t.At, t.Lo, t.Kind = at.Duration(), lo.Duration(), k
	return t, nil
}

// tickScanner reads rows exactly as MarshalJSON writes them: a stored run has
// millions, and encoding/json would take minutes. What it does not know it
// refuses.
type tickScanner struct {
	text     []byte
	at       int    // how far it is
	kindName []byte // of the last row: mostly the next one's, too
	kind     TickKind
}

// ticks appends the rows of one array to out.
func (s *tickScanner) ticks(out Ticks) (Ticks, bool) {
	if !s.sign('[') {
		return nil, false
	}
	if s.sign(']') {
		return out, true
	}
	for {
		t, ok := s.tick()
		if !ok {
			return nil, false
		}
		out = append(out, t)
		if s.sign(']') {
			return out, true
		}
		if !s.sign(',') {
			return nil, false
		}
	}
}

func (s *tickScanner) tick() (t Tick, ok bool) {
	if !s.sign('[') {
		return t, false
	}
	at, ok1 := s.ms()
	kind, ok2 := s.name()
	tokens, ok3 := s.count()
	size, ok4 := s.count()
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return t, false
	}
	t = Tick{At: at, Lo: at, Kind: kind, Tokens: tokens, Bytes: size}
	if s.sign(',') {
		if t.Lo, ok = s.ms(); !ok {
			return t, false
		}
	}
	return t, s.sign(']')
}

func (s *tickScanner) sign(c byte) bool {
	if s.at == len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

const (
	mostWhole    = 9 // digits of whole milliseconds: with the decimals no more than a float64 holds
	mostDecimals = 6 // down to the nanosecond
)

// ms reads digits with at most six decimals.
func (s *tickScanner) ms() (time.Duration, bool) {
	whole, _, ok := s.number(mostWhole)
	if !ok {
		return 0, false
	}
	if !s.sign('.') {
		return time.Duration(whole) * time.Millisecond, true
	}
	part, n, ok := s.digits(mostDecimals)
	if !ok {
		return 0, false
	}
	for range mostDecimals - n {
		part *= 10
	}
	return time.Duration(whole)*time.Millisecond + time.Duration(part), true
}

// number reads digits without a 0 before them.
func (s *tickScanner) number(most int) (v int64, n int, ok bool) {
	start := s.at
	v, n, ok = s.digits(most)
	return v, n, ok && (n == 1 || s.text[start] != '0')
}

// digits reads at least one and at most so many.
func (s *tickScanner) digits(most int) (v int64, n int, ok bool) {
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if c < '0' || c > '9' {
			break
		}
		v = 10*v + int64(c-'0')
		if n++; n > most {
			return 0, n, false
		}
	}
	return v, n, n > 0
}

// name reads a comma and a kind.
func (s *tickScanner) name() (TickKind, bool) {
	if !s.sign(',') || !s.sign('"') {
		return 0, false
	}
	n := bytes.IndexByte(s.text[s.at:], '"')
	if n < 0 {
		return 0, false
	}
	name := s.text[s.at : s.at+n]
	if s.kindName == nil || !bytes.Equal(name, s.kindName) {
		k, ok := ParseTickKind(string(name))
		if !ok {
			return 0, false
		}
		s.kindName, s.kind = name, k
	}
	s.at += n + 1
	return s.kind, true
}

// count reads a comma and a number of tokens or bytes.
func (s *tickScanner) count() (int32, bool) {
	if !s.sign(',') {
		return 0, false
	}
	v, _, ok := s.number(mostWhole)
	return int32(v), ok
}
