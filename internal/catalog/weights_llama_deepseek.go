package catalog

// weights1 holds llama-3.3-70b to llama-3.1-8b.
func weights1() []CanonicalModel {
	return []CanonicalModel{
		{Name: "llama-3.3-70b", Title: "Llama 3.3 70B Instruct", Weights: "meta-llama/Llama-3.3-70B-Instruct", Offers: []Offer{
			{Provider: "cerebras", Model: "llama-3.3-70b", Until: "2026-02-16", Source: "https://inference-docs.cerebras.ai/support/deprecation"},
			{Provider: "cloudflare", Model: "@cf/meta/llama-3.3-70b-instruct-fp8-fast", Quantisation: "fp8", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "meta-llama/Llama-3.3-70B-Instruct-Turbo", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/llama-v3p3-70b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "friendli", Model: "meta-llama/Llama-3.3-70B-Instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "groq", Model: "llama-3.3-70b-versatile", Until: "2026-08-16", Source: "https://console.groq.com/docs/deprecations", Unconfirmed: true},
			{Provider: "hyperbolic", Model: "meta-llama/Llama-3.3-70B-Instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "meta-llama/Llama-3.3-70B-Instruct", Source: "https://nebius.com/prices"},
			{Provider: "novita", Model: "meta-llama/llama-3.3-70b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "meta/llama-3.3-70b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "meta-llama/llama-3.3-70b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "ovhcloud", Model: "Meta-Llama-3_3-70B-Instruct", Source: "https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/"},
			{Provider: "sambanova", Model: "Meta-Llama-3.3-70B-Instruct", Source: "https://docs.sambanova.ai/docs/en/get-started/quickstart"},
			{Provider: "scaleway", Model: "llama-3.3-70b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "together", Model: "meta-llama/Llama-3.3-70B-Instruct-Turbo", Until: "2026-10-22", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "meta/llama-3.3-70b-instruct-maas", Until: "2026-10-21", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
			{Provider: "wandb", Model: "meta-llama/Llama-3.3-70B-Instruct", Source: "https://wandb.ai/site/pricing/tokens/"},
		}},
		{Name: "llama-3.1-8b", Title: "Llama 3.1 8B Instruct", Weights: "meta-llama/Llama-3.1-8B-Instruct", Offers: []Offer{
			{Provider: "cerebras", Model: "llama3.1-8b", Until: "2026-05-27", Source: "https://inference-docs.cerebras.ai/support/deprecation"},
			{Provider: "cloudflare", Model: "@cf/meta/llama-3.1-8b-instruct-fp8", Quantisation: "fp8", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/llama-v3p1-8b-instruct", Source: "https://fireworks.ai/pricing"},
			{Provider: "friendli", Model: "meta-llama/Llama-3.1-8B-Instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "groq", Model: "llama-3.1-8b-instant", Until: "2026-08-16", Source: "https://console.groq.com/docs/deprecations", Unconfirmed: true},
			{Provider: "hyperbolic", Model: "meta-llama/Meta-Llama-3.1-8B-Instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "meta-llama/Meta-Llama-3.1-8B-Instruct", Source: "https://nebius.com/prices"},
			{Provider: "novita", Model: "meta-llama/llama-3.1-8b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "meta/llama-3.1-8b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "meta-llama/llama-3.1-8b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "ovhcloud", Model: "Llama-3.1-8B-Instruct", Source: "https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/"},
			{Provider: "scaleway", Model: "llama-3.1-8b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "siliconflow", Model: "meta-llama/Meta-Llama-3.1-8B-Instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo", Until: "2026-03-06", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "meta/llama-3.1-8b-instruct-maas", Source: "https://console.cloud.google.com/vertex-ai/publishers/meta/model-garden/llama-3.2-90b-vision-instruct-maas"},
			{Provider: "wandb", Model: "meta-llama/Llama-3.1-8B-Instruct", Source: "https://www.coreweave.com/products/coreweave-forge/serverless-inference"},
		}},
	}
}

// weights2 holds llama-3.1-70b to llama-4-maverick.
func weights2() []CanonicalModel {
	return []CanonicalModel{
		{Name: "llama-3.1-70b", Title: "Llama 3.1 70B Instruct", Weights: "meta-llama/Llama-3.1-70B-Instruct", Offers: []Offer{
			{Provider: "deepinfra", Model: "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/llama-v3p1-70b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "hyperbolic", Model: "meta-llama/Meta-Llama-3.1-70B-Instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "meta-llama/Meta-Llama-3.1-70B-Instruct", Source: "https://nebius.com/prices"},
			{Provider: "nvidia", Model: "meta/llama-3.1-70b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "meta-llama/llama-3.1-70b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "ovhcloud", Model: "Meta-Llama-3_1-70B-Instruct", Source: "https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/"},
			{Provider: "together", Model: "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo", Until: "2026-02-25", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "meta/llama-3.1-70b-instruct-maas", Source: "https://console.cloud.google.com/vertex-ai/publishers/meta/model-garden/llama-3.2-90b-vision-instruct-maas"},
			{Provider: "wandb", Model: "meta-llama/Llama-3.1-70B-Instruct", Until: "2026-10-05", Source: "https://wandb.ai/site/pricing/tokens/"},
		}},
		{Name: "llama-3.1-405b", Title: "Llama 3.1 405B Instruct", Weights: "meta-llama/Llama-3.1-405B-Instruct", Offers: []Offer{
			{Provider: "fireworks", Model: "accounts/fireworks/models/llama-v3p1-405b-instruct", Source: "https://fireworks.ai/pricing"},
			{Provider: "hyperbolic", Model: "meta-llama/Meta-Llama-3.1-405B-Instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "meta-llama/Meta-Llama-3.1-405B-Instruct", Source: "https://nebius.com/prices"},
			{Provider: "together", Model: "meta-llama/Llama-3.1-405B-Instruct", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "meta/llama-3.1-405b-instruct-maas", Source: "https://console.cloud.google.com/vertex-ai/publishers/meta/model-garden/llama-3.2-90b-vision-instruct-maas"},
		}},
		{Name: "llama-4-maverick", Title: "Llama 4 Maverick 17B-128E Instruct", Weights: "meta-llama/Llama-4-Maverick-17B-128E-Instruct", Offers: []Offer{
			{Provider: "deepinfra", Model: "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", Quantisation: "fp8", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/llama4-maverick-instruct-basic", Source: "https://fireworks.ai/pricing"},
			{Provider: "groq", Model: "meta-llama/llama-4-maverick-17b-128e-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "novita", Model: "meta-llama/llama-4-maverick-17b-128e-instruct-fp8", Quantisation: "fp8", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "meta/llama-4-maverick-17b-128e-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "meta-llama/llama-4-maverick", Source: modelsDev, Unconfirmed: true},
			{Provider: "sambanova", Model: "Llama-4-Maverick-17B-128E-Instruct", Source: "https://cloud.sambanova.ai/plans/pricing"},
			{Provider: "vertex", Model: "meta/llama-4-maverick-17b-128e-instruct-maas", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
		}},
	}
}

// weights3 holds llama-4-scout to deepseek-v3.1.
func weights3() []CanonicalModel {
	return []CanonicalModel{
		{Name: "llama-4-scout", Title: "Llama 4 Scout 17B-16E Instruct", Weights: "meta-llama/Llama-4-Scout-17B-16E-Instruct", Offers: []Offer{
			{Provider: "cloudflare", Model: "@cf/meta/llama-4-scout-17b-16e-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "meta-llama/Llama-4-Scout-17B-16E-Instruct", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/llama4-scout-instruct-basic", Source: "https://fireworks.ai/pricing"},
			{Provider: "groq", Model: "meta-llama/llama-4-scout-17b-16e-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "novita", Model: "meta-llama/llama-4-scout-17b-16e-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "openrouter", Model: "meta-llama/llama-4-scout", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "meta-llama/Llama-4-Scout-17B-16E-Instruct", Until: "2026-02-06", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "meta/llama-4-scout-17b-16e-instruct-maas", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
			{Provider: "wandb", Model: "meta-llama/Llama-4-Scout-17B-16E-Instruct", Source: modelsDev, Unconfirmed: true},
		}},
		{Name: "deepseek-v3", Title: "DeepSeek V3 (December 2024)", Weights: "deepseek-ai/DeepSeek-V3", Offers: []Offer{
			{Provider: "deepinfra", Model: "deepseek-ai/DeepSeek-V3", Source: "https://deepinfra.com/pricing"},
			{Provider: "hyperbolic", Model: "deepseek-ai/DeepSeek-V3", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "deepseek-ai/DeepSeek-V3", Source: "https://nebius.com/prices"},
		}},
		{Name: "deepseek-v3-0324", Title: "DeepSeek V3 0324", Weights: "deepseek-ai/DeepSeek-V3-0324", Aliases: []string{"deepseek-chat-v3-0324"}, Offers: []Offer{
			{Provider: "baseten", Model: "deepseek-ai/DeepSeek-V3-0324", Until: "2026-10-16", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "deepseek-ai/DeepSeek-V3-0324", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/deepseek-v3-0324", Source: "https://fireworks.ai/models/fireworks/deepseek-v3-0324"},
			{Provider: "hyperbolic", Model: "deepseek-ai/DeepSeek-V3-0324", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "deepseek-ai/DeepSeek-V3-0324", Source: "https://nebius.com/prices"},
			{Provider: "novita", Model: "deepseek/deepseek-v3-0324", Source: liteLLM, Unconfirmed: true},
			{Provider: "openrouter", Model: "deepseek/deepseek-chat-v3-0324", Source: modelsDev, Unconfirmed: true},
		}},
		{Name: "deepseek-v3.1", Title: "DeepSeek V3.1", Weights: "deepseek-ai/DeepSeek-V3.1", Offers: []Offer{
			{Provider: "baseten", Model: "deepseek-ai/DeepSeek-V3.1", Until: "2026-10-16", Source: liteLLM, Unconfirmed: true},
			{Provider: "deepinfra", Model: "deepseek-ai/DeepSeek-V3.1", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/deepseek-v3p1", Source: "https://fireworks.ai/pricing"},
			{Provider: "novita", Model: "deepseek/deepseek-v3.1", Source: liteLLM, Unconfirmed: true},
			{Provider: "openrouter", Model: "deepseek/deepseek-chat-v3.1", Source: modelsDev, Unconfirmed: true},
			{Provider: "sambanova", Model: "DeepSeek-V3.1", Source: "https://cloud.sambanova.ai/plans/pricing"},
			{Provider: "siliconflow", Model: "deepseek-ai/DeepSeek-V3.1", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "deepseek-ai/DeepSeek-V3.1", Until: "2026-05-14", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "deepseek-ai/deepseek-v3.1-maas", Until: "2026-10-21", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
			{Provider: "wandb", Model: "deepseek-ai/DeepSeek-V3.1", Source: "https://www.coreweave.com/products/coreweave-forge/serverless-inference"},
		}},
	}
}

// weights4 holds deepseek-v3.2 to deepseek-v4-flash.
func weights4() []CanonicalModel {
	return []CanonicalModel{
		{Name: "deepseek-v3.2", Title: "DeepSeek V3.2", Weights: "deepseek-ai/DeepSeek-V3.2", Offers: []Offer{
			{Provider: "baseten", Model: "deepseek-ai/DeepSeek-V3.2", Source: modelsDev, Unconfirmed: true},
			{Provider: "bedrock", Model: "deepseek.v3.2", Source: "https://docs.aws.amazon.com/bedrock/latest/userguide/model-card-deepseek-deepseek-v3-2.md"},
			{Provider: "deepinfra", Model: "deepseek-ai/DeepSeek-V3.2", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/deepseek-v3p2", Source: "https://fireworks.ai/models/fireworks/deepseek-v3p2"},
			{Provider: "friendli", Model: "deepseek-ai/DeepSeek-V3.2", Source: "https://api.friendli.ai/serverless/v1/models"},
			{Provider: "huggingface", Model: "deepseek-ai/DeepSeek-V3.2", Source: modelsDev, Unconfirmed: true},
			{Provider: "nebius", Model: "deepseek-ai/DeepSeek-V3.2", Source: modelsDev, Unconfirmed: true},
			{Provider: "novita", Model: "deepseek/deepseek-v3.2", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "deepseek-ai/deepseek-v3.2", Source: modelsDev, Unconfirmed: true},
			{Provider: "ollama-cloud", Model: "deepseek-v3.2", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "deepseek/deepseek-v3.2", Source: modelsDev, Unconfirmed: true},
			{Provider: "sambanova", Model: "DeepSeek-V3.2", Source: "https://cloud.sambanova.ai/plans/pricing"},
			{Provider: "siliconflow", Model: "deepseek-ai/DeepSeek-V3.2", Source: modelsDev, Unconfirmed: true},
			{Provider: "vertex", Model: "deepseek-ai/deepseek-v3.2-maas", Until: "2026-10-21", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
		}},
		{Name: "deepseek-r1", Title: "DeepSeek R1 0528", Weights: "deepseek-ai/DeepSeek-R1-0528", Aliases: []string{"deepseek-r1-0528"}, Offers: []Offer{
			{Provider: "deepinfra", Model: "deepseek-ai/DeepSeek-R1-0528", Source: liteLLM, Unconfirmed: true},
			{Provider: "fireworks", Model: "accounts/fireworks/models/deepseek-r1-0528", Source: "https://fireworks.ai/pricing"},
			{Provider: "huggingface", Model: "deepseek-ai/DeepSeek-R1-0528", Source: modelsDev, Unconfirmed: true},
			{Provider: "hyperbolic", Model: "deepseek-ai/DeepSeek-R1-0528", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "deepseek-ai/DeepSeek-R1-0528", Source: "https://nebius.com/prices"},
			{Provider: "novita", Model: "deepseek/deepseek-r1-0528", Source: liteLLM, Unconfirmed: true},
			{Provider: "openrouter", Model: "deepseek/deepseek-r1-0528", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "deepseek-ai/DeepSeek-R1-0528", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "deepseek-ai/deepseek-r1-0528-maas", Until: "2026-10-21", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
		}},
		{Name: "deepseek-v4-flash", Title: "DeepSeek V4 Flash 0731", Weights: "deepseek-ai/DeepSeek-V4-Flash-0731", Aliases: []string{"deepseek-v4-flash-0731"}, Offers: []Offer{
			{Provider: "baseten", Model: "deepseek-ai/DeepSeek-V4-Flash-0731", Source: "https://inference.baseten.co/v1/models"},
			{Provider: "deepinfra", Model: "deepseek-ai/DeepSeek-V4-Flash-0731", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/deepseek-v4-flash-0731", Until: "2026-09-25", Source: "https://api.fireworks.ai/v1/serverless/models"},
			{Provider: "nebius", Model: "deepseek-ai/DeepSeek-V4-Flash-0731", Source: "https://tokenfactory.nebius.com/api/public/models_info"},
			{Provider: "novita", Model: "deepseek/deepseek-v4-flash-0731", Source: "https://novita.ai/pricing"},
			{Provider: "scaleway", Model: "deepseek-v4-flash-0731", Source: "https://www.scaleway.com/en/pricing/model-as-a-service/"},
			{Provider: "together", Model: "deepseek-ai/DeepSeek-V4-Flash-0731", Until: "2026-10-22", Source: "https://api.together.ai/v1/models"},
			{Provider: "wandb", Model: "deepseek-ai/DeepSeek-V4-Flash-0731", Source: "https://www.coreweave.com/products/coreweave-forge/serverless-inference"},
		}},
	}
}

// weights5 holds deepseek-v4-pro to qwen3-235b.
func weights5() []CanonicalModel {
	return []CanonicalModel{
		{Name: "deepseek-v4-pro", Title: "DeepSeek V4 Pro 0813", Weights: "deepseek-ai/DeepSeek-V4-Pro-0813", Aliases: []string{"deepseek-v4-pro-0813"}, Offers: []Offer{
			{Provider: "baseten", Model: "deepseek-ai/DeepSeek-V4-Pro-0813", Source: "https://inference.baseten.co/v1/models"},
			{Provider: "deepinfra", Model: "deepseek-ai/DeepSeek-V4-Pro-0813", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/deepseek-v4-pro-0813", Until: "2026-09-25", Source: "https://api.fireworks.ai/v1/serverless/models"},
			{Provider: "nebius", Model: "deepseek-ai/DeepSeek-V4-Pro-0813", Source: "https://tokenfactory.nebius.com/api/public/models_info"},
			{Provider: "novita", Model: "deepseek/deepseek-v4-pro-0813", Source: "https://novita.ai/pricing"},
			{Provider: "together", Model: "deepseek-ai/DeepSeek-V4-Pro-0813", Source: "https://api.together.ai/v1/models"},
			{Provider: "wandb", Model: "deepseek-ai/DeepSeek-V4-Pro-0813", Source: "https://wandb.ai/site/pricing/tokens/"},
		}},
		{Name: "qwen3-32b", Title: "Qwen3 32B", Weights: "Qwen/Qwen3-32B", Offers: []Offer{
			{Provider: "alibaba", Model: "qwen3-32b", Source: modelsDev, Unconfirmed: true},
			{Provider: "bedrock", Model: "qwen.qwen3-32b-v1:0", Source: "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonBedrock/current/us-east-1/index.json"},
			{Provider: "cerebras", Model: "qwen-3-32b", Until: "2026-02-16", Source: "https://inference-docs.cerebras.ai/support/deprecation"},
			{Provider: "deepinfra", Model: "Qwen/Qwen3-32B", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/qwen3-32b", Source: liteLLM, Unconfirmed: true},
			{Provider: "groq", Model: "qwen/qwen3-32b", Source: modelsDev, Unconfirmed: true},
			{Provider: "nebius", Model: "Qwen/Qwen3-32B", Source: "https://tokenfactory.nebius.com/models/catalog/text2text/Qwen%2FQwen3-32B"},
			{Provider: "novita", Model: "qwen/qwen3-32b-fp8", Quantisation: "fp8", Source: liteLLM, Unconfirmed: true},
			{Provider: "openrouter", Model: "qwen/qwen3-32b", Source: modelsDev, Unconfirmed: true},
			{Provider: "ovhcloud", Model: "Qwen3-32B", Source: "https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/"},
			{Provider: "siliconflow", Model: "Qwen/Qwen3-32B", Source: modelsDev, Unconfirmed: true},
		}},
		{Name: "qwen3-235b", Title: "Qwen3 235B-A22B Instruct 2507", Weights: "Qwen/Qwen3-235B-A22B-Instruct-2507", Aliases: []string{"qwen3-235b-2507", "qwen3-235b-a22b-instruct-2507"}, Offers: []Offer{
			{Provider: "bedrock", Model: "qwen.qwen3-235b-a22b-2507-v1:0", Source: "https://docs.aws.amazon.com/bedrock/latest/userguide/model-card-qwen-qwen3-235b-a22b-2507.html"},
			{Provider: "cerebras", Model: "qwen-3-235b-a22b-instruct-2507", Until: "2026-05-27", Source: "https://inference-docs.cerebras.ai/support/deprecation"},
			{Provider: "deepinfra", Model: "Qwen/Qwen3-235B-A22B-Instruct-2507", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/qwen3-235b-a22b-instruct-2507", Source: liteLLM, Unconfirmed: true},
			{Provider: "friendli", Model: "Qwen/Qwen3-235B-A22B-Instruct-2507", Source: modelsDev, Unconfirmed: true},
			{Provider: "nebius", Model: "Qwen/Qwen3-235B-A22B-Instruct-2507", Source: "https://tokenfactory.nebius.com/api/public/models_info"},
			{Provider: "novita", Model: "qwen/qwen3-235b-a22b-instruct-2507", Source: liteLLM, Unconfirmed: true},
			{Provider: "openrouter", Model: "qwen/qwen3-235b-a22b-2507", Source: modelsDev, Unconfirmed: true},
			{Provider: "scaleway", Model: "qwen3-235b-a22b-instruct-2507", Source: liteLLM, Unconfirmed: true},
			{Provider: "siliconflow", Model: "Qwen/Qwen3-235B-A22B-Instruct-2507", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "Qwen/Qwen3-235B-A22B-Instruct-2507-tput", Source: modelsDev, Unconfirmed: true},
			{Provider: "vertex", Model: "qwen/qwen3-235b-a22b-instruct-2507-maas", Until: "2026-10-21", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
			{Provider: "wandb", Model: "Qwen/Qwen3-235B-A22B-Instruct-2507", Source: modelsDev, Unconfirmed: true},
		}},
	}
}

// weights6 holds qwen2.5-72b to mixtral-8x7b.
func weights6() []CanonicalModel {
	return []CanonicalModel{
		{Name: "qwen2.5-72b", Title: "Qwen2.5 72B Instruct", Weights: "Qwen/Qwen2.5-72B-Instruct", Offers: []Offer{
			{Provider: "deepinfra", Model: "Qwen/Qwen2.5-72B-Instruct", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/qwen2p5-72b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "hyperbolic", Model: "Qwen/Qwen2.5-72B-Instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "nebius", Model: "Qwen/Qwen2.5-72B-Instruct", Source: "https://nebius.com/prices"},
			{Provider: "novita", Model: "qwen/qwen-2.5-72b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "openrouter", Model: "qwen/qwen-2.5-72b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "siliconflow", Model: "Qwen/Qwen2.5-72B-Instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "Qwen/Qwen2.5-72B-Instruct", Source: "https://api.together.ai/v1/models"},
		}},
		{Name: "qwen3-coder", Title: "Qwen3 Coder 480B-A35B Instruct", Weights: "Qwen/Qwen3-Coder-480B-A35B-Instruct", Aliases: []string{"qwen3-coder-480b"}, Offers: []Offer{
			{Provider: "alibaba", Model: "qwen3-coder-480b-a35b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "bedrock", Model: "qwen.qwen3-coder-480b-a35b-v1:0", Until: "2027-03-30", Source: "https://docs.aws.amazon.com/bedrock/latest/userguide/model-card-qwen-qwen3-coder-480b-a35b-instruct.html"},
			{Provider: "deepinfra", Model: "Qwen/Qwen3-Coder-480B-A35B-Instruct-Turbo", Source: "https://deepinfra.com/pricing"},
			{Provider: "fireworks", Model: "accounts/fireworks/models/qwen3-coder-480b-a35b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "huggingface", Model: "Qwen/Qwen3-Coder-480B-A35B-Instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "novita", Model: "qwen/qwen3-coder-480b-a35b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "qwen/qwen3-coder-480b-a35b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "ollama-cloud", Model: "qwen3-coder:480b", Source: modelsDev, Unconfirmed: true},
			{Provider: "openrouter", Model: "qwen/qwen3-coder", Source: modelsDev, Unconfirmed: true},
			{Provider: "siliconflow", Model: "Qwen/Qwen3-Coder-480B-A35B-Instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "together", Model: "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", Quantisation: "fp8", Until: "2026-06-04", Source: "https://api.together.ai/v1/models"},
			{Provider: "vertex", Model: "qwen/qwen3-coder-480b-a35b-instruct-maas", Until: "2026-10-21", Source: "https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing"},
			{Provider: "wandb", Model: "Qwen/Qwen3-Coder-480B-A35B-Instruct", Source: modelsDev, Unconfirmed: true},
		}},
		{Name: "mixtral-8x7b", Title: "Mixtral 8x7B Instruct", Weights: "mistralai/Mixtral-8x7B-Instruct-v0.1", Offers: []Offer{
			{Provider: "deepinfra", Model: "mistralai/Mixtral-8x7B-Instruct-v0.1", Source: liteLLM, Unconfirmed: true},
			{Provider: "fireworks", Model: "accounts/fireworks/models/mixtral-8x7b-instruct", Source: liteLLM, Unconfirmed: true},
			{Provider: "nvidia", Model: "mistralai/mixtral-8x7b-instruct", Source: modelsDev, Unconfirmed: true},
			{Provider: "ovhcloud", Model: "Mixtral-8x7B-Instruct-v0.1", Source: "https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/"},
			{Provider: "together", Model: "mistralai/Mixtral-8x7B-Instruct-v0.1", Until: "2026-04-16", Source: "https://api.together.ai/v1/models"},
		}},
	}
}
