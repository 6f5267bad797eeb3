package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/sim"
	"weir.dev/weir/internal/stored"
)

func (o outcome) sweep(t *testing.T) *report.Sweep {
	t.Helper()
	s := new(report.Sweep)
	dec := json.NewDecoder(strings.NewReader(o.out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		t.Fatalf("standard output is no sweep: %v\n%s%s", err, o.out, o.err)
	}
	return s
}

// seats is a simulator that serves so many requests at once; the others queue.
// Before each it calls hook with its number, from 1.
func seats(t *testing.T, n int, plan string, hook func(n int64, r *http.Request)) (url string) {
	t.Helper()
	p, err := sim.ParsePlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	h, err := sim.New(sim.Config{Seed: 1, Models: map[string]sim.Plan{"m": p}})
	if err != nil {
		t.Fatal(err)
	}
	free := make(chan struct{}, n) // holds those that are served
	var count atomic.Int64
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hook(count.Add(1), r)
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
			h.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})) + "/v1"
}

func nothing(int64, *http.Request) {}

// TestSweepOverConcurrency measures a server with two seats: what it carries
// ends to grow at two slots, and ttft takes over.
func TestSweepOverConcurrency(t *testing.T) {
	url := seats(t, 2, "ttft=10ms,gap=1ms", nothing)
	dir := filepath.Join(t.TempDir(), "kept")
	o := runWeir(t, "bench", url, "--model", "m", "--sweep", "concurrency=1,2,8", "--output-tokens", "20", "--save", dir, "-o", "json")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	o.says(t, "point 1 of 3, concurrency 1", "point 3 of 3, concurrency 8")
	s := o.sweep(t)
	if s.Schema != report.SweepSchema || s.Over != report.OverConcurrency || !slices.Equal(s.Asked, []float64{1, 2, 8}) || s.Interrupted || len(s.Points) != 3 {
		t.Fatalf("%+v", s)
	}
	for i, want := range []struct{ slots, n, warmup int }{{1, 20, 8}, {2, 20, 0}, {8, 32, 0}} {
		p := s.Points[i]
		at := p.Targets[0]
		if p.Settings.Concurrency != want.slots || at.Requests != want.n || at.Warmup != want.warmup || at.Outcomes[weir.OK] != want.n || len(p.Requests) != want.n+want.warmup || p.Partial {
			t.Errorf("point %v: settings %+v, %+v", p.Point, p.Settings, at)
		}
		if !at.Steady.OutputRate.Known() || !at.Steady.RequestRate.Known() || !at.Steady.OutputError.Known() {
			t.Errorf("point %v: %+v", p.Point, at.Steady)
		}
	}
	one, two, eight := s.Points[0].Targets[0], s.Points[1].Targets[0], s.Points[2].Targets[0]
	// An answer takes 29 ms: the queue of six in front of two seats is three of them.
	if gain := two.Steady.OutputRate.Or(0) / one.Steady.OutputRate.Or(1); gain < 1.3 {
		t.Errorf("two slots carry %.2f times what one does", gain)
	}
	if gain := eight.Steady.OutputRate.Or(0) / two.Steady.OutputRate.Or(1); gain > 1.3 {
		t.Errorf("eight slots carry %.2f times what two seats do", gain)
	}
	if eight.TTFT.P50.Or(0) < two.TTFT.P50.Or(0)+3*20 {
		t.Errorf("ttft p50 %v with two slots, %v with eight", two.TTFT.P50, eight.TTFT.P50)
	}
	if at, ok := s.Saturation[0].Point.Get(); ok && at != 2 || !ok && s.Saturation[0].Why == "" {
		t.Errorf("%+v", s.Saturation)
	}
	var index stored.SweepIndex
	if err := json.Unmarshal(readFile(t, filepath.Join(dir, "sweep.json")), &index); err != nil {
		t.Fatal(err)
	}
	for i, p := range index.Points {
		folder, err := stored.Open(filepath.Join(dir, p.Folder))
		if p.State != "done" || err != nil || folder.Run.Lost != nil || len(folder.Run.Samples) != len(s.Points[i].Requests) {
			t.Errorf("%+v: %+v, %v", p, folder, err)
		}
	}
}

