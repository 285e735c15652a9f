import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ConfigurationError,
  logHooks,
  SocialPublishing,
  type ClientHooks,
  type Logger,
  type LogLevel,
} from '../../src/index.js';
import { post } from '../policies/calls.js';
import { rejection, testClient, testKey } from '../policies/client.js';
import { unhandledRejectionsOf } from '../support/unhandled-rejections.js';
import { json, reset, WireServer, type Script } from '../support/wire-server.js';

let server: WireServer;
let script: Script;

beforeEach(async () => {
  script = () => json(list);
  server = await WireServer.start((request, index) => script(request, index));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const list = { success: true, total: 0, posts: [] };
const levels = ['debug', 'info', 'warn', 'error'] as const;

/** A logger as most are: a text, then its fields. Its methods need their object. */
class Noted implements Logger {
  readonly lines: [level: string, ...line: unknown[]][] = [];
  #note(level: string, line: unknown[]): void {
    this.lines.push([level, ...line]);
  }
  debug(...line: unknown[]): void {
    this.#note('debug', line);
  }
  info(...line: unknown[]): void {
    this.#note('info', line);
  }
  warn(...line: unknown[]): void {
    this.#note('warn', line);
  }
  error(...line: unknown[]): void {
    this.#note('error', line);
  }
}

class PinoLike extends Noted {
  bindings(): object {
    return {};
  }
}

describe('logHooks', () => {
  it('writes one line for each attempt that was answered, each retry, and each call that failed', async () => {
    script = (_, index) => (index === 0 ? json({}, 503) : index === 1 ? json(list) : json({}, 400));
    const logger = new Noted();
    const { client } = testClient(server.url, { hooks: logHooks(logger) });
    await client.posts.list();
    await rejection(post.call(client));
    const place = { method: 'GET', route: '/v1/posts/', host: new URL(server.url).host };
    expect(logger.lines).toEqual([
      ['info', expect.stringMatching(/^GET \/v1\/posts\/ 503 in \d+ ms - attempt 1$/), expect.objectContaining(place)],
      ['warn', 'GET /v1/posts/ attempt 1 failed: ServerError 503 unknown - retry in 375 ms', expect.anything()],
      ['info', expect.stringMatching(/^GET \/v1\/posts\/ 200 in \d+ ms - attempt 2$/), expect.anything()],
      ['info', expect.stringMatching(/^POST \/v1\/posts\/ 400 in/), expect.anything()],
      ['error', 'POST /v1/posts/ failed: ApiError 400 rejected - attempts 1', expect.anything()],
    ]);
    expect(logger.lines[1]?.[2]).toMatchObject({ error: 'ServerError', status: 503, outcome: 'unknown', waitMs: 375 });
    expect(logger.lines[1]?.[2]).toHaveProperty('callId', (logger.lines[0]?.[2] as { callId: string }).callId);
  });

  it.each<[LogLevel, readonly string[]]>([
    ['debug', ['debug', 'info', 'warn', 'info', 'error']],
    ['info', ['info', 'warn', 'info', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ])('omits levels below %s', async (level, written) => {
    const drifting = { success: true, total: null, posts: [] };
    script = (_, index) => (index === 0 ? json(drifting) : index === 1 ? reset : json({}, 400));
    const logger = new Noted();
    const { client } = testClient(server.url, { hooks: logHooks(logger, { level }) });
    await client.posts.list();
    await rejection(client.posts.list());
    const sorted = (names: readonly unknown[]) => [...names].sort();
    expect(sorted(logger.lines.map(([name]) => name))).toEqual(sorted(written));
  });

  it('is silent at error if all calls succeed, and does no work for omitted lines', async () => {
    const logger = new Noted();
    const hooks = logHooks(logger, { level: 'error' });
    await testClient(server.url, { hooks }).client.posts.list();
    expect(logger.lines).toEqual([]);
    expect(Object.entries(hooks).filter(([, hook]) => hook !== undefined)).toHaveLength(1);
  });

  it('passes the fields to pino first', async () => {
    const logger = new PinoLike();
    await testClient(server.url, { hooks: logHooks(logger) }).client.posts.list();
    expect(logger.lines).toMatchObject([['info', { status: 200, attempt: 1 }, expect.stringMatching(/^GET /)]]);
  });

  it.each<[string, (hooks: ClientHooks) => ClientHooks]>([
    ['in the client', (hooks) => hooks],
    [
      'in hooks of your own that call them',
      (hooks) => ({
        onError: (info) => {
          hooks.onError?.(info);
        },
      }),
    ],
  ])('ignores a logger that rejects or throws, %s', async (_, wrap) => {
    script = () => json({}, 400);
    const down = () => Promise.reject(new Error('the log collector is down'));
    const broken = () => {
      throw new Error('the disk is full');
    };
    const loggers = [down, broken].map((log) => ({ debug: log, info: log, warn: log, error: log }));
    const reasons = await unhandledRejectionsOf(async () => {
      for (const logger of loggers) {
        const { client } = testClient(server.url, { hooks: wrap(logHooks(logger)) });
        expect(await rejection(client.posts.list())).toMatchObject({ name: 'ApiError', status: 400 });
      }
    });
    expect(reasons).toEqual([]);
  });

  it.each([
    ['a sentence on a terminal', true, /^GET \/v1\/posts\/ 200 in \d+ ms - attempt 1$/],
    ['JSON elsewhere', false, /^\{"time":"\d{4}-.*"level":"info","message":"GET .*"status":200.*\}$/],
  ])('writes %s to a console', async (_, isTTY, line) => {
    const info = vi.spyOn(console, 'info').mockImplementation(() => undefined);
    const before = process.stdout.isTTY;
    process.stdout.isTTY = isTTY;
    try {
      await testClient(server.url, { hooks: logHooks(console) }).client.posts.list();
    } finally {
      process.stdout.isTTY = before;
    }
    expect(info.mock.calls).toEqual([[expect.stringMatching(line)]]);
  });

  it('shows no key, URL, query, token, header or body, and no text of the service', async () => {
    const logger = new Noted();
    const token = 'selection-token-7';
    script = () => json({ success: false, message: `bad ${token} your-text` }, 400);
    const hooks = logHooks(logger, { level: 'debug' });
    const { client } = testClient(`${server.url}/prefix`, { hooks, headers: { 'x-mine': 'header-text' } });
    await rejection(client.posts.list({ limit: 1 }, { extraQuery: { search: 'query-text' } }));
    await rejection(
      client.posts.create({
        content: 'your-text',
        platforms: [{ platform: 'bluesky', accountId: 'a' }],
        publishNow: true,
      }),
    );
    await rejection(client.integrations.selectFacebookPages(token, { selectedAccountIds: ['page_1'] }));
    await rejection(client.posts.list({}, { signal: AbortSignal.abort(`${server.url}/?key=${testKey}`) }));
    await rejection(client.posts.list({}, { signal: AbortSignal.abort(new Error(testKey)) }));
    const written = JSON.stringify(logger.lines);
    expect(logger.lines.length).toBeGreaterThan(7);
    for (const secret of [testKey, token, 'query-text', 'your-text', 'header-text', 'prefix', 'http:', 'bad '])
      expect(written).not.toContain(secret);
  });

  it('reports why there is no reply, and an abort', async () => {
    script = () => reset;
    const logger = new Noted();
    const { client } = testClient(server.url, { hooks: logHooks(logger, { level: 'error' }), maxRetries: 0 });
    await rejection(post.call(client));
    await rejection(client.posts.list({}, { signal: AbortSignal.abort() }));
    await rejection(client.posts.list({}, { signal: AbortSignal.abort('enough') }));
    expect(logger.lines.map(([, text]) => text)).toEqual([
      expect.stringMatching(/^POST \/v1\/posts\/ failed: ConnectionError [A-Z_]+ unknown - attempts 1$/),
      'GET /v1/posts/ failed: AbortError - attempts 0',
      'GET /v1/posts/ failed: aborted - attempts 0',
    ]);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'a level that there is not',
      () => logHooks(console, { level: 'verbose' as never }),
      /level must be 'debug', 'info', 'warn' or 'error'/,
    ],
    ['a misspelt option', () => logHooks(console, { levle: 'info' } as never), /did you mean 'level'/],
    [
      'a logger without a method',
      () => logHooks({ info: () => undefined } as never),
      /logger must be an object with the methods/,
    ],
    ['no logger', () => logHooks(undefined as never), /logger must be an object with the methods/],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });
});

describe('SOCIAL_PUBLISHING_LOG', () => {
  const spies = () => levels.map((level) => vi.spyOn(console, level).mockImplementation(() => undefined));

  it("logs to stderr, in addition to the code's hooks, and once for clients made by withOptions", async () => {
    vi.stubEnv('SOCIAL_PUBLISHING_LOG', 'debug');
    const [debug, info, warn, error] = spies();
    let ends = 0;
    const hooks = { onEnd: () => (ends += 1) };
    const { client } = testClient(server.url, { hooks });
    await client.withOptions({ maxRetries: 0 }).posts.list();
    expect(ends).toBe(1);
    expect(error?.mock.calls).toEqual([[expect.stringMatching(/GET \/v1\/posts\/ 200/)]]);
    for (const silent of [debug, info, warn]) expect(silent).not.toHaveBeenCalled();
  });

  it.each(['', undefined])('is off where it is %j', async (value) => {
    vi.stubEnv('SOCIAL_PUBLISHING_LOG', value);
    const all = spies();
    await testClient(server.url).client.posts.list();
    for (const silent of all) expect(silent).not.toHaveBeenCalled();
  });

  it('with an invalid value is reported once, and breaks nothing', async () => {
    vi.stubEnv('SOCIAL_PUBLISHING_LOG', 'hush-verbose');
    const [, , warn] = spies();
    const make = () => new SocialPublishing({ baseUrl: server.url, accessKey: testKey });
    make();
    await make().posts.list();
    expect(warn?.mock.calls).toEqual([['SOCIAL_PUBLISHING_LOG is ignored: it must be debug, info, warn, error.']]);
  });
});
