package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Recording is the arrivals that a trace file has.
type Recording struct {
	Form    string // weir, mooncake or burstgpt
	Items   []Item // in order; the first is at 0
	Skipped int    // requests that got no answer when they were recorded; they have no length
}

// TraceOptions are how a trace file is read.
type TraceOptions struct {
	Speed float64 // how much faster than it was recorded; 0: as it was
	Max   int     // most requests, from the first on; 0: all
}

// maxTraceLine bounds a line; a Mooncake line has an id for each 512 tokens.
const maxTraceLine = 1 << 20

// ReadTrace reads the arrivals and lengths of a recorded load: one JSON object
// a line, ours ({"timestamp_ms", "input_tokens", "output_tokens"}; "timestamp"
// may be milliseconds or an RFC 3339 time) or Mooncake's ({"timestamp",
// "input_length", "output_length"}), or BurstGPT's CSV ("Timestamp" in seconds,
// "Request tokens", "Response tokens"). Lengths that a line does not have are
// 0.
func ReadTrace(r io.Reader, o TraceOptions) (*Recording, error) {
	if o.Speed == 0 {
		o.Speed = 1
	}
	if !(o.Speed >= 1e-3 && o.Speed <= 1e6) {
		return nil, badTrace("a speed of %v", "it is from 0.001 to 1000000; 2 is twice as fast", o.Speed)
	}
	b := bufio.NewReaderSize(r, 64<<10)
	if bom, _ := b.Peek(3); bytes.Equal(bom, []byte("\ufeff")) {
		_, _ = b.Discard(3)
	}
	read := readBurstGPT
	if c, err := firstByte(b); err != nil {
		return nil, badTrace("the trace is empty", "one JSON object a line, or a CSV with a header")
	} else if c == '{' {
		read = readJSONL
	}
	rec := &Recording{}
	max := cmp.Or(o.Max, maxRequests)
	if err := read(b, rec, max); err != nil {
		return nil, err
	}
	if len(rec.Items) == 0 {
		return nil, badTrace("the trace has no request", "one a line")
	}
	return rec, rec.settle(o.Speed)
}

// settle puts the items in order, from 0 on, at a speed.
func (rec *Recording) settle(speed float64) error {
	slices.SortStableFunc(rec.Items, func(a, b Item) int { return cmp.Compare(a.At, b.At) })
	start := rec.Items[0].At
	for i := range rec.Items {
		at := float64(rec.Items[i].At-start) / speed
		if at > float64(maxSpan) {
			return badTrace("a trace of more than %v", "read fewer requests, or play it faster", maxSpan)
		}
		rec.Items[i].At = time.Duration(at)
	}
	return nil
}

func badTrace(what, hint string, args ...any) error { return bad(fmt.Sprintf(what, args...), hint) }

// firstByte peeks at what is not blank.
func firstByte(b *bufio.Reader) (byte, error) {
	for {
		c, err := b.ReadByte()
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c, b.UnreadByte()
		}
	}
}

// traceLine is a line of ours or Mooncake's.
type traceLine struct {
	TimestampMS  *float64        `json:"timestamp_ms"`
	Timestamp    json.RawMessage `json:"timestamp"`
	InputTokens  *float64        `json:"input_tokens"`
	OutputTokens *float64        `json:"output_tokens"`
	InputLength  *float64        `json:"input_length"`
	OutputLength *float64        `json:"output_length"`
}

func readJSONL(b *bufio.Reader, rec *Recording, most int) error {
	lines := bufio.NewScanner(b)
	lines.Buffer(make([]byte, 0, 64<<10), maxTraceLine)
	n := 0
	for n++; lines.Scan() && len(rec.Items) < most; n++ {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		var l traceLine
		if err := json.Unmarshal(text, &l); err != nil {
			return badTrace("trace line %d: %v", `a line is {"timestamp_ms": 0, "input_tokens": 100, "output_tokens": 20}`, n, err)
		}
		it, err := l.item()
		if err != nil {
			return badTrace("trace line %d: %v", `a line is {"timestamp_ms": 0, "input_tokens": 100, "output_tokens": 20}`, n, err)
		}
		if rec.Form == "" {
			rec.Form = "weir"
			if l.InputLength != nil {
				rec.Form = "mooncake"
			}
		}
		rec.Items = append(rec.Items, it)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return badTrace("trace line %d is longer than %d bytes", "one request a line", n, maxTraceLine)
	} else if err != nil {
		return fmt.Errorf("reading the trace after line %d: %w", n-1, err)
	}
	return nil
}

