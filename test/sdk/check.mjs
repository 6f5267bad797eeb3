// Sends requests through the official OpenAI and Anthropic clients and prints
// what their callers got.
//
//   node check.mjs BASE_URL <cases.json >results.json
//
// BASE_URL is the server's root, without /v1. A case:
//
//   {"name", "client": "openai" | "anthropic",
//    "body": {...},        // handed to the client as its caller would write it
//    "helper": true,       // through the client's accumulating .stream() helper
//    "models": true,       // ask for the list of models instead: text has the names
//    "stop_after": 2}      // the caller walks away after so many events
//
// A result, in the order of the cases; null is what the client did not get:
//
//   {"name", "text", "reasoning", "finish", "usage", "events", "last_event", "error"}
//
// events counts the items that the client's iterator gave; usage is the client's
// own object. An error has the class its caller would test for.
import process from 'node:process';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const base = process.argv[2];
const options = { maxRetries: 0, timeout: 20_000 };
const openai = new OpenAI({ ...options, apiKey: 'unused', baseURL: base + '/v1' });
const anthropic = new Anthropic({ ...options, apiKey: 'unused', baseURL: base });

class Result {
  text = '';
  reasoning = '';
  finish = null;
  usage = null;
  events = 0;
  last_event = null;
  error = null;

  constructor(name) {
    this.name = name;
  }
}

// each iterates a stream as a caller does, who may walk away.
async function each(stream, { stop_after }, result, see) {
  for await (const event of stream) {
    result.events++;
    see(event);
    if (result.events === stop_after) return;
  }
}

function seeCompletion(result, completion) {
  const [choice] = completion.choices;
  result.text = choice.message.content ?? '';
  result.reasoning = choice.message.reasoning_content ?? '';
  result.finish = choice.finish_reason;
  result.usage = completion.usage ?? null;
}

function seeMessage(result, message) {
  for (const block of message.content) {
    if (block.type === 'text') result.text += block.text;
    if (block.type === 'thinking') result.reasoning += block.thinking;
  }
  result.finish = message.stop_reason;
  result.usage = message.usage ?? null;
}

async function models(client, result) {
  const names = [];
  for await (const model of client.models.list()) names.push(model.id);
  result.text = names.join(' ');
}

async function chat(c, result) {
  if (c.helper) {
    const stream = openai.chat.completions.stream(c.body);
    stream.on('chunk', () => result.events++);
    seeCompletion(result, await stream.finalChatCompletion());
    return;
  }
  const answer = await openai.chat.completions.create(c.body);
  if (!c.body.stream) {
    seeCompletion(result, answer);
    return;
  }
  await each(answer, c, result, (chunk) => {
    result.last_event = chunk.object;
    if (chunk.usage) result.usage = chunk.usage;
    for (const choice of chunk.choices) {
      result.text += choice.delta.content ?? '';
      result.reasoning += choice.delta.reasoning_content ?? '';
      result.finish = choice.finish_reason ?? result.finish;
    }
  });
}

async function messages(c, result) {
  if (c.helper) {
    const stream = anthropic.messages.stream(c.body);
    stream.on('streamEvent', () => result.events++);
    seeMessage(result, await stream.finalMessage());
    return;
  }
  const answer = await anthropic.messages.create(c.body);
  if (!c.body.stream) {
    seeMessage(result, answer);
    return;
  }
  await each(answer, c, result, (event) => {
    result.last_event = event.type;
    if (event.type === 'message_start') result.usage = event.message.usage ?? null;
    if (event.type === 'content_block_delta') {
      result.text += event.delta.text ?? '';
      result.reasoning += event.delta.thinking ?? '';
    }
    if (event.type === 'message_delta') {
      result.finish = event.delta.stop_reason;
      if (event.usage) result.usage = { ...result.usage, ...event.usage };
    }
  });
}

const apiErrors = { openai: OpenAI.APIError, anthropic: Anthropic.APIError };

async function run(c) {
  const result = new Result(c.name);
  try {
    if (c.models) await models(c.client === 'openai' ? openai : anthropic, result);
    else await (c.client === 'openai' ? chat : messages)(c, result);
  } catch (err) {
    result.error = {
      class: err.constructor.name,
      api_error: err instanceof apiErrors[c.client],
      status: err.status ?? null,
      type: err.type ?? null,
      code: err.code ?? null,
      message: String(err.message),
      retry_after: err.headers?.get?.('retry-after') ?? null,
    };
  }
  return result;
}

let input = '';
for await (const chunk of process.stdin) input += chunk;
const results = [];
for (const c of JSON.parse(input)) results.push(await run(c));
process.stdout.write(JSON.stringify(results, null, 1) + '\n');
