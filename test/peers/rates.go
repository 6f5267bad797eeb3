//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"weir.dev/weir"
)

// Rates are what package imports does not keep, since each tool has a window of
// its own for them. These read them from the same files, and with them how many
// requests are in the tool's figures, where its list of requests has more.

func vllmRates(name string) (f figures, err error) {
	var r struct {
		RequestRate weir.Opt[float64] `json:"request_throughput"`
		TokenRate   weir.Opt[float64] `json:"output_throughput"`
	}
	err = readJSON(name, &r)
	return figures{TokenRate: r.TokenRate, RequestRate: r.RequestRate}, err
}

// aiperfRates are of profile_export_aiperf.json.
func aiperfRates(name string) (f figures, err error) {
	type metric struct {
		Mean weir.Opt[float64] `json:"avg"`
	}
	var r struct {
		TokenRate   metric `json:"output_token_throughput"`
		RequestRate metric `json:"request_throughput"`
	}
	err = readJSON(name, &r)
	return figures{TokenRate: r.TokenRate.Mean, RequestRate: r.RequestRate.Mean}, err
}

// guidellmRates also count: its list of requests holds the warm-up, its figures
// hold what ended after it.
func guidellmRates(name string) (f figures, err error) {
	type distribution struct {
		Successful struct {
			Mean weir.Opt[float64] `json:"mean"`
		} `json:"successful"`
	}
	var r struct {
		Benchmarks []struct {
			Metrics struct {
				Totals struct {
					Successful weir.Opt[float64] `json:"successful"`
				} `json:"request_totals"`
				TokenRate   distribution `json:"output_tokens_per_second"`
				RequestRate distribution `json:"requests_per_second"`
			} `json:"metrics"`
		} `json:"benchmarks"`
	}
	if err := readJSON(name, &r); err != nil || len(r.Benchmarks) != 1 {
		return figures{}, err
	}
	m := r.Benchmarks[0].Metrics
	return figures{TokenRate: m.TokenRate.Successful.Mean, RequestRate: m.RequestRate.Successful.Mean, Good: m.Totals.Successful}, nil
}

// maxOutput bounds what is read of a tool's output file.
const maxOutput = 64 << 20

// readJSON reads a whole output file into v.
func readJSON(name string, v any) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxOutput+1))
	if err != nil {
		return err
	}
	if len(b) > maxOutput {
		return fmt.Errorf("%s: more than %d bytes", name, maxOutput)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
