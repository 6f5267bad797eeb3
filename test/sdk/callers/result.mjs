// What a driver hands back, and what all drivers share.
import { z } from 'zod';

export class Result {
  text = '';
  reasoning = '';
  calls = [];
  finish = null;
  input = null;
  output = null;
  cached = null;
  object = null;
  sent = [];
  left_at_ms = null;
  error = null;

  // used takes token counts; what a client does not have stays null.
  used(input, output, cached) {
    this.input = input ?? null;
    this.output = output ?? null;
    this.cached = cached ?? null;
  }

  leave() {
    this.left_at_ms = Date.now();
  }
}

// recording is a fetch that keeps the bodies that were sent.
export function recording(result) {
  return (url, init) => {
    result.sent.push(String(init.body));
    return fetch(url, init);
  };
}

// describe has the class that a caller would test for.
export function describe(err) {
  const last = err.lastError ?? err; // what @ai-sdk's RetryError wraps
  return {
    class: err.constructor.name.replace(/^_+/, ''),
    status: last.status ?? last.statusCode ?? null,
    kind: [last.code, last.type, last.data?.error?.code, last.data?.error?.type].find((v) => typeof v === 'string') ?? null,
    message: String(last.message),
    retry_after: last.headers?.get?.('retry-after') ?? last.responseHeaders?.['retry-after'] ?? null,
  };
}

export const question = (call) => [{ role: 'user', content: call.prompt }];

// The one tool, and what it gives.
export const tool = {
  name: 'level',
  description: 'How high the water stands at a gauge.',
  arguments: z.object({ gauge: z.string() }),
  schema: {
    type: 'object',
    properties: { gauge: { type: 'string' } },
    required: ['gauge'],
    additionalProperties: false,
  },
};

const levels = { north: '42 cm', south: '17 cm' };

export const level = ({ gauge }) => levels[gauge] ?? 'no such gauge';

// What a structured answer has to be.
export const reading = z.object({ gauge: z.string(), level: z.number() });
