import { beforeEach, describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  Paginator,
  preflight,
  SocialPublishing,
  type CreatePostBody,
  type CreatePostFields,
  type Post,
  type PreflightClient,
  type PreflightFinding,
  type PreflightOptions,
} from '../../src/index.js';
import { preflightAll } from '../../src/resources/preflight/preflight.js';
import { rejection } from '../policies/client.js';
import { everydayWorld, start, type EverydayWorld } from './everyday-world.js';

const minute = 60_000;
const hour = 60 * minute;
const at = (ms: number) => new Date(start + ms).toISOString();

let world: EverydayWorld;
let accountId: string;

beforeEach(() => {
  world = everydayWorld();
  accountId = world.service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
});

const target = () => ({ platform: 'bluesky', accountId }) as const;
const scheduled = (fields: CreatePostFields = {}): CreatePostFields => ({
  content: 'Doors open at six',
  platforms: [target()],
  scheduledFor: at(2 * hour),
  ...fields,
});
const check = (body: CreatePostFields, options?: PreflightOptions) => preflight(world.client, body, options);

async function found(body: CreatePostFields, options?: PreflightOptions) {
  const { findings } = await check(body, options);
  return findings.map(({ code, severity }) => [code, severity]);
}

async function only(body: CreatePostFields, options?: PreflightOptions): Promise<PreflightFinding | undefined> {
  const { findings } = await check(body, options);
  expect(findings).toHaveLength(1);
  return findings[0];
}

const routes = () => world.service.requests.map(({ method, route }) => (route === undefined ? method : route)).sort();

describe('a post without findings', () => {
  it.each<[string, CreatePostFields]>([
    ['to schedule', { scheduledFor: at(2 * hour) }],
    ['to publish now', { scheduledFor: undefined, publishNow: true }],
  ])('%s is ok, after reads that change nothing', async (_, mode) => {
    expect(await check(scheduled(mode))).toEqual({ ok: true, findings: [] });
    expect(routes()).toEqual([
      'GET /v1/connect/integrations',
      'GET /v1/connect/integrations/{id}',
      'GET /v1/posts/',
      'GET /v1/posts/',
    ]);
    expect(world.client.creditsUsed).toBe(0);
  });

  it('of more than a day ahead needs no list by creation', async () => {
    expect(await check(scheduled({ scheduledFor: at(72 * hour) }))).toEqual({ ok: true, findings: [] });
    expect(world.lists()).toMatchObject([
      { scheduledAfter: at(48 * hour - minute), scheduledBefore: at(96 * hour + minute) },
    ]);
  });

  it('that is a draft sends nothing', async () => {
    const draft: CreatePostBody = { content: 'Hello', saveAsDraft: true };
    expect(await check(draft)).toEqual({ ok: true, findings: [] });
    expect(world.service.requests).toEqual([]);
  });

  it('reads each account once', async () => {
    const other = world.service.seed.integration({ platform: 'bluesky' }).id;
    await check(scheduled({ platforms: [target(), { platform: 'bluesky', accountId: other }, target()] }));
    expect(routes().filter((route) => route.endsWith('{id}'))).toHaveLength(2);
  });
});

describe('invalid', () => {
  it('is each issue that posts.create would report, with its path', async () => {
    const body = { content: 'Hello', platforms: [target(), target()] };
    const { ok, findings } = await check(body);
    const error = (await rejection(world.client.posts.create(body as never))) as InvalidRequestError;
    expect(ok).toBe(false);
    expect(findings).toEqual(error.issues.map((issue) => ({ code: 'invalid', severity: 'error', ...issue })));
    expect(findings.map(({ message }) => message)).toContain(
      'platforms.1 repeats platforms.0. List each platform and accountId once',
    );
  });

  it.each([undefined, null, 'text', []])('is a body that is %j', async (body) => {
    expect(await found(body as never)).toContainEqual(['invalid', 'error']);
  });
});

