package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

// traceOf is a stream that has a sample's figures: its tokens one by one, a
// little unevenly, and in one of twenty a stall.
func traceOf(s *weir.Sample, rng *rand.Rand) *weir.Trace {
	t := &weir.Trace{
		ID: s.ID, Target: s.Target, Model: s.Model, Warmup: s.Warmup, CacheRole: s.CacheRole, Outcome: s.Outcome,
		Due: s.Due, Sent: s.Due.Add(s.Lateness.Duration()), Usage: s.Usage,
	}
	first, ok := s.TTFTSent.Get()
	if !ok {
		t.End = s.End
		return t
	}
	gap := s.TPOT.Or(weir.Dur(10 * time.Millisecond)).Duration()
	at := first.Duration()
	for i := range s.OutputEvents {
		t.Ticks = append(t.Ticks, weir.Tick{At: at, Lo: at, Kind: weir.TickText, Bytes: 4})
		at += time.Duration(float64(gap) * (0.6 + 0.8*rng.Float64()))
		if i == 40 && rng.IntN(20) == 0 {
			at += 60 * gap
		}
	}
	t.Ticks = append(t.Ticks, weir.Tick{At: at, Lo: at, Kind: weir.TickDone})
	t.End = weir.SpanOf(at)
	return t
}

// streamsOf are the exemplars of a run.
func streamsOf(r *report.Run) []Streams {
	e, rng := NewExemplars(r.Settings.Targets), rand.New(rand.NewPCG(3, 4))
	for i := range r.Samples {
		e.Add(traceOf(&r.Samples[i], rng))
	}
	return e.Streams()
}

// many is a run of so many targets, priced, that differ a little, with a tail
// and some failures: what a real comparison looks like.
func many(targets, laps int) report.Run {
	r := handmade.Run()
	r.Settings.Targets, r.Notes = nil, make([]report.TargetNote, targets)
	r.Settings.Requests, r.Duration = 2*laps, 25*time.Minute
	rng := rand.New(rand.NewPCG(5, 6))
	spread := func(mid, sigma float64) time.Duration {
		return time.Duration(mid * (1 + sigma*rng.NormFloat64()*rng.Float64()) * float64(ms))
	}
	for i := range targets {
		name := []string{"northwind", "harbor", "lakeside", "cascade"}[i%4]
		if i >= 4 {
			name += fmt.Sprint(i)
		}
		price := &weir.Price{Rates: weir.Rates{Input: weir.Some(0.2 + 0.1*float64(i)), Output: weir.Some(0.9 - 0.15*float64(i%4))}, AsOf: "2026-11-01"}
		r.Settings.Targets = append(r.Settings.Targets, weir.Target{Name: name, URL: "https://" + name + ".example/v1", Dialect: weir.OpenAIChat, Model: "llama-3.3-70b", Price: price})
	}
	for lap := range laps {
		for i, t := range r.Settings.Targets {
			for range 2 {
				ttft, tpot := spread(180+60*float64(i%4), 0.3), spread(8.5+1.4*float64(i), 0.15)
				if rng.IntN(12) == 0 && i%4 == 2 {
					ttft += 1400 * ms
				}
				s := handmade.Sample(t.Name, ttft, tpot)
				s.Trailer, s.End = weir.SpanOf(ms), weir.SpanOf(ttft+127*tpot+ms)
				if rng.IntN(20) == 0 {
					s.DNS, s.Connect, s.TLS, s.ConnReused = weir.SpanOf(8*ms), weir.SpanOf(22*ms), weir.SpanOf(41*ms), weir.Some(false)
				}
				switch {
				case i%4 == 3 && rng.IntN(25) == 0:
					s = handmade.Failed(t.Name, weir.UpstreamError, 503, "overloaded", "The model is overloaded, try again later")
				case i%4 == 1 && rng.IntN(40) == 0:
					s = handmade.Failed(t.Name, weir.TimeoutFirstOutput, 200, "", "no output within 1m0s")
				}
				s.TTFTSent = s.TTFT
				s.Block, s.Due = weir.Some(lap), r.Started.Add(time.Duration(lap)*r.Duration/time.Duration(laps))
				r.Samples = append(r.Samples, s)
			}
		}
	}
	return r
}

// hostile is a run in which everything that comes from outside attacks the page.
func hostile() report.Run {
	evil := []string{
		`</title></style><script>alert(1)</script><img src=x onerror=alert(2)>`,
		"\u202egnirts desrever \u2067 مرحبا بالعالم \u200f שלום",
		strings.Repeat("long-name ", 1000),
		"🦀👩‍👩‍👧‍👦 Z̸̡̛͔a̷l̵g̶o̴ \x1b[31mred\x1b[0m \x00\x07",
	}
	r := many(4, 22)
	rename := map[string]string{}
	for i := range r.Settings.Targets {
		t := &r.Settings.Targets[i]
		rename[t.Name] = evil[i]
		t.Name, t.Model, t.URL = evil[i], evil[i], `https://evil.example/"><script>alert(3)</script>`
		t.Price.AsOf = `<b onclick="alert(4)">`
	}
	for i := range r.Samples {
		s := &r.Samples[i]
		s.Target = rename[s.Target]
		if s.Outcome != weir.OK {
			s.ErrorType, s.ErrorText = `"><svg onload=alert(5)>`, strings.Repeat(`{{.}}</td></table><script src=//evil.example/x.js></script>`, 200)
		}
	}
	r.Settings.Prompt, r.Settings.Work.Content = `<iframe src="https://evil.example">`, "prompt"
	r.Notes[0].Learned = []string{`<a href="javascript:alert(6)">x</a>`}
	r.Version = `v1"><link rel=stylesheet href=//evil.example>`
	return r
}

