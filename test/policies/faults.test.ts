import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  ApiError,
  ConnectionError,
  ResponseError,
  RateLimitError,
  ServerError,
  TimeoutError,
  type Outcome,
  type SocialPublishingError,
} from '../../src/core/errors.js';
import { holdTimeouts } from '../support/held-timeouts.js';
import {
  closedPort,
  drip,
  hangUp,
  json,
  raw,
  reply,
  reset,
  resetAfterArrival,
  silence,
  WireServer,
  type Answer,
} from '../support/wire-server.js';
import { classesOfCall } from './calls.js';
import { rejection, testClient } from './client.js';

/** How often each class of call is sent when every attempt ends in the same fault, with the ordinary two repeats. */
type Sent = readonly [free: number, patch: number, insights: number, analytics: number, post: number, put: number];

const afterNotSent: Sent = [3, 3, 3, 3, 3, 3];
const after429: Sent = [3, 3, 3, 3, 3, 3];
const after503: Sent = [3, 3, 3, 1, 1, 1];
const afterTrouble: Sent = [3, 3, 3, 1, 1, 1];
const afterSilence: Sent = [3, 3, 1, 1, 1, 1];
const never: Sent = [1, 1, 1, 1, 1, 1];

interface Fault {
  readonly fault: string;
  readonly answer: Answer;
  readonly sent: Sent;
  /** Attempts that the server saw as a whole request, where that differs from `sent`. */
  readonly seen?: Sent;
  readonly error: abstract new (...args: never[]) => SocialPublishingError;
  readonly outcome: Outcome;
  readonly onConnection?: (socket: Socket) => boolean;
  /** The time-out of an attempt, if it ends the attempt. The test lets it expire soon after the server has answered. */
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
}

/** No other timer of a test takes this time. */
const timeoutMs = 19_001;
const nothing: Sent = [0, 0, 0, 0, 0, 0];
const half = '{"success":true,"postId":"po';
const whole = '{"success":true,"postId":"post_1"}';
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const page = { body: '<!doctype html><p>Sorry</p>', headers: [['content-type', 'text/html']] } as const;
const gzipped = [['content-encoding', 'gzip']] as const;

type Only = Pick<Fault, 'fault' | 'answer'> & Partial<Fault>;

const alike = (come: Omit<Fault, 'fault' | 'answer'>, faults: readonly Only[]): Fault[] =>
  faults.map((fault) => ({ ...come, ...fault }));

const lost = alike({ sent: afterSilence, error: ConnectionError, outcome: 'unknown' }, [
  {
    // Earlier, the client may not have connected yet, which proves that nothing was sent.
    fault: 'a reset soon after it connected',
    answer: silence,
    onConnection: (socket) => {
      resetAfterArrival(socket);
      return false;
    },
    seen: nothing,
  },
  { fault: 'a reset after the request was read', answer: reset },
  { fault: 'an end of the connection after the request was read', answer: hangUp },
  { fault: 'a reset in mid-headers', answer: raw('HTTP/1.1 200 OK\r\ncontent-le', 'reset') },
  { fault: 'an end in mid-headers', answer: raw('HTTP/1.1 200 OK\r\ncontent-le', 'end') },
  { fault: 'no HTTP at all', answer: raw('SSH-2.0-OpenSSH_9.2\r\n\r\n', 'end') },
  { fault: 'a reset in mid-body', answer: raw(`HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n${half}`, 'reset') },
  {
    fault: 'a body shorter than its content-length',
    answer: raw(`HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n${whole}`, 'end'),
  },
  { fault: 'a cut chunk', answer: raw(`${chunked}ff\r\n${half}`, 'end') },
  {
    fault: 'chunks without the last one',
    answer: raw(`${chunked}${whole.length.toString(16)}\r\n${whole}\r\n`, 'end'),
  },
]);

const slow = alike({ sent: afterSilence, error: TimeoutError, outcome: 'unknown', timeoutMs }, [
  { fault: 'silence', answer: silence },
  { fault: 'headers that drip', answer: drip('HTTP/1.1 200 OK\r\nx-drip: ', 'a') },
  { fault: 'a stalled body', answer: raw(`HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n${half}`, 'stay') },
  { fault: 'a body of one byte at a time for ever', answer: drip(chunked, '1\r\n \r\n') },
  {
    fault: 'an error body of one byte at a time for ever',
    answer: drip('HTTP/1.1 400 Bad\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'),
  },
]);

