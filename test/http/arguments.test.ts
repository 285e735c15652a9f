import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError, preflight, SocialPublishing } from '../../src/index.js';
import { rejection } from '../policies/client.js';
import { doubtWorld, type DoubtWorld } from '../policies/doubt.js';
import { collect } from '../support/collect.js';
import { recordingServer } from '../support/recording-server.js';

const target = { platform: 'bluesky', accountId: 'int_1' } as const;

async function setup() {
  const server = await recordingServer(({ method }) =>
    method === 'GET' ? { success: true, total: 3, posts: [{ postId: String(Math.random()) }] } : { postId: 'post_1' },
  );
  return { server, client: new SocialPublishing({ baseUrl: server.url, accessKey: 'k' }) };
}

/** Like an instance of an ORM: documented fields are read through the prototype. */
class Row {
  readonly _changed = new Set(['content']);
  get content() {
    return 'Hello';
  }
  get platforms() {
    return [target];
  }
  get scheduledFor() {
    return new Date('2030-01-01T09:00:00Z');
  }
}

describe('an instance with getters', () => {
  it('is sent with all documented fields, a Date among them', async () => {
    const { server, client } = await setup();
    await client.posts.create(new Row());
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      content: 'Hello',
      platforms: [target],
      scheduledFor: '2030-01-01T09:00:00.000Z',
    });
  });

  it('keeps its other filters beside one platform', async () => {
    const { server, client } = await setup();
    class Filter {
      get status() {
        return 'draft' as const;
      }
      get platform() {
        return 'twitter' as const;
      }
    }
    await client.posts.list(new Filter());
    expect(server.requests[0]?.target).toContain('status=draft');
  });

  it('keeps its filters on every page of a list', async () => {
    const { server, client } = await setup();
    class Filter {
      get status() {
        return 'published' as const;
      }
      get createdAfter() {
        return new Date('2030-01-01T09:00:00Z');
      }
      get limit() {
        return 1;
      }
    }
    await client.posts.list(new Filter()).toArray();
    expect(server.requests).toHaveLength(3);
    for (const { target: path } of server.requests) {
      expect(path).toContain('status=published&createdAfter=2030-01-01T09%3A00%3A00.000Z&limit=1');
    }
  });
});

describe('call options as an instance with getters', () => {
  class Traced {
    get headers() {
      return { 'x-trace': 't' };
    }
  }
  const options = new Traced();

  it.each<[string, (world: DoubtWorld) => unknown]>([
    ['posts.list', ({ client }) => client.posts.list({}, options)],
    ['posts.list().toArray', ({ client }) => client.posts.list({}, options).toArray()],
    ['integrations.list', ({ client }) => client.integrations.list({}, options)],
    ['integrations.needingAttention', ({ client }) => collect(client.integrations.needingAttention(options))],
    ['posts.createMany', ({ client, body }) => collect(client.posts.createMany([body()], options))],
    ['posts.reconcile', ({ client, body }) => client.posts.reconcile({ body: body(), sentAt: new Date() }, options)],
    [
      'posts.watch',
      async ({ client, service, othersCreate }) => {
        const postId = await othersCreate();
        await service.clock.advance({ days: 31 });
        return collect(client.posts.watch([postId], options));
      },
    ],
    ['preflight', ({ client, body }) => preflight(client, body(), options)],
  ])('apply to each request of %s', async (_, call) => {
    const world = doubtWorld();
    const traces: unknown[] = [];
    world.intercept((send) => (input, init) => {
      traces.push(new Headers(init?.headers).get('x-trace'));
      return send(input, init);
    });
    await call(world);
    expect(new Set(traces)).toEqual(new Set(['t']));
  });
});

