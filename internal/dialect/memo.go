package dialect

import "bytes"

// memo spares the reader what it already knows. Event after event of a stream
// has the same bytes before its text, and often the same after it. A parser is
// a function of the bytes it has read: if all bytes up to the text are those of
// an event that was read in full, it stands where it stood then, inside the
// same delta, having learnt nothing. So the reading goes on from there; and if
// the bytes after the text are the same too, it is over. This is exact, not a
// guess: an event that differs anywhere is read from where it differs.
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
	if r.broken || r.mark == 0 || len(r.pieces) != 1 || len(r.choices) != 1 || r.pieces[0].channel != chText ||
		r.role || r.fail != nil || len(r.choices[0].finish) > 0 || r.usage.any() || len(r.provider) > 0 {
		return
	}
	end := r.mark + 1 + len(r.pieces[0].raw)
	m.before = append(m.before[:0], data[:r.mark]...)
	m.after = append(m.after[:0], data[end:]...)
	m.index = r.choices[0].index
}

// read reads an event whose beginning is known; false if it is not.
func (m *memo) read(r *record, data []byte) bool {
	n := len(m.before)
	if n == 0 || len(data) <= n || data[n] != '"' || !bytes.Equal(data[:n], m.before) {
		return false
	}
	c := cursor{b: data, i: n, depth: deltaDepth}
	raw, esc := c.rawString()
	if c.bad {
		r.broken = true
		return true
	}
	r.envelope = true
	r.add(piece{raw: raw, esc: esc, choice: m.index, tool: noIndex})
	if bytes.Equal(data[c.i-1:], m.after) {
		r.finish(m.index, nil)
		return true
	}
	m.rest(r, &c)
	r.broken = !c.whole()
	return true
}

// rest reads on after the text: the rest of its delta, its choice, the other
// choices and the top object.
func (m *memo) rest(r *record, c *cursor) {
	var d openAIDelta
	for c.field() {
		d.member(r, c)
	}
	d.close(r)
	ch := openAIChoice{index: m.index, hasDelta: true}
	for c.field() {
		ch.member(r, c)
	}
	ch.close(r)
	for c.elem() {
		r.openAIChoice(c)
	}
	top := openAITop{usage: noCounters}
	for c.field() {
		top.member(r, c)
	}
	top.close(r, c)
}
