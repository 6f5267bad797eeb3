package imports

import (
	"encoding/json"
	"io"

	"weir.dev/weir"
)

// aiperfSummaryFile is JsonExportData, profile_export_aiperf.json.
type aiperfSummaryFile struct {
	Version string `json:"aiperf_version"`
	Started string `json:"start_time"`
	Config  struct {
		Models struct {
			Items []struct {
				Name string `json:"name"`
			} `json:"items"`
		} `json:"models"`
		Endpoint struct {
			URLs   []string `json:"urls"`
			Server bool     `json:"use_server_token_count"`
			Chunks bool     `json:"per_chunk_usage"`
		} `json:"endpoint"`
		Phases []struct {
			Kind        string   `json:"kind"`
			Type        string   `json:"type"`
			Concurrency *int     `json:"concurrency"`
			Rate        *float64 `json:"rate"`
		} `json:"phases"`
	} `json:"input_config"`
}

func (run *Run) aiperfSummary(r io.Reader) error {
	if r == nil {
		run.Notes = append(run.Notes, "without "+aiperfSummary+" beside it the version, the model and the load are not known")
		return nil
	}
	raw, err := newValues(aiperfSummary, r).next()
	if err != nil {
		return err
	}
	var in aiperfSummaryFile
	if err := json.Unmarshal(raw, &in); err != nil {
		return invalid(aiperfSummary, "%v", err)
	}
	run.Version, run.Started = text(in.Version), text(in.Started)
	if m := in.Config.Models.Items; len(m) == 1 {
		run.Model = text(m[0].Name)
	}
	if u := in.Config.Endpoint.URLs; len(u) == 1 {
		run.Target = text(u[0])
	}
	for _, p := range in.Config.Phases {
		if p.Kind != "warmup" {
			run.Load = Load{p.Type, optional(p.Concurrency), optional(p.Rate)}
		}
	}
	if !in.Config.Endpoint.Server {
		run.Notes = append(run.Notes, "output tokens are counted by their tokenizer, not by the server")
	}
	if in.Config.Endpoint.Chunks {
		run.Notes = append(run.Notes, "--per-chunk-usage: inter_token_latency takes the first chunk's own tokens off")
	}
	run.Reported = aiperfReported(raw)
	return nil
}

func aiperfReported(raw json.RawMessage) (out []Reported) {
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil {
		return nil
	}
	for _, f := range []struct{ name, unit, ours string }{
		{"time_to_first_token", "ms", "ms"},
		{"time_to_first_output_token", "ms", "ms"},
		{"inter_token_latency", "ms", "ms"},
		{"inter_chunk_latency", "ms", "ms"},
		{"request_latency", "ms", "ms"},
		{"output_token_throughput_per_user", "tokens/sec/user", "tok/s"},
	} {
		var m struct {
			Unit string
			Avg  *float64
			P50  *float64
			P99  *float64
		}
		if json.Unmarshal(top[f.name], &m) != nil || m.Unit != f.unit {
			continue
		}
		for _, s := range []struct {
			stat string
			v    weir.Opt[float64]
		}{{"mean", optional(m.Avg)}, {"p50", optional(m.P50)}, {"p99", optional(m.P99)}} {
			if v, ok := s.v.Get(); ok {
				out = append(out, Reported{f.name, s.stat, v, f.ours})
			}
		}
	}
	return out
}
