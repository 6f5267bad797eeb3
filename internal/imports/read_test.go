package imports

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"weir.dev/weir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// what is told of a run in these tests.
type what struct {
	Tool, Version, Model, Kind string
	Concurrency                int
	Requests, Failed           int
	TTFT, E2E, TPOT, ITL       float64 // ms, of the first request; 0: null
	Gaps, Output, Reported     int
	Error                      string // of the first that failed
}

func told(r *Run) what {
	w := what{
		Tool: r.Tool, Version: r.Version.Or(""), Model: r.Model.Or(""), Kind: r.Load.Kind, Concurrency: r.Load.Concurrency.Or(0),
		Requests: len(r.Requests), Failed: len(r.Requests) - r.OK(), Reported: len(r.Reported),
	}
	if len(r.Requests) > 0 {
		q := r.Requests[0]
		w.TTFT, w.E2E, w.TPOT, w.ITL = q.TTFT.Or(0).MS(), q.E2E.Or(0).MS(), q.TPOT.Or(0).MS(), q.ITL.Or(0).MS()
		w.Gaps, w.Output = len(q.Gaps), q.Output.Or(0)
	}
	for _, q := range r.Requests {
		if q.Failed {
			w.Error = q.Error
			break
		}
	}
	return w
}

// The files are what the tools wrote (testdata/README.md).
func TestOpenRealFiles(t *testing.T) {
	for path, want := range map[string]what{
		"vllm-0.33.json": {
			Tool: VLLM, Model: "sim-model", Kind: "all at once", Concurrency: 2, Requests: 6, Failed: 1,
			TTFT: 67.274037, E2E: 105.32663, TPOT: 3.459326, Gaps: 5, Output: 12, Reported: 12, Error: "Service Unavailable",
		},
		"vllm-0.32.json": {
			Tool: VLLM, Model: "sim-model", Kind: "all at once", Concurrency: 2, Requests: 6,
			TTFT: 3.107923, E2E: 140.334001, TPOT: 12.475098, Gaps: 7, Output: 12, Reported: 12,
		},
		"guidellm.json": {
			Tool: GuideLLM, Version: "0.8.1", Model: "sim-model", Kind: "concurrent", Concurrency: 2, Requests: 6, Failed: 3,
			TTFT: 81.247091, E2E: 105.496645, TPOT: 8.708994, ITL: 2.114621, Output: 12, Reported: 15,
			Error: `HTTPStatusError("Server error '503 Service Unavailable' for url 'http://127.0.0.1:18081/v1/chat/completions'\nFor more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/503")`,
		},
		"aiperf": {
			Tool: AIPerf, Version: "0.13.0", Model: "sim-model", Kind: "concurrency", Concurrency: 2, Requests: 6, Failed: 2,
			TTFT: 61.738417, E2E: 100.316959, ITL: 3.50714, Gaps: 5, Output: 12, Reported: 18,
			Error: `Service Unavailable: {"error":{"message":"simulated: this plan fails with status 503","type":"server_error","param":null,"code":null}}`,
		},
	} {
		runs, err := Open(filepath.Join("testdata", path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if len(runs) != 1 {
			t.Errorf("%s: %d runs", path, len(runs))
			continue
		}
		if d := cmp.Diff(want, told(runs[0])); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

// A failed request has no figures: the zeros that vllm writes for it are no
// measurement.
func TestFailedHaveNoFigures(t *testing.T) {
	for _, path := range []string{"vllm-0.33.json", "guidellm.json", "aiperf"} {
		runs, err := Open(filepath.Join("testdata", path))
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range runs[0].Requests {
			if r.Failed && (r.TTFT.Known() || r.E2E.Known() || r.TPOT.Known() || r.ITL.Known() || r.Gaps != nil || r.Output.Known()) {
				t.Errorf("%s: request %d failed and has figures: %+v", path, i, r)
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ name, file, code, message string }{
		{"empty", "", "import_unknown", "it is empty"},
		{"not json", "ttft,tpot\n1,2", "import_not_json", "value 1 is not JSON"},
		{"a list", "[1]", "import_unknown", "no object"},
		{"another tool's", `{"latency":1}`, "import_unknown", "none of their fields"},
		{"without details", `{"backend":"openai","model_id":"m","mean_ttft_ms":5}`, "import_fields_missing", "lacks errors, input_lens, itls, output_lens, ttfts"},
		{"uneven", `{"backend":"openai","ttfts":[1,2],"itls":[[]],"output_lens":[1],"input_lens":[1],"errors":[""]}`, "import_invalid", "different lengths"},
		{"no time", `{"backend":"openai","ttfts":[-1],"itls":[[]],"output_lens":[1],"input_lens":[1],"errors":[""]}`, "import_invalid", "ttft -1 is no time"},
		{"cut short", `{"backend":"openai","ttfts":[1`, "import_not_json", "value 1 is not JSON"},
		{"guidellm 0.3", `{"metadata":{"version":1,"guidellm_version":"0.3.1"},"benchmarks":[{"requests":{"successful":[{"time_to_first_token_ms":5}]}}]}`, "import_fields_missing", "guidellm 0.3.1 (report of form 1), lacks requests.successful[].time_per_output_token_ms, requests.successful[].request_latency, requests.successful[].output_tokens"},
		{"guidellm without requests", `{"benchmarks":[{}]}`, "import_fields_missing", "requests.successful"},
		{"not streamed", `{"metadata":{},"metrics":{"request_latency":{"value":5,"unit":"ms"}}}`, "import_fields_missing", "lacks metrics.time_to_first_token"},
		{"an unknown unit", `{"metadata":{},"metrics":{"request_latency":{"value":5,"unit":"fortnights"}}}`, "import_invalid", `record 1: request_latency is in "fortnights"`},
		{"aiperf's summary", `{"schema_version":"1.4","input_config":{}}`, "import_summary", "AIPerf's summary"},
	} {
		_, err := Read("theirs.json", strings.NewReader(c.file), nil)
		var e *weir.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s: got %v, want %s: ...%s...", c.name, err, c.code, c.message)
		}
	}
}

// --append-result writes one result after the other.
func TestReadAppended(t *testing.T) {
	one := `{"backend":"openai","model_id":"m","request_rate":2.5,"ttfts":[0.5],"itls":[[0.25]],"output_lens":[3],"input_lens":[7],"errors":[""]}`
	runs, err := Read("theirs.json", strings.NewReader(one+"\n"+one), nil)
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	want := Request{
		TTFT: ms(500), E2E: ms(750), TPOT: ms(125), Gaps: []weir.Dur{250e6}, Prompt: weir.Some(7), Output: weir.Some(3),
	}
	if d := cmp.Diff(want, runs[1].Requests[0], cmp.AllowUnexported(weir.Opt[int]{}, weir.Opt[float64]{}, weir.Span{})); d != "" {
		t.Error(d)
	}
	if runs[1].Load != (Load{"rate", weir.None[int](), weir.Some(2.5)}) {
		t.Errorf("load %+v", runs[1].Load)
	}
}

func ms(n float64) weir.Span { return weir.Some(weir.Dur(n * 1e6)) }

// A report of a form that is not known is read where its fields are the known
// ones, and says so.
func TestReadLaterForm(t *testing.T) {
	file := `{"metadata":{"version":3,"guidellm_version":"1.0.0"},"benchmarks":[{"requests":{"successful":[
		{"time_to_first_token_ms":5,"time_per_output_token_ms":4,"request_latency":0.02,"output_tokens":5}],"errored":null}}]}`
	runs, err := Read("theirs.json", strings.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := runs[0]; len(r.Notes) != 1 || r.Requests[0].ITL.Known() || r.Requests[0].E2E != ms(20) {
		t.Errorf("%+v", r)
	}
}

// GuideLLM keeps the requests of its warm-up and cool-down among the others; its
// figures are of those that ended between.
func TestReadGuideLLMsWarmup(t *testing.T) {
	request := `{"time_to_first_token_ms":5,"time_per_output_token_ms":4,"request_latency":0.02,"output_tokens":5,"request_end_time":`
	file := `{"metadata":{"version":2,"guidellm_version":"0.8.1"},"benchmarks":[{"start_time":10,"end_time":20,"requests":{"successful":[` +
		request + `9.9}, ` + request + `10}, ` + request + `15.5}, ` + request + `20.1}],"errored":[` + request + `9}]}}]}`
	runs, err := Read("theirs.json", strings.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := runs[0]; len(r.Requests) != 2 || r.Warmup != 3 {
		t.Errorf("%d requests, %d of warm-up", len(r.Requests), r.Warmup)
	}
}

// Whatever the file: Read ends without a panic, its errors are for users, and
// no figure is negative or belongs to a request that failed.
func FuzzRead(f *testing.F) {
	for _, path := range []string{"vllm-0.33.json", "vllm-0.32.json", "aiperf/profile_export.jsonl", "guidellm.json"} {
		src, err := os.ReadFile(filepath.Join("testdata", path))
		if err != nil {
			f.Fatal(err)
		}
		if len(src) > 20_000 {
			continue // a mutator does better on small seeds
		}
		f.Add(src, []byte(`{"aiperf_version":"1","input_config":{"phases":[{"kind":"profiling"}]}}`))
	}
	f.Add([]byte(`{"metadata":{"version":2},"benchmarks":[{"requests":{"successful":[{"time_to_first_token_ms":5,"time_per_output_token_ms":1,"request_latency":1,"output_tokens":2}]}}]}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, src, summary []byte) {
		runs, err := Read("theirs", strings.NewReader(string(src)), strings.NewReader(string(summary)))
		var e *weir.Error
		if err != nil && (!errors.As(err, &e) || e.Code == "" || e.Message == "") {
			t.Fatalf("not for a user: %v", err)
		}
		for _, run := range runs {
			for _, r := range run.Requests {
				if r.Failed && r.TTFT.Known() || r.TTFT.Or(0) < 0 || r.E2E.Or(0) < 0 || r.TPOT.Or(0) < 0 || r.Output.Or(0) < 0 {
					t.Errorf("%+v", r)
				}
			}
		}
	})
}
