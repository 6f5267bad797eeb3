package weir

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParseSLO(t *testing.T) {
	for text, want := range map[string]string{
		"ttft<=200ms,tpot<=25ms":             "ttft<=200 each|tpot<=25 each",
		" TTFT_p95 < 1.5s , success >= 99% ": "ttft<1500 p0.95|success>=0.99 run",
		"output_speed>=40tok/s":              "output_speed>=40 each",
		"output_speed_p50>20":                "output_speed>20 p0.5",
		"e2e_p99.9<=2m":                      "e2e<=120000 p0.999",
		"ttft_sent<=1s":                      "ttft_sent<=1000 each",
		"cost_usd<=2usd,goodput>3/s":         "cost_usd<=2 run|goodput>3 run",
		"mlperf:llama2-70b":                  "ttft<=2000 p0.99|tpot<=200 p0.99",
		"mlperf:Llama2-70B:interactive":      "ttft<=450 p0.99|tpot<=40 p0.99",
		"mlperf:deepseek-r1:interactive":     "ttft<=1500 p0.99|tpot<=15 p0.99",
	} {
		slo, err := ParseSLO(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for _, o := range slo {
			kind := "run"
			if p, ok := o.P.Get(); ok {
				kind = "p" + trim(p)
			} else if o.OfRequest() {
				kind = "each"
			}
			got = append(got, o.Metric+o.Op+trim(o.Value)+" "+kind)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
		again, err := ParseSLO(slo.String())
		if err != nil || again.String() != slo.String() {
			t.Errorf("%q: again %q, %v", text, again, err)
		}
	}
}

func trim(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func TestBadSLO(t *testing.T) {
	for text, hint := range map[string]string{
		"":                                "METRIC OP VALUE",
		"ttft":                            "METRIC OP VALUE",
		"ttft=200ms":                      "METRIC OP VALUE",
		"ttft<=200":                       "a time such as",
		"ttft<=200tok/s":                  "a time such as",
		"ttft<=fast":                      "a time such as",
		"ttft<=-1ms":                      "a time such as",
		"tft<=200ms":                      "ttft",
		"success_p95>=99%":                "p1 to p99.9",
		"ttft_p0<=1s":                     "p1 to p99.9",
		"ttft<=1s,":                       "METRIC OP VALUE",
		"success>=99usd":                  "a share such as",
		"mlperf:llama9":                   "llama2-70b",
		"mlperf:mixtral-8x7b:interactive": "server",
		strings.Repeat("ttft<1s,", 30):    "at most 20",
	} {
		_, err := ParseSLO(text)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, hint) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSLOMet(t *testing.T) {
	slo, err := ParseSLO("ttft<=200ms,tpot<=25ms,success>=99%")
	if err != nil {
		t.Fatal(err)
	}
	ok := Sample{Outcome: OK, TTFT: SpanOf(200 * time.Millisecond), TPOT: SpanOf(25 * time.Millisecond)}
	for name, c := range map[string]struct {
		change func(*Sample)
		want   bool
	}{
		"both":      {func(*Sample) {}, true},
		"late":      {func(s *Sample) { s.TTFT = SpanOf(201 * time.Millisecond) }, false},
		"failed":    {func(s *Sample) { s.Outcome = Truncated }, false},
		"null":      {func(s *Sample) { s.TPOT = Span{} }, false},
		"one token": {func(s *Sample) { s.TPOT, s.NSeen = Span{}, Some(1) }, true},
		"buffered":  {func(s *Sample) { s.TPOT, s.NSeen, s.Buffered = Span{}, Some(1), true }, false},
		"no ttft":   {func(s *Sample) { s.TTFT = Span{} }, false},
	} {
		s := ok
		c.change(&s)
		if got := slo.Met(&s); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzParseSLO(f *testing.F) {
	f.Add("ttft<=200ms,tpot_p95<=25ms,success>=99%")
	f.Add("mlperf:llama2-70b:interactive")
	f.Fuzz(func(t *testing.T, text string) {
		slo, err := ParseSLO(text)
		if err != nil {
			return
		}
		if again, err := ParseSLO(slo.String()); err != nil || len(again) != len(slo) {
			t.Errorf("%q: %q: %v", text, slo, err)
		}
	})
}
