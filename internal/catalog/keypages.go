package catalog

// keyPages are where providers hand out keys, by preset. All were seen in
// several public repositories on 2026-11-30, none was opened: pages behind a
// login cannot be.
func keyPages() map[string]string {
	return map[string]string{
		"anthropic":    "https://console.anthropic.com/settings/keys",
		"baseten":      "https://app.baseten.co/settings/api_keys",
		"cerebras":     "https://cloud.cerebras.ai",
		"cohere":       "https://dashboard.cohere.com/api-keys",
		"deepinfra":    "https://deepinfra.com/dash/api_keys",
		"deepseek":     "https://platform.deepseek.com/api_keys",
		"fireworks":    "https://fireworks.ai/account/api-keys",
		"gemini":       "https://aistudio.google.com/app/apikey",
		"groq":         "https://console.groq.com/keys",
		"huggingface":  "https://huggingface.co/settings/tokens",
		"mistral":      "https://console.mistral.ai/api-keys",
		"moonshot":     "https://platform.moonshot.ai/console/api-keys",
		"novita":       "https://novita.ai/settings/key-management",
		"nvidia":       "https://build.nvidia.com/settings/api-keys",
		"ollama-cloud": "https://ollama.com/settings/keys",
		"openai":       "https://platform.openai.com/api-keys",
		"openrouter":   "https://openrouter.ai/keys",
		"perplexity":   "https://www.perplexity.ai/settings/api",
		"sambanova":    "https://cloud.sambanova.ai/apis",
		"siliconflow":  "https://cloud.siliconflow.com/account/ak",
		"together":     "https://api.together.ai/settings/api-keys",
		"wandb":        "https://wandb.ai/authorize",
		"xai":          "https://console.x.ai",
		"zai":          "https://z.ai/manage-apikey/apikey-list",
	}
}
