package work

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

func mustRead(t *testing.T, text string, o ReadOptions) *Dataset {
	t.Helper()
	d, err := Read(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// asked are the records in short.
func asked(d *Dataset) []string {
	var out []string
	for _, r := range d.Records {
		s := fmt.Sprintf("%d.%d", r.conversation, r.turn)
		if r.System != "" {
			s += " S=" + r.System
		}
		for _, m := range r.Messages {
			s += " " + m.Role[:1] + "=" + m.Text
		}
		out = append(out, fmt.Sprintf("%s -> %d", s, r.OutputTokens))
	}
	return out
}

const chat = `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"dddd dddd"}]}`

func TestReadLines(t *testing.T) {
	for text, want := range map[string][]string{
		chat:                               {"0.0 S=s u=a a=b u=c -> 3"},
		`{"prompt":"p","output_tokens":7}`: {"0.0 u=p -> 7"},
		"\xef\xbb\xbf\n{\"prompt\":\"p\"}\r\n\n  \n": {"0.0 u=p -> 0"},
		"{\"prompt\":\"p\"}\n{\"prompt\":\"q\"}":     {"0.0 u=p -> 0", "1.0 u=q -> 0"},
		`{"messages":[{"role":"developer","content":"x"},{"role":"system","content":"y"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}],"id":5}`: {"0.0 S=x\n\ny u=a\nb -> 0"},
		`{"conversations":[{"from":"human","value":"h"},{"from":"gpt","value":"12345"},{"from":"human","value":"i"}]}`:                                                               {"0.0 u=h -> 2"},
	} {
		if d := cmp.Diff(want, asked(mustRead(t, text, ReadOptions{}))); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

func TestTurns(t *testing.T) {
	share := `{"conversations":[{"from":"system","value":"s"},{"from":"gpt","value":"z"},{"from":"human","value":"a"},{"from":"human","value":"a2"},{"from":"gpt","value":"b"},{"from":"human","value":"c"},{"from":"gpt","value":"dddd dddd"}]}`
	for turns, want := range map[Turns][2][]string{
		TurnsDefault: {{"0.0 S=s u=a a=b u=c -> 3"}, {"0.0 S=s u=a u=a2 -> 1"}},
		FirstTurn:    {{"0.0 S=s u=a -> 1"}, {"0.0 S=s u=a u=a2 -> 1"}},
		LastTurn:     {{"0.0 S=s u=a a=b u=c -> 3"}, {"0.0 S=s u=a u=a2 a=b u=c -> 3"}},
		EachTurn:     {{"0.0 S=s u=a -> 1", "0.1 S=s u=a a=b u=c -> 3"}, {"0.0 S=s u=a u=a2 -> 1", "0.1 S=s u=a u=a2 a=b u=c -> 3"}},
	} {
		for i, text := range []string{chat, "[" + share + "]"} {
			if d := cmp.Diff(want[i], asked(mustRead(t, text, ReadOptions{Turns: turns}))); d != "" {
				t.Errorf("%q of %s: %s", turns, text, d)
			}
		}
	}
	if _, err := Read(strings.NewReader(chat), ReadOptions{Turns: "all"}); err == nil {
		t.Error("turns all")
	}
}

func TestReadList(t *testing.T) {
	f, err := os.Open("testdata/sharegpt.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := Read(f, ReadOptions{Name: "sharegpt.json"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0.0 u=How deep is a weir? -> 13", "1.0 S=Answer in verse. u=And how wide? -> 9"}
	if diff := cmp.Diff(want, asked(d)); diff != "" {
		t.Error(diff)
	}
	if d.Skipped != 4 || d.WhySkip != "record 2: no use: no message of the user" || d.Cut {
		t.Errorf("%d skipped: %s", d.Skipped, d.WhySkip)
	}
}

// TestBadRecords: one case a rule, with the whole message.
func TestBadRecords(t *testing.T) {
	m := func(messages string) string { return `{"messages":[` + messages + `]}` }
	for text, want := range map[string]string{
		"":                                      `f: no record`,
		"\n \n":                                 `f: no record`,
		"[]":                                    `f: no record`,
		"x":                                     `f: line 1: not JSON: invalid character 'x' looking for beginning of value`,
		"{\"prompt\":\"p\"}\n\n{":               `f: line 3: not JSON: unexpected end of JSON input`,
		"5":                                     `f: line 1: it is number, not an object`,
		"null":                                  `f: line 1: it has not one of "messages", "prompt" and "conversations"`,
		"{}":                                    `f: line 1: it has not one of "messages", "prompt" and "conversations"`,
		`{"prompt":"p","messages":[]}`:          `f: line 1: it has not one of "messages", "prompt" and "conversations"`,
		`{"prompt":""}`:                         `f: line 1: the prompt is empty`,
		`{"prompt":7}`:                          `f: line 1: prompt is number, which it cannot be`,
		`{"prompt":"p","output_tokens":0}`:      `f: line 1: output_tokens is 0, not 1 to 10000000`,
		`{"prompt":"p","output_tokens":"7"}`:    `f: line 1: output_tokens is string, which it cannot be`,
		m(``):                                   `f: line 1: no message of the user`,
		m(`5`):                                  `f: line 1: messages[0]: it is number, not an object`,
		m(`{"role":"user"}`):                    `f: line 1: messages[0]: content is neither a text nor a list of parts`,
		m(`{"role":"user","content":null}`):     `f: line 1: messages[0]: content is neither a text nor a list of parts`,
		m(`{"role":"user","content":[]}`):       `f: line 1: messages[0]: content is empty`,
		m(`{"role":"tool","content":"x"}`):      `f: line 1: messages[0]: the role "tool"; system, user and assistant are known`,
		m(`{"role":"assistant","content":"x"}`): `f: line 1: no message of the user`,
		m(`{"role":"user","content":"x"},{"role":"system","content":"x"}`):                             `f: line 1: messages[1]: what the system says must come first and be text`,
		m(`{"role":"user","content":[{"type":"text","text":"x"},{"type":"input_audio"}]}`):             `f: line 1: messages[0]: content[1]: a part of type "input_audio"; text, image_url and image are known`,
		m(`{"role":"user","content":[{"type":"image_url","image_url":5}]}`):                            `f: line 1: messages[0]: content[0]: image_url is neither a text nor an object with a url`,
		m(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"cat.png"}}]}`):            `f: line 1: messages[0]: content[0]: image "cat.png" (a URL; files are not read here)`,
		m(`{"role":"user","content":[{"type":"image_url","image_url":"data:text/html;base64,eA=="}]}`): `f: line 1: messages[0]: content[0]: image "data:text/html;base64,eA==" (data:image/png;base64,...)`,
		m(`{"role":"user","content":[{"type":"image_url","image_url":"data:image/png;base64,?"}]}`):    `f: line 1: messages[0]: content[0]: image "data:image/png;base64,?" (what follows the comma is not base64)`,
		`[{"prompt":"p"},{"prompt":}]`:                                    `f: record 2, at byte 16: not JSON: invalid character '}' looking for beginning of value`,
		`[{"prompt":"p"},{"prompt":""}]`:                                  `f: record 2: the prompt is empty`,
		`[{"prompt":"p"}`:                                                 `f: the end of the list: not JSON: EOF`,
		`[{"prompt":"p"}] 5`:                                              `f: something follows the list, at byte 18`,
		`[{"conversations":[]}]`:                                          `f: none of 1 records is of use: record 1: no use: no message of the user`,
		"{\"prompt\":\"\"}\n{}\n" + chat:                                  "f: 2 records cannot be read:\n  line 1: the prompt is empty\n  line 2: it has not one of \"messages\", \"prompt\" and \"conversations\"",
		`{"prompt":"` + strings.Repeat("x", 1000) + `"}`:                  `f: line 1: longer than 500 bytes`,
		`[{"prompt":"p"},{"prompt":"` + strings.Repeat("x", 1000) + `"}]`: `f: record 2: longer than 500 bytes`,
	} {
		_, err := Read(strings.NewReader(text), ReadOptions{Name: "f", MaxRecord: 500})
		var e *weir.Error
		if !errors.As(err, &e) || e.Code != "bad_dataset" || err.Error() != want {
			t.Errorf("%.60s\n got  %v\n want %s", text, err, want)
		}
	}
	_, err := Read(strings.NewReader(strings.Repeat("{}\n", 500)), ReadOptions{})
	if n := strings.Count(fmt.Sprint(err), "\n  line"); n != maxProblems || !strings.HasSuffix(fmt.Sprint(err), "\n  perhaps more") {
		t.Errorf("%d problems named: %v", n, err)
	}
	broken := io.MultiReader(strings.NewReader("{\"prompt\":\"p\"}\n"), iotest.ErrReader(errors.New("disk on fire")))
	if _, err := Read(broken, ReadOptions{Name: "f"}); err == nil || err.Error() != "f: line 2: disk on fire" {
		t.Error(err)
	}
	if _, err := Read(iotest.ErrReader(errors.New("disk on fire")), ReadOptions{Name: "f"}); err == nil || err.Error() != "f: disk on fire" {
		t.Error(err)
	}
}

// TestReadSplitAnywhere: how the bytes arrive does not matter.
func TestReadSplitAnywhere(t *testing.T) {
	for _, text := range []string{chat + "\n" + chat, "[" + chat + "," + chat + "]"} {
		whole := mustRead(t, text, ReadOptions{})
		single, err := Read(iotest.OneByteReader(strings.NewReader(text)), ReadOptions{})
		if err != nil || single.Hash() != whole.Hash() || len(single.Records) != 2 {
			t.Errorf("%v", err)
		}
	}
	if a, b := mustRead(t, chat, ReadOptions{}), mustRead(t, "["+chat+"]", ReadOptions{}); a.Hash() != b.Hash() {
		t.Error("the file's form changed the hash")
	}
	if a, b := mustRead(t, chat, ReadOptions{}), mustRead(t, chat+"\n"+chat, ReadOptions{}); a.Hash() == b.Hash() {
		t.Error("one more record did not change the hash")
	}
}

// endless is a list of records without an end.
type endless struct {
	buf  bytes.Buffer
	read int
	list bool
}

func (e *endless) Read(p []byte) (int, error) {
	for e.buf.Len() < len(p) {
		switch {
		case e.list && e.read == 0 && e.buf.Len() == 0:
			e.buf.WriteByte('[')
		case e.list:
			e.buf.WriteByte(',')
		}
		fmt.Fprintf(&e.buf, "{\"prompt\":\"%s\"}", strings.Repeat("word ", 200))
		if !e.list {
			e.buf.WriteByte('\n')
		}
	}
	n, err := e.buf.Read(p)
	e.read += n
	return n, err
}

// TestReadIsBounded: of an endless file it keeps what it may, and reads little
// more.
func TestReadIsBounded(t *testing.T) {
	for _, list := range []bool{false, true} {
		e := &endless{list: list}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d, err := Read(e, ReadOptions{MaxBytes: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 12<<20 {
			t.Errorf("%d bytes kept", kept)
		}
		if !d.Cut || e.read > 9<<20 || len(d.Records) < 6000 {
			t.Errorf("cut %v after %d bytes, %d records", d.Cut, e.read, len(d.Records))
		}
	}
}

const png = "\x89PNG\r\n\x1a\n rest"

func opener(files fstest.MapFS) Opener {
	return func(name string) (io.ReadCloser, error) { return files.Open(name) }
}

func TestImages(t *testing.T) {
	open := opener(fstest.MapFS{"cat.png": {Data: []byte(png)}, "secret": {Data: []byte("root:x:0:0")}})
	part := func(p string) string {
		return `{"messages":[{"role":"user","content":"look"},{"role":"assistant","content":"ok"},{"role":"user","content":[` + p + `,{"type":"text","text":"what?"}]}]}`
	}
	const data = "data:image/png;base64,iVBORw0KGgogcmVzdA=="
	for p, want := range map[string]string{
		`{"type":"image_url","image_url":{"url":"https://h/x.png"}}`:                                         "https://h/x.png",
		`{"type":"image_url","image_url":"https://h/x.png"}`:                                                 "https://h/x.png",
		`{"type":"input_image","image_url":"https://h/x.png"}`:                                               "https://h/x.png",
		`{"type":"image","source":{"type":"url","url":"https://h/x.png"}}`:                                   "https://h/x.png",
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgogcmVzdA=="}}`: data,
		`{"type":"image_url","image_url":{"url":"` + data + `"}}`:                                            data,
		`{"type":"image_url","image_url":{"url":"cat.png"}}`:                                                 data,
		`{"type":"image_url","image_url":{"url":"file://cat.png"}}`:                                          data,
	} {
		d := mustRead(t, part(p), ReadOptions{Open: open})
		s := mustSource(t, Plan{Data: d}, 1, "")
		var got [][]string
		for _, m := range s.Prompt(0, 0, nil).Messages {
			got = append(got, m.Images)
		}
		if diff := cmp.Diff([][]string{nil, nil, {want}}, got); diff != "" {
			t.Errorf("%s: %s", p, diff)
		}
		if first := mustRead(t, part(p), ReadOptions{Open: open, Turns: FirstTurn}); len(first.Records[0].Messages) != 1 || first.Records[0].Messages[0].Images != nil {
			t.Error("an image of a later message")
		}
	}
	for name, want := range map[string]string{"secret": `file "secret" is no image (PNG, JPEG, GIF or WebP)`, "dog.png": "file does not exist", "": "without a name"} {
		if _, err := LoadImage(name, open); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := LoadImage("dog.png", open); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	big := func(string) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(png), bytes.NewReader(make([]byte, maxImage)))), nil
	}
	if _, err := LoadImage("x", big); err == nil || !strings.Contains(err.Error(), "at most 20 MiB") {
		t.Error(err)
	}
	for _, head := range []string{"\xff\xd8\xff\xe0", "GIF89a", "RIFF\x00\x00\x00\x00WEBPVP8 "} {
		if imageType([]byte(head)) == "" {
			t.Errorf("%q", head)
		}
	}
	p := words(64, 8)
	p.Image = []string{"https://h/x.png"}
	for _, turns := range []int{0, 2} {
		p.Turns = turns
		r := mustSource(t, p, 1, "").Prompt(0, 1, nil)
		for i, m := range r.Messages {
			if want := p.Image[:1-min(i, 1)]; !slices.Equal(m.Images, want) {
				t.Errorf("%d turns: message %d has the images %q", turns, i, m.Images)
			}
		}
	}
}

