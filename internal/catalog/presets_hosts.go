package catalog

import "weir.dev/weir"

// hosts serve models of others.
func hosts() []Provider {
	return []Provider{{
		Name: "groq", Title: "Groq",
		BaseURL: "https://api.groq.com/openai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"GROQ_API_KEY"},
		Sources: []Source{{"base URL, key variable", "https://console.groq.com/docs/openai"}},
	}, {
		Name: "together", Aliases: []string{"togetherai", "together-ai", "together_ai"}, Title: "Together AI",
		BaseURL: "https://api.together.ai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"TOGETHER_API_KEY", "TOGETHERAI_API_KEY"},
		Sources: []Source{
			{"base URL, TOGETHER_API_KEY", "https://docs.together.ai/docs/inference/openai-compatibility"},
			{"the models list is a bare array", "https://docs.together.ai/reference/models"},
			{"TOGETHERAI_API_KEY", "https://www.librechat.ai/docs/configuration/librechat_yaml/ai_endpoints/togetherai"},
		},
	}, {
		Name: "fireworks", Aliases: []string{"fireworks-ai", "fireworks_ai"}, Title: "Fireworks AI",
		BaseURL: "https://api.fireworks.ai/inference/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"FIREWORKS_API_KEY"},
		Sources: []Source{
			{"base URL", "https://docs.fireworks.ai/tools-sdks/openai-compatibility"},
			{"key variable", "https://docs.pipecat.ai/server/services/llm/fireworks"},
		},
		Unconfirmed: []string{"key variable"},
	}, {
		Name: "deepinfra", Title: "DeepInfra",
		BaseURL: "https://api.deepinfra.com/v1/openai", Dialect: weir.OpenAIChat, KeyEnv: []string{"DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"},
		Sources: []Source{
			{"base URL, DEEPINFRA_TOKEN", "https://docs.factory.ai/cli/byok/deepinfra"},
			{"base URL, DEEPINFRA_API_KEY", "https://mastra.ai/en/models/providers/deepinfra"},
		},
		Unconfirmed: []string{"base URL", "key variable"},
	}, {
		Name: "cerebras", Title: "Cerebras",
		BaseURL: "https://api.cerebras.ai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"CEREBRAS_API_KEY"},
		Sources:     []Source{{"base URL, key variable", "https://docs.pipecat.ai/server/services/llm/cerebras"}},
		Unconfirmed: []string{"base URL", "key variable"},
	}, {
		Name: "sambanova", Aliases: []string{"sambacloud"}, Title: "SambaNova",
		BaseURL: "https://api.sambanova.ai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"SAMBANOVA_API_KEY"},
		Sources: []Source{
			{"base URL", "https://docs.sambanova.ai/docs/en/get-started/api-keys-urls"},
			{"key variable", "https://docs.pipecat.ai/server/services/llm/sambanova"},
		},
		Unconfirmed: []string{"key variable"},
	}}
}

// moreHosts are further ones.
func moreHosts() []Provider {
	return []Provider{{
		Name: "nebius", Title: "Nebius Token Factory",
		BaseURL: "https://api.tokenfactory.nebius.com/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"NEBIUS_API_KEY"},
		Sources: []Source{{"base URL, key variable", "https://docs.tokenfactory.nebius.com/api-reference/introduction"}},
	}, {
		Name: "novita", Aliases: []string{"novita-ai"}, Title: "Novita AI",
		BaseURL: "https://api.novita.ai/openai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"NOVITA_API_KEY"},
		Sources: []Source{
			{"OpenAI's API, models list", "https://novita.ai/docs/api-reference/model-apis-introduction"},
			{"base URL, key variable", "https://www.promptfoo.dev/docs/providers/novita/"},
		},
		Unconfirmed: []string{"base URL", "key variable"},
	}, {
		Name: "hyperbolic", Title: "Hyperbolic",
		BaseURL: "https://api.hyperbolic.xyz/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"HYPERBOLIC_API_KEY"},
		Sources: []Source{
			{"base URL", "https://docs.litellm.ai/docs/providers/hyperbolic"},
			{"key variable", "https://docs.helicone.ai/getting-started/integration-method/hyperbolic"},
		},
		Unconfirmed: []string{"base URL", "key variable"},
	}, {
		Name: "baseten", Title: "Baseten",
		BaseURL: "https://inference.baseten.co/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"BASETEN_API_KEY"},
		Sources: []Source{
			{"key variable", "https://docs.baseten.co/inference/calling-your-model"},
			{"base URL", "https://ai-sdk.dev/providers/ai-sdk-providers/baseten"},
		},
		Unconfirmed: []string{"base URL"},
	}, {
		Name: "friendli", Aliases: []string{"friendliai"}, Title: "FriendliAI",
		BaseURL: "https://api.friendli.ai/serverless/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"FRIENDLI_TOKEN"},
		Sources: []Source{
			{"base URL, models list", "https://github.com/CodebuffAI/codebuff/issues/924"},
			{"key variable", "https://ai-sdk.dev/providers/community-providers/friendliai"},
		},
		Unconfirmed: []string{"base URL", "key variable"},
	}}
}

// smallHosts are those that few name.
func smallHosts() []Provider {
	return []Provider{{
		Name: "wandb", Aliases: []string{"coreweave"}, Title: "W&B Inference",
		BaseURL: "https://api.inference.wandb.ai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"WANDB_API_KEY"},
		Sources: []Source{
			{"base URL, models list", "https://docs.wandb.ai/inference/api-reference"},
			{"key variable", "https://docs.litellm.ai/docs/providers/wandb_inference"},
		},
		Unconfirmed: []string{"key variable"},
	}, {
		Name: "scaleway", Title: "Scaleway Generative APIs",
		BaseURL: "https://api.scaleway.ai/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"SCW_SECRET_KEY", "SCALEWAY_API_KEY"},
		Sources: []Source{{"base URL, SCW_SECRET_KEY", "https://www.scaleway.com/en/docs/generative-apis/api-cli/using-chat-api"}},
	}, {
		Name: "siliconflow", Title: "SiliconFlow",
		BaseURL: "https://api.siliconflow.com/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"SILICONFLOW_API_KEY"},
		Sources: []Source{
			{"base URL", "https://www.siliconflow.com/blog/openai-sdk-siliconflow-compatibility-checks"},
			{"key variable", "https://models.dev"},
		},
		Unconfirmed: []string{"key variable"},
	}, {
		Name: "ovhcloud", Aliases: []string{"ovh"}, Title: "OVHcloud AI Endpoints",
		BaseURL: "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"OVHCLOUD_API_KEY"},
		Sources:     []Source{{"base URL, key variable", "https://models.dev"}},
		Unconfirmed: []string{"base URL", "key variable"},
	}, {
		Name: "nvidia", Aliases: []string{"nim", "nvidia-nim"}, Title: "NVIDIA NIM",
		BaseURL: "https://integrate.api.nvidia.com/v1", Dialect: weir.OpenAIChat, KeyEnv: []string{"NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY"},
		Sources: []Source{
			{"base URL, NVIDIA_API_KEY", "https://docs.pipecat.ai/server/services/llm/nvidia"},
			{"NVIDIA_NIM_API_KEY", "https://docs.litellm.ai/docs/providers/nvidia_nim"},
		},
		Unconfirmed: []string{"base URL", "key variable"},
	}}
}
