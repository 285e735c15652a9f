import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { watchEmulator } from '../../src/cli/commands/listen.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { createEmulator } from '../../src/emulator/index.js';
import { verifyWebhook } from '../../src/webhooks/index.js';
import { MemoryDurableStore } from '../../src/publisher/index.js';
import { accessKey, cliWorld, runCommand, type CliResult, type CliWorld } from '../support/cli.js';
import { listening } from '../support/listening.js';
import { serveInMood } from '../support/rewriting-proxy.js';
import { shortenPauses } from '../support/short-timeouts.js';
import { serveThroughCache } from '../support/stale-cache.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const secret = 'a-webhook-secret-of-tests';
const env = { SOCIAL_PUBLISHING_WEBHOOK_SECRET: secret };

interface Received {
  readonly id: string;
  readonly type: string;
  readonly status: number;
}

let world: CliWorld;
const folder = temporaryFolder('cli', afterAll);
let url: string;
/** The received deliveries, each with a valid signature. */
let received: Received[];
let replyStatus: number;
let replyText: string;

beforeEach(async () => {
  world = await cliWorld();
  received = [];
  replyStatus = 200;
  replyText = 'seen';
  // A paused client must not lose its next request: only the client closes idle connections.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void (async () => {
      const { id = '', type } = await verifyWebhook({ body: await buffer(request), headers: request.headers, secret });
      received.push({ id, type, status: replyStatus });
      response.writeHead(replyStatus).end(replyText);
    })();
  });
  url = `${(await listening(server)).url}/webhooks`;
});

describe('webhooks sign and verify', () => {
  it('fit together, and show no secret', async () => {
    const body = join(folder, 'body.json');
    await writeFile(body, '{"id":"event_1","type":"post.failed"}');
    const signed = await world.run(['webhooks', 'sign', '--body', body], { env });
    const headers = signed.json() as Record<string, string>;
    expect(headers['X-Service-Event-Id']).toBe('event_1');
    const verify = (signature: string, ...more: string[]) =>
      world.run(
        [
          ...['webhooks', 'verify', '--body', body, '--signature', signature],
          ...['--timestamp', headers['X-Service-Timestamp'] ?? '', ...more],
        ],
        { env },
      );
    const valid = await verify(headers['X-Service-Signature'] ?? '');
    expect([valid.code, valid.json()]).toMatchObject([0, { valid: true }]);
    const forged = await verify(`sha256=${'0'.repeat(64)}`);
    expect([forged.code, forged.json()]).toMatchObject([1, { valid: false, code: 'signature_mismatch' }]);
    expect(signed.out + valid.out + forged.out + forged.err).not.toContain(secret);
  });

  it('refuse an old delivery, unless the tolerance allows it', async () => {
    const body = join(folder, 'old.json');
    await writeFile(body, '{}');
    const { json } = await world.run(['webhooks', 'sign', '--body', body, '--timestamp', '1700000000'], { env });
    const { 'X-Service-Signature': signature = '' } = json() as Record<string, string>;
    const args = ['webhooks', 'verify', '--body', body, '--signature', signature, '--timestamp', '1700000000'];
    expect((await world.run(args, { env })).json()).toMatchObject({ code: 'timestamp_too_old', signatureValid: true });
    expect((await world.run([...args, '--tolerance', 'none'], { env })).json()).toMatchObject({ valid: true });
  });

  it.each(['', ' ', 'now', '-1', '1.5'])(
    'refuse the time %j: an empty variable does not sign for 1970',
    async (time) => {
      const args = ['webhooks', 'sign', '--body', '-', '--timestamp', time];
      const { code, err, out } = await world.run(args, { env, stdin: '{}' });
      const message = `--timestamp must be a whole number from 0, not '${time}'.`;
      expect([code, err, out]).toEqual([2, `${message}\nSee --help.\n`, '']);
    },
  );

  it('need a secret, which may come from a file', async () => {
    const file = join(folder, 'secret');
    await writeFile(file, `${secret}\n`);
    const args = ['webhooks', 'sign', '--body', '-'];
    const { code, err } = await world.run(args, { stdin: '{}' });
    const message = 'The signing secret is missing. Set SOCIAL_PUBLISHING_WEBHOOK_SECRET, or pass --secret-file FILE.';
    expect([code, err]).toEqual([2, `${message}\nSee --help.\n`]);
    expect((await world.run([...args, '--secret-file', file], { stdin: '{}' })).code).toBe(0);
  });
});