// TestSweepOverRate: an open loop at each rate, in order as asked.
func TestSweepOverRate(t *testing.T) {
	url := seats(t, 100, "ttft=2ms,gap=100us", nothing)
	o := runWeir(t, "bench", url, "--model", "m", "--sweep", "rate=80,40", "-n", "16", "--burstiness", "0", "--output-tokens", "8", "-o", "json")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	s := o.sweep(t)
	for i, rate := range []float64{80, 40} {
		p := s.Points[i]
		if p.Point != rate || p.Settings.Load != report.PointName(report.OverRate, rate)+" per target" || p.Targets[0].Asked.Or(0) != rate || p.Targets[0].Requests != 16 {
			t.Errorf("%v: %+v", rate, p.Targets[0])
		}
	}
	if o := runWeir(t, "bench", url, "--model", "m", "--sweep", "rate=200", "-n", "5", "--output-tokens", "4"); o.code != 0 {
		t.Errorf("%+v", o)
	} else {
		o.says(t, "req/s asked", "5/5", "where it saturates is not told: ")
	}
}

// TestSweepInterrupt cancels in the second point, as Ctrl-C does: the first is
// whole, the second is marked, the third never begins.
func TestSweepInterrupt(t *testing.T) {
	for _, output := range []string{"json", "table"} {
		ctx, stop := context.WithCancel(t.Context())
		url := seats(t, 100, "ttft=1ms,gap=100us", func(n int64, r *http.Request) {
			if n == 10 { // after 6 of the first point
				io.Copy(io.Discard, r.Body) // only then does net/http see the client leave
				stop()
				<-r.Context().Done()
			}
		})
		dir := filepath.Join(t.TempDir(), "kept")
		o := weirWith(ctx, nil, "", "bench", url, "--model", "m", "--sweep", "concurrency=1,2,4", "-n", "6", "--warmup", "0", "--output-tokens", "8", "--save", dir, "-o", output)
		if o.code != 1 {
			t.Errorf("%+v", o)
		}
		o.says(t, "interrupted")
		if output == "table" {
			o.says(t, "in point 2 of 3", "6/6", "partial 2", "of 6", "it takes 3 finished points, there are 1")
			continue
		}
		s := o.sweep(t)
		if len(s.Points) != 2 || !s.Interrupted || s.Points[0].Partial || !s.Points[1].Partial || s.Points[0].Targets[0].Outcomes[weir.OK] != 6 {
			t.Fatalf("%+v", s)
		}
		part := s.Points[1].Targets[0]
		if part.Outcomes[weir.Canceled] < 1 || part.Outcomes[weir.OK] < 2 || part.Requests+part.Unsent != 6 {
			t.Errorf("%+v", part)
		}
		var index stored.SweepIndex
		if err := json.Unmarshal(readFile(t, filepath.Join(dir, "sweep.json")), &index); err != nil {
			t.Fatal(err)
		}
		var states []string
		for _, p := range index.Points {
			states = append(states, p.State)
		}
		if !slices.Equal(states, []string{"done", "partial", "waiting"}) {
			t.Errorf("%v", states)
		}
	}
}

// TestSweepMoney: the estimate and the budget are of all points.
func TestSweepMoney(t *testing.T) {
	url := seats(t, 100, "ttft=1ms,gap=100us", nothing)
	args := []string{
		"bench", url, "--model", "m", "--sweep", "concurrency=1,2,4", "-n", "10", "--warmup", "2",
		"--input-tokens", "100", "--output-tokens", "100", "--price", "input=0,output=100",
	}
	o := runWeir(t, append(args, "--dry-run")...)
	// 2 + 3 x 10 requests of 100 tokens at 100 USD per million
	if o.code != 0 || !strings.Contains(o.out, "estimated cost 0.320 USD") || strings.Count(o.out, "POST ") != 1 {
		t.Errorf("%+v", o)
	}
	o = runWeir(t, append(args, "--budget", "0.15usd", "-o", "json")...)
	s := o.sweep(t)
	if o.code != 0 || !s.Budget || len(s.Points) != 2 || s.Points[0].Partial || !s.Points[1].Partial {
		t.Errorf("code %d, %d points, %+v", o.code, len(s.Points), s.Points[len(s.Points)-1].Targets)
	}
}

