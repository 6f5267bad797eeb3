// Has real clients make calls, a few at a time, and prints what their callers got.
// The calls and the results are those of package test/callers, which says what
// each field is.
//
//   node callers.mjs BASE_URL <calls.json >results.json
//
// BASE_URL is the gateway's root, without /v1.
import process from 'node:process';
import { chat as aiChat, compatible, messages as aiMessages, responses as aiResponses } from './callers/vercel.mjs';
import { messages } from './callers/anthropic.mjs';
import { chat, responses } from './callers/openai.mjs';
import { describe, Result } from './callers/result.mjs';

const clients = {
  'openai': chat,
  'openai, responses': responses,
  '@anthropic-ai/sdk': messages,
  '@ai-sdk/openai-compatible': compatible,
  '@ai-sdk/openai, chat': aiChat,
  '@ai-sdk/openai, responses': aiResponses,
  '@ai-sdk/anthropic': aiMessages,
};

const base = process.argv[2];

async function run(call) {
  const result = new Result();
  const began = performance.now();
  try {
    await clients[call.client](base, call, result);
  } catch (err) {
    result.error = describe(err);
  }
  result.took_ms = performance.now() - began;
  return result;
}

let next = 0;
let input = '';
for await (const chunk of process.stdin) input += chunk;
const calls = JSON.parse(input);
const results = [];
// A few at a time: a client that cannot run is late for its own timeout.
const lanes = Array.from({ length: 24 }, async () => {
  for (let i; (i = next++) < calls.length; ) results[i] = await run(calls[i]);
});
await Promise.all(lanes);
process.stdout.write(JSON.stringify(results, null, 1) + '\n');
