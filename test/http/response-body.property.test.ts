import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { discardBody } from '../../src/core/call/response.js';
import { readBody } from '../../src/http/reply.js';
import { anyCharacter, runs, runsTimeoutMs } from '../support/property.js';

/** A response whose body comes in these chunks, and then ends or breaks off. */
function responseOf(chunks: readonly Uint8Array[], broken?: Error): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks[next];
      next += 1;
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (broken === undefined) controller.close();
      else controller.error(broken);
    },
  });
  return new Response(body);
}

/** Cuts bytes at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.string({ unit: anyCharacter, maxLength: 30 }).map((text) => new TextEncoder().encode(`\uFEFF${text}`)),
);
const places = fc.array(fc.nat(), { maxLength: 8 });

/** Returns the text of an incremental decoder for the first bytes; an incomplete character is omitted. */
const decoded = (bytes: Uint8Array, end: number) => new TextDecoder().decode(bytes.subarray(0, end), { stream: true });

describe('readBody', () => {
  it(
    'returns the same text as Response.text(), for any chunks',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyBytes, places, async (bytes, at) => {
          const read = await readBody(responseOf(cut(bytes, at)), 1_000, new AbortController().signal);
          expect(read).toEqual({ text: await new Response(bytes.slice()).text() });
        }),
        runs(200),
      );
    },
    runsTimeoutMs(5, 200),
  );

  it(
    'returns the part before the body broke off',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyBytes, places, async (bytes, at) => {
          const broken = new Error('reset');
          const read = await readBody(responseOf(cut(bytes, at), broken), 1_000, new AbortController().signal);
          expect(read).toEqual({ text: decoded(bytes, bytes.length), cutBy: { error: broken } });
        }),
        runs(100),
      );
    },
    runsTimeoutMs(5, 100),
  );

  it(
    'returns the chunks within the limit, counted to the byte',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyBytes, places, fc.nat(70), async (bytes, at, limit) => {
          const chunks = cut(bytes, at);
          const read = await readBody(responseOf(chunks), limit, new AbortController().signal);
          let within = 0;
          for (const { length } of chunks) {
            if (within + length > limit) break;
            within += length;
          }
          expect(read.cutBy).toBe(bytes.length > limit ? 'too_large' : undefined);
          if (read.cutBy !== undefined) expect(read.text).toBe(decoded(bytes, within));
        }),
        runs(200),
      );
    },
    runsTimeoutMs(5, 200),
  );

  it('takes a body of 200,000 chunks without a copy for each', async () => {
    const chunk = new TextEncoder().encode('é');
    const read = await readBody(
      responseOf(Array<Uint8Array>(200_000).fill(chunk)),
      400_000,
      new AbortController().signal,
    );
    expect(read.text).toBe('é'.repeat(200_000));
  });

  it('reads a body without a web stream by its text', async () => {
    const { signal } = new AbortController();
    const text = () => Promise.resolve('some text');
    for (const body of [undefined, Readable.from(['some', ' text'])]) {
      const response = { body, text } as unknown as Response;
      expect(await readBody(response, 9, signal)).toEqual({ text: 'some text' });
      expect(await readBody(response, 8, signal)).toEqual({ text: 'some text', cutBy: 'too_large' });
    }
  });

  it('returns nothing for a missing body', async () => {
    const read = await readBody(new Response(null), 9, new AbortController().signal);
    expect(read).toEqual({ text: '' });
  });
});

describe('discardBody', () => {
  it('releases a web stream and a Node stream', async () => {
    let cancelled = false;
    const web = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    discardBody(new Response(web));
    expect(cancelled).toBe(true);
    const node = new PassThrough();
    discardBody({ body: node });
    expect(node.destroyed).toBe(true);
    discardBody({});
    discardBody(new Response(null));
    await Promise.resolve();
  });
});