func (l *traceLine) item() (it Item, err error) {
	switch {
	case l.TimestampMS != nil:
		it.At, err = instantOf(*l.TimestampMS, time.Millisecond)
	case len(l.Timestamp) > 0:
		it.At, err = l.instant()
	default:
		return it, errors.New("it has no timestamp_ms")
	}
	if err != nil {
		return it, err
	}
	if it.InputTokens, err = lengthOf("input", cmp.Or(l.InputTokens, l.InputLength)); err != nil {
		return it, err
	}
	it.OutputTokens, err = lengthOf("output", cmp.Or(l.OutputTokens, l.OutputLength))
	return it, err
}

// instant reads a timestamp in milliseconds, or as a date and time.
func (l *traceLine) instant() (time.Duration, error) {
	var date time.Time
	if json.Unmarshal(l.Timestamp, &date) == nil && l.Timestamp[0] == '"' {
		if date.Year() < 1970 || date.Year() > 2261 {
			return 0, fmt.Errorf("a timestamp in the year %d", date.Year())
		}
		return time.Duration(date.UnixNano()), nil
	}
	var ms float64
	if err := json.Unmarshal(l.Timestamp, &ms); err != nil {
		return 0, fmt.Errorf("timestamp %.40s is neither milliseconds nor an RFC 3339 time", l.Timestamp)
	}
	return instantOf(ms, time.Millisecond)
}

// instantOf is an instant from any beginning: an epoch fits.
func instantOf(n float64, unit time.Duration) (time.Duration, error) {
	if !(n >= 0 && n*float64(unit) < math.MaxInt64) {
		return 0, fmt.Errorf("a timestamp of %v", n)
	}
	whole, part := math.Modf(n) // apart: an epoch in nanoseconds is no float64
	return time.Duration(whole)*unit + time.Duration(math.Round(part*float64(unit))), nil
}

func lengthOf(what string, n *float64) (int, error) {
	switch {
	case n == nil:
		return 0, nil
	case !(*n >= 0 && *n <= maxInputTokens) || *n != math.Trunc(*n):
		return 0, fmt.Errorf("%v %s tokens", *n, what)
	}
	return int(*n), nil
}

// readBurstGPT reads columns by their names; later releases have more of them.
func readBurstGPT(b *bufio.Reader, rec *Recording, most int) error {
	rec.Form = "burstgpt"
	rows := csv.NewReader(&boundedLines{b: b})
	rows.ReuseRecord = true
	head, err := rows.Read()
	if err != nil {
		return csvError(err)
	}
	var at [3]int
	for i, name := range []string{"Timestamp", "Request tokens", "Response tokens"} {
		if at[i] = slices.IndexFunc(head, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) }); at[i] < 0 {
			return badTrace("trace line 1: no column %q", "a BurstGPT file begins with Timestamp,Model,Request tokens,Response tokens", name)
		}
	}
	for len(rec.Items) < most {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return csvError(err)
		}
		it, err := burstItem(row, at)
		if err != nil {
			line, _ := rows.FieldPos(0)
			return badTrace("trace line %d: %v", "Timestamp is in seconds, tokens are counts", line, err)
		}
		if it.OutputTokens == 0 { // it failed
			rec.Skipped++
			continue
		}
		rec.Items = append(rec.Items, it)
	}
	return nil
}

func burstItem(row []string, at [3]int) (it Item, err error) {
	var n [3]float64
	for i, col := range at {
		if n[i], err = strconv.ParseFloat(strings.TrimSpace(row[col]), 64); err != nil {
			return it, fmt.Errorf("%.40q is no number", row[col])
		}
	}
	if it.At, err = instantOf(n[0], time.Second); err != nil {
		return it, err
	}
	if it.InputTokens, err = lengthOf("request", &n[1]); err != nil {
		return it, err
	}
	it.OutputTokens, err = lengthOf("response", &n[2])
	return it, err
}

func csvError(err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return badTrace("trace line %d: %v", "a CSV with a header, or one JSON object a line", p.Line, p.Err)
	}
	if errors.Is(err, errLongLine) {
		return badTrace("a line of the trace is longer than %d bytes", "one request a line", maxTraceLine)
	}
	return fmt.Errorf("reading the trace: %w", err)
}

var errLongLine = errors.New("the line is too long")

// boundedLines fails at a line that is too long, before anybody keeps it.
type boundedLines struct {
	b    *bufio.Reader
	line int // bytes since the last line ended
}

// Read implements io.Reader.
func (l *boundedLines) Read(p []byte) (int, error) {
	n, err := l.b.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		l.line = n - i - 1
	} else {
		l.line += n
	}
	if l.line > maxTraceLine {
		return 0, errLongLine
	}
	return n, err
}