func pageOf(t *testing.T, r report.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, report.Summarise(r), streamsOf(&r)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The golden pages are looked at by eye, in a browser: test/page makes pictures
// of them.
func TestPageGolden(t *testing.T) {
	runs := handmade.Runs()
	runs["many"] = func() report.Run { return many(4, 40) }
	runs["hostile"] = hostile
	for _, name := range []string{"verdict", "tie", "places", "few_blocks", "never_reached", "cache", "odd", "settled", "nothing", "whole", "interrupted", "every_class", "many", "hostile"} {
		t.Run(name, func(t *testing.T) { golden(t, name+".html", pageOf(t, runs[name]())) })
	}
	for name, s := range handmade.Sweeps() {
		t.Run("sweep_"+name, func(t *testing.T) {
			var b bytes.Buffer
			if err := WriteSweep(&b, s); err != nil {
				t.Fatal(err)
			}
			golden(t, "sweep_"+name+".html", b.Bytes())
		})
	}
}

// elements are the tags of a page with their attributes, as a browser reads it.
func elements(t *testing.T, page []byte) (all []html.Token) {
	t.Helper()
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			return all
		case html.StartTagToken, html.SelfClosingTagToken:
			all = append(all, z.Token())
		}
	}
}

// Nothing of what a provider says becomes markup, and nothing is fetched.
func TestPageHostile(t *testing.T) {
	page, plain := pageOf(t, hostile()), pageOf(t, many(4, 22))
	known := map[string]bool{}
	for _, e := range elements(t, plain) {
		known[e.Data] = true
		for _, a := range e.Attr {
			known[e.Data+" "+a.Key] = true
		}
	}
	for _, never := range []string{"script", "img", "iframe", "object", "base", "form"} {
		if known[never] {
			t.Errorf("the page has a %s", never)
		}
	}
	for _, e := range elements(t, page) {
		if !known[e.Data] {
			t.Errorf("a tag that no harmless page has: %.200s", e)
		}
		for _, a := range e.Attr {
			switch {
			case !known[e.Data+" "+a.Key], a.Key == "style", strings.HasPrefix(a.Key, "on"):
				t.Errorf("the attribute %s in %.200s", a.Key, e)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && a.Val != "data:,":
				t.Errorf("a link out of the page: %.200s", a.Val)
			}
		}
	}
	if bytes.ContainsAny(page, "\u202e\u2067\x1b\x00\x07") {
		t.Error("marks that turn the text's direction, or control characters, came through")
	}
	if len(page) > 2*len(plain) {
		t.Errorf("names of 10 kB make a page of %d bytes, %d without", len(page), len(plain))
	}
}

// A saved summary has no requests, and its traces may be gone.
func TestPageNeedsNoTraces(t *testing.T) {
	s := report.Summarise(many(2, 22))
	s.Requests = nil
	var b bytes.Buffer
	if err := Write(&b, s, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The single requests are not in this summary", "The raw traces were not at hand"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

const mostPage = 2 << 20

// A page stays small whatever the number of requests and events: a tenth of the
// size that the bound is for, on more targets than are usual.
func TestPageSize(t *testing.T) {
	r := many(10, 500)
	for i := range r.Samples {
		r.Samples[i].OutputEvents = min(2*r.Samples[i].OutputEvents, 256)
	}
	if n := len(pageOf(t, r)); n > mostPage {
		t.Errorf("%d requests make a page of %d bytes, over %d", len(r.Samples), n, mostPage)
	}
}

// BenchmarkReport is of 100,000 requests of four targets, figures and page; its
// bound is 10 s and 1 GB.
func BenchmarkReport(b *testing.B) {
	r := many(4, 12_500)
	small := r
	small.Samples = r.Samples[:2000]
	streams := streamsOf(&small)
	size := 0
	for b.Loop() {
		var page bytes.Buffer
		if err := Write(&page, report.Summarise(r), streams); err != nil {
			b.Fatal(err)
		}
		size = page.Len()
	}
	b.ReportMetric(float64(size), "page-bytes")
}

// BenchmarkExemplars is what a trace of 256 events costs while a run goes on.
func BenchmarkExemplars(b *testing.B) {
	r := many(1, 500)
	rng := rand.New(rand.NewPCG(3, 4))
	traces := make([]*weir.Trace, len(r.Samples))
	for i := range r.Samples {
		r.Samples[i].OutputEvents *= 2
		traces[i] = traceOf(&r.Samples[i], rng)
	}
	e := NewExemplars(r.Settings.Targets)
	for n := 0; b.Loop(); n++ {
		e.Add(traces[n%len(traces)])
	}
}
