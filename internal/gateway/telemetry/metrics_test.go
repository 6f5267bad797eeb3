package telemetry_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/goleak"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func config(t testing.TB) telemetry.Config {
	t.Helper()
	slo, err := weir.ParseSLO("ttft_p95<=350ms, ttft<=1.2s, tpot<=33ms, output_speed>=80, success>=99%")
	if err != nil {
		t.Fatal(err)
	}
	return telemetry.Config{
		Routes:  []telemetry.Route{{Name: "chat", SLO: slo}, {Name: "code"}},
		Targets: []telemetry.Target{{Name: "north", Provider: "groq", Model: "llama"}, {Name: "south", Provider: "anthropic", Model: "claude"}},
		Keys:    []string{"ci"},
	}
}

// every has a source for each metric.
func every() telemetry.Sources {
	return telemetry.Sources{
		Targets: func() []telemetry.TargetState {
			return []telemetry.TargetState{{Target: "north", State: "open", InFlight: 3}, {Target: "south", State: "closed"}, {Target: "west", State: "on fire"}}
		},
		InFlight: func() int { return 2 }, RetryBudget: func() float64 { return 9.5 }, Dropped: func() uint64 { return 7 },
	}
}

func ms(n float64) weir.Span { return weir.SpanOf(time.Duration(n * float64(time.Millisecond))) }

// failedOver is a request whose first target was slow.
func failedOver() *journal.Record {
	usage := weir.Usage{Prompt: weir.Some(100), Cached: weir.Some(10), CacheWrite: weir.Some(5), Completion: weir.Some(50), Reasoning: weir.Some(20)}
	return &journal.Record{
		Route: "chat", Key: "ci", Asked: "canary-asked", Operation: journal.Chat, Dialect: weir.OpenAIChat, Stream: true,
		Attempts: []journal.Attempt{
			{Target: "north", Why: journal.First, Started: weir.Dur(time.Millisecond), End: ms(301), Outcome: weir.TimeoutFirstOutput},
			{
				Target: "south", Why: journal.Failover, Started: weir.Dur(302 * time.Millisecond), FirstEvent: ms(312), FirstOutput: ms(342), End: ms(1302),
				Outcome: weir.OK, Committed: true, Broken: 2, Usage: usage, Cost: weir.Some(0.25), ErrorMessage: "canary-message",
			},
		},
		Outcome: weir.OK, TTFT: ms(344), TPOT: ms(20), End: ms(1303), Gateway: ms(0.4), Usage: usage, Cost: weir.Some(0.25), DuplicateRisk: 1,
		Rescue: &journal.Seam{From: "canary-from", OK: true}, RetryBudgetSpent: true,
	}
}

// scrape reads the metrics as Prometheus does.
func scrape(t testing.TB, m *telemetry.Metrics) map[string]*dto.MetricFamily {
	t.Helper()
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v: %s", resp.Status, err, body)
	}
	if strings.Contains(string(body), "canary") {
		t.Error("what a caller or a target sent is in the metrics")
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// flat has each series by its name and the values of its labels, a histogram as
// its count and its sum.
func flat(families map[string]*dto.MetricFamily) map[string]string {
	all := map[string]string{}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			var values []string
			for _, l := range m.GetLabel() {
				values = append(values, l.GetValue())
			}
			series := name + "{" + strings.Join(values, ",") + "}"
			switch {
			case m.GetHistogram() != nil:
				all[series] = fmt.Sprintf("%d of %.6g", m.GetHistogram().GetSampleCount(), m.GetHistogram().GetSampleSum())
			default:
				all[series] = fmt.Sprintf("%.6g", m.GetCounter().GetValue()+m.GetGauge().GetValue())
			}
		}
	}
	return all
}

