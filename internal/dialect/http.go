package dialect

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"
)

// response is a recorded HTTP response: its head, and its body after transfer
// and content decoding.
type response struct {
	status int
	header http.Header
	body   io.Reader
}

// errNoHead says that what was read is no HTTP response.
var errNoHead = errors.New("no whole HTTP response head (status line, headers, blank line)")

// maxHead bounds a response's head.
const maxHead = 1 << 20

// readResponse reads a raw HTTP response as curl -i prints it: perhaps after
// interim responses, perhaps with a body that curl has already unchunked or
// decompressed although the head still says otherwise.
func readResponse(in *bufio.Reader) (*response, error) {
	for {
		res, err := readHead(in)
		if err != nil {
			return nil, err
		}
		next, _ := in.Peek(5)
		if string(next) == "HTTP/" { // a 100, or a proxy's answer to CONNECT, came first
			continue
		}
		res.decode(in)
		return res, nil
	}
}

func readHead(in *bufio.Reader) (*response, error) {
	limited := &io.LimitedReader{R: in, N: maxHead}
	var head bytes.Buffer
	for {
		line, err := readLine(limited)
		if err != nil {
			return nil, errNoHead
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			break
		}
		head.WriteString(line + "\r\n")
	}
	head.WriteString("\r\n")
	tp := textproto.NewReader(bufio.NewReader(&head))
	first, err := tp.ReadLine()
	if err != nil {
		return nil, errNoHead
	}
	fields := strings.Fields(first)
	if len(fields) < 2 || !strings.HasPrefix(fields[0], "HTTP/") {
		return nil, fmt.Errorf("%w: the first line is %q", errNoHead, bounded(first))
	}
	status, err := strconv.Atoi(fields[1])
	if err != nil || status < 100 || status > 999 {
		return nil, fmt.Errorf("%w: the status in %q is no number from 100 to 999", errNoHead, bounded(first))
	}
	header, err := tp.ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %v", errNoHead, err)
	}
	return &response{status: status, header: http.Header(header)}, nil
}

// readLine reads byte by byte, so that nothing beyond the line is taken.
func readLine(r io.Reader) (string, error) {
	var line []byte
	var b [1]byte
	for {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return "", err
		}
		if line = append(line, b[0]); b[0] == '\n' {
			return string(line), nil
		}
	}
}

func (r *response) decode(in *bufio.Reader) {
	r.body = in
	if te := r.header.Get("Transfer-Encoding"); strings.EqualFold(te, "chunked") {
		if looksChunked(in) {
			r.body = httputil.NewChunkedReader(in)
		}
	} else if n, err := strconv.ParseInt(r.header.Get("Content-Length"), 10, 64); err == nil && n >= 0 && !bodyless(r.status) && !r.undone(in) {
		r.body = &exactly{r: in, left: n}
	}
	r.body = Decoder(r.header.Get("Content-Encoding"), r.body)
}

// undone tells whether curl has undone the body's content coding: the length in
// the head is then not the body's.
func (r *response) undone(in *bufio.Reader) bool {
	if !Compressed(r.header.Get("Content-Encoding")) {
		return false
	}
	head, _ := in.Peek(1)
	return len(head) == 1 && strings.IndexByte(":[{<de", head[0]) >= 0 // how plain answers begin
}

func bodyless(status int) bool { return status == 204 || status == 304 }

// looksChunked tells a chunked body from one that curl has unchunked: it
// begins with a length in hex, alone on its line.
func looksChunked(in *bufio.Reader) bool {
	head, _ := in.Peek(16)
	i := 0
	for i < len(head) && strings.IndexByte("0123456789abcdefABCDEF", head[i]) >= 0 {
		i++
	}
	return i > 0 && i < len(head) && (head[i] == '\r' || head[i] == '\n' || head[i] == ';')
}

// exactly reads a body of a stated length; a shorter one ends uncleanly, and
// bytes beyond it are not the body's.
type exactly struct {
	r    io.Reader
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.r.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	if errors.Is(err, io.EOF) && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
