package weir_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

func rate(usd float64) weir.Opt[float64] { return weir.Some(usd) }

// usage counts prompt, cached, written, completion and reasoning tokens, -1
// where a count was not reported.
func usage(counts ...int) weir.Usage {
	var o [5]weir.Opt[int]
	for i := range o {
		if i < len(counts) && counts[i] >= 0 {
			o[i] = weir.Some(counts[i])
		}
	}
	return weir.Usage{Prompt: o[0], Cached: o[1], CacheWrite: o[2], Completion: o[3], Reasoning: o[4]}
}

func flat() weir.Price {
	return weir.Price{Rates: weir.Rates{Input: rate(3), CachedInput: rate(0.3), CacheWrite: rate(3.75), Output: rate(15)}}
}

func TestPriceCost(t *testing.T) {
	tiered := flat()
	tiered.Tiers = []weir.PriceTier{
		{From: 500_001, Rates: weir.Rates{Input: rate(12)}},
		{From: 200_001, Rates: weir.Rates{Input: rate(6), CachedInput: rate(0.6), Output: rate(22.5)}},
	}
	fee := weir.Price{Rates: weir.Rates{Input: rate(1), Output: rate(1), Request: rate(0.012)}}
	thinks := weir.Price{Rates: weir.Rates{Input: rate(2), Output: rate(8), Reasoning: rate(3)}}
	bare := weir.Price{Rates: weir.Rates{Input: rate(3), Output: rate(15)}}
	embeds := weir.Price{Rates: weir.Rates{Input: rate(0.02)}}
	free := weir.Price{Rates: weir.Rates{Input: rate(0), Output: rate(0)}}
	doubtful := bare
	doubtful.Note = "the price is openai's own"
	for _, c := range []struct {
		name  string
		price weir.Price
		usage weir.Usage
		usd   float64
		says  []string
	}{
		// 600 x 3 + 300 x 0.3 + 100 x 3.75 + 50 x 15 = 1800 + 90 + 375 + 750
		{"each kind at its rate", flat(), usage(1000, 300, 100, 50, 20), 0.003015, nil},
		{"all cached", flat(), usage(1000, 1000, 0, 0), 0.0003, nil},
		{"nothing at all is 0, and known", flat(), usage(0, 0, 0, 0), 0, nil},
		{"free", free, usage(1000, 0, 0, 50), 0, nil},
		{"a prompt of the tier's size less one", tiered, usage(200_000, 0, 0, 1000), 0.615, nil},
		// 200001 x 6 + 1000 x 22.5
		{"the tier is for the whole request", tiered, usage(200_001, 0, 0, 1000), 1.222506, nil},
		// 100001 x 6 + 90000 x 0.6 + 10000 x 3.75 (the base's)
		{"cached tokens count for the tier", tiered, usage(200_001, 90_000, 10_000, 0), 0.691506, nil},
		// 600000 x 12 + 10 x 15: a tier leaves out what is the base's, not the tier's below
		{"tiers in any order", tiered, usage(600_000, 0, 0, 10), 7.20015, nil},
		{"fee", fee, usage(100, -1, -1, 10), 0.01211, nil},
		{"reasoning has its rate", thinks, usage(10, -1, -1, 1000, 900), 0.00352, nil},
		{"reasoning is output", bare, usage(0, -1, -1, 1000, 900), 0.015, nil},
		{"an embedding has no output rate and needs none", embeds, usage(1_000_000, -1, -1, 0), 0.02, nil},
		{"no cache rates, nothing reported", bare, usage(1000, -1, -1, 0), 0.003, nil},
		{
			"no cache rates, but cached tokens", bare, usage(1000, 300, 100, 0), 0.003,
			[]string{"cached tokens at the input rate: no rate of their own is known", "cache write tokens at the input rate: no rate of their own is known"},
		},
		{
			"cache not reported", flat(), usage(1000, -1, -1, 0), 0.003,
			[]string{"cached tokens not reported: all prompt tokens at the input rate", "cache write tokens not reported: all prompt tokens at the input rate"},
		},
		{
			"reasoning not reported", thinks, usage(0, -1, -1, 1000, -1), 0.008,
			[]string{"reasoning tokens not reported: all completion tokens at the output rate"},
		},
		{"the price's own doubt", doubtful, usage(1000, -1, -1, 0), 0.003, []string{"the price is openai's own"}},
		{"picodollars", weir.Price{Rates: weir.Rates{Input: rate(0.0028), Output: rate(0.1)}}, usage(3, -1, -1, 7), 0.0000007084, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			usd, says := c.price.Cost(c.usage)
			if got, known := usd.Get(); !known || got != c.usd {
				t.Errorf("%v USD (known %v), want exactly %v", got, known, c.usd)
			}
			if !slices.Equal(says, c.says) {
				t.Errorf("assumed %q, want %q", says, c.says)
			}
		})
	}
}