describe('the account', () => {
  it('account_not_found: it is not connected', async () => {
    const platforms = [{ platform: 'bluesky', accountId: 'gone' }] as const;
    expect(await only(scheduled({ platforms }))).toEqual({
      code: 'account_not_found',
      severity: 'error',
      message: 'The account gone is not connected. integrations.list returns the connected accounts.',
      path: ['platforms', 0, 'accountId'],
      platform: 'bluesky',
      accountId: 'gone',
    });
  });

  it('account_not_found: it was disconnected since it was listed', async () => {
    world.service.faults.add({ route: 'GET /v1/connect/integrations/{id}', kind: 'status', status: 404 });
    expect(await found(scheduled())).toEqual([['account_not_found', 'error']]);
  });

  it('platform_mismatch: it belongs to another platform', async () => {
    const finding = await only(scheduled({ platforms: [{ platform: 'facebook', accountId }] }));
    expect(finding).toMatchObject({ code: 'platform_mismatch', severity: 'error', platform: 'facebook' });
    expect(finding?.message).toBe(
      `The account ${accountId} belongs to bluesky, not to facebook. Pass targetOf(integration).`,
    );
  });

  it.each([
    [{ authFailureReason: 'token_expired' }, 'the service reports a failed authorization (token_expired)'],
    [{ authStatus: 'revoked' }, 'the service reports a failed authorization (revoked)'],
    [{ tokenStatus: { valid: true, autoRefreshes: true, reconnectRequired: true } }, 'its token status asks for it'],
  ])('reconnect_required: it needs a new login now, %j', async (state, reason) => {
    const { id } = world.service.seed.integration({ platform: 'bluesky', ...state });
    const finding = await only(scheduled({ platforms: [{ platform: 'bluesky', accountId: id }] }));
    expect(finding).toMatchObject({ code: 'reconnect_required', severity: 'error', accountId: id });
    expect(finding?.message).toContain(reason);
  });

  it('reconnect_required: its token expired, which the service does not report yet', async () => {
    const account = { id: accountId, platform: 'bluesky', accessTokenExpiresAt: at(-hour) };
    const client: PreflightClient = {
      integrations: { list: () => Paginator.from([account]), get: () => Promise.resolve(account) },
      posts: { list: () => Paginator.from([]) },
    };
    const { ok, findings } = await preflight(client, scheduled(), { now: () => start });
    expect(ok).toBe(false);
    expect(findings.map(({ message }) => message)).toEqual([
      `The account ${accountId} needs a new login: its token expired at ${at(-hour)}. Connect it again before you publish.`,
    ]);
  });

  it.each([
    ['before the time of the post', at(hour), false, [['token_expires', 'warning']]],
    ['after it', at(3 * hour), false, []],
    ['before it, but refreshes automatically', at(hour), true, []],
  ])('token_expires: its token expires %s', async (_, accessTokenExpiresAt, autoRefreshes, findings) => {
    const tokenStatus = { valid: true, autoRefreshes, reconnectRequired: false };
    const { id } = world.service.seed.integration({ platform: 'bluesky', accessTokenExpiresAt, tokenStatus });
    const body = scheduled({ platforms: [{ platform: 'bluesky', accountId: id }] });
    expect(await found(body)).toEqual(findings);
    expect((await check(body)).ok).toBe(true);
  });
});

describe('time_passed', () => {
  it('is a time before the time of the service', async () => {
    expect(await only(scheduled({ scheduledFor: at(-minute) }))).toEqual({
      code: 'time_passed',
      severity: 'error',
      message:
        `scheduledFor is ${at(-minute)}, and the service's time is ${at(0)}. Choose a later time, or publish now: ` +
        'the API document does not say how the service handles a time in the past.',
      path: ['scheduledFor'],
    });
  });

  it('goes by the clock of the service, not of this machine', async () => {
    // The machine is a day behind.
    const { service } = world;
    const client = new SocialPublishing({
      baseUrl: 'https://emulator.test',
      accessKey: 'test-key',
      fetch: service.fetch,
      now: () => service.clock.now() - 24 * hour,
    });
    const { findings } = await preflight(client, scheduled({ scheduledFor: at(-hour) }));
    expect(findings.map(({ code }) => code)).toEqual(['time_passed']);
  });

  it('goes by the option now', async () => {
    expect(await found(scheduled(), { now: () => start + 3 * hour })).toEqual([['time_passed', 'error']]);
  });

  it('is not known for a time without an offset', async () => {
    const body = scheduled({ scheduledFor: '2026-03-01T09:00' });
    expect(await only(body, { extraBody: { timezone: 'Europe/Berlin' } })).toEqual({
      code: 'not_checked',
      severity: 'warning',
      message:
        'scheduledFor is not a time with an offset, so it was not compared with the time of tokens and of other posts.',
      path: ['scheduledFor'],
    });
  });
});

