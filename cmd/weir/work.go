package main

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/work"
)

// workFlags say what is asked.
type workFlags struct {
	Content   string        `default:"words" enum:"words,prose,code" help:"Of what synthetic text is: words (random), prose or code. It matters where engines guess ahead."`
	Input     string        `name:"input-tokens" default:"256" help:"Tokens of a synthetic prompt, 256 by default: a number, 256~64 (normal: mean and deviation) or 256~64[16..1024]." placeholder:"LEN"`
	OutputLen string        `name:"output-tokens" default:"128" help:"Most output tokens, 128 by default, in the same forms; what e2e@N is for." placeholder:"LEN"`
	Mix       string        `help:"Pairs of lengths, each with its share of the requests, such as 70%:256/128,30%:4000~500/512." placeholder:"PAIRS"`
	Calibrate string        `default:"shared" enum:"shared,each" help:"Fit the prompts' length to the endpoints' own counts: the same words to all (shared), or the same count at each."`
	Prompt    string        `help:"Ask this instead of synthetic text." placeholder:"TEXT"`
	System    string        `help:"System prompt." placeholder:"TEXT"`
	Data      string        `help:"Ask the records of a file: JSONL of messages or prompts, or ShareGPT's JSON." placeholder:"FILE"`
	DataTurns string        `name:"data-turns" default:"" enum:",first,last,each" help:"Of a conversation ask the first turn, the last, or each one after the other." placeholder:"WHICH"`
	Image     []string      `help:"Image beside each prompt: a URL or a file." placeholder:"URL" sep:"none"`
	Turns     int           `default:"1" help:"Turns of a synthetic conversation; --think is the time between them." placeholder:"N"`
	Cache     string        `default:"" enum:",cold,warm,compare,any" help:"What prompt caches may know: cold (nothing), warm (nearly all), compare (pairs: a new prompt, then the same again), any (no nonce)." placeholder:"WHAT"`
	CacheGap  time.Duration `name:"cache-gap" help:"With --cache compare, from the cold answer to the warm request." placeholder:"D"`
	Shared    string        `name:"shared-prefix" help:"First part of each synthetic prompt that is the same in all, such as 50%." placeholder:"SHARE"`
	NoNonce   bool          `name:"no-nonce" help:"The same as --cache any."`

	Temperature float64  `default:"0" help:"Sampling temperature; -1 sends none."`
	Reasoning   string   `name:"reasoning-effort" help:"low, medium, high or what the provider has." placeholder:"E"`
	IgnoreEOS   bool     `name:"ignore-eos" help:"Tell the engine to generate exactly --output-tokens (vLLM and its kin); fewer are then a failure."`
	Stream      bool     `negatable:"" default:"true" help:"Ask for streams; without (--no-stream) only e2e can be measured, and no time to first token."`
	Body        []string `help:"Extra body field, such as top_p=0.9; the value is JSON, or else a text." placeholder:"NAME=VALUE" sep:"none"`
	ExtraBody   string   `name:"extra-body" help:"Extra body fields as one JSON object." placeholder:"JSON"`
	Header      []string `help:"Extra header; not for keys." placeholder:"NAME=VALUE" sep:"none"`
}

// plan reads the flags that say what is asked.
func (f *workFlags) plan() (work.Plan, error) {
	p := work.Plan{Prompt: f.Prompt, System: f.System, Gap: f.CacheGap}
	if f.Turns != 1 {
		p.Turns = f.Turns
		if f.Turns < 1 {
			return p, usage("--turns %d: it must be at least 1", f.Turns)
		}
	}
	var err error
	if p.Class, err = work.ParseClass(f.Content); err != nil {
		return p, usage("--content: %v", err)
	}
	if p.Cache, err = work.ParseCache(f.Cache); err != nil {
		return p, usage("--cache: %v", err)
	}
	if f.NoNonce {
		if p.Cache != work.CacheAuto && p.Cache != work.CacheAny {
			return p, usage("--no-nonce and --cache %s: give one of them", f.Cache)
		}
		p.Cache = work.CacheAny
	}
	if p.Share, err = parseShare(f.Shared); err != nil {
		return p, err
	}
	if err := f.lengths(&p); err != nil {
		return p, err
	}
	if err := f.data(&p); err != nil {
		return p, err
	}
	for _, name := range f.Image {
		url, err := work.LoadImage(name, func(name string) (io.ReadCloser, error) { return os.Open(name) })
		if err != nil {
			return p, usage("--image: %v", err)
		}
		p.Image = append(p.Image, url)
	}
	return p, nil
}

