import { afterEach, describe, expect, it, vi } from 'vitest';
import { doubtWorld, isList } from './doubt.js';

const minute = 60_000;
const year = 365 * 24 * 60 * minute;

/** Whether the client had a reply before the create is all that differs. */
const earlier = [true, false];

describe("the service's clock", () => {
  const cases = [-2 * year, -3 * minute, -10_000, 0, 3 * minute, 2 * year].flatMap((skew) =>
    earlier.map((had) => [skew, had] as const),
  );

  it.each(cases)('is %d ms off: the post is found (known from an earlier reply: %s)', async (clockSkewMs, had) => {
    const { client, lostCreate } = doubtWorld({ clockSkewMs });
    if (had) await client.integrations.list();
    const error = await lostCreate();
    expect(await client.posts.reconcile(error)).toMatchObject({ status: 'created' });
  });

  it.each(cases)('is %d ms off: an equal post of five minutes ago is another one (%s)', async (clockSkewMs, had) => {
    // Between the two posts, only the client's clock advances.
    const started = Date.now();
    const { client, service, othersCreate, lostCreate } = doubtWorld({ clockSkewMs, now: () => started - 5 * minute });
    await othersCreate();
    await service.clock.advance({ minutes: 5 });
    if (had) await client.integrations.list();
    const error = await lostCreate(undefined, 'reset_before');
    expect(await client.posts.reconcile(error)).toEqual({ status: 'not_found' });
  });

  it('is set by the emulator, and the post is found', async () => {
    const { client, lostCreate } = doubtWorld({ now: () => Date.parse('2031-01-01T00:00:00Z') });
    const error = await lostCreate();
    expect(await client.posts.reconcile(error)).toMatchObject({ status: 'created' });
  });

  it.each([true, false])(
    'was set forward since the create, as after a cached reply: the post is a candidate (before an earlier reply: %s)',
    async (before) => {
      const { client, service, lostCreate } = doubtWorld();
      await client.integrations.list();
      if (before) await service.clock.advance({ hours: 3 });
      const error = await lostCreate();
      await service.clock.advance({ hours: 5 });
      expect(await client.posts.reconcile(error)).toMatchObject({ status: 'ambiguous', posts: [{ content: 'Hello' }] });
    },
  );

  it('is asked for with the margin on top', async () => {
    const { client, service, lostCreate } = doubtWorld({ clockSkewMs: -year });
    await client.integrations.list();
    const error = await lostCreate();
    await client.posts.reconcile(error);
    const list = service.requests.findLast(({ method }) => method === 'GET');
    const after = Date.parse(String(new URL(list?.url ?? 'http://x').searchParams.get('createdAfter')));
    expect(Math.abs(after - (service.clock.now() - 2 * minute))).toBeLessThan(minute);
  });
});