describe('another post', () => {
  const other = (fields: object) =>
    world.service.seed.post({
      content: 'Doors open at six',
      platforms: [target()],
      rawRequestBody: { platforms: [target()] },
      ...fields,
    }).postId;

  it('duplicate: it has an equal text for the same account, within 24 hours', async () => {
    const postId = other({ scheduledFor: at(25 * hour), content: ' Doors  open at six\n' });
    expect(await only(scheduled())).toEqual({
      code: 'duplicate',
      severity: 'warning',
      message: `The post ${postId} (scheduled, ${at(25 * hour)}) has the same text and is for the same account, ${accountId}.`,
      path: ['platforms', 0, 'accountId'],
      platform: 'bluesky',
      accountId,
    });
  });

  it('duplicate: counts further posts', async () => {
    other({ scheduledFor: at(25 * hour) });
    const postId = other({ scheduledFor: at(20 * hour) });
    const finding = await only(scheduled());
    expect(finding?.message).toContain(`The post ${postId} `);
    expect(finding?.message).toContain('(and 1 more)');
  });

  it('duplicate: it was published before', async () => {
    await world.client.posts.create({ content: 'Doors open at six', platforms: [target()], publishNow: true });
    await world.service.clock.advance({ hours: 1 });
    expect(await found(scheduled())).toEqual([['duplicate', 'warning']]);
  });

  it.each([
    ['has another text', { content: 'Doors open at seven' }],
    ['is for another time', { scheduledFor: at(27 * hour) }],
    ['failed', { status: 'failed' }],
    ['is for another account', { rawRequestBody: { platforms: [{ platform: 'bluesky', accountId: 'other' }] } }],
  ])('is no finding if it %s', async (_, fields) => {
    other({ scheduledFor: at(10 * hour), ...fields });
    expect(await found(scheduled())).toEqual([]);
  });

  it('is no finding if it failed for this account', async () => {
    const { service } = world;
    const second = service.seed.integration({ platform: 'facebook' }).id;
    const platforms = [target(), { platform: 'facebook', accountId: second }] as const;
    service.publishing.outcome({ platform: 'bluesky', error: 'Refused' });
    await world.client.posts.create({ content: 'Doors open at six', platforms, publishNow: true });
    await service.clock.advance({ hours: 1 });
    expect(service.posts[0]?.status).toBe('partial');
    expect(await found(scheduled())).toEqual([]);
    expect(await found(scheduled({ platforms }))).toEqual([['duplicate', 'warning']]);
  });

  it('may be a duplicate if the list does not show its account', async () => {
    const postId = other({ scheduledFor: at(10 * hour), rawRequestBody: {} });
    const finding = await only(scheduled());
    expect(finding?.message).toBe(
      `The post ${postId} (scheduled, ${at(10 * hour)}) has the same text and may be for the same account, ` +
        `${accountId}: the list does not show its account.`,
    );
  });

  it('is no finding if the reply does not match the API document', async () => {
    const odd = { postId: 'odd', content: 7, platforms: 'bluesky', scheduledFor: at(2 * hour) };
    const posts = [odd, { ...odd, postId: 'odder', platforms: [target()] }] as unknown as Post[];
    const client: PreflightClient = {
      integrations: world.client.integrations,
      posts: { list: () => Paginator.from(posts) },
    };
    const { findings } = await preflight(client, scheduled(), { now: () => start });
    expect(findings.map(({ code }) => code)).toEqual(['time_conflict']);
  });

  it('time_conflict: it goes out within 5 minutes', async () => {
    const postId = other({ scheduledFor: at(2 * hour + 5 * minute), content: 'Another text' });
    const finding = await only(scheduled());
    expect(finding).toMatchObject({ code: 'time_conflict', severity: 'warning', accountId });
    expect(finding?.message).toBe(
      `The post ${postId} (scheduled, ${at(2 * hour + 5 * minute)}) goes out within 5 minutes of this post and is ` +
        `for the same account, ${accountId}.`,
    );
  });

  it('is no time_conflict if it is further away, or a draft', async () => {
    other({ scheduledFor: at(2 * hour + 6 * minute), content: 'Another text' });
    other({ content: 'A draft' });
    expect(await found(scheduled())).toEqual([]);
    expect(await found(scheduled({ scheduledFor: undefined, publishNow: true, content: 'Now' }))).toEqual([]);
  });
});

