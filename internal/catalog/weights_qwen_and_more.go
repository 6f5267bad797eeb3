package catalog

// weights7 holds mistral-small to gpt-oss-120b.
func weights7() []CanonicalModel {
	return []CanonicalModel{
		{Name: "mistral-small", Title: "Mistral Small 3.2 24B Instruct 2506", Weights: "mistralai/Mistral-Small-3.2-24B-Instruct-2506", Aliases: []string{"mistral-small-3.2"}, Offers: []Offer{
			{Provider: "deepinfra", Model: "mistralai/Mistral-Small-3.2-24B-Instruct-2506", Source: liteLLM, Unconfirmed: true},
			{Provider: "mistral", Model: "mistral-small-2506", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "mistralai/mistral-small-3.2-24b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "ovhcloud", Model: "Mistral-Small-3.2-24B-Instruct-2506", Source: "https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/"},
			{Provider: "scaleway", Model: "mistral-small-3.2-24b-instruct-2506", Source: liteLLM, Unconfirmed: true},
		}},
		{Name: "gemma-3-27b", Title: "Gemma 3 27B IT", Weights: "google/gemma-3-27b-it", Offers: []Offer{
			{Provider: "bedrock", Model: "google.gemma-3-27b-it", Until: "2027-03-30", Source: "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonBedrock/current/us-east-1/index.json"},
			{Provider: "deepinfra", Model: "google/gemma-3-27b-it", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/gemma-3-27b-it", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "google/gemma-3-27b-it", Source: "https://tokenfactory.nebius.com/api/public/models_info"},
			{Provider: "novita", Model: "google/gemma-3-27b-it", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "google/gemma-3-27b-it", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "google/gemma-3-27b-it", Source: modelsDev, Unconfirmed: true},
			{Provider: "scaleway", Model: "gemma-3-27b-it", Source: modelsDev, Unconfirmed: true},
		}},
		{Name: "gpt-oss-120b", Title: "gpt-oss 120B", Weights: "openai/gpt-oss-120b", Offers: []Offer{
			{Provider: "baseten", Model: "openai/gpt-oss-120b", Source: "https://inference.baseten.co/v1/models"},
			{Provider: "bedrock", Model: "openai.gpt-oss-120b-1:0", Source: "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonBedrock/current/us-east-1/index.json"},
			{Provider: "cerebras", Model: "gpt-oss-120b", Source: "https://www.cerebras.ai/blog/openai-gpt-oss-120b-runs-fastest-on-cerebras"},
			{Provider: "cloudflare", Model: "@cf/openai/gpt-oss-120b", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "openai/gpt-oss-120b", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/gpt-oss-120b", Until: "2026-11-07", Source: "https://api.fireworks.ai/v1/serverless/models?format=nested"},
			{Provider: "groq", Model: "openai/gpt-oss-120b", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "openai/gpt-oss-120b", Source: "https://tokenfactory.nebius.com/api/public/models_info"},
			{Provider: "novita", Model: "openai/gpt-oss-120b", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "openai/gpt-oss-120b", Source: modelsDev, Unconfirmed: true},
			{Provider: "ollama-cloud", Model: "gpt-oss:120b", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "openai/gpt-oss-120b", Source: modelsDev, Unconfirmed: true},
			{Provider: "ovhcloud", Model: "gpt-oss-120b", Source: "https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/"},
			{Provider: "sambanova", Model: "gpt-oss-120b", Source: "https://cloud.sambanova.ai/plans/pricing"},
			{Provider: "scaleway", Model: "gpt-oss-120b", Source: liteLLM, Unconfirmed: true},
			{Provider: "siliconflow", Model: "openai/gpt-oss-120b", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "openai/gpt-oss-120b", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "openai/gpt-oss-120b-maas", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
			{Provider: "wandb", Model: "openai/gpt-oss-120b", Source: "https://wandb.ai/site/pricing/tokens/"},
		}},
	}
}

// weights8 holds gpt-oss-20b to kimi-k2.
func weights8() []CanonicalModel {
	return []CanonicalModel{
		{Name: "gpt-oss-20b", Title: "gpt-oss 20B", Weights: "openai/gpt-oss-20b", Offers: []Offer{
			{Provider: "bedrock", Model: "openai.gpt-oss-20b-1:0", Source: "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonBedrock/current/us-east-1/index.json"},
			{Provider: "cloudflare", Model: "@cf/openai/gpt-oss-20b", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "openai/gpt-oss-20b", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/gpt-oss-20b", Source: "https://docs.fireworks.ai/serverless/pricing"},
			{Provider: "groq", Model: "openai/gpt-oss-20b", Source: liteLLM, Unconfirmed: true},
			{Provider: "novita", Model: "openai/gpt-oss-20b", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "openai/gpt-oss-20b", Source: modelsDev, Unconfirmed: true},
			{Provider: "ollama-cloud", Model: "gpt-oss:20b", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "openai/gpt-oss-20b", Source: modelsDev, Unconfirmed: true},
			{Provider: "ovhcloud", Model: "gpt-oss-20b", Source: "https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/"},
			{Provider: "siliconflow", Model: "openai/gpt-oss-20b", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "openai/gpt-oss-20b", Until: "2026-09-15", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "openai/gpt-oss-20b-maas", Until: "2026-10-21", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
			{Provider: "wandb", Model: "openai/gpt-oss-20b", Source: "https://wandb.ai/site/pricing/tokens/"},
		}},
		{Name: "kimi-k2", Title: "Kimi K2 Instruct 0905", Weights: "moonshotai/Kimi-K2-Instruct-0905", Aliases: []string{"kimi-k2-0905"}, Offers: []Offer{
			{Provider: "baseten", Model: "moonshotai/Kimi-K2-Instruct-0905", Until: "2026-10-16", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "moonshotai/Kimi-K2-Instruct-0905", Source: liteLLM, Unconfirmed: true},
			{Provider: "fireworks", Model: "accounts/fireworks/models/kimi-k2-instruct-0905", Source: "https://app.fireworks.ai/models/fireworks/kimi-k2-instruct-0905"},
			{Provider: "groq", Model: "moonshotai/kimi-k2-instruct-0905", Source: modelsDev, Unconfirmed: true},
			{Provider: "huggingface", Model: "moonshotai/Kimi-K2-Instruct-0905", Source: modelsDev, Unconfirmed: true},
			{Provider: "novita", Model: "moonshotai/kimi-k2-0905", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "moonshotai/kimi-k2-instruct-0905", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "moonshotai/kimi-k2-0905", Source: modelsDev, Unconfirmed: true},
			{Provider: "siliconflow", Model: "moonshotai/Kimi-K2-Instruct-0905", Source: modelsDev, Unconfirmed: true},
		}},
	}
}

// weights9 holds kimi-k2.6 to kimi-k3.
func weights9() []CanonicalModel {
	return []CanonicalModel{
		{Name: "kimi-k2.6", Title: "Kimi K2.6", Weights: "moonshotai/Kimi-K2.6", Offers: []Offer{
			{Provider: "baseten", Model: "moonshotai/Kimi-K2.6", Until: "2026-10-16", Source: "https://inference.baseten.co/v1/models"},
			{Provider: "cloudflare", Model: "@cf/moonshotai/kimi-k2.6", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "moonshotai/Kimi-K2.6", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/kimi-k2p6", Until: "2026-09-25", Source: "https://api.fireworks.ai/v1/serverless/models"},
			{Provider: "huggingface", Model: "moonshotai/Kimi-K2.6", Source: modelsDev, Unconfirmed: true},
			{Provider: "moonshot", Model: "kimi-k2.6", Source: "https://platform.kimi.ai/docs/pricing/chat-k26"},
			{Provider: "nebius", Model: "moonshotai/Kimi-K2.6", Source: "https://tokenfactory.nebius.com/api/public/models_info"},
			{Provider: "novita", Model: "moonshotai/kimi-k2.6", Source: "https://novita.ai/pricing"},
			{Provider: "nvidia", Model: "moonshotai/kimi-k2.6", Source: modelsDev, Unconfirmed: true},
			{Provider: "ollama-cloud", Model: "kimi-k2.6", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "moonshotai/kimi-k2.6", Source: modelsDev, Unconfirmed: true},
			{Provider: "siliconflow", Model: "moonshotai/Kimi-K2.6", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "moonshotai/Kimi-K2.6", Until: "2026-08-19", Source: "https://api.together.ai/v1/models"},
			{Provider: "wandb", Model: "moonshotai/Kimi-K2.6", Source: "https://wandb.ai/site/pricing/tokens/"},
		}},
		{Name: "kimi-k3", Title: "Kimi K3", Weights: "moonshotai/Kimi-K3", Offers: []Offer{
			{Provider: "baseten", Model: "moonshotai/Kimi-K3", Source: "https://inference.baseten.co/v1/models"},
			{Provider: "bedrock", Model: "moonshotai.kimi-k3", Source: "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonBedrock/current/us-east-1/index.json"},
			{Provider: "deepinfra", Model: "moonshotai/Kimi-K3", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/kimi-k3", Source: "https://api.fireworks.ai/v1/serverless/models"},
			{Provider: "moonshot", Model: "kimi-k3", Source: "https://platform.kimi.ai/docs/pricing/chat-k3"},
			{Provider: "nebius", Model: "moonshotai/Kimi-K3", Source: "https://tokenfactory.nebius.com/api/public/models_info"},
			{Provider: "novita", Model: "moonshotai/kimi-k3", Source: "https://novita.ai/pricing"},
			{Provider: "together", Model: "moonshotai/Kimi-K3", Source: "https://api.together.ai/v1/models"},
		}},
	}
}

// weights10 holds glm-4.7 to glm-5.2.
func weights10() []CanonicalModel {
	return []CanonicalModel{
		{Name: "glm-4.7", Title: "GLM 4.7", Weights: "zai-org/GLM-4.7", Offers: []Offer{
			{Provider: "baseten", Model: "zai-org/GLM-4.7", Until: "2026-10-16", Source: "https://inference.baseten.co/v1/models"},
			{Provider: "bedrock", Model: "zai.glm-4.7", Until: "2027-03-30", Source: "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonBedrock/current/us-east-1/index.json"},
			{Provider: "deepinfra", Model: "zai-org/GLM-4.7", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/glm-4p7", Source: "https://fireworks.ai/models/fireworks/glm-4p7"},
			{Provider: "huggingface", Model: "zai-org/GLM-4.7", Source: modelsDev, Unconfirmed: true},
			{Provider: "novita", Model: "zai-org/glm-4.7", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "z-ai/glm4.7", Source: modelsDev, Unconfirmed: true},
			{Provider: "ollama-cloud", Model: "glm-4.7", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "z-ai/glm-4.7", Source: modelsDev, Unconfirmed: true},
			{Provider: "siliconflow", Model: "zai-org/GLM-4.7", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "zai-org/GLM-4.7", Until: "2026-04-02", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "zai-org/glm-4.7-maas", Until: "2026-10-21", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
			{Provider: "zai", Model: "glm-4.7", Source: "https://docs.z.ai/guides/overview/pricing"},
		}},
		{Name: "glm-5.2", Title: "GLM 5.2", Weights: "zai-org/GLM-5.2", Offers: []Offer{
			{Provider: "baseten", Model: "zai-org/GLM-5.2", Source: "https://inference.baseten.co/v1/models"},
			{Provider: "cloudflare", Model: "@cf/zai-org/glm-5.2", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "zai-org/GLM-5.2", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/glm-5p2", Until: "2026-09-25", Source: "https://api.fireworks.ai/v1/serverless/models"},
			{Provider: "friendli", Model: "zai-org/GLM-5.2", Source: "https://api.friendli.ai/serverless/v1/models"},
			{Provider: "nebius", Model: "zai-org/GLM-5.2", Source: "https://tokenfactory.nebius.com/api/public/models_info"},
			{Provider: "novita", Model: "zai-org/glm-5.2", Source: "https://novita.ai/pricing"},
			{Provider: "scaleway", Model: "glm-5.2", Until: "2026-11-16", Source: "https://www.scaleway.com/en/pricing/model-as-a-service/"},
			{Provider: "together", Model: "zai-org/GLM-5.2", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "zai-org/glm-5.2-maas", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
			{Provider: "wandb", Model: "zai-org/GLM-5.2", Source: "https://www.coreweave.com/products/coreweave-forge/serverless-inference"},
			{Provider: "zai", Model: "glm-5.2", Source: "https://docs.z.ai/guides/overview/pricing"},
		}},
	}
}

// weights11 holds glm-5.3 to command-r.
func weights11() []CanonicalModel {
	return []CanonicalModel{
		{Name: "glm-5.3", Title: "GLM 5.3", Weights: "zai-org/GLM-5.3", Offers: []Offer{
			{Provider: "baseten", Model: "zai-org/GLM-5.3", Source: "https://inference.baseten.co/v1/models"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/glm-5p3", Source: "https://api.fireworks.ai/v1/serverless/models"},
			{Provider: "friendli", Model: "zai-org/GLM-5.3", Source: "https://api.friendli.ai/serverless/v1/models"},
			{Provider: "nebius", Model: "zai-org/GLM-5.3", Source: "https://tokenfactory.nebius.com/api/public/models_info"},
			{Provider: "novita", Model: "zai-org/glm-5.3", Source: "https://api.novita.ai/v3/openai/models"},
			{Provider: "together", Model: "zai-org/GLM-5.3", Source: "https://api.together.ai/v1/models"},
			{Provider: "wandb", Model: "zai-org/GLM-5.3", Source: "https://www.coreweave.com/products/coreweave-forge/serverless-inference"},
			{Provider: "zai", Model: "glm-5.3", Source: "https://docs.z.ai/guides/overview/pricing"},
		}},
		{Name: "gemma-4-31b", Title: "Gemma 4 31B IT", Weights: "google/gemma-4-31B-it", Offers: []Offer{
			{Provider: "cerebras", Model: "gemma-4-31b", Source: "https://api.cerebras.ai/public/v1/models/gemma-4-31b"},
			{Provider: "deepinfra", Model: "google/gemma-4-31B-it", Source: "https://deepinfra.com/pricing"},
			{Provider: "friendli", Model: "google/gemma-4-31B-it", Source: "https://api.friendli.ai/serverless/v1/models"},
			{Provider: "novita", Model: "google/gemma-4-31b-it", Source: "https://novita.ai/pricing"},
			{Provider: "nvidia", Model: "google/gemma-4-31b-it", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "google/gemma-4-31b-it", Source: modelsDev, Unconfirmed: true},
			{Provider: "sambanova", Model: "gemma-4-31B-it", Source: "https://cloud.sambanova.ai/plans/pricing"},
			{Provider: "together", Model: "google/gemma-4-31B-it", Until: "2026-09-15", Source: "https://api.together.ai/v1/models"},
			{Provider: "wandb", Model: "google/gemma-4-31B-it", Source: "https://wandb.ai/site/pricing/tokens/"},
		}},
		{Name: "phi-4", Title: "Phi-4", Weights: "microsoft/phi-4", Offers: []Offer{
			{Provider: "deepinfra", Model: "microsoft/phi-4", Source: liteLLM, Unconfirmed: true},
			{Provider: "openrouter", Model: "microsoft/phi-4", Source: modelsDev, Unconfirmed: true},
		}},
		{Name: "command-r", Title: "Command R 08-2024", Weights: "CohereLabs/c4ai-command-r-08-2024", Aliases: []string{"command-r-08-2024"}, Offers: []Offer{
			{Provider: "cohere", Model: "command-r-08-2024", Source: liteLLM, Unconfirmed: true},
			{Provider: "openrouter", Model: "cohere/command-r-08-2024", Source: modelsDev, Unconfirmed: true},
		}},
	}
}
