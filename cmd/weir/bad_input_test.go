package main

import (
	"os"
	"strings"
	"testing"
)

// TestBadInput: whoever names what is not there learns in one line what would
// be right, and nothing is sent.
func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("weir.yaml", []byte("providers:\n  mine: {base_url: http://127.0.0.1:1/v1}\nmodels:\n  house-model:\n    targets:\n      - {provider: mine, model: m}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := "bench http://203.0.113.9/v1 --model m"
	for args, words := range map[string]string{
		// who
		"bench grog/m":                      `no provider "grog"|did you mean grok, groq?|weir providers`,
		"bench mien/m":                      `no provider "mien"|did you mean mine`,
		"bench groq":                        "the model is missing|groq/MODEL|openai/gpt-oss-120b|weir models groq",
		"bench mine":                        "the model is missing|mine/MODEL",
		"bench hous-model":                  "did you mean house-model",
		"bench llama-3.3-70b":               "--model llama-3.3-70b --all|provider/model",
		"bench lama-3.3-70b":                "did you mean llama-3.3-70b|provider/model|http://",
		"bench localhost:8000 --model m":    `"localhost:8000"|http://`,
		"bench localhost:8000/v1 --model m": `"localhost:8000"|http://`,
		"bench groq/":                       `the model is missing`,
		"bench http://127.0.0.1:1/v1":       "no --model|weir models http://127.0.0.1:1/v1",
		"bench":                             "no target|provider/model|weir providers|--model",
		"models grog":                       "did you mean grok, groq?",
		"models mien":                       "did you mean mine",
		// keys
		"bench groq/m":                     "groq needs a key|GROQ_API_KEY is not set|https://console.groq.com/keys",
		"bench xai/m":                      "XAI_API_KEY is not set|export XAI_API_KEY=...|https://console.x.ai",
		"bench vertex/m":                   "GOOGLE_CLOUD_PROJECT|params: {project: ...} in the config",
		"bench deepinfra/m":                "DEEPINFRA_API_KEY or DEEPINFRA_TOKEN are not set|https://deepinfra.com/dash/api_keys",
		"models groq":                      "GROQ_API_KEY|https://console.groq.com/keys",
		"bench --model llama-3.1-8b --all": "no key for any provider of llama-3.1-8b|DEEPINFRA_API_KEY or DEEPINFRA_TOKEN, FIREWORKS_API_KEY|OPENROUTER_API_KEY|weir providers",
		// all
		"bench --model lama-3.1-8b --all":         "did you mean llama-3.1-8b|weir models",
		"bench --all":                             "--model llama-3.3-70b --all",
		"bench groq/m --all --model llama-3.1-8b": "--all takes one --model and no targets",
		// money
		elsewhere:                                             "the price of 203.0.113.9 is unknown|--price input=USD,output=USD|--budget",
		elsewhere + " --budget many":                          "--budget|2usd",
		elsewhere + " --budget=0usd":                          "--budget|2usd",
		elsewhere + " --price cheap":                          "--price|input, cached_input",
		elsewhere + " --price input=-1":                       "--price|per million",
		elsewhere + " --price input=1e9":                      "--budget|the price of",
		elsewhere + " --price input=1,output=1000 -n 1000":    "estimated cost|--budget|1.00 USD are spent freely",
		elsewhere + " --price input=1,output=1 --duration 5s": "--duration|--budget|--requests",
	} {
		t.Run(args, func(t *testing.T) {
			o := runWeir(t, strings.Fields(args)...)
			o.oneClearLine(t, 2, strings.Split(words, "|")...)
		})
	}
}

// A budget that was reached is told as what it is.
func TestBudgetIsTold(t *testing.T) {
	env, _ := provider(t)
	o := weirWith(t.Context(), env, "", "bench", "llamacpp/fast", "-n", "200", "--output-tokens", "10", "--price", "input=0,output=1000", "--budget", "0.05usd")
	if o.code != 0 {
		t.Errorf("code %d", o.code)
	}
	o.says(t, "since the budget was reached", "requests not sent", "estimated cost 2.01 USD")
}
