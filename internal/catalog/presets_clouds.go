package catalog

import "weir.dev/weir"

// clouds are those where the URL depends on the account. AWS's request
// signatures (SigV4) are not supported: Bedrock is reached with its API keys.
func clouds() []Provider {
	return []Provider{{
		Name: "azure", Aliases: []string{"azure-openai", "azureopenai"}, Title: "Azure OpenAI",
		BaseURL: "https://{resource}.openai.azure.com/openai/v1", Dialect: weir.OpenAIChat,
		Params:  []Param{{Name: "resource", Env: []string{"AZURE_RESOURCE_NAME"}}},
		KeyEnv:  []string{"AZURE_OPENAI_API_KEY", "AZURE_API_KEY"},
		Command: []string{"az", "account", "get-access-token", "--resource", "https://cognitiveservices.azure.com", "--query", "accessToken", "-o", "tsv"},
		Quirks:  Quirks{MaxTokensName: "max_completion_tokens", NoTemperature: openAIReasoning()},
		Sources: []Source{
			{"v1 API without api-version", "https://learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle"},
			{"AZURE_OPENAI_API_KEY", "https://reference.langchain.com/python/langchain-community/llms/openai/AzureOpenAI/openai_api_key"},
			{"AZURE_RESOURCE_NAME, AZURE_API_KEY", "https://tessl.io/registry/tessl/npm-ai-sdk--azure/1.3.0/files/docs/configuration.md"},
		},
		Unconfirmed: []string{"base URL", "key variable", "resource variable", "token command"},
	}, {
		Name: "vertex", Aliases: []string{"google-vertex", "vertexai", "vertex-ai"}, Title: "Google Vertex AI",
		BaseURL: "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/endpoints/openapi", Dialect: weir.OpenAIChat,
		Params: []Param{
			{Name: "project", Env: []string{"GOOGLE_CLOUD_PROJECT", "GOOGLE_VERTEX_PROJECT"}},
			{Name: "location", Env: []string{"GOOGLE_CLOUD_LOCATION", "GOOGLE_VERTEX_LOCATION"}, Default: "global"},
		},
		KeyEnv:  []string{"GOOGLE_OAUTH_ACCESS_TOKEN"},
		Command: []string{"gcloud", "auth", "print-access-token"},
		Sources: []Source{
			{"chat completions of an endpoint of a project and location", "https://docs.cloud.google.com/gemini-enterprise-agent-platform/reference/rest/v1beta1/projects.locations.endpoints.chat/completions"},
			{"open models by chat completions", "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/maas/call-open-model-apis"},
			{"no API keys, only access tokens", "https://zuplo.com/docs/ai-gateway/vertex-ai"},
			{"token command", "https://neo4j.com/labs/apoc/5/ml/vertexai/"},
		},
		Unconfirmed: []string{"endpoint name openapi", "token variable", "models list"},
	}, {
		Name: "bedrock", Aliases: []string{"amazon-bedrock", "aws"}, Title: "Amazon Bedrock",
		BaseURL: "https://bedrock-runtime.{region}.amazonaws.com/openai/v1", Dialect: weir.OpenAIChat,
		Params: []Param{{Name: "region", Env: []string{"AWS_REGION", "AWS_DEFAULT_REGION"}}},
		KeyEnv: []string{"AWS_BEARER_TOKEN_BEDROCK"},
		Sources: []Source{
			{"base URL", "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html"},
			{"chat completions", "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html"},
			{"region variables", "https://raw.githubusercontent.com/openai/openai-node/HEAD/bedrock.md"},
			{"key variable", "https://models.dev"},
		},
		Unconfirmed: []string{"key variable", "models list"},
	}}
}

