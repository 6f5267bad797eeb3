package sse

import "bytes"

// Event is one server-sent event. Its slices are valid until the next call of
// the reader that gave it, and only as long as the bytes it was read from.
type Event struct {
	Name  []byte // the event field's value; empty if none
	Data  []byte // the data fields' values, joined with LF
	Lines int    // how many data fields there were
	Error bool   // the data is a JSON object that came in an "error" field
}

// Reader turns bytes into events. Any split of the same bytes over calls gives
// the same events. The zero value is ready, with DefaultCap.
type Reader struct {
	Cap int // most bytes in one line, and in one event's data; 0 means DefaultCap

	lines  Lines
	name   []byte // of the event being read
	data   []byte // of the event being read, where it is not one line inside p
	inside []byte // its data where it is one line inside p
	ev     Event  // Lines and Error of the event being read

	bom     int // bytes of a byte order mark taken so far
	started bool
	junk    int
	object  []byte // the first junk line that is an object
}

const byteOrderMark = "\xef\xbb\xbf"

// Next takes bytes off p up to the end of the first event in it. When ok is
// false all of p was taken and no event is whole yet. The error is ErrTooLong
// or nil; after an error the stream cannot be read further.
func (r *Reader) Next(p []byte) (ev Event, rest []byte, ok bool, err error) {
	r.lines.Cap = r.Cap
	if !r.started {
		p = r.skipBOM(p)
	}
	for len(p) > 0 {
		line, after, inside, whole, err := r.lines.next(p)
		if err != nil {
			return Event{}, nil, false, err
		}
		p = after
		switch {
		case !whole:
		case len(line) > 0:
			if err := r.field(line, inside); err != nil {
				return Event{}, nil, false, err
			}
		default:
			if ev, ok := r.dispatch(); ok {
				return ev, p, true, nil
			}
		}
	}
	if r.inside != nil { // p is not ours to keep
		r.data = append(r.data[:0], r.inside...)
		r.inside = nil
	}
	return Event{}, nil, false, nil
}

// Pending is the event that the end of the body cut short: its blank line, and
// perhaps the end of its last line, never came.
func (r *Reader) Pending() (Event, bool) {
	if line := r.lines.Partial(); len(line) > 0 {
		if r.field(line, false) != nil {
			return Event{}, false
		}
	}
	return r.dispatch()
}

// Junk counts the lines so far that are no field of an event stream: what an
// HTML page or plain text under text/event-stream looks like.
func (r *Reader) Junk() int { return r.junk }

// maxObject bounds what is kept of such lines.
const maxObject = 64 << 10

// JunkObject is the first such line that begins a JSON object: an error that was
// sent without its "data:"; nil if there was none.
func (r *Reader) JunkObject() []byte { return r.object }

// Reset makes r ready for another stream and keeps its buffers.
func (r *Reader) Reset() {
	r.lines.Reset()
	*r = Reader{Cap: r.Cap, lines: r.lines, name: r.name[:0], data: shrink(r.data), object: r.object[:0]}
}

func (r *Reader) skipBOM(p []byte) []byte {
	for len(p) > 0 && r.bom < len(byteOrderMark) && p[0] == byteOrderMark[r.bom] {
		r.bom++
		p = p[1:]
	}
	if len(p) == 0 && r.bom < len(byteOrderMark) {
		return nil
	}
	r.started = true
	if r.bom < len(byteOrderMark) { // not a mark after all: they were text
		r.lines.carry = append(r.lines.carry, byteOrderMark[:r.bom]...)
	}
	return p
}

func (r *Reader) field(line []byte, inside bool) error {
	if len(line) >= 5 && string(line[:5]) == "data:" {
		return r.addData(value(line[5:]), inside)
	}
	name, val, _ := bytes.Cut(line, []byte{':'})
	val = value(val)
	switch string(name) {
	case "": // a comment
	case "data":
		return r.addData(val, inside)
	case "event":
		r.name = append(r.name[:0], val...)
	case "id", "retry":
	case "error":
		if len(val) == 0 || val[0] != '{' {
			r.junk++
			return nil
		}
		r.ev.Error = true
		return r.addData(val, inside)
	default:
		r.junk++
		if line[0] == '{' && len(r.object) == 0 && len(line) <= maxObject {
			r.object = append(r.object, line...)
		}
	}
	return nil
}

// value drops the one space that may follow the colon.
func value(b []byte) []byte {
	if len(b) > 0 && b[0] == ' ' {
		return b[1:]
	}
	return b
}

func (r *Reader) addData(val []byte, inside bool) error {
	switch {
	case r.ev.Lines == 0 && inside && val != nil:
		r.inside = val
	case r.ev.Lines == 0:
		r.data = append(r.data[:0], val...)
	default:
		if r.inside != nil {
			r.data = append(r.data[:0], r.inside...)
			r.inside = nil
		}
		if len(r.data)+1+len(val) > r.lines.cap() {
			return ErrTooLong
		}
		r.data = append(append(r.data, '\n'), val...)
	}
	r.ev.Lines++
	return nil
}

func (r *Reader) dispatch() (Event, bool) {
	ev := r.ev
	ev.Name, ev.Data = r.name, r.data
	if r.inside != nil {
		ev.Data = r.inside
	}
	r.ev, r.name, r.inside = Event{}, r.name[:0], nil
	return ev, ev.Lines > 0
}
