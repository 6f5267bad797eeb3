package catalog

import "weir.dev/weir"

// The presets. Each fact was looked up in November 2026 on the page named
// beside it; what only others than the provider were seen to state is in
// Unconfirmed.

// labs are makers of models that sell them themselves.
func labs() []Provider {
	return []Provider{{
		Name: "openai", Title: "OpenAI",
		BaseURL: "https://api.openai.com/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"OPENAI_API_KEY"},
		Quirks: Quirks{MaxTokensName: "max_completion_tokens", NoTemperature: openAIReasoning()},
		Sources: []Source{
			{"models list, key variable", "https://platform.openai.com/docs/api-reference/models/list"},
			{"max_tokens is deprecated, reasoning models refuse it", "https://platform.openai.com/docs/api-reference/chat/create"},
			{"reasoning models refuse temperature", "https://docs.nvidia.com/nemo/guardrails/guardrails-python-sdk/nemoguardrails/llm/openai_reasoning"},
			{"which models these are", "https://app.unpkg.com/@ai-sdk/openai@3.0.37/files/src/openai-language-model-capabilities.ts"},
		},
		Unconfirmed: []string{"base URL", "key variable", "no temperature"},
	}, {
		Name: "anthropic", Aliases: []string{"claude"}, Title: "Anthropic",
		BaseURL: "https://api.anthropic.com", Dialect: weir.Anthropic, KeyEnv: []string{"ANTHROPIC_API_KEY"},
		Sources: []Source{
			{"headers, models list and its pages", "https://docs.anthropic.com/en/api/models-list"},
			{"key variable", "https://platform.claude.com/docs/en/api/typescript/models/list"},
		},
		Unconfirmed: []string{"base URL"},
	}, {
		Name: "gemini", Aliases: []string{"google", "google-ai-studio"}, Title: "Google Gemini",
		BaseURL: "https://generativelanguage.googleapis.com/v1beta", Dialect: weir.Gemini,
		KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		Sources: []Source{
			{"base URL, models list and its pages, key variable", "https://ai.google.dev/api/models"},
			{"GOOGLE_API_KEY", "https://models.dev"},
		},
	}, {
		Name: "mistral", Aliases: []string{"mistralai"}, Title: "Mistral AI",
		BaseURL: "https://api.mistral.ai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"MISTRAL_API_KEY"},
		Sources: []Source{
			{"base URL, models list", "https://www.librechat.ai/docs/configuration/librechat_yaml/ai_endpoints/mistral"},
			{"key variable", "https://docs.langchain.com/oss/python/integrations/chat/mistralai"},
		},
		Unconfirmed: []string{"base URL", "key variable"},
	}}
}

// openAIReasoning are the models that refuse a temperature always. Of later
// ones it depends on the effort that is asked for: they are asked, and what they
// refuse is learned.
func openAIReasoning() []string {
	return []string{"o1*", "o3*", "o4-mini*", "codex-mini*", "gpt-5", "gpt-5-20*", "gpt-5-mini*", "gpt-5-nano*", "gpt-5-pro*", "gpt-5-codex*"}
}

// otherLabs are makers too.
func otherLabs() []Provider {
	return []Provider{{
		Name: "deepseek", Title: "DeepSeek",
		BaseURL: "https://api.deepseek.com/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"DEEPSEEK_API_KEY"},
		Quirks: Quirks{KeepAlive: true},
		Sources: []Source{
			{"base URL, key variable", "https://api-docs.deepseek.com/"},
			{"keep-alive comments", "https://api-docs.deepseek.com/quick_start/rate_limit"},
		},
	}, {
		Name: "xai", Aliases: []string{"grok", "x-ai"}, Title: "xAI",
		BaseURL: "https://api.x.ai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"XAI_API_KEY"},
		Sources: []Source{{"base URL, key variable", "https://docs.x.ai/api"}},
	}}
}

// moreLabs are the other makers.
func moreLabs() []Provider {
	return []Provider{{
		Name: "cohere", Title: "Cohere",
		BaseURL: "https://api.cohere.ai/compatibility/v1", Dialect: weir.OpenAIChat,
		KeyEnv: []string{"COHERE_API_KEY"}, Quirks: Quirks{NoStreamOptions: true},
		Sources: []Source{
			{"base URL", "https://docs.cohere.com/docs/compatibility-api"},
			{"key variable, stream_options is refused", "https://strandsagents.com/docs/user-guide/concepts/model-providers/cohere/"},
		},
		Unconfirmed: []string{"key variable", "no stream_options"},
	}, {
		// Its chat completions ended on 2026-09-27.
		Name: "perplexity", Title: "Perplexity",
		BaseURL: "https://api.perplexity.ai/v1", Dialect: weir.OpenAIResponses, KeyEnv: []string{"PERPLEXITY_API_KEY"},
		Sources: []Source{
			{"base URL, dialect, key variable", "https://docs.perplexity.ai/docs/grounded-llm/openai-compatibility"},
			{"end of chat completions", "https://docs.stigg.io/documentation/ai-agents/llm-wrappers/providers/perplexity"},
		},
	}, {
		Name: "moonshot", Aliases: []string{"moonshotai", "kimi"}, Title: "Moonshot AI",
		BaseURL: "https://api.moonshot.ai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"MOONSHOT_API_KEY"},
		Sources: []Source{
			{"base URL, models list, key variable", "https://www.promptfoo.dev/docs/providers/moonshot/"},
			{"base URL", "https://docs.jambonz.org/guides/features/bring-your-own-llm/moonshot-kimi"},
		},
		Unconfirmed: []string{"base URL", "key variable"},
	}, {
		Name: "zai", Aliases: []string{"z.ai", "z-ai", "zhipu"}, Title: "Z.ai",
		BaseURL: "https://api.z.ai/api/paas/v4", Dialect: weir.OpenAIChat, KeyEnv: []string{"ZAI_API_KEY", "ZHIPU_API_KEY"},
		Sources: []Source{{"base URL, bearer key, ZAI_API_KEY", "https://docs.z.ai/api-reference/introduction"}},
	}, {
		Name: "alibaba", Aliases: []string{"dashscope", "qwen", "model-studio"}, Title: "Alibaba Cloud Model Studio (Singapore)",
		BaseURL: "https://{workspace}.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1", Dialect: weir.OpenAIChat,
		Params: []Param{{Name: "workspace", Env: []string{"DASHSCOPE_WORKSPACE_ID"}}},
		KeyEnv: []string{"DASHSCOPE_API_KEY"},
		Sources: []Source{
			{"base URL", "https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope"},
			{"key variable", "https://www.developersdigest.tech/reference/api-compatibility/qwen"},
		},
		Unconfirmed: []string{"workspace variable (Weir's own name)"},
	}}
}