func TestARequestThatFailedOver(t *testing.T) {
	m := telemetry.New("v1.2.3", every())
	m.Configure(config(t))
	m.Observe(failedOver())
	m.Observe(&journal.Record{Route: "chat", Key: "ci", Operation: journal.Chat, Outcome: weir.RateLimited, Refused: "rpm"})
	got := flat(scrape(t, m))
	for series, want := range map[string]string{
		"weir_requests_total{ok,chat}":                                                    "1",
		"weir_requests_total{rate_limited,chat}":                                          "1",
		"weir_requests_total{truncated,chat}":                                             "0",
		"weir_requests_total{ok,code}":                                                    "0",
		"weir_retries_total{chat,failover}":                                               "1",
		"weir_refused_total{ci,rpm}":                                                      "1",
		"weir_ttft_seconds{chat}":                                                         "1 of 0.344",
		"weir_tpot_seconds{chat}":                                                         "1 of 0.02",
		"weir_gateway_overhead_seconds{chat}":                                             "1 of 0.0004",
		"weir_attempts_total{timeout_first_output,north}":                                 "1",
		"weir_attempts_total{ok,south}":                                                   "1",
		"weir_target_ttft_seconds{south}":                                                 "1 of 0.04",
		"weir_target_ttft_seconds{north}":                                                 "0 of 0",
		"weir_target_cost_usd_total{south}":                                               "0.25",
		"weir_broken_events_total{south}":                                                 "2",
		"weir_duplicate_risk_total{chat}":                                                 "1",
		"weir_rescues_total{went_on,chat}":                                                "1",
		"weir_rescues_total{failed,chat}":                                                 "0",
		"weir_retry_budget_spent_total{chat}":                                             "1",
		"weir_unpriced_requests_total{chat}":                                              "0",
		"weir_cost_usd_total{ci,chat}":                                                    "0.25",
		"weir_tokens_total{ci,chat,usage,input}":                                          "100",
		"weir_tokens_total{ci,chat,usage,cached_input}":                                   "10",
		"weir_tokens_total{ci,chat,usage,cache_write}":                                    "5",
		"weir_tokens_total{ci,chat,usage,output}":                                         "50",
		"weir_tokens_total{ci,chat,usage,reasoning}":                                      "20",
		"weir_tokens_total{ci,chat,estimate,output}":                                      "0",
		"weir_in_flight{north}":                                                           "3",
		"weir_target_state{open,north}":                                                   "1",
		"weir_target_state{closed,north}":                                                 "0",
		"weir_target_state{closed,south}":                                                 "1",
		"weir_target_state{unknown,west}":                                                 "1",
		"weir_requests_in_flight{}":                                                       "2",
		"weir_retry_budget_left{}":                                                        "9.5",
		"weir_journal_dropped_total{}":                                                    "7",
		"gen_ai_client_inference_duration_seconds{timeout_first_output,chat,groq,llama}":  "1 of 0.3",
		"gen_ai_client_inference_duration_seconds{,chat,anthropic,claude}":                "1 of 1",
		"gen_ai_client_operation_duration_seconds{,chat,anthropic,claude}":                "1 of 1",
		"gen_ai_client_inference_time_to_first_chunk_seconds{chat,anthropic,claude}":      "1 of 0.01",
		"gen_ai_client_inference_usage_input_tokens_total{chat,anthropic,claude,unknown}": "100",
		"gen_ai_client_token_usage{chat,anthropic,claude,output}":                         "1 of 50",
		"gen_ai_server_request_duration_seconds{,chat,weir,chat}":                         "1 of 1.303",
		"gen_ai_server_time_to_first_token_seconds{chat,weir,chat}":                       "1 of 0.344",
		"gen_ai_server_time_per_output_token_seconds{chat,weir,chat}":                     "1 of 0.02",
	} {
		if got[series] != want {
			t.Errorf("%s is %q, want %s", series, got[series], want)
		}
	}
	if _, there := got["gen_ai_client_inference_usage_input_tokens_total{chat,groq,llama,unknown}"]; there {
		t.Error("an attempt without usage has tokens")
	}
}

func TestTokensAndCostsThatAreNotKnown(t *testing.T) {
	m := telemetry.New("v1", telemetry.Sources{})
	m.Configure(config(t))
	m.Observe(&journal.Record{Route: "chat", Key: "ci", Outcome: weir.Canceled, Usage: weir.Usage{Completion: weir.Some(7)}, UsageEstimated: true})
	got := flat(scrape(t, m))
	for series, want := range map[string]string{
		"weir_tokens_total{ci,chat,estimate,output}": "7", "weir_tokens_total{ci,chat,usage,output}": "0",
		"weir_unpriced_requests_total{chat}": "1", "weir_ttft_seconds{chat}": "0 of 0",
	} {
		if got[series] != want {
			t.Errorf("%s is %q, want %s", series, got[series], want)
		}
	}
	if _, there := got["weir_in_flight{north}"]; there {
		t.Error("a gauge without a source")
	}
}

