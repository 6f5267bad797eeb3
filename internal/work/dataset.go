package work

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"weir.dev/weir"
)

// Dataset is the requests of a file, in memory.
type Dataset struct {
	Name      string // of the file
	Records   []Record
	Cut       bool   // there was more than ReadOptions.MaxBytes
	Skipped   int    // conversations of no use, such as those without a message of the user
	WhySkip   string // of the first
	hash      string
	sessioned bool
}

// Hash identifies the records, whatever file they came from.
func (d *Dataset) Hash() string { return d.hash }

func (d *Dataset) sessions() bool { return d != nil && d.sessioned }

// ReadOptions says how a data set is read. Its zero value works.
type ReadOptions struct {
	Name      string // of the file, for errors
	Turns     Turns
	MaxRecord int    // bytes of one record in the file; 0: 32 MiB
	MaxBytes  int    // of all that is kept; 0: 256 MiB
	Open      Opener // for images by file; nil reads none
}

// maxProblems is how many records that cannot be read are named at once.
const maxProblems = 10

type reader struct {
	o      ReadOptions
	data   Dataset
	hash   hash.Hash
	images map[string]string // by what the file calls it
	size   int               // about what is kept, in bytes
	found  int               // conversations kept

	problems []string
}

// errEnough ends reading.
var errEnough = errors.New("enough")

// Read reads a data set: JSON lines, or one JSON list, of records of three
// forms: {"messages": [{"role", "content"}]} and {"prompt": "..."}, both with
// output_tokens where wanted, and ShareGPT's {"conversations": [{"from",
// "value"}]}. It keeps what fits into MaxBytes and at no time holds more than
// one record beside. Its errors name the line or the record.
func Read(r io.Reader, o ReadOptions) (*Dataset, error) {
	if o.MaxRecord == 0 {
		o.MaxRecord = 32 << 20
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 256 << 20
	}
	if o.Name == "" {
		o.Name = "data set"
	}
	if _, err := ParseTurns(string(o.Turns)); err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(r, 64<<10)
	first, err := firstByte(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	rd := &reader{o: o, hash: sha256.New(), images: map[string]string{}}
	if first == '[' {
		err = rd.list(b)
	} else {
		err = rd.lines(b)
	}
	return rd.finish(err)
}

// firstByte skips a byte order mark and white space that is not a line's end,
// so that lines keep their numbers; at the file's end it is 0.
func firstByte(b *bufio.Reader) (byte, error) {
	if mark, err := b.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		if _, err := b.Discard(3); err != nil {
			return 0, err
		}
	}
	for n := 1; ; n++ {
		head, err := b.Peek(n)
		switch {
		case len(head) == n && strings.IndexByte(" \t\r\n", head[n-1]) < 0:
			return head[n-1], nil
		case len(head) == n:
		case errors.Is(err, io.EOF), errors.Is(err, bufio.ErrBufferFull):
			return 0, nil
		default:
			return 0, err
		}
	}
}

