package catalog

import (
	"errors"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

func TestEveryCanonicalModelIsComplete(t *testing.T) {
	all := CanonicalModels()
	if len(all) < 20 {
		t.Errorf("%d models, want 20 or more", len(all))
	}
	taken, offered := map[string]string{}, map[string]string{}
	for _, m := range all {
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			if taken[name] != "" || name != strings.ToLower(name) || strings.Contains(name, "/") {
				t.Errorf("%s: the name %q is taken by %q or not short", m.Name, name, taken[name])
			}
			taken[name] = m.Name
		}
		if m.Title == "" || strings.Count(m.Weights, "/") != 1 || len(m.Offers) < 2 {
			t.Errorf("%+v is not complete", m)
		}
		at := map[string]bool{}
		for _, o := range m.Offers {
			p, err := Find(o.Provider)
			if err != nil || p.Name != o.Provider || at[o.Provider] {
				t.Errorf("%s: the provider %s is unknown, an alias, or there twice", m.Name, o.Provider)
			}
			at[o.Provider] = true
			if other := offered[o.Provider+"/"+o.Model]; other != "" || o.Model == "" {
				t.Errorf("%s: %s/%s is empty or also %s", m.Name, o.Provider, o.Model, other)
			}
			offered[o.Provider+"/"+o.Model] = m.Name
			checkPage(t, m.Name, o.Source)
			if _, err := time.Parse(time.DateOnly, o.Until); o.Until != "" && err != nil {
				t.Errorf("%s at %s: %v", m.Name, o.Provider, err)
			}
			if theirs := o.Source == liteLLM || o.Source == modelsDev; theirs && !o.Unconfirmed {
				t.Errorf("%s at %s: a catalogue of others confirms nothing", m.Name, o.Provider)
			}
		}
	}
}

func TestFindModel(t *testing.T) {
	for _, c := range []struct{ name, want, hint string }{
		{"llama-3.3-70b", "llama-3.3-70b", ""},
		{"LLAMA-3.3-70B", "llama-3.3-70b", ""},
		{"meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b", ""},
		{"kimi-k2-0905", "kimi-k2", ""},
		{"deepseek-v3", "deepseek-v3", ""},
		{"llama-3.3-70", "", "did you mean llama-3.3-70b"},
		{"lama-3.1-8b", "", "llama-3.1-8b"},
		{"gpt-oss", "", "gpt-oss-120b"},
		{"zzzzzzzzzzzzzzz", "", "weir models lists them all"},
	} {
		m, err := FindModel(c.name)
		var e *weir.Error
		switch {
		case c.want != "" && (err != nil || m.Name != c.want):
			t.Errorf("%q: %s, %v, want %s", c.name, m.Name, err, c.want)
		case c.want == "" && (!errors.As(err, &e) || e.Code != "unknown_model" || !strings.Contains(e.Hint, c.hint)):
			t.Errorf("%q: %v, want a hint with %q", c.name, err, c.hint)
		}
	}
}

func TestOffers(t *testing.T) {
	offers, err := ProvidersOf("gpt-oss-120b")
	if err != nil || len(offers) < 10 {
		t.Fatalf("%d offers, %v", len(offers), err)
	}
	if _, err := ProvidersOf("no such"); err == nil {
		t.Error("no error for an unknown model")
	}
	m, ok := CanonicalOf("groq", "openai/gpt-oss-120b")
	if !ok || m.Name != "gpt-oss-120b" {
		t.Errorf("groq/openai/gpt-oss-120b is %q", m.Name)
	}
	if m, ok := CanonicalOf("groq", "whisper"); ok {
		t.Errorf("groq/whisper is %q", m.Name)
	}
}

func TestOfferEnded(t *testing.T) {
	day := time.Date(2026, 10, 22, 0, 0, 0, 0, time.UTC)
	o := Offer{Until: "2026-10-22"}
	if o.Ended(day.Add(-time.Second)) || !o.Ended(day) || !o.Ended(day.AddDate(1, 0, 0)) || (Offer{}).Ended(day) {
		t.Error("an offer ends with the day its Until names, and one without never")
	}
}
