package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

func priceTable(t *testing.T) *PriceTable {
	t.Helper()
	table, err := Prices()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func used(prompt, cached, written, completion int) weir.Usage {
	return weir.Usage{
		Prompt: weir.Some(prompt), Cached: weir.Some(cached), CacheWrite: weir.Some(written), Completion: weir.Some(completion), Reasoning: weir.Some(0),
	}
}

// The rates beside each case are the ones that the products were made with, by
// hand. A refresh that breaks this test has found a new price: look it up at
// the provider, then change both.
func TestPricesOfKnownModels(t *testing.T) {
	day := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	table := priceTable(t)
	for _, c := range []struct {
		provider, model string
		usage           weir.Usage
		usd             float64
	}{
		// 2.5, cached 1.25, out 10: 6000 x 2.5 + 4000 x 1.25 + 500 x 10 = 15000 + 5000 + 5000
		{"openai", "gpt-4o-2024-08-06", used(10_000, 4_000, 0, 500), 0.025},
		// 0.15, out 0.6: 1000 x 0.15 + 1000 x 0.6
		{"openai", "gpt-4o-mini", used(1_000, 0, 0, 1_000), 0.00075},
		// 2.5, cached 0.25, out 15: 71999 x 2.5 + 200000 x 0.25 + 100 x 15 = 179997.5 + 50000 + 1500
		{"openai", "gpt-5.4", used(271_999, 200_000, 0, 100), 0.2314975},
		// from 272000 on 5, cached 0.5, out 22.5: 72000 x 5 + 200000 x 0.5 + 100 x 22.5 = 360000 + 100000 + 2250
		{"openai", "gpt-5.4", used(272_000, 200_000, 0, 100), 0.46225},
		// 3, cached 0.3, written 3.75, out 15: 1000 x 3 + 8000 x 0.3 + 1000 x 3.75 + 200 x 15 = 3000 + 2400 + 3750 + 3000
		{"anthropic", "claude-sonnet-4-5-20250929", used(10_000, 8_000, 1_000, 200), 0.01215},
		// above 200000: 6, cached 0.6, written 7.5, out 22.5: 1 x 6 + 150000 x 0.6 + 50000 x 7.5 + 200 x 22.5 = 6 + 90000 + 375000 + 4500
		{"anthropic", "claude-sonnet-4-5", used(200_001, 150_000, 50_000, 200), 0.469506},
		// 1.25, cached 0.125, out 10: 150000 x 1.25 + 50000 x 0.125 + 1000 x 10 = 187500 + 6250 + 10000
		{"gemini", "models/gemini-2.5-pro", used(200_000, 50_000, 0, 1_000), 0.20375},
		// above 200000: 2.5, cached 0.25, out 15: 150001 x 2.5 + 50000 x 0.25 + 1000 x 15 = 375002.5 + 12500 + 15000
		{"vertex", "google/gemini-2.5-pro", used(200_001, 50_000, 0, 1_000), 0.4025025},
		// 1.25, cached 0.2, out 2.5; from 200000 on 2.5, 0.4, 5: 100000 x 2.5 + 100000 x 0.4 + 1000 x 5
		{"xai", "grok-4.3", used(199_999, 100_000, 0, 1_000), 0.14749875},
		{"xai", "grok-4.3", used(200_000, 100_000, 0, 1_000), 0.295},
		// 0.59, out 0.79
		{"groq", "llama-3.3-70b-versatile", used(1_000_000, 0, 0, 1_000_000), 1.38},
		// 0.88 both; any case
		{"together", "meta-llama/llama-3.3-70b-instruct-turbo", used(1_000, 0, 0, 1_000), 0.00176},
		// 1 both, and 0.012 for the request
		{"perplexity", "sonar", used(1_000, 0, 0, 1_000), 0.014},
		{"openrouter", "deepseek/deepseek-r1:free", used(1_000, 0, 0, 1_000), 0},
		// 0.59, out 0.79: groq's price through the router
		{"huggingface", "meta-llama/Llama-3.3-70B-Instruct:groq", used(0, 0, 0, 1_000), 0.00079},
		{"sambanova", "meta-llama/Llama-3.3-70B-Instruct", used(0, 0, 0, 1_000), 0.0012},
		// openai's own
		{"azure", "gpt-4o", used(1_000, 0, 0, 0), 0.0025},
	} {
		p, ok := table.LookupAt(c.provider, c.model, day)
		if usd, _ := p.Cost(c.usage); !ok || usd != weir.Some(c.usd) {
			t.Errorf("%s %s: %v USD at %+v, want %v", c.provider, c.model, usd, p, c.usd)
		}
		if p.AsOf != table.Date || !strings.HasPrefix(p.Source, "npm @pydantic/genai-prices ") {
			t.Errorf("%s %s: as of %q, source %q", c.provider, c.model, p.AsOf, p.Source)
		}
	}
}

func TestPriceIsUnknown(t *testing.T) {
	table := priceTable(t)
	for _, c := range []struct{ provider, model string }{
		{"openai", "gpt-0"},
		{"openai", ""},
		{"nobody", "gpt-4o"},
		{"", "gpt-4o"},
		{"vllm", "llama-3.3-70b"},
		{"groq", "whisper-large-v3"}, // it is there, with a price by the hour of audio
		{"copilot", "gpt-4o"},        // not our name for it
		{"github-copilot", "gpt-4o"}, // it is there, with no price
		{"huggingface", "meta-llama/Llama-3.3-70B-Instruct"},          // the router chooses
		{"huggingface", "meta-llama/Llama-3.3-70B-Instruct:cheapest"}, // so here
	} {
		p, ok := table.Lookup(c.provider, c.model)
		if usd, why := p.Cost(used(10, 0, 0, 10)); ok || usd.Known() || len(why) == 0 {
			t.Errorf("%s %s: %+v, %v USD (%q)", c.provider, c.model, p, usd, why)
		}
	}
}

func TestPriceDoubtsAreSaid(t *testing.T) {
	table := priceTable(t)
	for _, c := range []struct{ provider, model, want string }{
		{"azure", "gpt-4o", "the price is that of a global deployment, a regional one may cost more; the price is openai's own"},
		{"nebius", "meta-llama/Llama-3.3-70B-Instruct", "the price is the one of Hugging Face's router for this provider"},
		{"together", "openai/gpt-oss-120b", "the price is the one of Hugging Face's router for this provider"},
	} {
		p, _ := table.Lookup(c.provider, c.model)
		if _, says := p.Cost(used(10, 0, 0, 10)); !slices.Contains(says, c.want) {
			t.Errorf("%s %s: %q, want %q", c.provider, c.model, says, c.want)
		}
	}
}

func TestPriceOverride(t *testing.T) {
	table := priceTable(t)
	mine := weir.Price{Rates: weir.Rates{Input: weir.Some(0.1), Output: weir.Some(0.2)}, AsOf: "2026-11-30"}
	for _, c := range [][2]string{{"mine", "llama-3.3-70b"}, {"openai", "GPT-4o"}} {
		if err := table.Override(c[0], c[1], mine); err != nil {
			t.Fatal(err)
		}
		p, ok := table.Lookup(strings.ToUpper(c[0]), strings.ToLower(c[1]))
		if usd, _ := p.Cost(used(1_000_000, 0, 0, 1_000_000)); !ok || usd != weir.Some(0.3) || p.Source != "your own" || p.AsOf != "2026-11-30" {
			t.Errorf("%v: %v USD, %+v", c, usd, p)
		}
	}
	if p, _ := table.Lookup("openai", "gpt-4o"); p.CachedInput.Known() {
		t.Error("a rate that the user left out came from the table")
	}
	if p, _ := priceTable(t).Lookup("openai", "gpt-4o"); p.Input != weir.Some(2.5) {
		t.Error("one table's override is in another")
	}
	var e *weir.Error
	err := table.Override("mine", "x", weir.Price{Rates: weir.Rates{Input: weir.Some(-1.0)}})
	if !errors.As(err, &e) || e.Code != "bad_price" || !strings.HasPrefix(err.Error(), "price of mine/x: not a price: input is -1") {
		t.Errorf("a negative price: %v", err)
	}
}

func TestPricesFile(t *testing.T) {
	if n := len(pricesJSON); n > 400<<10 {
		t.Errorf("prices.json has %d bytes, more than 400 KiB", n)
	}
	table := priceTable(t)
	day, err := time.Parse(time.DateOnly, table.Date)
	if err != nil || day.Before(time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("date %q", table.Date)
	}
	for _, want := range []string{"genai-prices", "Copyright (c) Pydantic", "MIT", "https://"} {
		if !strings.Contains(table.Attribution, want) {
			t.Errorf("the attribution does not name %q: %s", want, table.Attribution)
		}
	}
	var models int
	for i, p := range table.providers {
		if i > 0 && p.ID <= table.providers[i-1].ID {
			t.Errorf("provider %q comes after %q", p.ID, table.providers[i-1].ID)
		}
		for _, id := range p.Fallback {
			if _, ok := table.provider(id); !ok {
				t.Errorf("%s falls back to %q, which is not in the table", p.ID, id)
			}
		}
		for _, m := range p.Models {
			models++
			if m.ID == "" {
				t.Errorf("%s: a model without an id", p.ID)
			}
		}
	}
	if models < 1000 {
		t.Errorf("%d models, want more than 1000", models)
	}
	for name, s := range table.sources {
		for _, id := range []string{s.id, s.router} {
			if _, ok := table.provider(id); !ok && id != "" && !s.routed {
				t.Errorf("%s: the table has no provider %q", name, id)
			}
		}
	}
}

// sample has what the real table has only for as long as a provider wants it.
const sample = `{"about": "", "source": "npm sample", "version": "1.0.0", "date": "2026-09-23", "licence": "MIT", "attribution": "",
 "providers": [
  {"id": "clock", "models": [
   {"id": "peak", "input": 1, "changes": [{"since": "01:00", "until": "04:00", "input": 2}, {"since": "06:00", "until": "10:00", "input": 3}]},
   {"id": "night", "input": 1, "changes": [{"since": "23:00", "until": "01:00", "input": 0.5}]},
   {"id": "announced", "input": 1, "tiers": [{"from": 10, "input": 2}], "changes": [{"on": "2027-01-01", "input": 4}]}]},
  {"id": "rules", "fallback": ["clock"], "models": [
   {"id": "not-tts", "input": 1, "match": {"all": [{"starts": ["pro"]}, {"not": {"regex": ["^(?:.*-tts(?:$|-))"]}}]}},
   {"id": "tts", "input": 2, "match": {"is": ["pro-tts"], "ends": ["-speech"]}},
   {"id": "first", "input": 3, "match": {"contains": ["llama"]}},
   {"id": "never", "input": 4, "match": {"is": ["llama"]}},
   {"id": "dated", "input": 5, "match": {"regex": ["^gpt-\\d{4}-\\d{2}-\\d{2}$"]}},
   {"id": "either", "input": 6, "match": {"any": [{"is": ["a"]}, {"all": [{"starts": ["b"]}, {"ends": ["c"]}]}]}},
   {"id": "Upper", "input": 7}]}]}`

func TestPriceRules(t *testing.T) {
	table, err := readPrices([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]float64{
		"pro": 1, "pro-1": 1, "pro-ttsx": 1, "pro-tts": 2, "pro-tts-1": 0, "x-speech": 2, "x-speech-2": 0, "my-LLAMA-3": 3, "llama": 3,
		"gpt-2026-03-05": 5, "gpt-20260305": 5, "gpt-20261305": 0, "gpt-20260305-x": 0, "a": 6, "bc": 6, "b": 0, "upper": 7, " UPPER ": 7, "upper-2": 0,
		"night": 1, // from the fallback
	} {
		p, ok := table.LookupAt("rules", model, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
		if ok != (want != 0) || p.Input.Or(0) != want {
			t.Errorf("%s: %v (%v), want %v", model, p.Input, ok, want)
		}
	}
}

func TestPriceChanges(t *testing.T) {
	table, err := readPrices([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model, at string
		input     float64
		until     string
	}{
		{"peak", "2026-11-30T00:59:59Z", 1, "2026-11-30T01:00:00Z"},
		{"peak", "2026-11-30T01:00:00Z", 2, "2026-11-30T04:00:00Z"},
		{"peak", "2026-11-30T04:00:00Z", 1, "2026-11-30T06:00:00Z"},
		{"peak", "2026-11-30T09:59:59Z", 3, "2026-11-30T10:00:00Z"},
		{"peak", "2026-11-30T10:00:00Z", 1, "2026-12-01T01:00:00Z"},
		{"peak", "2026-11-30T11:30:00+08:00", 2, "2026-11-30T04:00:00Z"}, // 03:30 UTC
		{"night", "2026-11-30T22:59:00Z", 1, "2026-11-30T23:00:00Z"},
		{"night", "2026-11-30T23:00:00Z", 0.5, "2026-12-01T01:00:00Z"},
		{"night", "2026-12-01T00:59:00Z", 0.5, "2026-12-01T01:00:00Z"},
		{"announced", "2026-12-31T23:59:59Z", 1, "2027-01-01T00:00:00Z"},
		{"announced", "2027-01-01T00:00:00Z", 4, "0001-01-01T00:00:00Z"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := table.LookupAt("clock", c.model, at)
		if got := p.Until.Format(time.RFC3339); !ok || p.Input != weir.Some(c.input) || got != c.until {
			t.Errorf("%s at %s: %v until %s, want %v until %s", c.model, c.at, p.Input, got, c.input, c.until)
		}
	}
	at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	if p, _ := table.LookupAt("clock", "announced", at); p.Tiers != nil {
		t.Error("a change keeps the tiers of the price before")
	}
}

func TestPricesFileErrors(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"a field nobody reads", `"id": "peak",`, `"id": "peak", "audio": 1,`, `unknown field "audio"`},
		{"a rate", `"input": 7`, `"input": -7`, "rules/Upper: not a price: input is -7"},
		{"a rate of a change", `"input": 0.5`, `"input": -1`, "clock/night: not a price"},
		{"an hour", `"23:00"`, `"23 h"`, "clock/night: a change of price"},
		{"a day", `"2027-01-01"`, `"2027-13-01"`, "clock/announced: a change of price"},
		{"an expression", `^gpt-`, `^(?!gpt-)`, "error parsing regexp"},
		{"the date", `"2026-09-23"`, `"soon"`, "its date"},
		{"no JSON", `"providers"`, `providers`, "read prices.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := readPrices([]byte(strings.Replace(sample, c.from, c.to, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q in it", err, c.want)
			}
		})
	}
}

func BenchmarkPriceLookup(b *testing.B) {
	table, err := Prices()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		table.Lookup("openrouter", "x-ai/grok-4.3")
	}
}