const troubles: readonly Fault[] = [408, 500, 502, 503, 504].map((status) => ({
  fault: `status ${String(status)}`,
  answer: json({ success: false, message: 'Not now' }, status),
  sent: status === 503 ? after503 : afterTrouble,
  error: status === 408 ? ApiError : ServerError,
  outcome: 'unknown',
}));

const conflicts: readonly Fault[] = [409, 499].map((status) => ({
  fault: `status ${String(status)}`,
  answer: json({ success: false, message: 'Duplicate' }, status),
  sent: never,
  error: ApiError,
  outcome: 'unknown',
}));

const refusals: readonly Fault[] = [400, 401, 403, 404, 413, 422, 425].map((status) => ({
  fault: `status ${String(status)}`,
  answer: json({ success: false, message: 'No' }, status),
  sent: never,
  error: ApiError,
  outcome: 'rejected',
}));

const unreadable = alike({ sent: never, error: ResponseError, outcome: 'unknown' }, [
  { fault: 'an HTML page with status 200', answer: reply(page) },
  { fault: 'invalid JSON', answer: reply({ body: '{"success":tru}' }) },
  {
    fault: 'half JSON that ends with the connection',
    answer: raw(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${half}`, 'end'),
  },
  {
    fault: 'JSON cut short by its content-length',
    answer: raw(`HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n${half}`, 'end'),
  },
  { fault: 'status 204', answer: reply({ status: 204 }) },
  { fault: 'an empty body', answer: reply({}) },
  { fault: 'blanks alone', answer: reply({ body: ' \r\n' }) },
  { fault: 'null', answer: reply({ body: 'null' }) },
  { fault: '[]', answer: reply({ body: '[]' }) },
  { fault: 'a string', answer: reply({ body: '"ok"' }) },
  { fault: 'an object of another shape', answer: json({ postId: 5, posts: 5, post: 5, integration: 5, metrics: 5 }) },
  { fault: 'broken gzip', answer: reply({ headers: gzipped, body: brokenGzip() }) },
  { fault: 'a body said to be gzip that is not', answer: reply({ headers: gzipped, body: whole }) },
  { fault: 'a gzip cut short', answer: reply({ headers: gzipped, body: gzipSync(whole).subarray(0, -12) }) },
  {
    fault: 'a body said to be brotli that is not',
    answer: reply({ headers: [['content-encoding', 'br']], body: whole }),
  },
  {
    fault: 'a gzip bomb',
    answer: reply({ headers: gzipped, body: gzipSync(Buffer.alloc(32 * 1024 * 1024, ' ')) }),
    maxResponseBytes: 1024 * 1024,
  },
]);

const faults: readonly Fault[] = [
  ...lost,
  ...slow,
  ...alike({ sent: after429, error: RateLimitError, outcome: 'rejected' }, [
    { fault: 'status 429', answer: json({ success: false, message: 'Slow down' }, 429) },
    { fault: 'an HTML page with status 429', answer: reply({ ...page, status: 429 }) },
  ]),
  ...troubles,
  {
    fault: 'an HTML page with status 502',
    answer: reply({ ...page, status: 502 }),
    sent: afterTrouble,
    error: ServerError,
    outcome: 'unknown',
  },
  {
    fault: 'status 503 with broken gzip',
    answer: reply({ status: 503, headers: gzipped, body: brokenGzip() }),
    sent: after503,
    error: ServerError,
    outcome: 'unknown',
  },
  { fault: 'status 501', answer: json({ error: 'No' }, 501), sent: never, error: ServerError, outcome: 'unknown' },
  ...conflicts,
  ...refusals,
  ...alike({ sent: never, error: ApiError, outcome: 'rejected' }, [
    { fault: 'an HTML page with status 404', answer: reply({ ...page, status: 404 }) },
    {
      fault: 'status 400 cut in mid-body',
      answer: raw(`HTTP/1.1 400 Bad\r\ncontent-length: 999\r\n\r\n${half}`, 'reset'),
    },
    { fault: 'success: false with status 200', answer: json({ success: false, message: 'No' }) },
  ]),
  ...unreadable,
];

function brokenGzip(): Buffer {
  const bytes = gzipSync('{"success":true,"postId":"post_1","content":"Hello, hello, hello"}');
  bytes[bytes.length - 8] = (bytes[bytes.length - 8] ?? 0) ^ 0xff; // The checksum.
  return bytes;
}

const times = (count: number) => `${String(count)} request${count === 1 ? '' : 's'}`;

describe('what each fault comes to', () => {
  for (const { fault, answer, sent, seen = sent, error: errorClass, outcome, onConnection, ...limits } of faults) {
    classesOfCall.forEach(({ name, call }, column) => {
      it(`${fault}: ${name} ends in ${errorClass.name}, ${outcome}, after ${times(sent[column] ?? 0)}`, async () => {
        const timeouts = limits.timeoutMs === undefined ? undefined : holdTimeouts(limits.timeoutMs);
        const expiring: Answer = (socket, request) => {
          answer(socket, request);
          // Time for the first bytes to arrive.
          if (timeouts !== undefined) setTimeout(timeouts.expire, 50);
        };
        const server = await WireServer.start(() => expiring, onConnection && { onConnection });
        const { client, attempts } = testClient(server.url, limits);

        const error = await rejection(call(client));

        expect(error).toBeInstanceOf(errorClass);
        expect(error).toMatchObject({ outcome });
        expect(attempts()).toBe(sent[column]);
        expect(server.requests).toHaveLength(seen[column] ?? 0);
      });
    });
  }

  classesOfCall.forEach(({ name, call }, column) => {
    it(`a refused connection: ${name} ends in ConnectionError, not_sent, after ${times(afterNotSent[column] ?? 0)}`, async () => {
      const { client, attempts } = testClient(closedPort);
      const error = await rejection(call(client));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ outcome: 'not_sent', attempts: 3 });
      expect(attempts()).toBe(afterNotSent[column]);
    });

    it(`a host name that does not exist: ${name} ends in ConnectionError, not_sent, after ${times(afterNotSent[column] ?? 0)}`, async () => {
      const { client, attempts } = testClient('https://nowhere.invalid');
      const error = await rejection(call(client));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ outcome: 'not_sent', attempts: 3 });
      expect(attempts()).toBe(afterNotSent[column]);
    });

    it(`a server that speaks no TLS: ${name} ends in ConnectionError, not_sent, after 1 request`, async () => {
      const server = await WireServer.start(() => silence, {
        onConnection: (socket) => {
          socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
          return false;
        },
      });
      const { client, attempts } = testClient(server.url.replace('http:', 'https:'));
      const error = await rejection(call(client));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ outcome: 'not_sent' });
      expect(attempts()).toBe(1);
    });
  });
});

describe('replies that can be read in spite of a fault', () => {
  for (const { name, call, good } of classesOfCall) {
    const body = JSON.stringify(good);
    const replies: Readonly<Record<string, Answer>> = {
      'a byte-order mark': reply({ body: `\uFEFF${body}` }),
      'another content type': reply({ body, headers: [['content-type', 'text/html; charset=utf-8']] }),
      gzip: reply({ body: gzipSync(body), headers: gzipped }),
      'an end with the connection instead of a length': raw(
        `HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${body}`,
        'end',
      ),
      'chunks of one byte': raw(
        `${chunked}${[...Buffer.from(body)].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('')}0\r\n\r\n`,
        'stay',
      ),
      'status 201': reply({ body, status: 201 }),
    };
    for (const [what, answer] of Object.entries(replies)) {
      it(`${what}: ${name} is read after 1 request`, async () => {
        const server = await WireServer.start(() => answer);
        const { client } = testClient(server.url);
        await call(client);
        expect(server.requests).toHaveLength(1);
      });
    }
  }
});

describe('a connection that was kept alive and is reset under the second request', () => {
  classesOfCall.forEach(({ name, call, good }, column) => {
    const again = (afterSilence[column] ?? 0) > 1;
    it(again ? `is sent again: ${name}` : `may have been carried out, and is not sent again: ${name}`, async () => {
      const server = await WireServer.start((request) => (request.onConnection > 1 ? reset : json(good)));
      const { client } = testClient(server.url);
      await call(client);
      // `fetch` takes a connection back a moment after the body's end.
      await new Promise((resolve) => setImmediate(resolve));

      if (again) await call(client);
      else
        expect(await rejection(call(client))).toMatchObject({
          name: 'ConnectionError',
          outcome: 'unknown',
          attempts: 1,
        });

      expect(server.requests.map((request) => request.connection)).toEqual(again ? [1, 1, 2] : [1, 1]);
    });
  });
});
