// Anthropic's client for Node.
import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { level, question, reading, recording, tool } from './result.mjs';

export async function messages(base, call, result) {
  const { messages } = new Anthropic({
    apiKey: call.key,
    baseURL: base,
    maxRetries: call.retries,
    timeout: call.timeout_ms || 20_000,
    fetch: recording(result),
  });
  const body = { model: call.model, max_tokens: call.limit || 100, messages: question(call) };
  if (call.tools) body.tools = [{ name: tool.name, description: tool.description, input_schema: tool.schema }];
  if (call.schema) body.output_config = { format: zodOutputFormat(reading) };
  for (;;) {
    const message = call.stream ? await read(messages.stream(body), call, result) : await messages.parse(body);
    if (!message) return;
    for (const block of message.content) {
      if (block.type === 'text' && !call.stream) result.text += block.text;
      if (block.type === 'thinking') result.reasoning += block.thinking;
    }
    result.finish = message.stop_reason;
    result.object = message.parsed_output ?? null;
    result.used(message.usage.input_tokens, message.usage.output_tokens, message.usage.cache_read_input_tokens);
    const uses = message.content.filter((block) => block.type === 'tool_use');
    if (uses.length === 0) return;
    const results = [];
    for (const { id, name, input } of uses) {
      result.calls.push({ id, name, arguments: input });
      results.push({ type: 'tool_result', tool_use_id: id, content: level(input) });
    }
    // parsed_output is the client's own; its API refuses it.
    const content = message.content.map(({ parsed_output, ...block }) => block);
    body.messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
}

// read gives the whole message, and nothing where the caller walked away.
async function read(stream, call, result) {
  let seen = 0;
  for await (const event of stream) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      result.text += event.delta.text;
      seen++;
    }
    if (call.leave_after && seen >= call.leave_after) {
      result.leave();
      stream.abort();
      return null;
    }
  }
  return stream.finalMessage();
}