// lines reads a record from each line that is not blank.
func (r *reader) lines(b *bufio.Reader) error {
	var line []byte
	for n := 1; ; {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > r.o.MaxRecord {
			return fmt.Errorf("line %d: longer than %d bytes", n, r.o.MaxRecord)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if err := r.add(fmt.Sprintf("line %d", n), text); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		line = line[:0]
		n++
	}
}

// list reads a record from each item of one JSON list.
func (r *reader) list(b io.Reader) error {
	limited := &limitedReader{b, r.o.MaxRecord}
	d := json.NewDecoder(limited)
	if _, err := d.Token(); err != nil {
		return plainJSON(err)
	}
	for n := 1; ; n++ {
		if limited.left = r.o.MaxRecord; !d.More() {
			break
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			if errors.Is(err, errTooLong) {
				return fmt.Errorf("record %d: longer than %d bytes", n, r.o.MaxRecord)
			}
			return fmt.Errorf("record %d, at byte %d: %w", n, d.InputOffset(), plainJSON(err))
		}
		if err := r.add(fmt.Sprintf("record %d", n), raw); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("the end of the list: %w", plainJSON(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the list, at byte %d", d.InputOffset())
	}
	return nil
}

var errTooLong = errors.New("too long")

// limitedReader bounds what a decoder reads for one record, and thereby what it
// holds.
type limitedReader struct {
	r    io.Reader
	left int
}

// Read implements io.Reader.
func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// add keeps the requests of a record; it ends the reading where there is no
// room, or nothing to hope for.
func (r *reader) add(where string, raw []byte) error {
	c, err := conversation{}, checkUTF8(raw)
	if err == nil {
		c, err = r.parse(raw)
	}
	switch {
	case errors.Is(err, errSkip):
		if r.data.Skipped++; r.data.Skipped == 1 {
			r.data.WhySkip = where + ": " + err.Error()
		}
		return nil
	case err != nil:
		if r.problems = append(r.problems, where+": "+err.Error()); len(r.problems) == maxProblems {
			return errEnough
		}
		return nil
	}
	r.size += c.size()
	if r.size > r.o.MaxBytes && r.found > 0 {
		r.data.Cut = true
		return errEnough
	}
	for _, rec := range c.requests(r.o.Turns) {
		rec.conversation = r.found
		b, err := json.Marshal(rec)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.hash, "%d/%d:%s\n", rec.conversation, rec.turn, b)
		r.data.sessioned = r.data.sessioned || rec.more
		r.data.Records = append(r.data.Records, rec)
	}
	r.found++
	return nil
}

// checkUTF8 refuses what a decoder of JSON would silently put other signs for.
func checkUTF8(raw []byte) error {
	for at := 0; at < len(raw); {
		r, n := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && n == 1 {
			return fmt.Errorf("byte %d (%#x) is not UTF-8: convert the file, from Latin-1 for example with iconv -f latin1 -t utf-8", at+1, raw[at])
		}
		at += n
	}
	return nil
}

// size is about what a conversation takes in memory.
func (c *conversation) size() int {
	const each = 64
	n := each
	for _, m := range c.messages {
		n += each*(1+len(m.Images)) + len(m.Text)
	}
	for _, s := range c.system {
		n += len(s)
	}
	return n
}

func (r *reader) finish(err error) (*Dataset, error) {
	if err != nil && !errors.Is(err, errEnough) {
		r.problems = append(r.problems, err.Error())
	}
	switch n := len(r.problems); {
	case n == 1:
		return nil, r.bad(": " + r.problems[0])
	case n > 1:
		more := ""
		if n >= maxProblems {
			more = "\n  perhaps more"
		}
		return nil, r.bad(fmt.Sprintf(": %d records cannot be read:\n  %s%s", n, strings.Join(r.problems, "\n  "), more))
	case len(r.data.Records) == 0 && r.data.Skipped > 0:
		return nil, r.bad(fmt.Sprintf(": none of %d records is of use: %s", r.data.Skipped, r.data.WhySkip))
	case len(r.data.Records) == 0:
		return nil, r.bad(": no record")
	}
	r.data.Name = r.o.Name
	r.data.hash = hex.EncodeToString(r.hash.Sum(nil)[:8])
	return &r.data, nil
}

func (r *reader) bad(what string) error {
	return &weir.Error{Code: "bad_dataset", Message: r.o.Name + what}
}

// records is a source of a data set's requests, in the file's order, again from
// the first after the last.
type records struct{ maker }

var _ Source = (*records)(nil)

// Align implements Source.
func (s *records) Align(k int) int {
	n := len(s.plan.Data.Records)
	for k%n != 0 && s.plan.Data.Records[k%n].turn != 0 {
		k++
	}
	return k
}

// Prompt implements Source.
func (s *records) Prompt(target, k int, _ *Calibration) Request {
	data := s.plan.Data
	rec, round := data.Records[k%len(data.Records)], k/len(data.Records)
	conversations := data.Records[len(data.Records)-1].conversation + 1
	r := Request{
		System: rec.System, Messages: slices.Clone(rec.Messages), OutputTokens: rec.OutputTokens,
		Session: round*conversations + rec.conversation, Turn: rec.turn, More: rec.more,
	}
	if r.System == "" {
		r.System = s.plan.System
	}
	if r.OutputTokens == 0 {
		_, r.OutputTokens = s.lengths(k)
	}
	if r.Turn > 0 {
		r.Think = s.plan.Think.Draw(s.rand(streamThink, k))
	}
	s.complete(&r, target, k)
	return r
}
