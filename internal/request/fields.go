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

func (f fields) encode() ([]byte, error) {
	var w bodyWriter
	w.scalars = json.NewEncoder(&w.body)
	w.scalars.SetEscapeHTML(false)
	if err := w.object(f); err != nil {
		return nil, err
	}
	return w.body.Bytes(), nil
}

// bodyWriter writes nested fields in one pass: json.Marshaler would have each
// level read again what the levels below it wrote, images included.
type bodyWriter struct {
	body    bytes.Buffer
	scalars *json.Encoder // to body
}

func (w *bodyWriter) object(f fields) error {
	w.body.WriteByte('{')
	for i, m := range f {
		if i > 0 {
			w.body.WriteByte(',')
		}
		if err := w.value(m.name); err != nil {
			return err
		}
		w.body.WriteByte(':')
		if err := w.value(m.value); err != nil {
			return fmt.Errorf("request field %q: %w", m.name, err)
		}
	}
	w.body.WriteByte('}')
	return nil
}

func (w *bodyWriter) value(v any) error {
	switch v := v.(type) {
	case fields:
		return w.object(v)
	case []fields:
		return w.list(v)
	}
	if err := w.scalars.Encode(v); err != nil {
		return err
	}
	w.body.Truncate(w.body.Len() - 1) // the encoder's newline
	return nil
}

func (w *bodyWriter) list(objects []fields) error {
	w.body.WriteByte('[')
	for i, f := range objects {
		if i > 0 {
			w.body.WriteByte(',')
		}
		if err := w.object(f); err != nil {
			return err
		}
	}
	w.body.WriteByte(']')
	return nil
}
