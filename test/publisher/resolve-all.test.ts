/** After an outage, an operator decides many intents in doubt at once. */
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/core/errors.js';
import type { Intent } from '../../src/publisher/intents/intent-record.js';
import type { ResolveAllQuery } from '../../src/publisher/intent-lists.js';
import { collect } from '../support/collect.js';
import { create, hour, minute, World } from './world.js';

const list = 'GET /v1/posts/';

const keysOf = (intents: readonly Intent[]) => intents.map(({ key }) => key);

/** The creates of some intents get no answer, after one that was accepted. The service executes every third one. */
async function outage(world: World, count: number): Promise<string[]> {
  const publisher = world.process();
  await publisher.publish('first', world.later());
  const keys = Array.from({ length: count }, (_, index) => `k/${String(index).padStart(3, '0')}`);
  for (const [index, key] of keys.entries()) {
    world.service.faults.add({
      route: create,
      kind: index % 3 === 0 ? 'reset_after_commit' : 'reset_before',
      times: 1,
    });
    world.service.faults.add({ route: list, kind: 'reset_before', times: 1 });
    expect((await publisher.publish(key, world.later(24 * hour, `Text ${key}`))).state).toBe('in_doubt');
  }
  return keys;
}

describe('resolveAll', () => {
  it('searches again, keeps the posts that it finds, and makes the others ready, with few list calls', async () => {
    const world = new World();
    const keys = await outage(world, 60);
    await world.pass(hour);
    const publisher = world.process();
    const before = world.lists;
    const decided = await collect(publisher.resolveAll({ prefix: 'k/' }, { as: 'not_sent' }));
    expect(world.lists - before).toBeLessThanOrEqual(5);
    expect(keysOf(decided)).toEqual(keys.filter((_, index) => index % 3 !== 0));
    expect(new Set(decided.map(({ state }) => state))).toEqual(new Set(['ready']));
    expect(await collect(publisher.resolveAll({}, { as: 'not_sent' }))).toEqual([]);
    await publisher.sweep();
    expect(await publisher.stats()).toMatchObject({ byState: { accepted: 61, ready: 0, in_doubt: 0 } });
    expect(world.posts).toHaveLength(61);
    await world.pass(hour);
    expect(await collect(publisher.resolveAll({}, { as: 'not_sent' }))).toEqual([]);
    await publisher.sweep();
    expect(world.posts).toHaveLength(61);
  });

  it('decides only intents that were sent before a time, by default settleMs ago, and that have the prefix', async () => {
    const world = new World();
    await outage(world, 2);
    await world.pass(5 * minute);
    const publisher = world.process();
    const as = { as: 'abandoned' } as const;
    expect(await collect(publisher.resolveAll({}, as))).toEqual([]);
    const query: ResolveAllQuery = { sentBefore: new Date(world.time - minute) };
    expect(await collect(publisher.resolveAll({ ...query, prefix: 'other/' }, as))).toEqual([]);
    expect(await collect(publisher.resolveAll(query, as))).toMatchObject([{ key: 'k/001', state: 'abandoned' }]);
  });

  it('leaves an intent with a candidate alone, whatever the filter', async () => {
    const world = new World();
    await outage(world, 2);
    await world.pass(30 * minute);
    await world.client.posts.create(world.later(24 * hour, 'Text k/001'));
    const publisher = world.process();
    for (const result of ['no_match', 'failed', undefined] as const)
      expect(await collect(publisher.resolveAll({ result }, { as: 'not_sent' }))).toEqual([]);
    expect(await publisher.get('k/001')).toMatchObject({ state: 'in_doubt', lookup: { result: 'candidates' } });
    await publisher.sweep();
    expect(world.posts).toHaveLength(3);
  });

  it("decides after a failed search only with result 'failed'", async () => {
    const world = new World();
    await outage(world, 2);
    await world.pass(hour);
    const publisher = world.process();
    world.service.faults.add({ route: list, kind: 'status', status: 503 });
    expect(await collect(publisher.resolveAll({}, { as: 'abandoned' }))).toEqual([]);
    const decided = await collect(publisher.resolveAll({ result: 'failed' }, { as: 'abandoned' }));
    expect(keysOf(decided)).toEqual(['k/000', 'k/001']);
  });

  it("with result 'failed' searches only for intents whose last search failed", async () => {
    const world = new World();
    await outage(world, 2);
    await world.pass(hour);
    const publisher = world.process();
    await publisher.resume('k/001');
    expect(await collect(publisher.resolveAll({ result: 'failed' }, { as: 'abandoned' }))).toEqual([]);
    expect(await publisher.get('k/000')).toMatchObject({ state: 'accepted' });
  });

  it('does not decide an intent whose reply arrives during the search', async () => {
    const world = new World();
    const { late, arrive } = await world.sendLate('k', world.later());
    await world.pass(hour);
    await world.process().sweep();
    const { client, isAsked, letGo } = world.waiting('GET', 'reply');
    const deciding = collect(world.process({ client }).resolveAll({}, { as: 'abandoned' }));
    await isAsked;
    arrive();
    expect((await late).state).toBe('accepted');
    letGo();
    expect(await deciding).toEqual([]);
    expect(await world.process().get('k')).toMatchObject({ state: 'accepted', postId: 'post_1' });
  });

  it('does not decide an intent if a search by another process has failed since', async () => {
    const world = new World();
    await outage(world, 5);
    await world.pass(hour);
    const decided: string[] = [];
    for await (const { key } of world.process().resolveAll({}, { as: 'not_sent' })) {
      decided.push(key);
      world.service.faults.add({ route: list, kind: 'status', status: 503, times: 1 });
      await world.process().resume('k/004');
    }
    expect(decided).toEqual(['k/001', 'k/002']);
    expect(await world.process().get('k/004')).toMatchObject({ state: 'in_doubt', lookup: { result: 'failed' } });
  });

  it('goes on after a crash in the middle', async () => {
    const world = new World();
    await outage(world, 9);
    await world.pass(hour);
    for await (const intent of world.process().resolveAll({}, { as: 'abandoned' })) {
      expect(intent.key).toBe('k/001');
      break;
    }
    const rest = await collect(world.process().resolveAll({}, { as: 'abandoned' }));
    expect(keysOf(rest)).toEqual(['k/002', 'k/004', 'k/005', 'k/007', 'k/008']);
  });

  it("abandons an intent that the search of a publisher with onMissing 'resend' makes ready", async () => {
    const world = new World();
    await outage(world, 2);
    await world.pass(hour);
    const publisher = world.process({ onMissing: 'resend' });
    const decided = await collect(publisher.resolveAll({}, { as: 'abandoned' }));
    expect(decided).toMatchObject([{ key: 'k/001', state: 'abandoned' }]);
    await publisher.sweep();
    expect(world.posts).toHaveLength(2);
  });

  it('searches once more before it sends, also with onMissing resend', async () => {
    const world = new World();
    await outage(world, 2);
    await world.pass(hour);
    const publisher = world.process({ onMissing: 'resend' });
    expect(keysOf(await collect(publisher.resolveAll({}, { as: 'not_sent' })))).toEqual(['k/001']);
    // The service lists it only now.
    await world.client.posts.create(world.later(24 * hour, 'Text k/001'));
    await world.pass(hour);
    expect(await publisher.resume('k/001')).toMatchObject({ state: 'in_doubt', lookup: { result: 'candidates' } });
    expect(world.posts).toHaveLength(3);
  });

  it('refuses other decisions and filters, and decides nothing', async () => {
    const world = new World();
    await outage(world, 2);
    await world.pass(hour);
    const publisher = world.process();
    const untyped = publisher.resolveAll.bind(publisher) as (...args: unknown[]) => AsyncIterable<Intent>;
    for (const [args, message] of [
      [[{}, { as: 'published' }], "as must be 'not_sent' or 'abandoned'"],
      [[{}], 'must be an object'],
      [[{ result: 'candidates' }, { as: 'not_sent' }], "result must be 'no_match' or 'failed'"],
      [[{ sentBefore: '2026-05-01' }, { as: 'not_sent' }], 'sentBefore must be a Date'],
      [[{ state: 'in_doubt' }, { as: 'not_sent' }], "'state' is not an option of resolveAll"],
    ] as const) {
      const refused = collect(untyped(...args));
      await expect(refused, message).rejects.toThrow(InvalidRequestError);
      await expect(refused).rejects.toThrow(message);
    }
    expect(await collect(publisher.list({ state: 'in_doubt' }))).toHaveLength(2);
  });
});
