package work

import (
	"encoding/json"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// markCache is Anthropic's prompt cache: it keeps what comes before each mark,
// and looks for what it kept at the marks and up to 20 blocks before each.
type markCache map[string]bool

const lookBack = 20

type block struct {
	Type   string          `json:"type"`
	Text   string          `json:"text"`
	Source json.RawMessage `json:"source"`
	Mark   json.RawMessage `json:"cache_control"`
}

// blocks reads a text or a list of blocks.
func blocks(t *testing.T, raw json.RawMessage) (all []block) {
	t.Helper()
	var text string
	switch {
	case len(raw) == 0:
	case json.Unmarshal(raw, &text) == nil:
		all = []block{{Type: "text", Text: text}}
	default:
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// ask answers which part of a prompt's bytes was cached, and how many marks
// there were.
func (c markCache) ask(t *testing.T, r Request) (share float64, marks int) {
	t.Helper()
	e, err := request.Encode("http://h", weir.Anthropic, request.Spec{Model: "m", System: r.System, Messages: r.Messages}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		System   json.RawMessage
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatal(err)
	}
	all := blocks(t, body.System)
	for _, m := range body.Messages {
		all = append(all, blocks(t, m.Content)...)
	}
	ends, prefix := make([]string, len(all)), ""
	for i, b := range all {
		prefix += b.Type + b.Text + string(b.Source) + "\x00"
		ends[i] = prefix
	}
	hit := 0
	var kept []string
	for i, b := range all {
		if b.Mark == nil {
			continue
		}
		if string(b.Mark) != `{"type":"ephemeral"}` {
			t.Errorf("a mark is %s", b.Mark)
		}
		marks++
		kept = append(kept, ends[i])
		for _, end := range ends[max(0, i-lookBack) : i+1] {
			if c[end] {
				hit = max(hit, len(end))
			}
		}
	}
	for _, end := range kept {
		c[end] = true
	}
	return float64(hit) / float64(len(prefix)), marks
}

// TestCacheMarks: a cache that keeps only what it is told finds in each plan
// what the plan repeats, and nothing is marked that does not come again.
func TestCacheMarks(t *testing.T) {
	const image = "data:image/png;base64,iVBORw0KGgogcmVzdA=="
	none := []float64{0, 0, 0, 0}
	for _, c := range []struct {
		name   string
		change func(*Plan)
		want   []float64 // about, of requests in a row
		marks  int
	}{
		{"auto", func(*Plan) {}, none, 0},
		{"cold", func(p *Plan) { p.Cache = CacheCold }, none, 0},
		{"any", func(p *Plan) { p.Cache = CacheAny }, none, 0},
		{"cold sessions", func(p *Plan) { p.Cache, p.Turns = CacheCold, 2 }, none, 0},
		{"warm", func(p *Plan) { p.Cache = CacheWarm }, []float64{0, 0.94, 0.94, 0.94}, 1},
		{"shared", func(p *Plan) { p.Share = 0.5 }, []float64{0, 0.49, 0.49, 0.49}, 1},
		{"shared without nonces", func(p *Plan) { p.Share, p.Cache = 0.5, CacheAny }, []float64{0, 0.5, 0.5, 0.5}, 1},
		{"shared, with a system's text", func(p *Plan) { p.Share, p.System = 0.5, "Be brief." }, []float64{0, 0.49, 0.49, 0.49}, 2},
		{"compare", func(p *Plan) { p.Cache = CacheCompare }, []float64{0, 1, 0, 1}, 1},
		{"compare images", func(p *Plan) { p.Cache, p.Image = CacheCompare, []string{image} }, []float64{0, 1, 0, 1}, 1},
		{"warm prompt", func(p *Plan) { p.Cache, p.Prompt = CacheWarm, "Why is the sky blue?" }, []float64{0, 1, 1, 1}, 1},
		{"sessions", func(p *Plan) { p.Turns = 2 }, []float64{0, 0.47, 0, 0.47}, 1},
		{"shared sessions", func(p *Plan) { p.Turns, p.Share, p.System = 2, 0.5, "Be brief." }, []float64{0, 0.47, 0.49, 0.47}, 3},
		{"turns of a data set", func(p *Plan) { p.Lengths, p.Data = nil, oneRecord(t, EachTurn) }, []float64{0, 0.64, 0, 0.64}, 1},
		{"last turns of a data set", func(p *Plan) { p.Lengths, p.Data = nil, oneRecord(t, LastTurn) }, none, 0},
	} {
		p := words(1000, 100)
		c.change(&p)
		s, cache := mustSource(t, p, 1, ""), markCache{}
		for k, want := range c.want {
			got, marks := cache.ask(t, s.Prompt(0, k, nil))
			if got < want-0.02 || got > want+0.02 || (want == 0) != (got == 0) {
				t.Errorf("%s: request %d: %.3f of it cached, not %v", c.name, k, got, want)
			}
			if marks != c.marks {
				t.Errorf("%s: request %d has %d marks, not %d", c.name, k, marks, c.marks)
			}
		}
	}
}
