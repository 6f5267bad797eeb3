// Vercel's AI SDK, over four of its providers.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, Output, stepCountIs, streamText, tool as define } from 'ai';
import { level, question, reading, recording, tool } from './result.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;

const settings = (base, call, result) => ({ apiKey: call.key, baseURL: base + '/v1', fetch: recording(result) });

export function compatible(base, call, result) {
  const provider = createOpenAICompatible({
    ...settings(base, call, result),
    name: 'weir',
    includeUsage: call.usage,
    supportsStructuredOutputs: true,
  });
  return run(provider(call.model), call, result);
}

export function chat(base, call, result) {
  return run(createOpenAI(settings(base, call, result)).chat(call.model), call, result);
}

export function responses(base, call, result) {
  return run(createOpenAI(settings(base, call, result)).responses(call.model), call, result, { openai: { store: false } });
}

export function messages(base, call, result) {
  const provider = createAnthropic(settings(base, call, result));
  return run(provider(call.model), call, result, { anthropic: { structuredOutputMode: 'outputFormat' } });
}

async function run(model, call, result, providerOptions) {
  const left = new AbortController();
  const signals = [left.signal, AbortSignal.timeout(call.timeout_ms || 20_000)];
  const options = {
    model,
    messages: question(call),
    maxOutputTokens: call.limit || 100,
    maxRetries: call.retries,
    abortSignal: AbortSignal.any(signals),
    providerOptions,
  };
  if (call.schema) options.output = Output.object({ schema: reading });
  if (call.tools) {
    options.stopWhen = stepCountIs(4);
    options.tools = { [tool.name]: define({ description: tool.description, inputSchema: tool.arguments, execute: level }) };
  }
  let answer;
  if (call.stream) {
    answer = streamText({ ...options, onError() {} });
    let seen = 0;
    for await (const part of answer.fullStream) {
      if (part.type === 'text-delta') {
        result.text += part.text;
        seen++;
      }
      if (part.type === 'error') throw raised(part.error);
      if (part.type === 'abort') throw signals[1].reason;
      if (call.leave_after && seen >= call.leave_after) {
        result.leave();
        left.abort();
        return;
      }
    }
  } else {
    answer = await generateText(options);
    for (const step of answer.steps) result.text += step.text;
  }
  const steps = await answer.steps;
  for (const step of steps) {
    result.reasoning += step.reasoningText ?? '';
    for (const { toolCallId, toolName, input } of step.toolCalls) result.calls.push({ id: toolCallId, name: toolName, arguments: input });
  }
  const { finishReason, usage } = steps.at(-1);
  result.finish = finishReason;
  result.used(usage.inputTokens, usage.outputTokens, usage.inputTokenDetails.cacheReadTokens);
  if (call.schema) result.object = await answer.output;
}

// raised is an error as something that can be thrown: the AI SDK passes on what
// an error event says as it stands.
function raised(err) {
  return err instanceof Error ? err : new StreamError(typeof err === 'string' ? err : (err.message ?? JSON.stringify(err)));
}

class StreamError extends Error {}
