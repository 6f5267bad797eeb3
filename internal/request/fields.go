package request

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// fields is a JSON object whose members keep their order.
type fields []field

type field struct {
	name  string
	value any
}

func (f *fields) add(name string, value any) { *f = append(*f, field{name, value}) }

// addIf adds the member where it holds.
func (f *fields) addIf(holds bool, name string, value any) {
	if holds {
		f.add(name, value)
	}
}

// replace sets the member in its place, or adds it at the end.
func (f *fields) replace(name string, value any) {
	for i := range *f {
		if (*f)[i].name == name {
			(*f)[i].value = value
			return
		}
	}
	f.add(name, value)
}

// MarshalJSON makes nested objects of fields possible.
func (f fields) MarshalJSON() ([]byte, error) { return f.encode() }

func (f fields) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	sep := byte('{')
	for _, m := range f {
		b.WriteByte(sep)
		sep = ','
		for i, v := range []any{m.name, m.value} {
			if i == 1 {
				b.WriteByte(':')
			}
			if err := e.Encode(v); err != nil {
				return nil, fmt.Errorf("request field %q: %w", m.name, err)
			}
			b.Truncate(b.Len() - 1) // the encoder's newline
		}
	}
	if len(f) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