describe('a Date', () => {
  it.each<[string, unknown]>([
    ['of another realm', runInNewContext('new Date(Date.UTC(2030, 0, 1, 9))')],
    ['as anything with epochMilliseconds', { epochMilliseconds: Date.UTC(2030, 0, 1, 9) }],
  ])('%s is taken', async (_, scheduledFor) => {
    const { server, client } = await setup();
    await client.posts.create({ content: 'x', platforms: [target], scheduledFor: scheduledFor as Date });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ scheduledFor: '2030-01-01T09:00:00.000Z' });
  });

  it('of another realm is taken in extraQuery, extraBody and client.request', async () => {
    const { server, client } = await setup();
    const at = runInNewContext('new Date(Date.UTC(2030, 0, 1, 9))') as Date;
    await client.posts.list({}, { extraQuery: { at } });
    await client.posts.create({ content: 'x', saveAsDraft: true }, { extraBody: { at } });
    await client.request('POST /v1/things/', { query: { at }, body: { inside: [{ at }] } });
    const [listed, created, requested] = server.requests;
    expect(listed?.target).toContain('at=2030-01-01T09%3A00%3A00.000Z');
    expect(JSON.parse(created?.body ?? '')).toMatchObject({ at: '2030-01-01T09:00:00.000Z' });
    expect(requested?.target).toContain('at=2030-01-01T09%3A00%3A00.000Z');
    expect(JSON.parse(requested?.body ?? '')).toEqual({ inside: [{ at: '2030-01-01T09:00:00.000Z' }] });
  });
});

describe('a date-time without an offset', () => {
  it('is refused with how to write it', async () => {
    const { server, client } = await setup();
    const error = await rejection(
      client.posts.create({ content: 'x', platforms: [target], scheduledFor: '2030-01-01T09:00' }),
    );
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as Error).message).toMatch(
      /scheduledFor must have an offset, as '2026-03-01T09:00:00Z'.*the result of zonedTime\(\), or extraBody.timezone/,
    );
    expect(await rejection(client.posts.list({ createdAfter: '2030-01-01T09:00:00' }))).toBeInstanceOf(
      InvalidRequestError,
    );
    expect(server.requests).toEqual([]);
  });

  it('is sent together with its time zone', async () => {
    const { server, client } = await setup();
    const body = { content: 'x', platforms: [target], scheduledFor: '2030-01-01T09:00:00' };
    await client.posts.create(body, { extraBody: { timezone: 'Europe/Berlin' } });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ ...body, timezone: 'Europe/Berlin' });
  });
});

describe('a misspelt field', () => {
  const bad: [string, (client: SocialPublishing) => PromiseLike<unknown>, string][] = [
    ['contents', (client) => client.posts.create({ contents: 'x' } as never), 'content'],
    ['publishnow', (client) => client.posts.create({ content: 'x', publishnow: true } as never), 'publishNow'],
    [
      'scheduleFor',
      (client) => client.posts.create({ content: 'x', scheduleFor: '2030-01-01T09:00:00Z' } as never),
      'scheduledFor',
    ],
    [
      'acountId',
      (client) => client.posts.create({ platforms: [{ platform: 'bluesky', acountId: 'a' }] } as never),
      'accountId',
    ],
    ['schedule', (client) => client.posts.create({ schedule: '2030-01-01T09:00:00Z' } as never), 'scheduledFor'],
    ['publish', (client) => client.posts.create({ publish: true } as never), 'publishNow'],
    ['stat', (client) => client.posts.list({ stat: 'draft' } as never), 'status'],
    ['lim', (client) => client.posts.list({ lim: 1 } as never), 'limit'],
    ['stauts', (client) => client.posts.list({ stauts: 'draft' } as never), 'status'],
    [
      'metric',
      (client) => client.analytics.getInstagramInsights({ accountId: 'a', metric: 'reach' } as never),
      'metrics',
    ],
  ];
  it.each(bad)('%s suggests the nearest documented name, then the workaround', async (name, call, near) => {
    const { client } = await setup();
    const error = await rejection(call(client));
    expect(error).toBeInstanceOf(InvalidRequestError);
    const issue = (error as InvalidRequestError).issues.find(({ path }) => path.at(-1) === name);
    const [extra] = /extraBody|extraQuery/.exec(String(issue?.message)) ?? [];
    expect(issue?.message).toBe(
      `${String(issue?.path.join('.'))} is not a documented field; did you mean '${near}'? If not, send it through ${String(extra)}`,
    );
  });

  it('without a near name explains the workaround', async () => {
    const { client } = await setup();
    const error = await rejection(client.posts.create({ content: 'x', mediaItems: [] } as never));
    expect((error as Error).message).toContain('mediaItems is not a documented field; send it through extraBody');
  });

  it('extraBody inside the body: the message says where it belongs', async () => {
    const { client } = await setup();
    const error = await rejection(client.posts.create({ content: 'x', extraBody: {} } as never));
    expect((error as Error).message).toContain(
      'extraBody is not a documented field: it is an option of the call, pass it in the second argument',
    );
  });
});
