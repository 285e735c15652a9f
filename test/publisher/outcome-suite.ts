/** Faults of a store after a send: no error says that the service did nothing, and the same call again sends nothing twice. */
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/core/errors.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import type { TestableStore } from '../../src/stores/testing/index.js';
import { collect } from '../support/collect.js';
import { hour, World } from './world.js';

/** The store of a process, and the same data as another process sees it. */
export interface SharedStore {
  readonly store: TestableStore;
  readonly other: TestableStore;
  /** Closes the first one, as a handler of SIGTERM does. */
  readonly close: () => Promise<void>;
}

/** Another writer replaces the intent. Returns how to undo it. */
async function replaceIntent({ other }: SharedStore, data: string): Promise<() => Promise<unknown>> {
  const before = await other.get('intent/k');
  const version = (await other.swap('intent/k', before?.version ?? 0, data, null)) ?? 0;
  return () => other.swap('intent/k', version, before?.data ?? '', 0);
}

/** Returns how to undo it, if that is possible. */
type Fault = (shared: SharedStore) => Promise<(() => Promise<unknown>) | undefined>;

const closing: Readonly<Record<string, Fault>> = {
  'the store is closed': async ({ close }) => {
    await close();
    return undefined;
  },
};

/** Faults that do not depend on the database. */
const foreign: Readonly<Record<string, Fault>> = {
  'a newer version writes the intent': (shared) => replaceIntent(shared, JSON.stringify({ format: 99 })),
  'another program writes the intent': (shared) => replaceIntent(shared, 'no JSON'),
};

type Moment = 'after the create' | 'after the create, whose reply is lost' | 'during the search';

/** A process whose store has a fault at a moment of a call. */
class Scene {
  readonly world: World;
  readonly shared: SharedStore;
  readonly publisher: Publisher;
  #fault: Fault | undefined;
  #undo: (() => Promise<unknown>) | undefined;

  constructor(shared: SharedStore, moment: Moment, fault: Fault) {
    this.shared = shared;
    this.world = new World(shared.store);
    this.#fault = fault;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const isCreate = init?.method === 'POST';
      if (!isCreate && moment === 'during the search') await this.strike();
      const reply = await this.world.service.fetch(input, init);
      if (!isCreate) return reply;
      if (moment !== 'during the search') await this.strike();
      if (moment === 'after the create') return reply;
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    };
    this.publisher = this.world.process({ client: this.world.newClient({ fetch }) });
  }

  /** The fault happens once. */
  async strike(): Promise<void> {
    const fault = this.#fault;
    this.#fault = undefined;
    this.#undo = await fault?.(this.shared);
  }

  /** What a caller learns from a call. */
  async claimOf(call: (publisher: Publisher) => Promise<unknown>): Promise<unknown> {
    return call(this.publisher).then(
      () => 'no error',
      (error: unknown) => outcomeOf(error),
    );
  }

  /** The fault is over. A process that starts now repeats the call. */
  async repeat(): Promise<void> {
    await this.#undo?.();
    await this.world.pass(hour);
    const later = this.world.process({ store: this.shared.other });
    const { state, postId } = await later.publish('k', this.world.now);
    expect([this.world.posts.map((post) => post.postId), state]).toEqual([[postId], 'published']);
  }
}

const sending: Readonly<Record<string, (publisher: Publisher, world: World) => Promise<unknown>>> = {
  publish: (publisher, world) => publisher.publish('k', world.now),
  resume: async (publisher, world) => {
    await publisher.enqueue('k', world.now);
    return publisher.resume('k');
  },
  sweep: async (publisher, world) => {
    await publisher.enqueue('k', world.now);
    return publisher.sweep();
  },
  publishMany: (publisher, world) => collect(publisher.publishMany([{ key: 'k', body: world.now }])),
};

const repeating: Readonly<Record<string, (publisher: Publisher, world: World) => Promise<unknown>>> = {
  publish: (publisher, world) => publisher.publish('k', world.now),
  resume: (publisher) => publisher.resume('k'),
  'resolve as not_sent': (publisher) => publisher.resolve('k', { as: 'not_sent' }),
  'resolve as published': (publisher, { posts }) =>
    publisher.resolve('k', { as: 'published', postId: posts[0]?.postId ?? '' }),
  retryFailed: (publisher) => publisher.retryFailed('k', 'k/retry'),
};

/** @param options `closedOnly`: only the faults that differ between databases */
export function describeOutcomes(
  name: string,
  open: () => Promise<SharedStore>,
  { closedOnly = false }: { readonly closedOnly?: boolean } = {},
): void {
  const faults = closedOnly ? closing : { ...closing, ...foreign };
  describe(`an error of a publisher on ${name}`, { timeout: 60_000 }, () => {
    // On a server, each call to a closed store takes seconds.
    const moments: readonly Moment[] = closedOnly
      ? ['during the search']
      : ['after the create', 'after the create, whose reply is lost', 'during the search'];
    const cases = Object.keys(faults).flatMap((fault) =>
      moments.flatMap((moment) => Object.keys(sending).map((call) => ({ fault, moment, call }))),
    );

    it.each(cases)('$call: $fault $moment', async ({ fault, moment, call }) => {
      const shared = await open();
      const scene = new Scene(shared, moment, faults[fault] as Fault);
      expect(await scene.claimOf((publisher) => sending[call]?.(publisher, scene.world) ?? Promise.resolve())).toBe(
        'unknown',
      );
      await scene.repeat();
      await shared.other.close?.();
    });

    const later = Object.keys(faults).flatMap((fault) => Object.keys(repeating).map((call) => ({ fault, call })));

    it.each(later)('$call of an intent that was sent before: $fault', async ({ fault, call }) => {
      const shared = await open();
      const scene = new Scene(shared, 'after the create', faults[fault] as Fault);
      const { world } = scene;
      const lost = world.process({
        client: world.clientReading(() => {
          throw new TypeError('fetch failed');
        }),
      });
      expect(await lost.publish('k', world.now)).toMatchObject({ state: 'in_doubt', error: { outcome: 'unknown' } });
      await scene.strike();
      expect(await scene.claimOf((publisher) => repeating[call]?.(publisher, world) ?? Promise.resolve())).toBe(
        'unknown',
      );
      await scene.repeat();
      await shared.other.close?.();
    });
  });
}
