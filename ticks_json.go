package weir

import (
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

// UnmarshalJSON reads what MarshalJSON wrote.
func (ts *Ticks) UnmarshalJSON(b []byte) error {
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
