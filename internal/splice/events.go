package splice

import "bytes"

// Events changes the events of one answer on their way down, each the JSON of
// one event, and whole answers just as well. The zero value changes nothing
// and is ready for use, by one goroutine at a time.
//
// The model's name is looked for where the dialects have it: the members model
// and modelVersion, and model inside response and inside message. A name that
// is missing stays so. A key spelled with escapes is not seen by the quick look
// that spares most events the scan; no server is known to write one.
type Events struct {
	Model     string // put in the place of a model's name that is empty or null; empty: none is
	Rewrite   bool   // put Model in the place of every name
	DropUsage bool   // take out the member usage of a stream's events: the caller did not ask for it

	outer, inner Object
	edits        Edits
	out          []byte
}

// A Change is what Edit did with an event.
type Change uint8

// What Edit does with an event.
const (
	Kept      Change = iota // it goes down as it came
	Edited                  // it goes down changed
	UsageOnly               // it goes not down at all: it only tells a usage that the caller did not ask for
)

// Edit is the event as it is to go down, and what was done with it. What was
// changed stands in a buffer that the next Edit writes again; all else is data
// itself. An event that is no JSON object is kept: it is the reader's to judge.
func (e *Events) Edit(data []byte) ([]byte, Change) {
	if !e.concerns(data) || e.outer.scan(data, eventNames, scanEvent) != nil {
		return data, Kept
	}
	e.edits.Reset()
	if e.DropUsage {
		if isUsageOnly(&e.outer) {
			return data, UsageOnly
		}
		if _, ok := e.outer.Raw("usage"); ok {
			e.edits.Remove("usage")
		}
	}
	e.name()
	if e.edits.Len() == 0 {
		return data, Kept
	}
	out, err := e.edits.AppendTo(e.out[:0], &e.outer)
	if err != nil {
		return data, Kept
	}
	e.out = out
	return out, Edited
}

var (
	eventNames = []string{"model", "modelVersion", "response", "message", "usage", "choices"}
	modelNames = []string{"model"}
)

// IsUsageOnly tells whether an event is the one that chat and completions send
// for stream_options.include_usage: a usage and an empty list of choices.
func (e *Events) IsUsageOnly(data []byte) bool {
	return bytes.Contains(data, []byte(`"usage"`)) &&
		e.outer.scan(data, eventNames, scanEvent) == nil && isUsageOnly(&e.outer)
}

func isUsageOnly(o *Object) bool {
	usage, _ := o.Raw("usage")
	choices, _ := o.Raw("choices")
	return len(usage) > 0 && usage[0] == '{' && (isEmptyArray(choices) || string(choices) == "null")
}

// name makes the edits to the model's name.
func (e *Events) name() {
	if e.Model == "" {
		return
	}
	for _, key := range [...]string{"model", "modelVersion"} {
		if raw, ok := e.outer.Raw(key); ok && e.isWrong(raw) {
			e.edits.SetString(key, e.Model)
		}
	}
	for _, in := range [...]string{"response", "message"} {
		raw, ok := e.outer.Raw(in)
		if !ok || raw[0] != '{' || e.inner.scan(raw, modelNames, scanEvent) != nil {
			continue
		}
		if raw, ok = e.inner.Raw("model"); ok && e.isWrong(raw) {
			e.edits.setStringIn(in, "model", e.Model)
		}
	}
}

// isWrong tells whether a model's name has to be replaced.
func (e *Events) isWrong(raw []byte) bool {
	switch string(raw) {
	case `""`, "null":
		return true
	}
	name, ok := unquote(raw)
	return ok && e.Rewrite && string(name) != e.Model
}

// concerns is the quick look. It may say yes in vain, but not no.
func (e *Events) concerns(data []byte) bool {
	return e.DropUsage && bytes.Contains(data, []byte(`"usage"`)) || e.Model != "" && e.misnames(data)
}

func (e *Events) misnames(data []byte) bool {
	for {
		at := bytes.Index(data, []byte(`"model`))
		if at < 0 {
			return false
		}
		data = data[at+len(`"model`):]
		name := bytes.TrimPrefix(data, []byte("Version"))
		if len(name) == 0 || name[0] != '"' {
			continue
		}
		if name = skipSpace(name[1:]); len(name) == 0 || name[0] != ':' {
			continue
		}
		name = skipSpace(name[1:])
		if e.Rewrite && !e.isRight(name) || bytes.HasPrefix(name, []byte(`""`)) || bytes.HasPrefix(name, []byte("null")) {
			return true
		}
	}
}

// isRight tells whether b begins with Model as a string that needs no escapes.
func (e *Events) isRight(b []byte) bool {
	n := len(e.Model)
	return len(b) >= n+2 && b[0] == '"' && string(b[1:n+1]) == e.Model && b[n+1] == '"'
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}
