package dialect

import "bytes"

// memo spares the reader what it already knows. Event after event of a stream
// has the same bytes before its text, and often the same after it. A parser is
// a function of the bytes it has read: if all bytes up to the text are those of
// an event that was read in full, it stands where it stood then, inside the
// same delta, having learnt nothing. So the reading goes on from there; and if
// the bytes after the text are the same too, it is over. This is exact, not a
// guess: an event that differs anywhere is read from where it differs, and one
// that says anything but a text is read in full.
type memo struct {
	before []byte // up to the text's opening quote
	after  []byte // from the text's closing quote
	index  int32  // the choice it was in
}

// deltaDepth is the nesting of a delta's members:
// {"choices":[{"delta":{"content":...
const deltaDepth = 4

// learn keeps the frame of an event that carried one text and nothing else, so
// that what comes before and after the text is known to mean nothing.
func (m *memo) learn(r *record, data []byte) {
	if r.broken || r.mark == 0 || len(r.pieces) != 1 || len(r.choices) != 1 || r.pieces[0].channel != ChannelText ||
		r.role || r.fail != nil || len(r.choices[0].finish) > 0 || r.usage.any() || len(r.provider) > 0 {
		return
	}
	end := r.mark + 1 + len(r.pieces[0].raw)
	m.before = append(m.before[:0], data[:r.mark]...)
	m.after = append(m.after[:0], data[end:]...)
	m.index = r.choices[0].index
}

// text is the raw text of an event whose beginning is known and whose end says
// nothing; false if there is more to it. It is not a method of record since
// nothing else of the reader has to be touched for it: at thousands of streams
// that is what counts.
func (m *memo) text(data []byte, from sender) (raw []byte, esc, ok bool) {
	n := len(m.before)
	if n == 0 || len(data) <= n || data[n] != '"' || !bytes.Equal(data[:n], m.before) {
		return nil, false, false
	}
	c := cursor{b: data, i: n, depth: deltaDepth}
	raw, esc = c.rawString()
	if c.bad {
		return nil, false, false
	}
	return raw, esc, bytes.Equal(data[c.i-1:], m.after) || m.silent(&c, from)
}

// sender tells what of an answer's sender is known already.
type sender struct{ id, model, print bool }

// silent tells whether the rest of an event, from inside its delta on, is sound
// and says nothing: its members are unknown ones, nulls, or repeat what is
// known.
func (m *memo) silent(c *cursor, known sender) bool {
	for c.field() { // the delta's
		switch string(c.name) {
		case "content", "role", "reasoning_content", "reasoning", "thinking", "reasoning_details", "refusal", "tool_calls", "function_call":
			if !c.null() {
				return false
			}
		default:
			c.skip()
		}
	}
	for c.field() { // the choice's
		switch string(c.name) {
		case "index":
			if n, ok := c.count(); !ok || n != int(m.index) {
				return false
			}
		case "delta", "message", "text", "finish_reason", "usage", "error":
			if !c.null() {
				return false
			}
		default:
			c.skip()
		}
	}
	return !c.elem() && m.silentTop(c, known) && c.whole()
}

func (m *memo) silentTop(c *cursor, known sender) bool {
	for c.field() {
		switch string(c.name) {
		case "choices", "usage", "x_groq", "error", "timings", "time_info", "perf_metrics", "type":
			if !c.null() {
				return false
			}
		case "object":
			if s, _, _ := c.str(); string(s) == "error" {
				return false
			}
		case "id":
			if c.skip(); !known.id {
				return false
			}
		case "model":
			if c.skip(); !known.model {
				return false
			}
		case "system_fingerprint":
			if c.skip(); !known.print {
				return false
			}
		default:
			c.skip()
		}
	}
	return !c.bad
}
