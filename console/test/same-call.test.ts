import { execFileSync } from 'node:child_process';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { asCurl, asTypeScript, routes } from '../src/views/requests/same-call.js';
import { allOperations } from '../../src/emulator/http/router.js';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { SocialPublishing } from '../../src/index.js';

afterAll(() => {
  vi.unstubAllGlobals();
});

// The modules of the page read the address when they are loaded.
vi.hoisted(() => {
  vi.stubGlobal('location', { hash: '', href: 'http://localhost/' });
  vi.stubGlobal('addEventListener', () => undefined);
});

const accessKey = 'test-key';
let service: Emulator;
let client: SocialPublishing;
let accountId: string;

beforeEach(() => {
  service = createEmulator({ accessKey, now: () => Date.parse('2026-03-02T09:00:00Z') });
  client = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey, fetch: service.fetch });
  accountId = service.seed.integration({ platform: 'instagram', username: 'acme' }).id;
});

/** A text with characters that can break quotes. */
const awkward = `It's "quoted", \\ and\nbroken \`over\` $lines '' \u2028`;

const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  'a post': () =>
    client.posts.create(
      { content: awkward, platforms: [{ platform: 'instagram', accountId }], publishNow: true },
      { extraBody: { mediaItems: [{ type: 'image', url: 'https://media.example/a.jpg' }], 'not-a-name': [] } },
    ),
  'a list with filters': async () => client.posts.list({ platform: ['instagram', 'tiktok'], limit: 5, offset: 2 }),
  'a list without any': async () => client.integrations.list(),
  'one thing by its ID': () => client.integrations.get(accountId),
  'a change of one': () => client.integrations.update(accountId, { profileId: null }),
  'a message': () =>
    client.messages
      .send({ platform: 'instagram', accountId, recipientId: 'nobody', text: awkward })
      .catch(() => undefined),
  'analytics of a post': () => client.analytics.getPost('post_1', { fromDate: '2026-02-01' }).catch(() => undefined),
  'analytics of posts': async () => client.analytics.listPosts({ sortBy: 'likes', page: 1 }),
  'logs of an ID with odd signs': async () => client.automations.listLogs('a b/ü').catch(() => undefined),
  'an operation that is not documented': () =>
    client.request('POST /v1/other/thing', { query: { a: '1' }, body: { b: [1, null, true] } }).catch(() => undefined),
};

function only(records: Emulator['requests']) {
  const [record] = records;
  if (record === undefined) throw new Error('nothing was sent');
  return record;
}

describe('a request as TypeScript', () => {
  it('is written, too, where its path has a lone percent sign', async () => {
    await service.fetch('https://emulator.test/v1/comment-automations/%/logs', {
      headers: { 'x-access-key': accessKey },
    });
    expect(asTypeScript(only(service.requests))).toContain('%');
    const call = { ...only(service.requests), route: 'GET /v1/comment-automations/{id}/logs' };
    expect(asTypeScript(call)).toContain("await client.automations.listLogs('%');");
  });

  it.each(Object.entries(calls))('%s: run again, it sends the same', async (_, call) => {
    await call();
    const first = only(service.requests);
    service.clear({ requests: true });
    const [, statement = ''] = asTypeScript(first).split("' });\n");
    await runInContext(`(async () => { ${statement} })().catch(() => undefined)`, createContext({ client }));
    const again = only(service.requests);
    expect({ method: again.method, url: again.url, body: again.body }).toEqual({
      method: first.method,
      url: first.url,
      body: first.body,
    });
  });

  it('knows every operation of the API document', () => {
    const documented = allOperations().map(({ endpoint }) => endpoint.route);
    expect([...routes].sort()).toEqual([...new Set(documented)].sort());
  });
});

describe('a request for curl', () => {
  it.each(Object.entries(calls))('%s: a shell reads the sent text', async (_, call) => {
    await call();
    const { method, url, body } = only(service.requests);
    // The shell splits the line; printf shows the parts instead of curl.
    const line = asCurl(only(service.requests)).replace(/^curl/, "printf '%s\\0'");
    const parts = execFileSync('sh', ['-c', line], {
      env: { ...process.env, SOCIAL_PUBLISHING_ACCESS_KEY: 'a key' },
      encoding: 'utf8',
    });
    const [flag, sentMethod, sentUrl, ...rest] = parts.split('\0');
    expect([flag, sentMethod, sentUrl]).toEqual(['-X', method, url]);
    expect(rest.slice(0, 2)).toEqual(['-H', 'x-access-key: a key']);
    const data = rest[rest.indexOf('-d') + 1] ?? '';
    if (body !== undefined) expect(JSON.parse(data)).toEqual(body);
  });
});
