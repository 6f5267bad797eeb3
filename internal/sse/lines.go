package sse

import (
	"bytes"
	"errors"
)

// DefaultCap is the longest line, and the most data in one event, that is read.
const DefaultCap = 16 << 20

// ErrTooLong says that a line, or the data of one event, is longer than the cap.
var ErrTooLong = errors.New("line longer than the cap")

// Lines splits a stream into lines that end with LF, CR or CRLF. A CR ends its
// line at once; an LF right after it is swallowed, also when it comes with
// later bytes. The zero value is ready, with DefaultCap.
type Lines struct {
	Cap int // longest line in bytes; 0 means DefaultCap

	carry  []byte // a line's beginning, from earlier bytes
	skipLF bool
}

// Next takes the first line off p. The line is valid until the next call.
// Without a whole line in p, the bytes are kept and ok is false.
func (l *Lines) Next(p []byte) (line, rest []byte, ok bool, err error) {
	line, rest, _, ok, err = l.next(p)
	return line, rest, ok, err
}

// next also tells whether the line lies inside p: then it is valid for as long
// as p is.
func (l *Lines) next(p []byte) (line, rest []byte, inside, ok bool, err error) {
	if l.skipLF && len(p) > 0 {
		l.skipLF = false
		if p[0] == '\n' {
			p = p[1:]
		}
	}
	end := lineEnd(p)
	if end < 0 {
		if len(l.carry)+len(p) > l.cap() {
			return nil, nil, false, false, ErrTooLong
		}
		l.carry = append(l.carry, p...)
		return nil, nil, false, false, nil
	}
	if len(l.carry)+end > l.cap() {
		return nil, nil, false, false, ErrTooLong
	}
	line, rest = p[:end], p[end+1:]
	if p[end] == '\r' {
		l.skipLF = true
	}
	if len(l.carry) == 0 {
		return line, rest, true, true, nil
	}
	l.carry = append(l.carry, line...)
	line = l.carry
	l.carry = l.carry[:0]
	return line, rest, false, true, nil
}

// lineEnd is the index of the first LF or CR. It looks in windows that grow, so
// that a stream of short lines that end with CR does not have the whole rest
// searched for an LF at each of them.
func lineEnd(p []byte) int {
	for from, width := 0, 1<<10; from < len(p); width *= 4 {
		window := p[from:min(from+width, len(p))]
		lf := bytes.IndexByte(window, '\n')
		if lf >= 0 {
			window = window[:lf]
		}
		if cr := bytes.IndexByte(window, '\r'); cr >= 0 {
			return from + cr
		}
		if lf >= 0 {
			return from + lf
		}
		from += len(window)
	}
	return -1
}

// Partial is the unfinished last line, at the end of the stream.
func (l *Lines) Partial() []byte { return l.carry }

// Reset makes l ready for another stream and keeps its buffer, unless that has
// grown beyond what a usual stream needs.
func (l *Lines) Reset() {
	l.carry, l.skipLF = shrink(l.carry), false
}

func (l *Lines) cap() int {
	if l.Cap > 0 {
		return l.Cap
	}
	return DefaultCap
}

// shrink empties a buffer and lets go of an unusually large one.
func shrink(b []byte) []byte {
	if cap(b) > 1<<20 {
		return nil
	}
	return b[:0]
}