describe('webhooks trigger', () => {
  it.each(['post.scheduled', 'post.published', 'post.partial', 'post.failed'])('sends one signed %s', async (type) => {
    const { code, json } = await world.run(['webhooks', 'trigger', type, '--to', url], { env });
    expect([code, json()]).toMatchObject([0, { type, ok: true, status: 200, reply: 'seen' }]);
    expect(received).toMatchObject([{ type, id: (json() as { eventId: string }).eventId }]);
  });

  it.each([
    ['post.scheduled', ['scheduled', 'scheduled']],
    ['post.published', ['published', 'published']],
    ['post.partial', ['published', 'failed']],
    ['post.failed', ['failed', 'failed']],
  ])('sends a %s that has the results of such a post', async (type, statuses) => {
    const now = '2027-03-01T08:00:00.000Z';
    const options = { env, now: () => Date.parse(now) };
    const { json } = await world.run(['webhooks', 'trigger', type, '--to', url, '--dry-run'], options);
    const target = (platform: string, status: string) => ({
      platform,
      integrationId: `integration_${platform}`,
      profileId: null,
      status,
      platformPostId: status === 'published' ? '1789' : null,
      platformPostUrl: status === 'published' ? `https://example.com/${platform}/1789` : null,
      publishedAt: status === 'published' ? now : null,
      errorMessage: status === 'failed' ? 'The account was disconnected.' : null,
      warningMessage: null,
    });
    const id = 'post_sample';
    expect(json()).toMatchObject({
      headers: { 'X-Service-Signature': '***' },
      body: {
        version: '1',
        id: expect.stringMatching(/^sample_.{36}$/) as string,
        type,
        createdAt: now,
        projectId: 'project_sample',
        profileId: null,
        data: {
          post: {
            id,
            status: type.replace('post.', ''),
            content: 'A sample of social-publishing webhooks trigger.',
            scheduledFor: type === 'post.scheduled' ? now : null,
            publishedAt: statuses[0] === 'published' ? now : null,
            mediaItems: [],
            links: { service: `https://example.com/posts/${id}`, api: `https://example.com/v1/posts/${id}` },
          },
          platforms: [target('bluesky', statuses[0] ?? ''), target('linkedin', statuses[1] ?? '')],
        },
      },
    });
  });

  it('with --dry-run prints the request, and sends nothing', async () => {
    const args = ['webhooks', 'trigger', 'post.failed', '--to', url, '--dry-run'];
    expect((await world.run(args, { env })).json()).toMatchObject({ dryRun: true, method: 'POST', url });
    expect(received).toEqual([]);
  });

  it.each([
    ['', {}],
    ['x'.repeat(201), { reply: 'x'.repeat(200) }],
  ])('shows the start of the reply %j', async (text, shown) => {
    replyText = text;
    const { json } = await world.run(['webhooks', 'trigger', 'post.failed', '--to', url], { env });
    const eventId = expect.any(String) as string;
    expect(json()).toEqual({ eventId, type: 'post.failed', ok: true, status: 200, ...shown });
  });

  it('counts a 2xx as accepted, even if its body breaks off', async () => {
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-length': '9' });
      request.resume().on('end', () => response.write('cut', () => response.destroy()));
    });
    const to = (await listening(server)).url;
    const { code, json } = await world.run(['webhooks', 'trigger', 'post.failed', '--to', to], { env });
    expect([code, json()]).toMatchObject([0, { ok: true, status: 200 }]);
  });

  it('exits with 1 if the receiver refuses it or is not there, and with 2 for an unknown event', async () => {
    replyStatus = 500;
    expect((await world.run(['webhooks', 'trigger', 'post.failed', '--to', url], { env })).code).toBe(1);
    expect((await world.run(['webhooks', 'trigger', 'post.failed', '--to', 'http://127.0.0.1:9'], { env })).code).toBe(
      1,
    );
    expect((await world.run(['webhooks', 'trigger', 'post.gone', '--to', url], { env })).code).toBe(2);
    expect((await world.run(['webhooks', 'trigger', 'post.failed', '--to', 'nowhere'], { env })).code).toBe(2);
  });

  it('refuses a URL with a password, and does not print it', async () => {
    for (const to of [
      'http://user:hidden-word@127.0.0.1:9/',
      'http://user@127.0.0.1:9/',
      'http://:hidden-word@[::1]:9/',
    ]) {
      const { code, out, err } = await world.run(['webhooks', 'trigger', 'post.failed', '--to', to], { env });
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain('--to must be a URL without a user name and password.');
      expect(err).not.toContain('hidden-word');
    }
  });
});

