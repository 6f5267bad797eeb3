package reconcile

import (
	"weir.dev/weir"
	"weir.dev/weir/internal/imports"
)

// fields says where a run of theirs keeps a figure, by its name with the tool.
var fields = map[string]func(*imports.Request) []Amount{
	"ttft":                             func(r *imports.Request) []Amount { return one(ofSpan(r.TTFT)) },
	"tpot":                             func(r *imports.Request) []Amount { return one(ofSpan(r.TPOT)) },
	"itl":                              gapsIn,
	"e2el":                             func(r *imports.Request) []Amount { return one(ofSpan(r.E2E)) },
	"time_to_first_token_ms":           func(r *imports.Request) []Amount { return one(ofSpan(r.TTFT)) },
	"time_to_first_output_token_ms":    func(r *imports.Request) []Amount { return one(ofSpan(r.TTFAT)) },
	"time_per_output_token_ms":         func(r *imports.Request) []Amount { return one(ofSpan(r.TPOT)) },
	"inter_token_latency_ms":           func(r *imports.Request) []Amount { return one(ofSpan(r.ITL)) },
	"time_to_first_token":              func(r *imports.Request) []Amount { return one(ofSpan(r.TTFT)) },
	"time_to_first_output_token":       func(r *imports.Request) []Amount { return one(ofSpan(r.TTFAT)) },
	"inter_token_latency":              func(r *imports.Request) []Amount { return one(ofSpan(r.ITL)) },
	"output_token_throughput_per_user": func(r *imports.Request) []Amount { return one(ofSpeed(r.Speed)) },
	"inter_chunk_latency":              gapsIn,
	"request_latency":                  func(r *imports.Request) []Amount { return one(ofSpan(r.E2E)) },
}

func one(v weir.Opt[Amount]) []Amount {
	if a, ok := v.Get(); ok {
		return []Amount{a}
	}
	return nil
}

func gapsIn(r *imports.Request) (out []Amount) {
	for _, g := range r.Gaps {
		out = append(out, Amount(g))
	}
	return out
}

// imported are the values of a figure in their run, with what each weighs, and
// the number of requests they are of.
func imported(figure string, run *imports.Run) (values []weighted, n int) {
	of := fields[figure]
	if of == nil {
		return nil, 0
	}
	for i := range run.Requests {
		r := &run.Requests[i]
		all := of(r)
		if len(all) > 0 {
			n++
		}
		for _, v := range all {
			values = append(values, weighted{v, weightIn(figure, r)})
		}
	}
	return values, n
}

// weightIn is GuideLLM's weight of a request: the tokens that its mean is over.
func weightIn(figure string, r *imports.Request) float64 {
	tokens := float64(r.Output.Or(0))
	if figure == "inter_token_latency_ms" {
		return tokens - 1
	}
	return tokens
}
