package telemetry

// The names of OpenTelemetry's conventions for generative AI, as Prometheus has
// them: dots are underscores, a unit of seconds is said, a counter ends in _total.
//
// The conventions are in development. Those of a target's side are the ones of
// semantic-conventions-genai v0.1.0; genAIOperationDuration and genAITokenUsage
// are what it replaced (semantic-conventions 1.36 to 1.41) and what dashboards
// still ask for. The gateway is the client of its targets, and the server of its
// callers.
const (
	genAIInferenceDuration = "gen_ai_client_inference_duration_seconds"
	genAITimeToFirstChunk  = "gen_ai_client_inference_time_to_first_chunk_seconds"
	genAIInputTokens       = "gen_ai_client_inference_usage_input_tokens_total"
	genAIOutputTokens      = "gen_ai_client_inference_usage_output_tokens_total"
	genAICacheReadTokens   = "gen_ai_client_inference_usage_cache_read_input_tokens_total"
	genAICacheWriteTokens  = "gen_ai_client_inference_usage_cache_write_input_tokens_total"
	genAIReasoningTokens   = "gen_ai_client_inference_usage_reasoning_output_tokens_total"

	genAIOperationDuration = "gen_ai_client_operation_duration_seconds"
	genAITokenUsage        = "gen_ai_client_token_usage"

	genAIServerDuration           = "gen_ai_server_request_duration_seconds"
	genAIServerTimeToFirstToken   = "gen_ai_server_time_to_first_token_seconds"
	genAIServerTimePerOutputToken = "gen_ai_server_time_per_output_token_seconds"
)

// Their attributes.
const (
	labelOperation = "gen_ai_operation_name"
	labelProvider  = "gen_ai_provider_name"
	labelModel     = "gen_ai_request_model"
	labelModality  = "gen_ai_token_modality"
	labelTokenType = "gen_ai_token_type"
	labelError     = "error_type" // empty: none
)

// Values of attributes.
const (
	unknownModality = "unknown" // usage does not tell text from images
	typeInput       = "input"
	typeOutput      = "output"
	ourProvider     = "weir" // of what the gateway serves
)

// genAIDurationBuckets and the two below are what the conventions recommend, in
// seconds, and genAITokenBuckets in tokens.
func genAIDurationBuckets() []float64 {
	return []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
}

func genAIFirstBuckets() []float64 {
	return []float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}
}

func genAIPerTokenBuckets() []float64 {
	return []float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5}
}

func genAITokenBuckets() []float64 {
	return []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
}
