package engine

// Models is the table of models. The shapes are those of the config.json that
// the authors published; params and KV bytes follow from them and are held
// against the published counts by a test.
func Models() []Model {
	return append(denseModels(), expertModels()...)
}

func denseModels() []Model {
	return []Model{
		{
			Name: "l2-7b", Also: []string{"llama-2-7b", "meta-llama/Llama-2-7b-hf"},
			Source: "meta-llama/Llama-2-7b-hf config.json; arXiv:2307.09288",
			Layers: 32, Hidden: 4096, QueryHeads: 32, KVHeads: 32, HeadDim: 128, FFN: 11008, Vocab: 32000, Context: 4096,
		},
		{
			Name: "l2-70b", Also: []string{"llama-2-70b", "meta-llama/Llama-2-70b-hf"},
			Source: "meta-llama/Llama-2-70b-hf config.json; arXiv:2307.09288",
			Layers: 80, Hidden: 8192, QueryHeads: 64, KVHeads: 8, HeadDim: 128, FFN: 28672, Vocab: 32000, Context: 4096,
		},
		{
			Name: "l3-8b", Also: []string{"llama-3.1-8b", "llama-3-8b", "meta-llama/Llama-3.1-8B-Instruct"},
			Source: "meta-llama/Llama-3.1-8B config.json",
			Layers: 32, Hidden: 4096, QueryHeads: 32, KVHeads: 8, HeadDim: 128, FFN: 14336, Vocab: 128256, Context: 131072,
		},
		{
			Name: "l3-70b", Also: []string{"llama-3.3-70b", "llama-3.1-70b", "llama-3-70b", "meta-llama/Llama-3.3-70B-Instruct"},
			Source: "meta-llama/Llama-3.3-70B-Instruct config.json; 3.1 is the same",
			Layers: 80, Hidden: 8192, QueryHeads: 64, KVHeads: 8, HeadDim: 128, FFN: 28672, Vocab: 128256, Context: 131072,
		},
		{
			Name: "l3-405b", Also: []string{"llama-3.1-405b", "meta-llama/Llama-3.1-405B-Instruct"},
			Source: "meta-llama/Llama-3.1-405B config.json (8 KV heads)",
			Layers: 126, Hidden: 16384, QueryHeads: 128, KVHeads: 8, HeadDim: 128, FFN: 53248, Vocab: 128256, Context: 131072,
		},
		{
			Name: "mistral-small-24b", Also: []string{"mistral-small", "mistralai/Mistral-Small-24B-Instruct-2501"},
			Source: "mistralai/Mistral-Small-24B-Instruct-2501 config.json, not verified again",
			Layers: 40, Hidden: 5120, QueryHeads: 32, KVHeads: 8, HeadDim: 128, FFN: 32768, Vocab: 131072, Context: 32768,
		},
		{
			Name: "gemma-3-270m", Also: []string{"google/gemma-3-270m-it"},
			Source: "google/gemma-3-270m config.json; 15 of 18 layers see 512 tokens",
			Layers: 18, Hidden: 640, QueryHeads: 4, KVHeads: 1, HeadDim: 256, FFN: 2048, Vocab: 262144, Context: 32768,
			Window: 512, WindowedLayers: 15,
		},
		{
			Name: "qwen3-32b", Also: []string{"Qwen/Qwen3-32B"},
			Source: "Qwen/Qwen3-32B config.json",
			Layers: 64, Hidden: 5120, QueryHeads: 64, KVHeads: 8, HeadDim: 128, FFN: 25600, Vocab: 151936, Context: 40960,
		},
	}
}

func expertModels() []Model {
	latent := &Latent{QueryRank: 1536, KVRank: 512, Rope: 64, Nope: 128, Value: 128}
	models := []Model{
		{
			Name: "mixtral", Also: []string{"mixtral-8x7b", "mistralai/Mixtral-8x7B-Instruct-v0.1"},
			Source: "mistralai/Mixtral-8x7B-v0.1 config.json; arXiv:2401.04088",
			Layers: 32, Hidden: 4096, QueryHeads: 32, KVHeads: 8, HeadDim: 128, Vocab: 32000, Context: 32768,
			Experts: &Experts{Routed: 8, TopK: 2, FFN: 14336},
		},
		{
			Name: "qwen3-30b-a3b", Also: []string{"qwen3-30b", "Qwen/Qwen3-30B-A3B"},
			Source: "Qwen/Qwen3-30B-A3B config.json",
			Layers: 48, Hidden: 2048, QueryHeads: 32, KVHeads: 4, HeadDim: 128, Vocab: 151936, Context: 40960,
			Experts: &Experts{Routed: 128, TopK: 8, FFN: 768},
		},
		{
			Name: "qwen3-235b-a22b", Also: []string{"qwen3-235b", "Qwen/Qwen3-235B-A22B"},
			Source: "Qwen/Qwen3-235B-A22B config.json",
			Layers: 94, Hidden: 4096, QueryHeads: 64, KVHeads: 4, HeadDim: 128, Vocab: 151936, Context: 40960,
			Experts: &Experts{Routed: 128, TopK: 8, FFN: 1536},
		},
		{
			Name: "gpt-oss-120b", Also: []string{"openai/gpt-oss-120b"},
			Source: "openai/gpt-oss-120b config.json; every other layer sees 128 tokens",
			Layers: 36, Hidden: 2880, QueryHeads: 64, KVHeads: 8, HeadDim: 64, Vocab: 201088, Context: 131072,
			Experts: &Experts{Routed: 128, TopK: 4, FFN: 2880},
			Window:  128, WindowedLayers: 18,
		},
		{
			Name: "deepseek-v3", Also: []string{"deepseek-r1", "deepseek-ai/DeepSeek-V3"},
			Source: "deepseek-ai/DeepSeek-V3 config.json; arXiv:2412.19437; R1 is the same",
			Layers: 61, Hidden: 7168, QueryHeads: 128, HeadDim: 128, FFN: 18432, Vocab: 129280, Context: 163840,
			Experts: &Experts{Routed: 256, TopK: 8, Shared: 1, FFN: 2048, DenseLayers: 3}, Latent: latent,
		},
		{
			Name: "kimi-k2", Also: []string{"moonshotai/Kimi-K2-Instruct"},
			Source: "moonshotai/Kimi-K2-Instruct config.json",
			Layers: 61, Hidden: 7168, QueryHeads: 64, HeadDim: 128, FFN: 18432, Vocab: 163840, Context: 131072,
			Experts: &Experts{Routed: 384, TopK: 8, Shared: 1, FFN: 2048, DenseLayers: 1}, Latent: latent,
		},
	}
	for i := range models {
		models[i].Doubt = "mixtures of experts are the weakest part of the model"
	}
	return models
}