func TestSweepOfNothing(t *testing.T) {
	o := runWeir(t, "bench", "http://127.0.0.1:1/v1", "--model", "m", "--sweep", "concurrency=1,2")
	if o.code != 1 || o.out != "" || !strings.Contains(o.err, "refused") || strings.Contains(o.err, "point 2") {
		t.Errorf("%+v", o)
	}
}

func TestSweepUsage(t *testing.T) {
	for args, words := range map[string][]string{
		"":                       {`--sweep ""`, "concurrency=1,2,4,8 or rate=1,2,5"},
		"1,2,4":                  {`--sweep "1,2,4"`, "concurrency=1,2,4,8 or rate=1,2,5"},
		"=1,2":                   {`over ""`, "concurrency or rate"},
		"requests=1,2":           {`over "requests"`, "concurrency or rate"},
		"Rate=1":                 {`over "Rate"`, "concurrency or rate"},
		"concurrency=":           {"names no point"},
		"rate= ":                 {"names no point"},
		"concurrency=1,,2":       {`"" is not a whole number of slots`},
		"concurrency=1,2,":       {`"" is not a whole number`},
		"concurrency=0,1":        {"concurrency: 0 is not above 0"},
		"concurrency=-4":         {"-4 is not above 0"},
		"concurrency=1.5":        {`"1.5" is not a whole number`},
		"concurrency=1e3":        {`"1e3" is not a whole number`},
		"concurrency=1,2,1":      {"concurrency: 1 is there twice"},
		"concurrency=1,99999":    {"concurrency 99999", "at most 10000"},
		"concurrency=1,2;4":      {`"2;4" is not`},
		"rate=1,1.0":             {"rate: 1.0 is there twice"},
		"rate=0":                 {"rate: 0 is not above 0"},
		"rate=NaN":               {"NaN is not above 0"},
		"rate=1e400":             {`"1e400" is not requests per second`},
		"rate=1,Inf":             {"rate of +Inf", "at most 100000"},
		"rate=fast":              {`"fast" is not requests per second`},
		"rate=5 --rate 5":        {"--sweep rate and --rate", "drop --rate"},
		"rate=5 --trace x":       {"--sweep rate and --trace", "drop --trace"},
		"rate=5 --ramp 1s":       {"ramp"},
		"rate=5 --burstiness -1": {"burstiness"},
		"rate=5 -n 0":            {"0 requests"},

		"rate=5 --rate-schedule 1@1s":            {"--rate-schedule", "drop --rate-schedule"},
		"concurrency=1,2 --concurrency 4":        {"drop --concurrency"},
		"concurrency=1,2 --rate 4":               {"drop --rate, or use --sweep rate"},
		"concurrency=1,2 --rate-schedule 1@1s":   {"drop --rate-schedule"},
		"concurrency=1,2 --duration 1s --ramp 2": {"--ramp"},

		"concurrency=" + strings.TrimSuffix(strings.Repeat("1,", 101), ","): {"1 is there twice"},
		"concurrency=" + countTo(101):                                       {"at most 100 points"},
	} {
		spec, more, _ := strings.Cut(args, " --")
		call := []string{"bench", "http://127.0.0.1:1/v1", "--model", "m", "--sweep=" + spec}
		if more != "" {
			call = append(call, strings.Fields("--"+more)...)
		} else if spec, n, ok := strings.Cut(args, " -n "); ok {
			call = append(call[:4], "--sweep="+spec, "-n", n)
		}
		t.Run(args, func(t *testing.T) { runWeir(t, call...).oneClearLine(t, 2, words...) })
	}
}

func countTo(n int) string {
	var all []string
	for i := range n {
		all = append(all, string(rune('1'+i/100))+string(rune('0'+i/10%10))+string(rune('0'+i%10)))
	}
	return strings.Join(all, ",")
}
