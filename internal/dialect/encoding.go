package dialect

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
)

// Compressed tells whether a Content-Encoding is one that Decoder undoes.
func Compressed(encoding string) bool {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "gzip", "x-gzip", "deflate":
		return true
	}
	return false
}

// Decoder undoes a body's content coding as a stream: what a flush has sent can
// be read. It looks at the first bytes, since heads are wrong in both ways: a
// plain body said to be gzip is passed as it is, and gzip is undone whatever
// the head says. Nothing is read before the first Read.
func Decoder(encoding string, body io.Reader) io.Reader {
	return &decoder{encoding: strings.ToLower(strings.TrimSpace(encoding)), body: body}
}

type decoder struct {
	encoding string
	body     io.Reader
	plain    io.Reader
	err      error
}

// Read implements io.Reader.
func (d *decoder) Read(p []byte) (int, error) {
	if d.plain == nil && d.err == nil {
		d.plain, d.err = d.open()
	}
	if d.err != nil {
		return 0, d.err
	}
	return d.plain.Read(p)
}

func (d *decoder) open() (io.Reader, error) {
	in := bufio.NewReader(d.body)
	head, err := in.Peek(2)
	switch {
	case len(head) == 0 && err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case string(head) == "\x1f\x8b":
		return gzip.NewReader(in)
	case d.encoding != "deflate" || len(head) < 2:
		return in, nil
	case head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0: // RFC 1950, 2.2
		return zlib.NewReader(in)
	}
	return flate.NewReader(in), nil // some servers leave the zlib frame out
}
