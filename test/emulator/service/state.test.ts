import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.js';
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type EmulatorState,
} from '../../../src/emulator/index.js';
import { Advance, commands, setUp, type Model, type Real } from '../story.js';
import { clientOf, raw, start, world } from '../world.js';
import { eventually } from '../../support/eventually.js';

/** The state of an emulator, as a file would hold it. */
function written(service: Emulator): EmulatorState {
  return JSON.parse(JSON.stringify(service.snapshot())) as EmulatorState;
}

const taken = { deliver: () => new Response(null, { status: 204 }) };

/** The emulator of another process, with the state of this one. */
function moved(service: Emulator, options: EmulatorOptions = {}): Emulator {
  return createEmulator({ ...taken, ...options, state: written(service) });
}

describe('a state that goes through JSON', () => {
  it('is the same, and behaves the same from there on, whatever was done before and is done after', async () => {
    const story = () => fc.commands(commands, { maxCommands: 20 });
    await fc.assert(
      fc.asyncProperty(story(), story(), async (before, after) => {
        const { model, real } = setUp();
        await fc.asyncModelRun(() => ({ model, real }), before);
        // A delivery that is under way would be made by both.
        await real.service.settled();
        const service = moved(real.service);
        expect(written(service)).toEqual(written(real.service));
        const twin: { model: Model; real: Real } = {
          model: structuredClone(model),
          real: { ...real, service, client: clientOf(service.fetch) },
        };
        for (const one of [{ model, real }, twin]) {
          await fc.asyncModelRun(() => one, after);
          await new Advance(120).run(one.model, one.real);
        }
        expect(written(service)).toEqual(written(real.service));
      }),
      { numRuns: 60 },
    );
  });

  it('holds the demo, whole', async () => {
    const service = createEmulator({ now: () => start, seed: 7 });
    service.seed.demo();
    const other = moved(service);
    expect(written(other)).toEqual(written(service));
    for (const path of ['posts/?limit=100', 'connect/integrations', 'comment-automations/', 'analytics/?limit=100'])
      expect(await raw(other, `GET /v1/${path}`)).toEqual(await raw(service, `GET /v1/${path}`));
    const [conversation] = (await clientOf(other.fetch).messages.listConversations(instagramOf(other))).items;
    const [same] = (await clientOf(service.fetch).messages.listConversations(instagramOf(service))).items;
    expect(conversation).toEqual(same);
  });

  it('is not shared with the emulator that it came from', () => {
    const { service } = world();
    const state = written(service) as EmulatorState & { integrations: [string, { username: string }][] };
    const other = createEmulator({ state });
    for (const [, integration] of state.integrations) integration.username = 'changed';
    expect(JSON.stringify(written(other))).not.toContain('changed');
  });
});

function instagramOf(service: Emulator) {
  const account = service.posts.length > 0 ? accountOn(service, 'instagram') : '';
  return { platform: 'instagram', accountId: account } as const;
}

function accountOn(service: Emulator, platform: string): string {
  const { integrations } = written(service) as EmulatorState & { integrations: [string, { platform: string }][] };
  return integrations.find(([, integration]) => integration.platform === platform)?.[0] ?? '';
}

