package validate

import (
	"strconv"
	"strings"

	"weir.dev/weir"
)

// Cell is one published figure and what it was measured on.
type Cell struct {
	Line     int           `json:"line"` // in its file
	Source   string        `json:"source"`
	Model    string        `json:"model"`
	GPU      string        `json:"gpu"`
	TP       int           `json:"tp"`
	Weights  string        `json:"weights"`
	KV       string        `json:"kv"` // empty in the file: bf16
	Input    int           `json:"input_tokens"`
	Output   int           `json:"output_tokens"`
	Requests weir.Opt[int] `json:"requests"`
	Metric   string        `json:"metric"`
	Value    float64       `json:"value"`

	metric metric
}

// metric is a kind of figure and the N at its end.
type metric struct {
	kind kind
	n    int
}

type kind int

const (
	throughput   kind = iota + 1 // output tokens per second, all requests handed in at once
	latency                      // ms until the last of N requests handed in at once has ended
	firstToken                   // ms to the first token, mean of N requests handed in at once
	firstTokenAt                 // the same with N requests kept under way
	tokenGap                     // ms per output token after the first, with N requests kept under way
)

const maxLoadName = "output_tokens_per_second_max_load"

// prefixes are the names of metrics that end in a number of requests.
var prefixes = map[string]kind{
	"latency_ms_batch_":       latency,
	"ttft_ms_batch_":          firstToken,
	"ttft_ms_at_concurrency_": firstTokenAt,
	"itl_ms_at_concurrency_":  tokenGap,
}

// metricNames is what an error lists.
const metricNames = maxLoadName + ", latency_ms_batch_N, ttft_ms_batch_N, ttft_ms_at_concurrency_N, itl_ms_at_concurrency_N"

func parseMetric(name string) (metric, bool) {
	if name == maxLoadName {
		return metric{kind: throughput}, true
	}
	for prefix, k := range prefixes {
		if digits, ok := strings.CutPrefix(name, prefix); ok {
			n, err := strconv.Atoi(digits)
			return metric{k, n}, err == nil && n >= 1 && n <= maxTogether
		}
	}
	return metric{}, false
}