describe('a reply from a cache, with an old Date', () => {
  const cached =
    (oldMs: number, more: Record<string, string> = {}) =>
    (send: typeof fetch): typeof fetch =>
    async (input, init) => {
      const response = await send(input, init);
      if (!isList(input, init)) return response;
      const date = new Date(Date.now() - oldMs).toUTCString();
      return new Response(await response.text(), { headers: { 'content-type': 'application/json', date, ...more } });
    };

  it.each([minute, 30 * minute, 60 * minute])(
    'before a create that was never executed: an equal post of %i ms ago is not its post',
    async (agoMs) => {
      const service = { now: () => Date.now() - agoMs };
      const { client, service: emulator, othersCreate, lostCreate, intercept, body } = doubtWorld(service);
      const equal = body();
      await othersCreate(equal);
      await emulator.clock.advance({ seconds: agoMs / 1_000 });
      let wrap: (send: typeof fetch) => typeof fetch = cached(60 * minute);
      intercept(() => (input, init) => wrap(emulator.fetch)(input, init));
      await client.posts.list();
      wrap = (send) => send;
      const error = await lostCreate(equal, 'reset_before');
      expect((await client.posts.reconcile(error)).status).not.toBe('created');
    },
  );

  it('after the create: its post is found, because an earlier reply showed the time', async () => {
    const { client, lostCreate, intercept } = doubtWorld();
    await client.integrations.list();
    const error = await lostCreate();
    intercept(cached(60 * minute));
    expect(await client.posts.reconcile(error)).toMatchObject({ status: 'created' });
  });

  it.each([{}, { age: '0' }])('is not known to be old without Age (%j): the post is a candidate', async (more) => {
    const { client, lostCreate, intercept } = doubtWorld();
    const error = await lostCreate();
    intercept(cached(60 * minute, more));
    expect(await client.posts.reconcile(error)).toMatchObject({ status: 'ambiguous' });
  });

  it('shows no time if it has an Age: the clocks are assumed to agree', async () => {
    const { client, service, othersCreate, lostCreate, intercept, body } = doubtWorld({
      now: () => Date.now() - 30 * minute,
    });
    const equal = body();
    await othersCreate(equal);
    await service.clock.advance({ minutes: 30 });
    intercept(cached(60 * minute, { age: '3600' }));
    await client.posts.list();
    const error = await lostCreate(equal, 'reset_before');
    expect(await client.posts.reconcile(error)).toEqual({ status: 'not_found' });
  });
});

describe('a createdAt without an offset', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each(['UTC', 'Asia/Tokyo', 'America/Los_Angeles'])('is UTC in %s', async (zone) => {
    vi.stubEnv('TZ', zone);
    const { client, lostCreate, intercept } = doubtWorld();
    const error = await lostCreate();
    const old = await lostCreate(undefined, 'reset_before');
    intercept((send) => async (input, init) => {
      const text = await (await send(input, init)).text();
      return new Response(text.replaceAll(/("createdAt":"[^"]*)Z"/g, '$1"'), {
        headers: { 'content-type': 'application/json' },
      });
    });
    expect((await client.posts.reconcile(error)).status).toBe('ambiguous');
    expect((await client.posts.reconcile(old)).status).toBe('ambiguous');
  });
});

describe('without rawRequestBody', () => {
  it.each([
    ['accountId', 'int_1', 'ambiguous'],
    ['accountId', 'int_2', 'not_found'],
    ['integrationId', 'int_1', 'ambiguous'],
    ['integrationId', 'int_2', 'not_found'],
  ])('a listed %s of %s makes it %s', async (name, account, status) => {
    const { client, service, body, intercept } = doubtWorld();
    const [target] = body().platforms ?? [];
    service.faults.add({ route: 'POST /v1/posts/', times: 1, kind: 'reset_after_commit' });
    const error = await client.posts.create(body()).catch((reason: unknown) => reason);
    intercept((send) => async (input, init) => {
      const reply = (await (await send(input, init)).json()) as { posts: { platforms: object[] }[] };
      const posts = reply.posts.map(({ ...post }) => ({
        ...post,
        rawRequestBody: undefined,
        platforms: post.platforms.map((entry) => ({
          ...entry,
          [name]: account === 'int_1' ? target?.accountId : account,
        })),
      }));
      return Response.json({ ...reply, posts });
    });
    expect(await client.posts.reconcile(error)).toMatchObject({ status });
  });
});

describe('a clock that runs backwards', () => {
  it('ends the search after two lists, because the greatest offset counts, with the equal post as a candidate', async () => {
    const { client, service, lostCreate, intercept } = doubtWorld();
    const error = await lostCreate();
    let replies = 0;
    intercept((send) => async (input, init) => {
      const response = await send(input, init);
      const date = new Date(service.clock.now() - ++replies * year).toUTCString();
      return new Response(await response.text(), { headers: { 'content-type': 'application/json', date } });
    });
    expect(await client.posts.reconcile(error)).toMatchObject({ status: 'ambiguous', posts: [{ content: 'Hello' }] });
    expect(replies).toBe(2);
  });
});
