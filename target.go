package weir

// Target is one place that serves a model. It never holds a secret: keys are
// held by target name in the round tripper that adds them.
type Target struct {
	Name    string  `json:"name"`
	URL     string  `json:"url"`
	Dialect Dialect `json:"dialect"`
	Model   string  `json:"model"`
	Router  bool    `json:"router,omitempty"` // picks a host for each request: its figures are of no one provider
	Price   *Price  `json:"price,omitempty"`  // nil: not known
}

// Dialect names the wire format a target speaks.
type Dialect string

// The dialects Weir reads.
const (
	OpenAIChat        Dialect = "openai-chat"
	OpenAICompletions Dialect = "openai-completions"
	OpenAIResponses   Dialect = "openai-responses"
	Anthropic         Dialect = "anthropic"
	Gemini            Dialect = "gemini"
	Ollama            Dialect = "ollama"
)

// Dialects lists them in the order help texts show.
func Dialects() []Dialect {
	return []Dialect{OpenAIChat, OpenAICompletions, OpenAIResponses, Anthropic, Gemini, Ollama}
}

// ParseDialect accepts a dialect's name, or "openai" for openai-chat.
func ParseDialect(s string) (Dialect, bool) {
	if s == "openai" {
		return OpenAIChat, true
	}
	for _, d := range Dialects() {
		if string(d) == s {
			return d, true
		}
	}
	return "", false
}
