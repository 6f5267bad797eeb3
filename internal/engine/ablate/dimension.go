package ablate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
)

// dimension is one thing in which deployments can differ.
type dimension struct {
	name  string
	words string // in which a reader knows it
	// read tells whether a word is one of its values, and how that is written.
	read func(word string) (value string, ok bool)
	set  func(d *engine.Deployment, value string)
	get  func(d *engine.Deployment) string
}

// dimensions are in the order in which they are set: an engine brings a
// scheduler, of which the later ones change parts.
func dimensions() []dimension {
	return slices.Concat(hardware(), scheduling(), numbers())
}

func hardware() []dimension {
	return []dimension{
		{
			name: "engine", words: "inference engine", read: oneOf(profiles()...),
			set: func(d *engine.Deployment, v string) { d.Profile, _ = engine.ProfileNamed(v) },
			get: func(d *engine.Deployment) string { return d.Profile.Name },
		},
		{
			name: "gpu", words: "GPU", read: oneOf(engine.GPUNames()...),
			set: func(d *engine.Deployment, v string) { d.GPU, _ = engine.GPUNamed(v) },
			get: func(d *engine.Deployment) string { return gpuWord(d.GPU) },
		},
		{
			name: devices, words: "GPUs that share the model", read: func(word string) (string, bool) {
				n := devicesForm.FindStringSubmatch(word)
				if n == nil {
					return "", false
				}
				return "tp" + n[1], true
			},
			set: func(d *engine.Deployment, v string) { d.TP, _ = strconv.Atoi(strings.TrimPrefix(v, "tp")) },
			get: func(d *engine.Deployment) string { return fmt.Sprintf("tp%d", d.TP) },
		},
	}
}

// devices is the dimension that has no value of its own where only one side
// says it.
const devices = "devices"

// gpuWord is the longer name, which says the form: h100-sxm.
func gpuWord(g engine.GPU) string {
	if len(g.Also) > 0 {
		return g.Also[0]
	}
	return strings.ToLower(g.Name)
}

var devicesForm = regexp.MustCompile(`^tp=?([1-9]\d?)$`)

func scheduling() []dimension {
	return []dimension{
		{
			name: "batching", words: "how requests are batched", read: oneOf("continuous", "no-evict", "prefill-first", "static"),
			set: func(d *engine.Deployment, v string) { d.Profile.Policy = engine.Policy(v) },
			get: func(d *engine.Deployment) string { return string(d.Profile.Policy) },
		},
		{
			name: "kv_memory", words: "how KV memory is given out", read: oneOf("paged", "contiguous"),
			set: func(d *engine.Deployment, v string) { d.Profile.Layout = engine.Layout(v) },
			get: func(d *engine.Deployment) string { return string(d.Profile.Layout) },
		},
		either("prompts", "prompts in chunks or whole", "chunked", "whole-prompts", func(d *engine.Deployment) *bool { return &d.Profile.Chunked }),
		either("prefix_cache", "prefix cache", "prefix-cache", "no-prefix-cache", func(d *engine.Deployment) *bool { return &d.Profile.PrefixCache }),
	}
}

// either is a dimension of two values.
func either(name, words, yes, no string, at func(*engine.Deployment) *bool) dimension {
	return dimension{
		name: name, words: words, read: oneOf(yes, no),
		set: func(d *engine.Deployment, v string) { *at(d) = v == yes },
		get: func(d *engine.Deployment) string {
			if *at(d) {
				return yes
			}
			return no
		},
	}
}

func numbers() []dimension {
	return []dimension{
		{
			name: "weights", words: "precision of the weights", read: oneOf("bf16", "fp8", "int8", "fp4", "mxfp4", "int4"),
			set: func(d *engine.Deployment, v string) { d.Weights = engine.Precision(v) },
			get: func(d *engine.Deployment) string { return string(d.Weights) },
		},
		{
			name: "kv_precision", words: "precision of the KV cache", read: oneOf("bf16-kv", "fp8-kv"),
			set: func(d *engine.Deployment, v string) { d.KV = engine.Precision(strings.TrimSuffix(v, "-kv")) },
			get: func(d *engine.Deployment) string { return string(d.KV) + "-kv" },
		},
		{
			name: "speculation", words: "speculative decoding", read: readSpeculation,
			set: func(d *engine.Deployment, v string) { d.Speculation, _ = ParseSpeculation(v) },
			get: func(d *engine.Deployment) string { return speculationName(d.Speculation) },
		},
	}
}

