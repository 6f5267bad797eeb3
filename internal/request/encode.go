package request

// Each function here writes one dialect's body; the order of the calls is the
// order of the fields.

func chatFields(s Spec, k knowledge) (f fields) {
	f.add("model", s.Model)
	f.add("messages", s.withSystem(s.turns(chatContent)))
	f.addIf(s.MaxTokens > 0, k.maxTokens(), s.MaxTokens)
	f.addTemperature(s, k)
	f.addIf(s.ReasoningEffort != "" && !k.dropped(lessonReasoning), "reasoning_effort", s.ReasoningEffort)
	f.addStreaming(s, k)
	return f
}

func completionsFields(s Spec, k knowledge) (f fields) {
	f.add("model", s.Model)
	f.add("prompt", s.plainPrompt())
	f.addIf(s.MaxTokens > 0, "max_tokens", s.MaxTokens)
	f.addTemperature(s, k)
	f.addStreaming(s, k)
	return f
}

func responsesFields(s Spec, k knowledge) (f fields) {
	f.add("model", s.Model)
	f.addIf(s.System != "", "instructions", s.System)
	f.add("input", s.turns(responsesContent))
	f.addIf(s.MaxTokens > 0, "max_output_tokens", s.MaxTokens)
	f.addTemperature(s, k)
	f.addIf(s.ReasoningEffort != "" && !k.dropped(lessonReasoning), "reasoning", fields{{"effort", s.ReasoningEffort}})
	f.add("store", false)
	f.add("stream", s.Stream)
	return f
}

func anthropicFields(s Spec, k knowledge) (f fields) {
	limit := s.MaxTokens
	if limit == 0 {
		limit = DefaultMaxTokens
	}
	f.add("model", s.Model)
	f.addIf(s.System != "", "system", s.anthropicSystem())
	f.add("messages", s.turns(anthropicContent))
	f.add("max_tokens", limit)
	f.addTemperature(s, k)
	f.addIf(s.ReasoningEffort != "" && !k.dropped(lessonReasoning), "output_config", fields{{"effort", s.ReasoningEffort}})
	f.add("stream", s.Stream)
	return f
}

func geminiFields(s Spec, k knowledge) (f fields) {
	f.addIf(s.System != "", "systemInstruction", fields{{"parts", []fields{geminiText(s.System)}}})
	contents := make([]fields, len(s.Messages))
	for i, m := range s.Messages {
		role := m.Role
		if role == RoleAssistant {
			role = "model"
		}
		contents[i] = fields{{"role", role}, {"parts", geminiParts(m)}}
	}
	f.add("contents", contents)
	var config fields
	config.addIf(s.MaxTokens > 0, "maxOutputTokens", s.MaxTokens)
	config.addTemperature(s, k)
	config.addIf(s.ReasoningEffort != "" && !k.dropped(lessonReasoning), "thinkingConfig", fields{{"thinkingLevel", s.ReasoningEffort}})
	f.addIf(len(config) > 0, "generationConfig", config)
	return f
}

func ollamaFields(s Spec, k knowledge) (f fields) {
	f.add("model", s.Model)
	f.add("messages", s.withSystem(s.ollamaTurns()))
	var options fields
	options.addIf(s.MaxTokens > 0, "num_predict", s.MaxTokens)
	options.addTemperature(s, k)
	f.addIf(len(options) > 0, "options", options)
	f.addIf(s.ReasoningEffort != "" && !k.dropped(lessonReasoning), "think", s.ReasoningEffort)
	f.add("stream", s.Stream) // it streams unless told not to
	return f
}

func (f *fields) addTemperature(s Spec, k knowledge) {
	t, ok := s.Temperature.Get()
	f.addIf(ok && !k.dropped(lessonTemperature), "temperature", t)
}

// addStreaming ends a body of the chat and completions dialects. Usage comes in
// a stream only when it is asked for.
func (f *fields) addStreaming(s Spec, k knowledge) {
	f.addIf(s.IgnoreEOS && !k.dropped(lessonIgnoreEOS), "ignore_eos", true)
	f.add("stream", s.Stream)
	f.addIf(s.Stream && !k.dropped(lessonStreamOptions), "stream_options", fields{{"include_usage", true}})
}
