import { describe, expect, it } from 'vitest';
import type { WebhookStore } from '../../src/webhooks/index.js';

/** Makes a fresh, empty store, and says how its time passes. */
export interface StoreSetup {
  readonly store: WebhookStore;
  /** A second store on the same memory, as another process has it. The same store, if there is none. */
  readonly other: WebhookStore;
  readonly pass: (ms: number) => Promise<void> | void;
}

/** The behaviour of every store, with any memory. */
export function describeStore(name: string, setUp: () => StoreSetup | Promise<StoreSetup>): void {
  describe(name, () => {
    it('assigns an event only to the first claim', async () => {
      const { store, other } = await setUp();
      expect(await store.claim('a', 1000)).toBe('new');
      expect(await store.claim('a', 1000)).toBe('in_progress');
      expect(await other.claim('a', 1000)).toBe('in_progress');
      expect(await store.claim('b', 1000)).toBe('new');
    });

    it('assigns an event to one of many concurrent claims', async () => {
      const { store, other } = await setUp();
      const claims = await Promise.all(
        Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? store : other).claim('a', 1000)),
      );
      expect(claims.filter((claim) => claim === 'new')).toHaveLength(1);
      expect(claims.filter((claim) => claim === 'in_progress')).toHaveLength(49);
    });

    it('remembers completed events', async () => {
      const { store, other } = await setUp();
      await store.claim('a', 1000);
      await store.complete('a', 100_000);
      expect(await store.claim('a', 1000)).toBe('done');
      expect(await other.claim('a', 1000)).toBe('done');
    });

    it('remembers it beyond the lease', async () => {
      const { store, pass } = await setUp();
      await store.claim('a', 200);
      await store.complete('a', 100_000);
      await pass(250);
      expect(await store.claim('a', 1000)).toBe('done');
    });

    it('forgets a completed event after its time', async () => {
      const { store, pass } = await setUp();
      await store.claim('a', 1000);
      await store.complete('a', 200);
      await pass(250);
      expect(await store.claim('a', 1000)).toBe('new');
    });

    it('assigns a released event to the next claim', async () => {
      const { store, other } = await setUp();
      await store.claim('a', 1000);
      await store.release('a');
      expect(await other.claim('a', 1000)).toBe('new');
      expect(await store.claim('a', 1000)).toBe('in_progress');
    });

    it('assigns an event again when its lease has expired', async () => {
      const { store, other, pass } = await setUp();
      expect(await store.claim('a', 200)).toBe('new');
      await pass(250);
      expect(await other.claim('a', 1000)).toBe('new');
      expect(await store.claim('a', 1000)).toBe('in_progress');
    });

    it('takes an event for handled that was completed after its lease had run out', async () => {
      const { store, pass } = await setUp();
      await store.claim('a', 200);
      await pass(250);
      await store.complete('a', 100_000);
      expect(await store.claim('a', 1000)).toBe('done');
    });

    it('distinguishes similar IDs, and IDs that are property names', async () => {
      const { store } = await setUp();
      for (const id of [
        'a',
        'A',
        'a ',
        'a:b',
        'a\nb',
        'é',
        'e\u0301',
        '__proto__',
        'constructor',
        '*',
        '{a}',
        'x'.repeat(10_000),
      ]) {
        expect(await store.claim(id, 1000)).toBe('new');
      }
    });
  });
}