func TestPriceCostUnknownIsNotZero(t *testing.T) {
	for _, c := range []struct {
		name  string
		price weir.Price
		usage weir.Usage
		says  []string
	}{
		{"no usage", flat(), weir.Usage{}, []string{"prompt tokens not reported", "completion tokens not reported"}},
		{"no completion count", flat(), usage(10, 0, 0, -1), []string{"completion tokens not reported"}},
		{"no usage, free", weir.Price{Rates: weir.Rates{Input: rate(0), Output: rate(0)}}, weir.Usage{}, []string{"prompt tokens not reported", "completion tokens not reported"}},
		{"no price", weir.Price{}, usage(10, 0, 0, 5), []string{"no input rate known", "no output rate known"}},
		{"no price for a part", weir.Price{Rates: weir.Rates{Output: rate(1)}}, usage(10, 0, 0, 5), []string{"no input rate known"}},
		{"only a fee", weir.Price{Rates: weir.Rates{Request: rate(1)}}, usage(0, 0, 0, 5), []string{"no output rate known"}},
		{"more cached than prompt", flat(), usage(10, 11, 0, 5), []string{"more cached and written tokens than prompt tokens"}},
		{"together more than prompt", flat(), usage(10, 6, math.MaxInt, 5), []string{"more cached and written tokens than prompt tokens"}},
		{"more reasoning than completion", flat(), usage(10, 0, 0, 5, 6), []string{"more reasoning tokens than completion tokens"}},
		{"a negative count", flat(), weir.Usage{Prompt: weir.Some(10), Completion: weir.Some(-1)}, []string{"a token count is negative"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if usd, says := c.price.Cost(c.usage); usd.Known() || !slices.Equal(says, c.says) {
				t.Errorf("%v, %q; want no figure and %q", usd, says, c.says)
			}
		})
	}
}

func TestPriceEstimate(t *testing.T) {
	usd, says := flat().Estimate(1000, 100)
	if usd != rate(0.0045) || !slices.Equal(says, []string{"nothing read from the cache or written to it"}) {
		t.Errorf("%v, %q", usd, says)
	}
	if usd, _ := (weir.Price{}).Estimate(1000, 100); usd.Known() {
		t.Errorf("%v without a price", usd)
	}
}

func TestPriceJSON(t *testing.T) {
	p := flat()
	p.Output = rate(0) // free is not unknown
	p.AsOf, p.Source = "2026-09-23", "a list"
	p.Tiers = []weir.PriceTier{{From: 200_001, Rates: weir.Rates{Input: rate(6)}}}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"input":3,"cached_input":0.3,"cache_write":3.75,"output":0,"tiers":[{"from":200001,"input":6}],"as_of":"2026-09-23","source":"a list"}`
	if string(b) != want {
		t.Errorf("%s, want\n%s", b, want)
	}
	var back weir.Price
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, back, cmp.AllowUnexported(weir.Opt[float64]{})); diff != "" {
		t.Error(diff)
	}
}

func TestPriceValidate(t *testing.T) {
	good := flat()
	good.AsOf = "2026-09-23"
	good.Tiers = []weir.PriceTier{{From: 128_001}, {From: 1}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, p := range map[string]weir.Price{
		"not a price: input is -1":                          {Rates: weir.Rates{Input: rate(-1)}},
		"not a price: request is NaN":                       {Rates: weir.Rates{Request: rate(math.NaN())}},
		"not a price: output is +Inf":                       {Rates: weir.Rates{Output: rate(math.Inf(1))}},
		"not a price: a tier begins at 0 prompt tokens":     {Tiers: []weir.PriceTier{{}}},
		"not a price: two tiers begin at 10 prompt tokens":  {Tiers: []weir.PriceTier{{From: 10}, {From: 10}}},
		"not a price: reasoning is -2":                      {Tiers: []weir.PriceTier{{From: 10, Rates: weir.Rates{Reasoning: rate(-2)}}}},
		`not a price: as_of is "last May", which is no day`: {AsOf: "last May"},
	} {
		var e *weir.Error
		if err := p.Validate(); !errors.As(err, &e) || e.Message != want || e.Code != "bad_price" || e.Hint == "" {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func ExamplePrice_Cost() {
	p := weir.Price{Rates: weir.Rates{Input: weir.Some(3.0), CachedInput: weir.Some(0.3), Output: weir.Some(15.0)}}
	usd, _ := p.Cost(weir.Usage{Prompt: weir.Some(10_000), Cached: weir.Some(8_000), Completion: weir.Some(500)})
	fmt.Println(usd.Get())
	usd, why := p.Cost(weir.Usage{})
	fmt.Println(usd.Known(), why[0])
	// Output:
	// 0.0159 true
	// false prompt tokens not reported
}