// moreClouds are further ones, and routers to others.
func moreClouds() []Provider {
	return []Provider{{
		Name: "cloudflare", Aliases: []string{"workers-ai", "cloudflare-workers-ai"}, Title: "Cloudflare Workers AI",
		BaseURL: "https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1", Dialect: weir.OpenAIChat,
		Params: []Param{{Name: "account", Env: []string{"CLOUDFLARE_ACCOUNT_ID"}}},
		KeyEnv: []string{"CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"},
		Quirks: Quirks{ModelsPath: "../models/search"},
		Sources: []Source{
			{"base URL, account variable, CLOUDFLARE_API_KEY", "https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility"},
			{"models list", "https://developers.cloudflare.com/api/go/resources/ai/subresources/models/methods/list"},
			{"CLOUDFLARE_API_TOKEN", "https://developers.cloudflare.com/api/resources/ai_search/subresources/namespaces/methods/search"},
		},
	}, {
		Name: "openrouter", Title: "OpenRouter",
		BaseURL: "https://openrouter.ai/api/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"OPENROUTER_API_KEY"},
		Quirks: Quirks{KeepAlive: true, Router: true},
		Sources: []Source{
			{"routes to other providers", "https://openrouter.ai/docs/features/provider-routing"},
			{"keep-alive comments", "https://openrouter.ai/docs/api_reference/streaming"},
			{"base URL, key variable", "https://smithery.ai/skills/jeremylongshore/openrouter-streaming-setup"},
		},
		Unconfirmed: []string{"base URL", "key variable"},
	}, {
		Name: "huggingface", Aliases: []string{"hf"}, Title: "Hugging Face Inference Providers",
		BaseURL: "https://router.huggingface.co/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"HF_TOKEN", "HUGGINGFACE_HUB_TOKEN"},
		Quirks: Quirks{Router: true},
		Sources: []Source{
			{"base URL", "https://tabby.tabbyml.com/docs/references/models-http-api/huggingface/"},
			{"routes to other providers", "https://docs.jambonz.org/guides/features/bring-your-own-llm/hugging-face"},
			{"models list, key variables", "https://openclawlab.com/zh-cn/docs/providers/huggingface/"},
		},
		Unconfirmed: []string{"base URL", "key variable"},
	}, {
		Name: "ollama-cloud", Title: "Ollama Cloud",
		BaseURL: "https://ollama.com", Dialect: weir.Ollama, KeyEnv: []string{"OLLAMA_API_KEY"},
		Sources: []Source{
			{"base URL", "https://docs.ollama.com/api"},
			{"key variable", "https://models.dev"},
		},
		Unconfirmed: []string{"key variable"},
	}}
}

// localServers are what people run themselves, where they listen by default.
func localServers() []Provider {
	return []Provider{{
		Name: "ollama", Title: "Ollama",
		BaseURL: "http://localhost:11434", Dialect: weir.Ollama, NoKey: true,
		Sources: []Source{
			{"base URL", "https://docs.ollama.com/api"},
			{"no key, models list at /api/tags", "https://dev.to/amareswer/ollama-api-a-practical-guide-with-examples-4di9"},
		},
	}, {
		Name: "vllm", Title: "vLLM",
		BaseURL: "http://localhost:8000/v1", Dialect: weir.OpenAIChat, NoKey: true, KeyEnv: []string{"VLLM_API_KEY"},
		Sources:     []Source{{"base URL, optional key", "https://docs.vllm.ai/en/v0.8.4/_sources/serving/openai_compatible_server.md"}},
		Unconfirmed: []string{"key variable"},
	}, {
		Name: "sglang", Title: "SGLang",
		BaseURL: "http://localhost:30000/v1", Dialect: weir.OpenAIChat, NoKey: true, KeyEnv: []string{"SGLANG_API_KEY"},
		Sources: []Source{
			{"base URL", "https://mintlify.com/sgl-project/sglang/quickstart"},
			{"key variable, models list", "https://docs.openclaw.ai/providers/sglang"},
		},
		Unconfirmed: []string{"key variable"},
	}, {
		// Its port was 8080 until 2026: LLAMA_ARG_PORT is llama-server's own variable.
		Name: "llamacpp", Aliases: []string{"llama.cpp", "llama-server"}, Title: "llama.cpp",
		BaseURL: "http://localhost:{port}/v1", Dialect: weir.OpenAIChat, NoKey: true, KeyEnv: []string{"LLAMA_API_KEY"},
		Params:  []Param{{Name: "port", Env: []string{"LLAMA_ARG_PORT"}, Default: "9931"}},
		Quirks:  Quirks{KeepAlive: true},
		Sources: []Source{{"port, variables, pings every 30 s", "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md"}},
	}, {
		Name: "lmstudio", Aliases: []string{"lm-studio"}, Title: "LM Studio",
		BaseURL: "http://localhost:1234/v1", Dialect: weir.OpenAIChat, NoKey: true,
		Sources: []Source{{"base URL, models list", "https://lmstudio.ai/docs/api/openai-api"}},
	}}
}