describe('events that continue in another process', () => {
  const create = (service: Emulator, accountId: string, more: object) =>
    raw(service, 'POST /v1/posts/', { content: 'a', platforms: [{ platform: 'tiktok', accountId }], ...more });

  it('publications, expiries of tokens, outcomes, used faults, credits and IDs', async () => {
    const { service, tiktok } = world({ creditsPerTarget: 2 });
    const ending = service.seed.integration({ platform: 'bluesky', accessTokenExpiresAt: '2026-03-02T12:00:00Z' });
    service.publishing.outcome({ platform: 'tiktok', error: 'down', until: '2026-03-02T10:30:00Z' });
    service.faults.add({ kind: 'status', status: 503, times: 3 });
    await raw(service, 'GET /v1/posts/');
    service.faults.add({ kind: 'listing_lag', lagMs: 5 });
    await service.clock.advance({ minutes: 10 });
    const other = moved(service, { creditsPerTarget: 2 });
    expect(other.faults.list()).toEqual(service.faults.list());
    expect(other.faults.unused()).toEqual([{ kind: 'listing_lag', lagMs: 5 }]);
    other.faults.clear();
    await create(other, tiktok, { scheduledFor: '2026-03-02T10:00:00Z' });
    await create(other, tiktok, { scheduledFor: '2026-03-02T11:00:00Z' });
    expect(other.creditsUsed).toBe(4);
    const third = moved(other, { creditsPerTarget: 2 });
    await third.clock.advance({ hours: 4 });
    expect(third.posts.map(({ postId, status }) => [postId, status])).toEqual([
      ['post_1', 'failed'],
      ['post_2', 'published'],
    ]);
    expect((await raw(third, `GET /v1/connect/integrations/${ending.id}`)).body).toMatchObject({
      integration: { authStatus: 'expired' },
    });
    expect(third.creditsUsed).toBe(4);
    expect(third.seed.integration({ platform: 'threads' }).id).toBe('integration_5');
    expect(third.requests.at(-1)?.id).toBe('request_4');
  });

  it('a delivery in flight is repeated; a finished one is not', async () => {
    const { service, tiktok } = world({ deliver: () => new Promise<Response>(() => undefined) });
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    await create(service, tiktok, { publishNow: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const got: string[] = [];
    const deliver = async (request: Request) => {
      got.push(((await request.json()) as { id: string }).id);
      return new Response();
    };
    const other = moved(service, { deliver });
    await other.settled();
    expect(got).toEqual(['event_1']);
    const third = moved(other, { deliver });
    await third.clock.advance({ days: 1 });
    expect(got).toEqual(['event_1']);
    expect(third.deliveries).toMatchObject([{ eventId: 'event_1', ok: true }]);
  });

  it('a retry comes at its time, an event that is held back after the next one', async () => {
    const { service, tiktok } = world({ deliver: () => new Response(null, { status: 500 }) });
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    service.deliveryFaults.add({ kind: 'reorder', times: 1 });
    await create(service, tiktok, { publishNow: true });
    await service.settled();
    await create(service, tiktok, { publishNow: true });
    await service.settled();
    const other = moved(service);
    await other.clock.advance({ minutes: 5 });
    expect(other.deliveries.map(({ eventId, attempt, ok }) => [eventId, attempt, ok])).toEqual([
      ['event_2', 1, false],
      ['event_1', 1, false],
      ['event_2', 2, true],
      ['event_1', 2, true],
    ]);
  });
});

describe('work that began in a replaced state', () => {
  /** A receiver that answers on command, and an emulator with only accounts and a subscription. */
  function slow(options: EmulatorOptions = {}) {
    const got: string[] = [];
    const answers: (() => void)[] = [];
    const deliver = async (request: Request) => {
      got.push(((await request.json()) as { id: string }).id);
      return new Promise<Response>((resolve) => {
        answers.push(() => {
          resolve(new Response());
        });
      });
    };
    const here = world({ deliver, ...options });
    here.service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    const publish = () => raw(here.service, 'POST /v1/posts/', { publishNow: true, platforms: here.platforms });
    const until = (count: number) =>
      eventually(() => {
        expect(answers).toHaveLength(count);
      });
    return { ...here, got, answers, publish, until, empty: here.service.snapshot() };
  }

  it('deliveries that had not begun are not made, and faults of the new one are for its own', async () => {
    const { service, got, answers, publish, until, empty } = slow();
    for (let index = 0; index < 5; index += 1) await publish();
    await until(1);
    service.restore(empty);
    service.deliveryFaults.add({ kind: 'lost', times: 1 });
    answers[0]?.();
    await service.settled();
    expect(got).toEqual(['event_1']);
    expect(service.deliveries).toEqual([]);
    expect(service.deliveryFaults.unused()).toHaveLength(1);
  });

  it('its result triggers no second sending and no retry', async () => {
    const { service, got, answers, publish, until, empty } = slow();
    service.deliveryFaults.add({ kind: 'duplicate' });
    await publish();
    await until(1);
    service.restore(empty);
    answers[0]?.();
    await service.clock.advance({ days: 1 });
    expect(got).toEqual(['event_1']);
  });

  it('deliveries of the new state are made after the ones in flight', async () => {
    const { service, got, answers, publish, until, empty } = slow();
    for (let index = 0; index < 3; index += 1) await publish();
    await until(1);
    service.restore(empty);
    await publish();
    answers[0]?.();
    await until(2);
    answers[1]?.();
    await service.settled();
    expect(got).toEqual(['event_1', 'event_1']);
    expect(service.deliveries).toMatchObject([{ eventId: 'event_1', ok: true }]);
  });

  it('a request that waited for its latency is a reset connection, and changes nothing', async () => {
    const { service, publish, empty } = slow();
    const restored = JSON.stringify(empty);
    service.faults.add({ kind: 'latency', latencyMs: 60_000 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const late = expect(publish()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
      while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
      service.restore(empty);
      await vi.advanceTimersByTimeAsync(60_000);
      await late;
    } finally {
      vi.useRealTimers();
    }
    expect(JSON.stringify(service.snapshot())).toBe(restored);
  });
});

describe('a state that can not be', () => {
  const whole = () => {
    const { service, platforms } = world();
    service.seed.post({ platforms, scheduledFor: '2026-03-03T09:00:00Z' });
    return written(service);
  };

  it.each([
    ['of something else', () => ({ posts: [] }), /not a state of the emulator/],
    ['of a later version', () => ({ ...whole(), version: 2 }), /version 2, and this package reads up to 1/],
    ['of a version that never was', () => ({ ...whole(), version: 'x' }), /version does not exist/],
    ['without its posts', () => ({ ...whole(), posts: undefined }), /broken: posts must be an array/],
    ['with a post that is none', () => ({ ...whole(), posts: [{ postId: 'a' }] }), /posts\.0\.status/],
    ['with a time that is none', () => ({ ...whole(), time: 'now' }), /time must be a number/],
    ['with a job that is none', () => ({ ...whole(), jobs: [{ at: 1, order: 1, kind: 'explode' }] }), /jobs\.0/],
  ])('%s is refused in words, and nothing is changed', (_what, make, message) => {
    const state = make() as unknown as EmulatorState;
    expect(() => createEmulator({ state })).toThrow(message);
    const { service } = world();
    const before = written(service);
    expect(() => {
      service.restore(state);
    }).toThrow(ConfigurationError);
    expect(written(service)).toEqual(before);
  });
});
