package engine

import "time"

// Policy is how a scheduler chooses what is in a step.
type Policy string

// The policies. All but Continuous and NoEvict are what engines did before, or
// what a comparison takes away.
const (
	// Continuous gives running requests their next token first, fills the rest
	// of the token budget with prompts, and preempts when blocks run out.
	Continuous Policy = "continuous"
	// NoEvict admits a request only if its prompt and max_tokens fit beside what
	// is promised to the others, so it never preempts.
	NoEvict Policy = "no-evict"
	// PrefillFirst runs prompts in steps of their own while any can be admitted;
	// decoding waits for them.
	PrefillFirst Policy = "prefill-first"
	// Static fills a batch, and admits nothing until all of it has ended. Rows
	// that ended early are computed until then.
	Static Policy = "static"
)

// Layout is how KV memory is given out.
type Layout string

// The layouts.
const (
	Paged Layout = "paged"
	// Contiguous reserves prompt + max_tokens when a request is admitted and
	// shares nothing: what paged attention removed.
	Contiguous Layout = "contiguous"
)

// Profile is an inference engine: its scheduler and what its host code costs.
type Profile struct {
	Name   string
	Source string

	Policy      Policy
	Layout      Layout
	Chunked     bool // prompts may be split to fit the token budget
	PrefixCache bool

	TokenBudget int // tokens of a step
	MaxSeqs     int // running requests
	BlockTokens int

	HostStep  time.Duration // CPU work of a step that the GPU waits for
	HostToken time.Duration // and for each token sampled in it
	// PrefillLaunch is the least time of a layer in a step with prompt tokens,
	// which no CUDA graph covers.
	PrefillLaunch time.Duration
	// CollectiveFloor is the least time of an all-reduce, where they are
	// launched one by one.
	CollectiveFloor time.Duration

	MemoryShare float64 // of a device's memory
	Reserve     float64 // bytes of it for activations and the runtime

	// Frontend is what HTTP, template and tokeniser add before a request can be
	// scheduled: fixed, and for each prompt token. 0: requests come in-process.
	Frontend      time.Duration
	FrontendToken time.Duration
}

// Profiles is the table of engines.
func Profiles() []Profile {
	return []Profile{
		{
			Name: "vllm-v1", Source: "vllm v1/core/sched/scheduler.py, docs/design/prefix_caching.md; defaults of vllm serve",
			Policy: Continuous, Layout: Paged, Chunked: true, PrefixCache: true,
			TokenBudget: 8192, MaxSeqs: 256, BlockTokens: 16,
			HostStep: 1500 * time.Microsecond, HostToken: 2 * time.Microsecond, PrefillLaunch: 75 * time.Microsecond,
			MemoryShare: 0.9, Reserve: 1.5 * gb,
		},
		{
			Name: "trtllm", Source: "TensorRT-LLM v0.17 to v1.0, in-flight batching, GUARANTEED_NO_EVICT",
			Policy: NoEvict, Layout: Paged, Chunked: true, PrefixCache: true,
			TokenBudget: 8192, MaxSeqs: 2048, BlockTokens: 64,
			HostStep: 700 * time.Microsecond, HostToken: 2 * time.Microsecond, PrefillLaunch: 75 * time.Microsecond,
			MemoryShare: 0.9, Reserve: 1.5 * gb,
		},
		{
			Name: "eager-2023", Source: "TensorRT-LLM 0.5, lmdeploy and their like: no CUDA graphs, all-reduces launched one by one",
			Policy: NoEvict, Layout: Paged, PrefixCache: false,
			TokenBudget: 8192, MaxSeqs: 256, BlockTokens: 64,
			HostStep: 700 * time.Microsecond, HostToken: 2 * time.Microsecond, PrefillLaunch: 200 * time.Microsecond,
			CollectiveFloor: 30 * time.Microsecond,
			MemoryShare:     0.9, Reserve: 1.5 * gb,
		},
	}
}