// Whatever callers and targets send, there are no more series for it, and
// nothing that was sent is a label.
func TestCardinalityIsBounded(t *testing.T) {
	m := telemetry.New("v1", every())
	m.Configure(config(t))
	observe := func(i int) {
		word := func(s string) string { return fmt.Sprintf("canary-%s-%d", s, i) }
		r := failedOver()
		r.Route, r.Key, r.Operation, r.Dialect = word("route"), word("key"), journal.Operation(word("op")), weir.Dialect(word("dialect"))
		r.Outcome, r.ErrorType, r.Refused = weir.Outcome(word("outcome")), word("type"), word("limit")
		a := &r.Attempts[1]
		a.Target, a.Model, a.Outcome, a.Why = word("target"), word("model"), weir.Outcome(word("outcome")), journal.Why(word("why"))
		m.Observe(r)
		empty := *failedOver()
		empty.Route, empty.Key = "", ""
		m.Observe(&empty)
	}
	observe(0)
	before := flat(scrape(t, m))
	for i := range 100 {
		observe(i)
	}
	after := flat(scrape(t, m))
	var grown []string
	for series := range after {
		if _, there := before[series]; !there && !strings.HasPrefix(series, "go_") && !strings.HasPrefix(series, "process_") && !strings.HasPrefix(series, "promhttp_") {
			grown = append(grown, series)
		}
	}
	if len(grown) > 0 {
		t.Errorf("new series: %s", grown)
	}
	for series, want := range map[string]string{
		"weir_requests_total{unknown,other}": "101", "weir_requests_total{ok,none}": "101", "weir_cost_usd_total{other,other}": "25.25",
		"weir_cost_usd_total{none,none}": "25.25", "weir_attempts_total{unknown,other}": "101", "weir_refused_total{other,unknown}": "101",
	} {
		if after[series] != want {
			t.Errorf("%s is %q, want %s", series, after[series], want)
		}
	}
}

func bucketsOf(t *testing.T, m *telemetry.Metrics, name string) (bounds []float64, count uint64) {
	t.Helper()
	for _, metric := range scrape(t, m)[name].GetMetric() {
		bounds = nil
		for _, b := range metric.GetHistogram().GetBucket() {
			bounds = append(bounds, b.GetUpperBound())
		}
		count += metric.GetHistogram().GetSampleCount()
	}
	return bounds, count
}

func TestBoundsOfSLOsAreBuckets(t *testing.T) {
	m := telemetry.New("v1", telemetry.Sources{})
	m.Configure(config(t))
	m.Observe(failedOver())
	m.Configure(config(t)) // nothing new: nothing begins anew
	ttft, n := bucketsOf(t, m, "weir_ttft_seconds")
	tpot, _ := bucketsOf(t, m, "weir_tpot_seconds")
	for _, c := range []struct {
		buckets []float64
		want    float64
	}{{ttft, 0.35}, {ttft, 1.2}, {tpot, 0.033}, {tpot, 1.0 / 80}} {
		if !slices.Contains(c.buckets, c.want) || !slices.IsSorted(c.buckets) {
			t.Errorf("%g is no bound of %v", c.want, c.buckets)
		}
	}
	if n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	slo, _ := weir.ParseSLO("ttft<=123ms")
	m.Configure(telemetry.Config{Routes: []telemetry.Route{{Name: "new", SLO: slo}}})
	m.Observe(failedOver())
	if ttft, n := bucketsOf(t, m, "weir_ttft_seconds"); !slices.Contains(ttft, 0.123) || !slices.Contains(ttft, 0.35) || n != 1 {
		t.Errorf("after a reload: %d requests in %v", n, ttft)
	}
	if got := flat(scrape(t, m))["weir_requests_total{ok,chat}"]; got != "2" {
		t.Errorf("the counters began anew: %s", got)
	}
}

func TestATargetThatChangesItsModel(t *testing.T) {
	m := telemetry.New("v1", telemetry.Sources{})
	m.Configure(config(t))
	m.Observe(failedOver())
	m.Configure(telemetry.Config{Targets: []telemetry.Target{{Name: "south", Provider: "anthropic", Model: "claude-next"}}})
	m.Observe(failedOver())
	got := flat(scrape(t, m))
	for series, want := range map[string]string{
		"gen_ai_client_inference_duration_seconds{,chat,anthropic,claude}": "1 of 1", "gen_ai_client_inference_duration_seconds{,chat,anthropic,claude-next}": "1 of 1",
		"weir_attempts_total{ok,south}": "2",
	} {
		if got[series] != want {
			t.Errorf("%s is %q, want %s", series, got[series], want)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	m := telemetry.New("v1", every())
	m.Configure(config(t))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				m.Observe(failedOver())
			}
		})
	}
	slo, _ := weir.ParseSLO("ttft<=77ms")
	all.Go(func() { m.Configure(telemetry.Config{Routes: []telemetry.Route{{Name: "late", SLO: slo}}}) })
	all.Wait()
	if got := flat(scrape(t, m))["weir_requests_total{ok,chat}"]; got != "800" {
		t.Errorf("%s requests, want 800", got)
	}
}

func TestObserveAllocatesNothing(t *testing.T) {
	m := telemetry.New("v1", every())
	m.Configure(config(t))
	r := failedOver()
	m.Observe(r)
	if n := testing.AllocsPerRun(100, func() { m.Observe(r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	m := telemetry.New("v1", every())
	m.Configure(config(b))
	r := failedOver()
	b.ReportAllocs()
	for b.Loop() {
		m.Observe(r)
	}
}
