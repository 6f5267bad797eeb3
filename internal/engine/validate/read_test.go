package validate

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"weir.dev/weir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	header = "source,model,gpu,tp,weights,kv,input_tokens,output_tokens,requests,metric,value\n"
	good   = "somewhere,l3-8b,H100,1,fp8,fp8,128,128,30000,output_tokens_per_second_max_load,28837\n"
)

func TestRead(t *testing.T) {
	cells, err := Read(strings.NewReader("\ufeffvalue,metric,requests,output_tokens,input_tokens,kv,weights,tp,gpu,model,source\n" +
		"1.5,itl_ms_at_concurrency_25,, 500,5000,,bf16,2,H100,l3-70b,\"a, b\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := Cell{
		Line: 2, Source: "a, b", Model: "l3-70b", GPU: "H100", TP: 2, Weights: "bf16", KV: "bf16", Input: 5000, Output: 500,
		Metric: "itl_ms_at_concurrency_25", Value: 1.5, metric: metric{kind: tokenGap, n: 25},
	}
	if len(cells) != 1 || cells[0] != want {
		t.Errorf("%+v, want %+v", cells, want)
	}
}

// What docs/physics.md says of names: any case, and those of providers' tables.
func TestReadTakesOtherNames(t *testing.T) {
	for _, row := range []string{
		"x,Llama-3.3-70B,h100-sxm,4,FP8,FP8,128,128,,ttft_ms_batch_1,9\r\n",
		"x,l3-70b,h100,4,fp8,fp8,128,128,,ttft_ms_batch_1,9\n",
	} {
		cells, err := Read(strings.NewReader(header + row))
		if err != nil {
			t.Error(err)
			continue
		}
		plain, err := Read(strings.NewReader(header + "x,l3-70b,H100,4,fp8,fp8,128,128,,ttft_ms_batch_1,9\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := hold(cells[0]).Predicted, hold(plain[0]).Predicted; !got.Known() || got != want {
			t.Errorf("%s: %v, want %v", row, got, want)
		}
	}
}

// Each mistake is named with its line and what would be right.
func TestReadRefuses(t *testing.T) {
	swap := func(old, with string) string { return header + good + strings.Replace(good, old, with, 1) }
	for _, c := range []struct{ table, says, hint string }{
		{"", "the table has no rows", "a header"},
		{header, "the table has no rows", "a header"},
		{"source,price\n", `line 1: column "price" is not known`, "the columns are source,model"},
		{strings.Repeat("x", 1000) + "\n", "line 1: column \"" + strings.Repeat("x", 40) + "\" is not known", "the columns are"},
		{"source,source\n", `line 1: column "source" is there twice`, "once"},
		{"source,model\n", `line 1: column "gpu" is missing`, "the columns are"},
		{header + good + "a,b\n", "line 3: wrong number of fields", "as many fields"},
		{header + "\"a\n", "line 2: extraneous or missing", "comma-separated"},
		{swap("l3-8b", "gpt-5"), `line 3: there is no model "gpt-5" in the tables`, "l2-7b, l2-70b, l3-8b"},
		{swap("H100", "H10O"), `line 3: there is no GPU "H10O" in the tables`, "did you mean h100"},
		{swap("H100", strings.Repeat("H", 65)), `line 3: gpu "HHHH`, "a name"},
		{swap("fp8", "fp3"), `line 3: weights "fp3" is not known`, "bf16, fp8"},
		{swap("fp8,fp8", "fp8,fp4"), `line 3: kv "fp4" is not known`, "bf16, fp8"},
		{swap(",1,", ",x,"), `line 3: tp is "x"`, "from 1 to 64"},
		{swap("128,128", "0,128"), `line 3: input_tokens is "0"`, "from 1 to"},
		{swap("128,128", "128,1e3"), `line 3: output_tokens is "1e3"`, "from 1 to"},
		{swap("30000", "-1"), `line 3: requests is "-1"`, "from 1 to"},
		{swap("30000", "99999999"), `line 3: requests is "99999999"`, "from 1 to"},
		{swap("28837", "NaN"), `line 3: value is "NaN"`, "over 0"},
		{swap("28837", "1e999"), `line 3: value is "1e999"`, "over 0"},
		{swap("output_tokens_per_second_max_load", "speed"), `line 3: metric "speed" is not known`, "latency_ms_batch_N"},
		{swap("output_tokens_per_second_max_load", "ttft_ms_batch_0"), `line 3: metric "ttft_ms_batch_0" is not known`, "N from 1"},
		{swap("128,128,30000,output_tokens_per_second_max_load", "128,1,,itl_ms_at_concurrency_1"), "line 3: output_tokens of 1", "at least 2"},
		{swap("128,128,30000", "128,100000,30000"), "line 3: the cell would simulate 3000000000 output tokens", "at most"},
		{header + strings.Repeat(good, maxCells+1), "line 20002: the table has too many rows", "at most 20000"},
		{header + strings.Repeat(" ", maxBytes), "more than 4194304 bytes", "split it"},
	} {
		_, err := Read(strings.NewReader(c.table))
		we, ok := errors.AsType[*weir.Error](err)
		if !ok || we.Code != "invalid_table" || !strings.Contains(we.Message, c.says) || !strings.Contains(we.Hint, c.hint) {
			t.Errorf("%.60q: %v; want %q (%s)", strings.TrimPrefix(c.table, header+good), err, c.says, c.hint)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(string(published))
	f.Add(header + good)
	f.Add("\ufeff" + header + "a,mixtral,MI300X,8,fp4,,1,2,,itl_ms_at_concurrency_8192,0x1p-2\n")
	f.Add(header + "\"a\nb\",l3-8b\n")
	f.Fuzz(func(t *testing.T, table string) {
		cells, err := Read(strings.NewReader(table))
		if err != nil {
			if we, ok := errors.AsType[*weir.Error](err); !ok || we.Code != "invalid_table" {
				t.Fatalf("not an error for users: %v", err)
			}
			return
		}
		if len(cells) == 0 || len(cells) > maxCells {
			t.Fatalf("%d cells", len(cells))
		}
		for _, c := range cells {
			if c.TP < 1 || c.Input < 1 || c.Output < 1 || !(c.Value > 0) || c.total() < 1 || c.total()*c.Output > maxWork || c.Line < 2 {
				t.Fatalf("out of bounds: %+v", c)
			}
		}
	})
}
