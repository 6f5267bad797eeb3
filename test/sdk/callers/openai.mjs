// OpenAI's client for Node: chat completions and responses.
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { level, question, reading, recording, tool } from './result.mjs';

function client(base, call, result) {
  return new OpenAI({
    apiKey: call.key,
    baseURL: base + '/v1',
    maxRetries: call.retries,
    timeout: call.timeout_ms || 20_000,
    fetch: recording(result),
  });
}

export async function chat(base, call, result) {
  const { completions } = client(base, call, result).chat;
  const body = { model: call.model, messages: question(call) };
  if (call.limit) body.max_completion_tokens = call.limit;
  if (call.tools) {
    body.tools = [{ type: 'function', function: { name: tool.name, description: tool.description, parameters: tool.schema } }];
  }
  if (call.schema) body.response_format = zodResponseFormat(reading, 'reading');
  if (call.stream && call.usage) body.stream_options = { include_usage: true };
  if (call.stream && !call.tools && !call.schema) return read(await completions.create({ ...body, stream: true }), call, result);
  const ask = () => {
    if (call.stream) return completions.stream(body).finalChatCompletion();
    return call.schema ? completions.parse(body) : completions.create(body);
  };
  for (;;) {
    const completion = await ask();
    const [choice] = completion.choices;
    result.text += choice.message.content ?? '';
    result.reasoning += choice.message.reasoning_content ?? '';
    result.finish = choice.finish_reason;
    result.object = choice.message.parsed ?? null;
    count(result, completion.usage);
    if (!choice.message.tool_calls?.length) return;
    body.messages.push(choice.message);
    for (const { id, function: f } of choice.message.tool_calls) {
      result.calls.push({ id, name: f.name, arguments: JSON.parse(f.arguments) });
      body.messages.push({ role: 'tool', tool_call_id: id, content: level(JSON.parse(f.arguments)) });
    }
  }
}

async function read(stream, call, result) {
  let seen = 0;
  for await (const chunk of stream) {
    if (chunk.usage) count(result, chunk.usage);
    for (const { delta, finish_reason } of chunk.choices) {
      result.text += delta.content ?? '';
      result.reasoning += delta.reasoning_content ?? '';
      result.finish = finish_reason ?? result.finish;
      if (delta.content) seen++;
    }
    if (call.leave_after && seen >= call.leave_after) {
      result.leave();
      return;
    }
  }
}

function count(result, usage) {
  if (usage) result.used(usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details?.cached_tokens);
}

export async function responses(base, call, result) {
  const { responses } = client(base, call, result);
  const body = { model: call.model, input: question(call), store: false };
  if (call.limit) body.max_output_tokens = call.limit;
  if (call.tools) body.tools = [{ type: 'function', name: tool.name, description: tool.description, parameters: tool.schema, strict: true }];
  if (call.schema) body.text = { format: zodTextFormat(reading, 'reading') };
  for (;;) {
    let response;
    if (call.stream) {
      const stream = responses.stream(body);
      let seen = 0;
      for await (const event of stream) {
        if (event.type === 'response.output_text.delta') {
          result.text += event.delta;
          seen++;
        }
        if (call.leave_after && seen >= call.leave_after) {
          result.leave();
          stream.abort();
          return;
        }
      }
      response = await stream.finalResponse();
    } else {
      response = await responses.parse(body);
      result.text += response.output_text;
    }
    result.finish = response.status;
    result.object = response.output_parsed ?? null;
    result.used(response.usage?.input_tokens, response.usage?.output_tokens, response.usage?.input_tokens_details?.cached_tokens);
    for (const item of response.output) {
      if (item.type === 'reasoning') result.reasoning += [...item.summary, ...(item.content ?? [])].map((part) => part.text).join('');
    }
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0) return;
    // parsed_arguments is the client's own; its API refuses it.
    body.input = [...body.input, ...response.output.map(({ parsed_arguments, ...item }) => item)];
    for (const { call_id, name, arguments: args } of calls) {
      result.calls.push({ id: call_id, name, arguments: JSON.parse(args) });
      body.input.push({ type: 'function_call_output', call_id, output: level(JSON.parse(args)) });
    }
  }
}