func (f *workFlags) lengths(p *work.Plan) (err error) {
	if f.Mix != "" {
		if p.Lengths, err = work.ParseLengths(f.Mix); err != nil {
			return usage("--mix: %v", err)
		}
		return nil
	}
	in, err := work.ParseLength(f.Input)
	if err != nil {
		return usage("--input-tokens: %v", err)
	}
	out, err := work.ParseLength(f.OutputLen)
	if err != nil {
		return usage("--output-tokens: %v", err)
	}
	p.Lengths = work.OnePair(in, out)
	return nil
}

// data reads the data set. Images that it names are read from its own folder
// and those below it: data sets come from the net.
func (f *workFlags) data(p *work.Plan) error {
	if f.Data == "" {
		if f.DataTurns != "" {
			return usage("--data-turns is for --data")
		}
		return nil
	}
	in, err := os.Open(f.Data)
	if err != nil {
		return usage("--data: %v", err)
	}
	defer func() { _ = in.Close() }()
	root, err := os.OpenRoot(filepath.Dir(f.Data))
	if err != nil {
		return usage("--data: %v", err)
	}
	defer func() { _ = root.Close() }()
	p.Data, err = work.Read(in, work.ReadOptions{
		Name: filepath.Base(f.Data), Turns: work.Turns(f.DataTurns),
		Open: func(name string) (io.ReadCloser, error) { return root.Open(name) },
	})
	if err != nil {
		return usage("--data: %v", err)
	}
	return nil
}

// parseShare reads 50 % or 0.5.
func parseShare(s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		share /= 100
	}
	if err != nil || !(share >= 0 && share <= 1) {
		return 0, usage("--shared-prefix %q: it is a share such as 50%%", s)
	}
	return share, nil
}

// fill puts the work into the configuration. A time to think goes between the
// turns of sessions where there are any, else between a slot's requests.
func (f *workFlags) fill(cfg *bench.Config, think string) (err error) {
	if cfg.Work.Plan, err = f.plan(); err != nil {
		return err
	}
	cfg.Salt, cfg.CalibrateEach = ulid.Make().String(), f.Calibrate == "each"
	cfg.Work.ReasoningEffort, cfg.Work.IgnoreEOS, cfg.Work.NoStream = f.Reasoning, f.IgnoreEOS, !f.Stream
	if think == "" {
		return nil
	}
	t, err := work.ParseThinkTime(think)
	if err != nil {
		return usage("--think: %v", err)
	}
	switch {
	case f.Turns > 1, f.DataTurns == string(work.EachTurn):
		cfg.Work.Plan.Think = t
	case t.SD != 0:
		return usage("--think %s: between requests that are no turns it is one time, such as 5s; or give --turns", think)
	default:
		cfg.Load.Think = t.Mean
	}
	return nil
}

// workSettings is what was asked, for the record.
func workSettings(c *bench.Config) report.WorkSettings {
	p := &c.Work.Plan
	s := report.WorkSettings{
		Content: cmp.Or(string(p.Class), string(work.RandomWords)), Lengths: p.Lengths.String(),
		Cache: cmp.Or(string(p.Cache), "auto"), CacheGap: weir.Dur(p.Gap), SharedPrefix: p.SharedPrefix(),
		Turns: p.Turns, Images: len(p.Image), Salt: c.Salt, Calibrate: "shared",
	}
	if p.Think != (work.ThinkTime{}) {
		s.Think = p.Think.String()
	}
	switch {
	case p.Data != nil:
		s.Content, s.Calibrate = "data", ""
		s.Data = &report.DataSettings{Name: p.Data.Name, Hash: p.Data.Hash(), Records: len(p.Data.Records), Skipped: p.Data.Skipped, Cut: p.Data.Cut}
	case p.Prompt != "":
		s.Content, s.Calibrate = "prompt", ""
	case c.CalibrateEach:
		s.Calibrate = "each"
	}
	return s
}

// lengthFit is what a target's warm-up taught; nil where the texts were given.
func lengthFit(c *bench.Config, f work.Fit) *report.LengthFit {
	if !c.Work.Plan.Learns() {
		return nil
	}
	fit := report.LengthFit(f)
	return &fit
}
