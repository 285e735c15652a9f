/** An outage costs a few doubts, not the campaign: the same table for every function that sends many creates. */
import { describe, expect, it } from 'vitest';
import type { OutageFault } from '../../src/emulator/index.js';
import type { CreateManyResult } from '../../src/index.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import { OutageWorld } from './outage-world.js';
import { collect } from '../support/collect.js';
import { minute, second } from './world.js';

const campaign = 100;
const concurrency = 8;
/** The outage begins in the middle of the campaign. */
const inMs = 1_300;
const outageMs = 3 * minute;
const recoveryMs = inMs + outageMs;

const indexes = (count = campaign) => Array.from({ length: count }, (_, index) => index);
const items = (world: OutageWorld, count = campaign) =>
  indexes(count).map((index) => ({ key: `k${String(index)}`, body: world.body(index) }));

/** What a function left behind, before anything else ran. */
interface Left {
  readonly inDoubt: number;
  /** Never reached the service: sweeps, or another call, send them. */
  readonly notSent: number;
  /** Sends the rest, and what was not executed. */
  readonly finish: () => Promise<void>;
}

async function statesOf(publisher: Publisher): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of await collect(publisher.list())) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

async function leftBy(world: OutageWorld, publisher: Publisher): Promise<Left> {
  const { in_doubt: inDoubt = 0, ready: notSent = 0 } = await statesOf(publisher);
  const finish = async () => {
    await world.sweepFor(publisher, 20 * minute);
    const decided = await world.run(collect(publisher.resolveAll({ result: 'no_match' }, { as: 'not_sent' })));
    if ((decided ?? []).length > 0) await world.sweepFor(publisher, 2 * minute);
  };
  return { inDoubt, notSent, finish };
}

const functions = {
  publishMany: async (world: OutageWorld): Promise<Left> => {
    const publisher = world.publisher();
    await world.run(collect(publisher.publishMany(items(world), { concurrency })));
    return leftBy(world, publisher);
  },
  sweep: async (world: OutageWorld): Promise<Left> => {
    const publisher = world.publisher();
    for (const { key, body } of items(world)) await publisher.enqueue(key, body);
    await world.run(publisher.sweep());
    return leftBy(world, publisher);
  },
  createMany: async (world: OutageWorld): Promise<Left> => {
    const client = world.client();
    const create = (some: readonly number[]) =>
      world.run(
        collect(
          client.posts.createMany(
            some.map((index) => world.body(index)),
            { concurrency },
          ),
        ),
      );
    const results = (await create(indexes())) ?? [];
    const of = (status: CreateManyResult['status']) => results.filter((one) => one.status === status);
    const finish = async () => {
      const again = of('not_sent').map(({ index }) => index);
      for (const { error, index } of of('unknown')) {
        const found = await world.run(client.posts.reconcile(error));
        if (found?.status === 'not_found') again.push(index);
      }
      await create(again);
    };
    return { inDoubt: of('unknown').length, notSent: of('not_sent').length, finish };
  },
};

const effects: OutageFault['effect'][] = ['unavailable', 'unavailable_after_commit', 'refused'];
const table = Object.entries(functions).flatMap(([name, begin]) => effects.map((effect) => ({ name, begin, effect })));

describe('an outage in the middle of 100 creates', () => {
  it.each(table)('$name, $effect: a few doubts, nothing doubled, nothing lost', async ({ begin, effect }) => {
    const world = new OutageWorld();
    world.outage(effect, { inMs, forMs: outageMs });
    const { inDoubt, notSent, finish } = await begin(world);
    // The list was down too, so there was no trial.
    const most = 2 * concurrency;
    const isRefused = effect === 'refused';
    expect(inDoubt).toBeLessThanOrEqual(isRefused ? 0 : most);
    expect(inDoubt + notSent).toBeGreaterThanOrEqual(concurrency);
    expect(notSent).toBeLessThanOrEqual(isRefused ? most : 0);
    // The client repeats a create twice if its connection was refused.
    expect(world.metByOutage).toBeLessThanOrEqual(isRefused ? 3 * most : most);
    // The longest pause, and the rest of the campaign.
    expect(world.time - recoveryMs).toBeLessThanOrEqual(minute + 5 * second);
    const executed = isRefused || effect === 'unavailable' ? 0 : inDoubt;
    expect(world.postsByText.size).toBe(campaign - inDoubt - notSent + executed);
    await finish();
    expect(world.doubled).toBe(0);
    expect(world.postsByText.size).toBe(campaign);
    expect(world.sleepers).toBe(0);
  });
});