describe('text_too_long', () => {
  it('is a text above the limit of a platform, with its source', async () => {
    const finding = await only(scheduled({ content: 'é'.repeat(301) }));
    expect(finding).toMatchObject({ code: 'text_too_long', severity: 'warning', platform: 'bluesky' });
    expect(finding?.message).toBe(
      'The text has 301 characters. bluesky documents at most 300 for a post ' +
        '(https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json, 2026-11-26). ' +
        'The service may count differently.',
    );
  });

  it('is no finding at the limit, or on a platform without a documented limit', async () => {
    expect(await found(scheduled({ content: 'é'.repeat(300) }))).toEqual([]);
    const linkedin = world.service.seed.integration({ platform: 'linkedin' }).id;
    const platforms = [{ platform: 'linkedin', accountId: linkedin }] as const;
    expect(await found(scheduled({ content: 'a'.repeat(10_000), platforms }))).toEqual([]);
  });

  it('is one finding for two accounts of a platform', async () => {
    const second = world.service.seed.integration({ platform: 'bluesky' }).id;
    const platforms = [target(), { platform: 'bluesky', accountId: second }] as const;
    expect(await found(scheduled({ content: 'a'.repeat(301), platforms }))).toEqual([['text_too_long', 'warning']]);
  });
});

describe('media_missing', () => {
  it.each(['instagram', 'tiktok', 'youtube', 'pinterest'] as const)(
    'is a post for %s without extraBody',
    async (platform) => {
      const { id } = world.service.seed.integration({ platform });
      const body = scheduled({ platforms: [{ platform, accountId: id }] });
      expect(await found(body)).toEqual([['media_missing', 'warning']]);
      expect(await found(body, { extraBody: { mediaItems: [{ url: 'https://example.com/a.png' }] } })).toEqual([]);
    },
  );
});

describe('a read that fails', () => {
  it.each([
    [
      'GET /v1/connect/integrations',
      1,
      'The accounts could not be listed, so an account that is not connected may be overlooked (ServerError).',
    ],
    ['GET /v1/connect/integrations/{id}', 1, 'could not be read, so its token was not checked (ServerError).'],
    [
      'GET /v1/posts/',
      2,
      'The posts could not be listed by schedule, so an equal or a close post may be overlooked (ServerError).',
    ],
  ])('is not_checked: %s', async (route, count, message) => {
    world.service.faults.add({ route, kind: 'status', status: 500, times: 99 });
    const { ok, findings } = await check(scheduled());
    expect(ok).toBe(true);
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual(
      Array.from({ length: count }, () => ['not_checked', 'warning']),
    );
    expect(findings.map((finding) => finding.message).join('\n')).toContain(message);
  });

  it('leaves the other checks: a failed authorization is in the list', async () => {
    const { id } = world.service.seed.integration({ platform: 'bluesky', authFailureReason: 'token_expired' });
    world.service.faults.add({ route: 'GET /v1/connect/integrations/{id}', kind: 'status', status: 500, times: 99 });
    expect(await found(scheduled({ platforms: [{ platform: 'bluesky', accountId: id }] }))).toEqual([
      ['reconnect_required', 'error'],
      ['not_checked', 'warning'],
    ]);
  });
});

describe('the options', () => {
  it('reject with the reason of an aborted signal, before and between reads', async () => {
    const reason = new Error('The user left.');
    expect(await rejection(check(scheduled(), { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(world.service.requests).toEqual([]);

    const controller = new AbortController();
    const fetch: typeof globalThis.fetch = (input, init) => {
      controller.abort(reason);
      return world.service.fetch(input, init);
    };
    const client = world.client.withOptions({ fetch });
    expect(await rejection(preflight(client, scheduled(), { signal: controller.signal }))).toBe(reason);
  });

  it.each([{ now: 0 }, { extraBody: [] }, { signal: 'abort' }, { timeoutMs: -1 }])('refuse %j', async (options) => {
    const error = await rejection(check(scheduled(), options as never));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(world.service.requests).toEqual([]);
  });
});

describe('a campaign', () => {
  it('is compared with the posts of its times and texts, not with every listed post', async () => {
    let compared = 0;
    const listed = Array.from({ length: 200 }, (_, index): Post => ({
      postId: `post_${String(index)}`,
      platforms: [{ platform: 'bluesky' }],
      scheduledFor: at(2 * hour + index * 6 * minute),
      content: `Listed ${String(index)}`,
      get rawRequestBody() {
        compared += 1;
        return undefined;
      },
    }));
    const client: PreflightClient = {
      integrations: world.client.integrations,
      posts: { list: () => Paginator.from(listed) },
    };
    const bodies = listed.map(({ scheduledFor }, index) =>
      scheduled({ scheduledFor: scheduledFor ?? '', content: `Text ${String(index)}` }),
    );
    const findings = await preflightAll(
      client,
      bodies.map((body, index) => ({ name: `Row ${String(index)}`, body })),
      { now: () => start },
    );
    expect(findings.flat().map(({ code }) => code)).toEqual(listed.map(() => 'time_conflict'));
    expect(compared).toBeLessThan(10 * listed.length);
  });
});
