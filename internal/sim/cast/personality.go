package cast

import "time"

// Personality is one provider. Times are those of the provider: a simulation at
// ten times the speed divides them all.
type Personality struct {
	Name string `yaml:"-"`
	Like string `yaml:"like"` // the preset that it begins from; "": defaults

	Model     string   `yaml:"model"` // of the engine's table
	GPU       string   `yaml:"gpu"`
	TP        int      `yaml:"tp"`        // devices that share each layer
	Precision string   `yaml:"precision"` // of the weights
	KV        string   `yaml:"kv"`        // precision of the KV cache
	Engine    string   `yaml:"engine"`    // profile
	Replicas  int      `yaml:"replicas"`  // engines behind the same address; each request goes to the least busy
	Context   int      `yaml:"context"`   // most tokens of prompt and answer; 0: the model's, as far as the KV cache holds it
	Serves    []string `yaml:"serves"`    // names of the model on the wire; none: its name in the table
	Region    string   `yaml:"region"`    // a label

	Network    Network    `yaml:"network"`
	Answer     Answer     `yaml:"answer"`
	Cache      Cache      `yaml:"cache"`
	Background Background `yaml:"background"`
	Limits     Limits     `yaml:"limits"`
	Coalesce   Coalesce   `yaml:"coalesce"`
	Price      Price      `yaml:"price"`
	Wire       Wire       `yaml:"wire"`
	Faults     []Fault    `yaml:"faults"`
}

// Network is the way between the client and the engine.
type Network struct {
	RTT    time.Duration `yaml:"rtt"`    // half of it each way
	Jitter time.Duration `yaml:"jitter"` // mean of an exponential delay on the way back, drawn for each step; order is kept
}

// Answer is what the model says when nothing stops it.
type Answer struct {
	Tokens    int     `yaml:"tokens"`    // mean length
	Spread    float64 `yaml:"spread"`    // standard deviation of what is no reasoning as a share of it, lognormal
	Reasoning int     `yaml:"reasoning"` // the first so many tokens are reasoning
	Hidden    bool    `yaml:"hidden"`    // which is not sent, only counted
}

// Cache is the policy by which prompts are kept. What is not given is the
// policy's own.
type Cache struct {
	Policy    string         `yaml:"policy"` // off, engine, openai, anthropic, gemini or deepseek
	Minimum   int            `yaml:"minimum"`
	Step      int            `yaml:"step"`
	TTL       *time.Duration `yaml:"ttl"`
	PerMinute *int           `yaml:"per_minute"`
}

// Background is what other customers ask, all replicas together.
type Background struct {
	Rate   float64       `yaml:"rate"`   // requests per second, mean over a period
	Input  int           `yaml:"input"`  // mean tokens of a prompt
	Output int           `yaml:"output"` // mean tokens of an answer
	Spread float64       `yaml:"spread"` // of both lengths: standard deviation as a share, lognormal
	Curve  []float64     `yaml:"curve"`  // weights of the rate over a period, evenly spaced, joined by lines; none: level
	Period time.Duration `yaml:"period"`
	Start  time.Duration `yaml:"start"` // where in the period the simulation begins
	Bursts Bursts        `yaml:"bursts"`
}

// Bursts raise the background's rate now and then.
type Bursts struct {
	Every  time.Duration `yaml:"every"` // from one's beginning to the next's; 0: there are none
	Length time.Duration `yaml:"length"`
	Factor float64       `yaml:"factor"`
}

// Limits are what one customer may ask. 0: as much as he likes.
type Limits struct {
	Requests int    `yaml:"requests"` // per minute
	Tokens   int    `yaml:"tokens"`   // per minute, prompt and the most that the answer may have
	Headers  string `yaml:"headers"`  // openai, anthropic, retry-after or none
}

// Coalesce is what gathers events on their way.
type Coalesce struct {
	Every  time.Duration `yaml:"every"`  // a proxy that flushes at fixed times; 0: at once
	Tokens int           `yaml:"tokens"` // of an event; 0: what a step brings
}

// Price is in USD per million tokens. A price that is not given is not told.
type Price struct {
	Input  *float64 `yaml:"input"`
	Cached *float64 `yaml:"cached"`
	Output *float64 `yaml:"output"`
}

// Wire is how the answer is written.
type Wire struct {
	Usage     string        `yaml:"usage"`      // end, every, finish or none: where a stream of the chat and completions dialects has it
	EarlyRole bool          `yaml:"early_role"` // the role chunk comes when the request is admitted, not with the first token
	NoRole    bool          `yaml:"no_role"`
	NoDone    bool          `yaml:"no_done"`   // no [DONE] or message_stop
	Heartbeat time.Duration `yaml:"heartbeat"` // a comment in each silence of so long; 0: none
}

// Fault is something that goes wrong for a while.
type Fault struct {
	From time.Duration `yaml:"from"` // after the simulation began
	To   time.Duration `yaml:"to"`

	Slower float64       `yaml:"slower"` // the engine's steps take so many times as long
	Delay  time.Duration `yaml:"delay"`  // added to each answer's way back

	Share      float64       `yaml:"share"`  // of requests that Status or Cut meet; 0: all
	Status     int           `yaml:"status"` // requests that arrive are answered with it
	RetryAfter time.Duration `yaml:"retry_after"`
	Cut        *int          `yaml:"cut"` // the connection is aborted after so many tokens
}