// TestRecords: in the file's order, then again under new nonces, and without
// changing what was read.
func TestRecords(t *testing.T) {
	d := mustRead(t, chat+"\n"+`{"prompt":"p"}`, ReadOptions{Turns: EachTurn})
	p := Plan{Data: d, Lengths: OnePair(Length{}, Fixed(99)), Think: ThinkTime{Mean: time.Second}}
	before := fmt.Sprint(asked(d))
	s := mustSource(t, p, 1, "")
	var got []string
	seen := map[string]bool{}
	for k := range 6 {
		r := s.Prompt(0, k, nil)
		got = append(got, fmt.Sprintf("%d.%d more=%v think=%v out=%d", r.Session, r.Turn, r.More, r.Think, r.OutputTokens))
		if last := r.Messages[len(r.Messages)-1]; last.Role != request.RoleUser || seen[r.all()] {
			t.Errorf("%+v", r)
		}
		seen[r.all()] = true
		if !nonceFirst.MatchString(r.System + firstText(r)) {
			t.Errorf("%q", r.all())
		}
	}
	want := []string{
		"0.0 more=true think=0s out=1", "0.1 more=false think=1s out=3", "1.0 more=false think=0s out=99",
		"2.0 more=true think=0s out=1", "2.1 more=false think=1s out=3", "3.0 more=false think=0s out=99",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if fmt.Sprint(asked(d)) != before {
		t.Error("the data set was changed")
	}
	for k, want := range []int{0, 2, 2, 3, 5, 5} {
		if n := s.Align(k); n != want {
			t.Errorf("Align(%d) = %d, not %d", k, n, want)
		}
	}
	a, b := s.Prompt(0, 0, nil), s.Prompt(0, 1, nil)
	if !strings.HasPrefix(b.all(), a.all()) {
		t.Error("turns of a conversation have different nonces")
	}
}

// check holds for whatever bytes.
func checkRead(t *testing.T, b []byte) {
	d, err := Read(bytes.NewReader(b), ReadOptions{MaxRecord: 1 << 16, MaxBytes: 1 << 20, Turns: EachTurn})
	if err != nil {
		if d != nil || len(err.Error()) > 1<<17 {
			t.Fatalf("%d bytes of error", len(err.Error()))
		}
		return
	}
	s, err := Plan{Data: d}.Source(1, "")
	if err != nil || len(d.Hash()) != 16 {
		t.Fatal(err)
	}
	for k := range min(len(d.Records), 50) {
		r := s.Prompt(0, k, nil)
		if len(r.Messages) == 0 || r.Messages[len(r.Messages)-1].Role != request.RoleUser || s.Align(k) < k {
			t.Fatalf("%+v", r)
		}
		if _, err := request.Encode("http://h", weir.Anthropic, request.Spec{Model: "m", System: r.System, Messages: r.Messages}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzReadLines(f *testing.F) {
	f.Add([]byte(chat + "\n" + `{"prompt":"p","output_tokens":3}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://h"}}]}]}`))
	f.Add([]byte("\xef\xbb\xbf\r\n{\"conversations\":[{\"from\":\"human\",\"value\":\"x\"}]}"))
	f.Fuzz(checkRead)
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte(chat + "," + `{"prompt":"p"}]`))
	f.Add([]byte(`{"conversations":[{"from":"human","value":"x"},{"from":"gpt","value":"y"},{"from":"human","value":"z"}]}]`))
	f.Add([]byte(`]`))
	f.Fuzz(func(t *testing.T, b []byte) { checkRead(t, append([]byte("["), b...)) })
}

func FuzzParseLengths(f *testing.F) {
	f.Add("70%:256/128,30%:4000~500[1..9000]/512")
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ParseLengths(s)
		if err != nil {
			return
		}
		if err := l.check(true); err != nil {
			t.Fatal(err)
		}
		m := maker{plan: Plan{Lengths: l}}
		if in, out := m.lengths(0); in < 1 || out < 1 || in > maxTokens || out > maxTokens {
			t.Fatal(in, out)
		}
	})
}

// TestReadRefusesOtherEncodings: a decoder of JSON would put other signs in, and
// something else would be asked than the file has.
func TestReadRefusesOtherEncodings(t *testing.T) {
	for text, want := range map[string]string{
		"{\"prompt\":\"a\"}\n{\"prompt\":\"caf\xe9\"}\n":       "line 2: byte 15 (0xe9) is not UTF-8",
		"[{\"prompt\":\"a\"},{\"prompt\":\"\xff\"}]":           "record 2: byte 12 (0xff) is not UTF-8",
		"\xff\xfe{\x00\"\x00p\x00\"\x00:\x00\"\x00a\x00\"\x00": "line 1: byte 1 (0xff) is not UTF-8",
	} {
		_, err := Read(strings.NewReader(text), ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	mustRead(t, "{\"prompt\":\"\ufffd\"}", ReadOptions{}) // a sign of its own
}
