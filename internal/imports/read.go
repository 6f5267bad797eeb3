package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weir.dev/weir"
)

// What one file may make the reader hold.
const (
	maxFile    = 1 << 30
	maxRecords = 2_000_000
)

// AIPerf's files in its artifact folder.
const (
	aiperfRecords = "profile_export.jsonl"
	aiperfSummary = "profile_export_aiperf.json"
)

// Open reads a result file, or the artifact folder of an AIPerf run. A file may
// hold several runs: a GuideLLM sweep, or vLLM's --append-result. The summary
// that AIPerf writes beside its records is read with them if it is there.
func Open(path string) ([]*Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &weir.Error{Code: "import_not_found", Message: "cannot read " + path, Hint: "name a result file of vllm bench serve, guidellm or aiperf", Err: err}
	}
	if info.IsDir() {
		path = filepath.Join(path, aiperfRecords)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &weir.Error{Code: "import_not_found", Message: "cannot read " + path, Hint: "in a folder, " + aiperfRecords + " of AIPerf is looked for", Err: err}
	}
	defer func() { _ = f.Close() }()
	summary, err := os.Open(filepath.Join(filepath.Dir(path), aiperfSummary))
	switch {
	case errors.Is(err, fs.ErrNotExist) || filepath.Base(path) != aiperfRecords:
		return Read(path, f, nil)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", aiperfSummary, err)
	}
	defer func() { _ = summary.Close() }()
	return Read(path, f, summary)
}

// Read reads a result file. AIPerf's records do not say which version, model
// and target they are of: its summary, which may be nil, does.
func Read(name string, r, summary io.Reader) ([]*Run, error) {
	in := newValues(name, r)
	first, err := in.next()
	if errors.Is(err, io.EOF) {
		return nil, unknown(name, "it is empty")
	}
	if err != nil {
		return nil, err
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(first, &top) != nil {
		return nil, unknown(name, "its first JSON value is no object")
	}
	switch holds := func(keys ...string) bool { return hasAny(top, keys) }; {
	case holds("benchmarks"):
		return readGuideLLM(name, first)
	case top["metadata"] != nil && top["metrics"] != nil:
		return readAIPerf(name, first, in, summary)
	case holds("schema_version", "aiperf_version") && holds("input_config"):
		return nil, &weir.Error{Code: "import_summary", Message: name + " is AIPerf's summary", Hint: "name " + aiperfRecords + " beside it, which has the requests"}
	case holds("backend", "endpoint_type") || holds("ttfts", "request_throughput"):
		return readVLLM(name, first, in)
	}
	return nil, unknown(name, "it has none of their fields")
}

func hasAny(top map[string]json.RawMessage, keys []string) bool {
	for _, k := range keys {
		if _, ok := top[k]; ok {
			return true
		}
	}
	return false
}

func unknown(name, why string) error {
	return &weir.Error{
		Code: "import_unknown", Message: fmt.Sprintf("%s is no result file that is known: %s", name, why),
		Hint: "vllm bench serve --save-result --save-detailed, guidellm --output kind=json, and aiperf's " + aiperfRecords + " are read",
	}
}

// missing says which fields a file lacks.
func missing(name, tool, version string, fields []string, hint string) error {
	if version != "" {
		tool += " " + version
	}
	return &weir.Error{
		Code: "import_fields_missing", Message: fmt.Sprintf("%s, a result of %s, lacks %s", name, tool, strings.Join(fields, ", ")), Hint: hint,
	}
}

func invalid(name, format string, args ...any) error {
	return &weir.Error{Code: "import_invalid", Message: name + ": " + fmt.Sprintf(format, args...), Hint: "the file is not as its tool writes it: was it changed?"}
}

// values are the JSON values of a file, one after the other.
type values struct {
	name  string
	dec   *json.Decoder
	bytes *io.LimitedReader
	count int
}

func newValues(name string, r io.Reader) *values {
	bytes := &io.LimitedReader{R: r, N: maxFile}
	return &values{name: name, dec: json.NewDecoder(bytes), bytes: bytes}
}

// next is the next value, or io.EOF.
func (v *values) next() (json.RawMessage, error) {
	var raw json.RawMessage
	err := v.dec.Decode(&raw)
	v.count++
	switch {
	case v.bytes.N <= 0:
		return nil, &weir.Error{Code: "import_too_long", Message: fmt.Sprintf("%s is longer than %d MiB", v.name, maxFile>>20)}
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, &weir.Error{Code: "import_not_json", Message: fmt.Sprintf("%s: value %d is not JSON", v.name, v.count), Hint: "was it cut short?", Err: err}
	case v.count > maxRecords:
		return nil, &weir.Error{Code: "import_too_long", Message: fmt.Sprintf("%s has more than %d records", v.name, maxRecords)}
	}
	return raw, nil
}