/** Its next inserts of events fail. */
class FailingStore extends MemoryDurableStore {
  failures = 0;

  override insert(...args: Parameters<MemoryDurableStore['insert']>): ReturnType<MemoryDurableStore['insert']> {
    if (this.failures === 0 || !args[0].includes('event')) return super.insert(...args);
    this.failures -= 1;
    return Promise.reject(new Error('database is locked'));
  }
}

describe('the changes of an emulator', () => {
  const stream = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } };
  it.each([
    ['a stream of events', () => new Response('', stream), true],
    ['a reply without a body', () => new Response(null, stream), false],
    ['an error', () => new Response('', { ...stream, status: 500 }), false],
    ['a page', () => new Response('', { headers: { 'content-type': 'text/html' } }), false],
    ['a reply without a type', () => new Response(new Uint8Array()), false],
    ['no reply', () => Promise.reject(new Error('The connection was refused.')), false],
  ])('are followed after %s: %s', async (_, reply, isEmulator) => {
    const stop = new AbortController();
    const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(reply()));
    onTestFinished(() => {
      stop.abort();
      fetch.mockRestore();
    });
    const watch = (baseUrl: string) => watchEmulator(baseUrl, stop.signal, new EventTarget());
    expect(await watch('http://127.0.0.1:1/base')).toBe(isEmulator);
    expect(fetch.mock.calls.map(([url]) => url)).toEqual(['http://127.0.0.1:1/_emulator/events']);
    // The emulator is on this machine.
    expect(await watch('https://api.example.com')).toBe(false);
    expect(fetch).toHaveBeenCalledOnce();
  });

  it.each([
    ['whole', ['event: post\ndata: {}\n\n'], 1],
    ['in two parts', ['event: request\n\nevent: po', 'st\ndata: {}\n\n', 'data: {}\n\n'], 1],
    ['with the end of its line later', ['event: post', '\ndata: {}\n\n'], 1],
    ['of another kind', ['event: posted', '\n\n'], 0],
  ])('are reported once for each event (%s)', async (_, chunks, reports) => {
    const stop = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk !== undefined) controller.enqueue(new TextEncoder().encode(chunk));
        else controller.close();
      },
    });
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(new Response(body, { headers }));
    const changes = new EventTarget();
    let count = 0;
    changes.addEventListener('change', () => (count += 1));
    expect(await watchEmulator('http://127.0.0.1:1', stop.signal, changes)).toBe(true);
    // The whole stream is read before the next timer.
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(count).toBe(reports);
    stop.abort();
    fetch.mockRestore();
  });
});