func oneOf(values ...string) func(string) (string, bool) {
	return func(word string) (string, bool) { return word, slices.Contains(values, word) }
}

func profiles() (names []string) {
	for _, p := range engine.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

const noSpeculation = "no-speculation"

func readSpeculation(word string) (string, bool) {
	if word == noSpeculation {
		return word, true
	}
	s, ok := ParseSpeculation(word)
	return speculationName(s), ok
}

var speculationForm = regexp.MustCompile(`^speculation(?:=([1-9]\d?):(0?\.\d{1,4}|0|1))?$`)

// ParseSpeculation reads speculation=4:0.8: drafts in each step, and the chance
// that one is right. The word alone is 4:0.7. A draft costs a layer and an LM
// head, as those of EAGLE and MTP do.
func ParseSpeculation(word string) (engine.Speculation, bool) {
	m := speculationForm.FindStringSubmatch(word)
	if m == nil {
		return engine.Speculation{}, false
	}
	s := engine.Speculation{Drafts: 4, Acceptance: 0.7, DraftLayers: 1}
	if m[1] != "" {
		s.Drafts, _ = strconv.Atoi(m[1])               // two digits
		s.Acceptance, _ = strconv.ParseFloat(m[2], 64) // of a form that it reads
	}
	return s, true
}

func speculationName(s engine.Speculation) string {
	if s.Drafts == 0 {
		return noSpeculation
	}
	return fmt.Sprintf("speculation=%d:%g", s.Drafts, s.Acceptance)
}

// Words are all that a side may be made of, but for numbers.
func Words() []string {
	words := slices.Concat(profiles(), engine.GPUNames(), []string{
		"continuous", "no-evict", "prefill-first", "static", "paged", "contiguous", "chunked", "whole-prompts", "prefix-cache", "no-prefix-cache",
		"bf16", "fp8", "int8", "fp4", "mxfp4", "int4", "bf16-kv", "fp8-kv", "speculation", noSpeculation, "tp1", "tp2", "tp4", "tp8",
	})
	slices.Sort(words)
	return words
}

// Side is one of the two deployments as it was written: values by dimension.
type Side map[string]string

// maxSide bounds the text of a side.
const maxSide = 500

// ErrWord is the code of a word that is not known; its Message is the word.
const ErrWord = "bad_side_word"

// ParseSide reads words with commas between them, in any order: h100-sxm,
// static, contiguous, tp4, fp8, fp8-kv.
func ParseSide(text string) (Side, error) {
	if len(text) > maxSide {
		return nil, &weir.Error{Code: "bad_side", Message: fmt.Sprintf("a side of %d characters", len(text)), Hint: fmt.Sprintf("at most %d", maxSide)}
	}
	s := Side{}
	for word := range strings.SplitSeq(strings.ToLower(text), ",") {
		word = strings.TrimSpace(word)
		if err := s.take(word); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s Side) take(word string) error {
	for _, d := range dimensions() {
		value, ok := d.read(word)
		if !ok {
			continue
		}
		if before, twice := s[d.name]; twice {
			return &weir.Error{Code: "bad_side", Message: fmt.Sprintf("%s and %s are both a %s", before, value, d.words), Hint: "leave one of them out"}
		}
		s[d.name] = value
		return nil
	}
	return &weir.Error{Code: ErrWord, Message: word}
}

// over sets what the side says on top of a deployment.
func (s Side) over(d engine.Deployment) engine.Deployment {
	for _, dim := range dimensions() {
		if v, said := s[dim.name]; said {
			dim.set(&d, v)
		}
	}
	return d
}
