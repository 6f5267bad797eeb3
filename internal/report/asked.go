package report

import (
	"fmt"
	"strings"

	"weir.dev/weir"
)

// WorkSettings are what was asked.
type WorkSettings struct {
	Content      string        `json:"content"`           // words, prose or code; prompt or data where the text was given
	Lengths      string        `json:"lengths,omitempty"` // tokens of prompt and answer; where there are several, with their shares
	Data         *DataSettings `json:"data,omitempty"`
	Cache        string        `json:"cache"` // auto, cold, warm, compare or any
	CacheGap     weir.Dur      `json:"cache_gap_ms,omitzero"`
	SharedPrefix float64       `json:"shared_prefix,omitempty"` // as a fraction
	Turns        int           `json:"turns,omitempty"`         // of a session
	Think        string        `json:"think,omitempty"`         // before each further turn
	Images       int           `json:"images,omitempty"`        // of a session's first message
	Salt         string        `json:"salt,omitempty"`          // of the nonces
	Calibrate    string        `json:"calibrate,omitempty"`     // shared or each
}

// DataSettings are a data set that requests were taken from.
type DataSettings struct {
	Name    string `json:"name"`
	Hash    string `json:"hash"` // of its records
	Records int    `json:"records"`
	Skipped int    `json:"skipped"`
	Cut     bool   `json:"cut"` // there were more than memory was meant to hold
}

// LengthFit is how long synthetic prompts came out by the endpoint's own count,
// which the warm-up is fitted to.
type LengthFit struct {
	Answers        int     `json:"answers"` // it was learned from; 0: the numbers are a guess
	TokensPerWord  float64 `json:"tokens_per_word"`
	OverheadTokens float64 `json:"overhead_tokens"`
	MedianError    float64 `json:"median_error"`
	Implausible    bool    `json:"implausible,omitempty"` // no tokenizer counts so: the guess was kept
}

// Asked is the lengths of prompt and answer: "256 in / 128 out".
func (c *Settings) Asked() string {
	w := &c.Work
	in, out := fmt.Sprintf("%d in", c.InputTokens), fmt.Sprintf("%d out", c.OutputTokens)
	switch {
	case w.Data != nil:
		in = fmt.Sprintf("%s (%s)", w.Data.Name, Count(w.Data.Records, "record"))
	case c.Prompt != "":
		in = "own prompt"
	case w.Lengths != "" && w.Lengths != fmt.Sprintf("%d/%d", c.InputTokens, c.OutputTokens):
		if l, r, pair := strings.Cut(w.Lengths, "/"); pair && !strings.Contains(w.Lengths, ",") {
			in, out = l+" in", r+" out"
		} else {
			return "in/out " + w.Lengths
		}
	}
	return in + " / " + out
}

// Texts says of what kind the texts are and what caches may know of them.
func (c *Settings) Texts() (parts []string) {
	w := &c.Work
	switch w.Content {
	case "prose", "code":
		parts = append(parts, w.Content)
	}
	if w.Images > 0 {
		parts = append(parts, Count(w.Images, "image"))
	}
	if w.Turns > 1 {
		parts = append(parts, fmt.Sprintf("%d turns a session", w.Turns))
	}
	share := fmt.Sprintf("%.0f %% of each prompt shared", 100*w.SharedPrefix)
	switch {
	case w.Cache == "compare":
		parts = append(parts, "cold and warm pairs; latencies are the cold ones'")
	case w.Cache == "warm" && w.SharedPrefix > 0:
		parts = append(parts, "warm cache, "+share)
	case w.Cache == "warm":
		parts = append(parts, "warm cache")
	case w.Cache == "any":
	case w.SharedPrefix > 0:
		parts = append(parts, share)
	case w.Cache == "auto" && w.Turns < 2, w.Cache == "cold":
		parts = append(parts, "cold cache")
	}
	return parts
}