describe('webhooks listen', () => {
  interface Listening {
    readonly stop: () => Promise<CliResult>;
  }

  /** The store that the command opens. */
  let store: FailingStore;
  let restorePauses: () => void;
  beforeEach(() => {
    store = new FailingStore();
    restorePauses = shortenPauses();
  });
  afterEach(() => {
    restorePauses();
    vi.unstubAllEnvs();
  });

  function runListen(args: readonly string[], signal: AbortSignal, tty = false): Promise<CliResult> {
    const settings = {
      SOCIAL_PUBLISHING_BASE_URL: world.url,
      SOCIAL_PUBLISHING_ACCESS_KEY: accessKey,
      XDG_STATE_HOME: '/nonexistent',
    };
    return runCommand(
      ['webhooks', 'listen', '--forward-to', url, ...args],
      { env: { ...settings, ...env }, signal, tty },
      () => Promise.resolve({ store, close: () => undefined }),
    );
  }

  /** Moves the service's clock, and waits until the command has read the posts. */
  async function advance(duration: { readonly seconds?: number; readonly hours?: number }): Promise<void> {
    const before = world.service.requests.length;
    await world.service.clock.advance(duration);
    await expect.poll(() => world.service.requests.length).toBeGreaterThan(before + 3);
  }

  /** Starts to listen, and waits until it does. */
  async function listen(...args: string[]): Promise<Listening> {
    return listenOn(false, args);
  }

  /** @param tty whether stdout is a terminal */
  async function listenOn(tty: boolean, args: readonly string[]): Promise<Listening> {
    const stopping = new AbortController();
    const before = world.service.requests.length;
    const running = runListen(args, stopping.signal, tty);
    // It reads the service's time, then the posts.
    await expect.poll(() => world.service.requests.length).toBeGreaterThan(before + 2);
    return {
      stop: () => {
        stopping.abort();
        return running;
      },
    };
  }

  const create = (content: string, ...mode: string[]) =>
    world.run(['posts', 'create', '--content', content, '--target', `bluesky:${world.accountId}`, '--yes', ...mode]);
  const ids = (type: string) => received.filter((event) => event.type === type).map(({ id }) => id);

  /** Publishes a post for hours, and waits for its event. */
  async function publishFilm(): Promise<void> {
    world.service.publishing.duration({ hours: 3 });
    await create('a long film', '--publish-now');
    await advance({ hours: 2 });
    await advance({ hours: 2 });
    await expect.poll(() => ids('post.published')).toHaveLength(1);
  }

  it('forwards events of the emulator as they happen, signed, and creates no subscription', async () => {
    const { stop } = await listen();
    await create('now', '--publish-now');
    await expect.poll(() => ids('post.published')).toHaveLength(1);
    await create('later', '--scheduled-for', new Date(Date.now() + 3_600_000).toISOString());
    await expect.poll(() => ids('post.scheduled')).toHaveLength(1);
    await world.service.clock.advance({ hours: 2 });
    await expect.poll(() => ids('post.published')).toHaveLength(2);
    const { code, out } = await stop();
    expect(code).toBe(130);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { ok: boolean }).ok),
    ).toEqual([true, true, true]);
    expect(out).not.toContain(secret);
    expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('shows each attempt as a line on a terminal', async () => {
    replyStatus = 503;
    const { stop } = await listenOn(true, []);
    await create('now', '--publish-now');
    await expect.poll(() => received.length).toBeGreaterThan(0);
    replyStatus = 200;
    await expect.poll(() => received.some(({ status }) => status === 200)).toBe(true);
    const lines = (await stop()).out.trim().split('\n');
    const [id = ''] = ids('post.published');
    expect(lines[0]).toMatch(new RegExp(`^post\\.published  ${id}  503  will be repeated`));
    expect(lines.at(-1)).toMatch(new RegExp(`^post\\.published  ${id}  200  accepted`));
  });

  it('takes no time from the Date of a cached reply: an event of the last hour is not sent', async () => {
    await create('before', '--publish-now');
    const cache = await serveThroughCache(world.url);
    const { stop } = await listen('--base-url', cache.url);
    expect((await stop()).code).toBe(130);
    const place = (await store.scan('', undefined, 100)).find(({ key }) => key.endsWith('/place'));
    const { start } = JSON.parse(place?.data ?? '{}') as { start: number };
    expect(Math.abs(start - Date.now())).toBeLessThan(30 * 60_000);
    expect(received).toEqual([]);
  });

  it('loses no event over a restart, and repeats a refused delivery with the same event ID', async () => {
    replyStatus = 503;
    const first = await listen();
    await create('one', '--publish-now');
    await expect.poll(() => received.length).toBeGreaterThan(0);
    await first.stop();
    await create('while nobody listens', '--publish-now');
    replyStatus = 200;
    const second = await listen();
    await expect.poll(() => new Set(received.filter(({ status }) => status === 200).map(({ id }) => id)).size).toBe(2);
    await second.stop();
    expect(new Set(ids('post.published')).size).toBe(2);
    // Once each.
    expect(received.filter(({ status }) => status === 200)).toHaveLength(2);
  });

  it('continues under another spelling of the base URL', async () => {
    const first = await listen('--base-url', `${world.url}/`);
    await first.stop();
    await create('while nobody listens', '--publish-now');
    const second = await listen('--base-url', world.url.replace('http', 'HTTP'));
    await expect.poll(() => ids('post.published')).toHaveLength(1);
    await second.stop();
  });

  it('sends no event of a post that was scheduled before it started, even if the service ignores the filters', async () => {
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
    await create('before', '--scheduled-for', scheduledFor);
    await world.service.clock.advance({ seconds: 60 });
    const { url: ignoring } = await serveInMood(world.url, { ignores: ['createdAfter', 'createdBefore'] });
    const { stop } = await listen('--poll', '1', '--base-url', ignoring);
    await create('after', '--scheduled-for', scheduledFor);
    await expect.poll(() => received).toHaveLength(1);
    const { out, err } = await stop();
    const eventId = 'recovered_post_2_scheduled';
    expect(JSON.parse(out)).toEqual({ eventId, type: 'post.scheduled', ok: true, status: 200, reply: 'seen' });
    expect(err.startsWith(`Events of ${ignoring} go to ${url} until Ctrl-C. /nonexistent/`)).toBe(true);
    expect(err).toMatch(/\.db keeps the state\.\n$/);
  });

  it('starts with --since in the past', async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    await create('before', '--publish-now');
    const { stop } = await listen('--since', since);
    await expect.poll(() => received.length).toBe(1);
    await stop();
    for (const [time, message] of [
      ['now', '--since must be a time with its offset'],
      ['2027-02-30T00:00:00Z', '--since names a day that does not exist: 2027-02 has 28 days.'],
    ] as const) {
      const { code, err } = await world.run(['webhooks', 'listen', '--forward-to', url, '--since', time], { env });
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    }
  });

  it('loses no event if the list shows posts late', async () => {
    const { stop } = await listen('--poll', '1');
    world.service.faults.add({ kind: 'listing_lag', lagMs: 60_000 });
    await create('now', '--publish-now');
    await create('later', '--scheduled-for', new Date(Date.now() + 3_600_000).toISOString());
    await advance({ seconds: 30 });
    expect(received).toEqual([]);
    await advance({ seconds: 40 });
    await expect.poll(() => [ids('post.published').length, ids('post.scheduled').length]).toEqual([1, 1]);
    await stop();
    expect(received).toHaveLength(2);
  });

  it('loses no event if the store refuses a write, and shows the error', async () => {
    const { stop } = await listen('--poll', '1');
    store.failures = 2;
    await create('later', '--scheduled-for', new Date(Date.now() + 3_600_000).toISOString());
    await expect.poll(() => ids('post.scheduled')).toHaveLength(1);
    const { err } = await stop();
    expect(store.failures).toBe(0);
    expect(err).toContain('database is locked');
    expect(err).toContain(
      'The events could not be read or stored: The store did not accept an event. The next read covers this time too.',
    );
  });

  it('sends the events of a new emulator that gives its posts the old IDs', async () => {
    const { stop } = await listen('--poll', '1');
    await create('before', '--publish-now');
    await expect.poll(() => ids('post.published')).toHaveLength(1);
    await world.close();
    const next = createEmulator({ accessKey, now: Date.now });
    next.seed.integration({ platform: 'bluesky', username: 'acme' });
    const served = await serveEmulator(next, { port: Number(new URL(world.url).port), console: true });
    try {
      // The first request can meet a connection of the old server.
      await expect.poll(async () => (await world.run(['posts', 'list'])).code).toBe(0);
      await create('after', '--publish-now');
      await expect.poll(() => received).toHaveLength(2);
      await create('later', '--scheduled-for', new Date(Date.now() + 3_600_000).toISOString());
      await expect
        .poll(() => received.map(({ id }) => id))
        .toEqual(['recovered_post_1_published', 'recovered_post_1_published', 'recovered_post_2_scheduled']);
      expect(next.posts.map(({ postId }) => postId)).toEqual(['post_1', 'post_2']);
    } finally {
      await stop();
      await served.close();
    }
    expect(received).toHaveLength(3);
  });

  it.each(['Asia/Tokyo', 'America/Los_Angeles'])(
    'reads times of the service without an offset as UTC in %s',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      const undated = await serveInMood(world.url, {
        rewrite: (body) => body.replaceAll(/(:\d\d(?:\.\d+)?)Z"/g, '$1"'),
      });
      const { stop } = await listen('--poll', '1', '--base-url', undated.url);
      await create('later', '--scheduled-for', new Date(Date.now() + 24 * 3_600_000).toISOString());
      await expect.poll(() => ids('post.scheduled')).toHaveLength(1);
      await publishFilm();
      await stop();
    },
  );

  it('sends the final event of a post that publishes for hours', async () => {
    const { stop } = await listen('--poll', '1');
    await publishFilm();
    await stop();
  });

  it('refuses a URL with a password', async () => {
    const to = url.replace('//', '//user:hidden-word@');
    const { code, err } = await world.run(['webhooks', 'listen', '--forward-to', to], { env });
    expect(code).toBe(2);
    expect(err).toContain('--forward-to must be a URL without a user name and password.');
    expect(err).not.toContain('hidden-word');
  });
});
