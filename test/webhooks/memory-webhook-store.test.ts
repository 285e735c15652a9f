/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated store stays for this release */
import { describe, expect, it } from 'vitest';
import { ConfigurationError, MemoryWebhookStore } from '../../src/webhooks/index.js';
import { describeStore } from './webhook-store-suite.js';

function setUp(maxEntries?: number) {
  let now = 1_735_787_045_000;
  const store = new MemoryWebhookStore({ maxEntries, now: () => now });
  const pass = (ms: number) => {
    now += ms;
  };
  return { store, other: store, pass };
}

describeStore('MemoryWebhookStore', () => setUp());

describe('MemoryWebhookStore', () => {
  it('remembers at most its maximum of events, and forgets the oldest handled ones first', async () => {
    const { store } = setUp(3);
    for (const id of ['a', 'b', 'c', 'd']) {
      expect(await store.claim(id, 1000)).toBe('new');
      await store.complete(id, 1000);
      expect(store.size).toBeLessThanOrEqual(3);
    }
    expect(await store.claim('b', 1000)).toBe('done');
    expect(await store.claim('d', 1000)).toBe('done');
    expect(await store.claim('a', 1000)).toBe('new');
    expect(await store.claim('b', 1000)).toBe('new');
  });

  it('never forgets a claim for room: it refuses one more', async () => {
    const { store, pass } = setUp(2);
    await store.claim('a', 1000);
    await store.claim('b', 2000);
    await expect(store.claim('c', 1000)).rejects.toThrow('More than 2 webhook events');
    expect(await store.claim('a', 1000)).toBe('in_progress');
    pass(1500);
    expect(await store.claim('c', 1000)).toBe('new');
    expect(await store.claim('b', 1000)).toBe('in_progress');
  });

  it('forgets expired events automatically', async () => {
    const { store, pass } = setUp();
    for (let i = 0; i < 100; i += 1) {
      await store.claim(String(i), 1000);
      await store.complete(String(i), 5000);
    }
    expect(store.size).toBe(100);
    pass(5000);
    await store.claim('one more', 1000);
    expect(store.size).toBe(1);
  });

  it('forgets an event in time, even if an earlier one is kept longer', async () => {
    const { store, pass } = setUp();
    await store.complete('long', 1000);
    await store.complete('short', 100);
    pass(150);
    expect(await store.claim('short', 1000)).toBe('new');
    expect(await store.claim('long', 1000)).toBe('done');
  });

  it('keeps to its bound though events are completed that it has forgotten', async () => {
    const { store } = setUp(2);
    for (const id of ['a', 'b', 'c']) await store.complete(id, 1000);
    expect(store.size).toBe(2);
    expect(await store.claim('c', 1000)).toBe('done');
  });

  it('counts an event once, however often it is completed', async () => {
    const { store } = setUp();
    await store.complete('a', 1000);
    await store.complete('a', 1000);
    expect(store.size).toBe(1);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses room for %s events', (maxEntries) => {
    expect(() => new MemoryWebhookStore({ maxEntries })).toThrow(ConfigurationError);
  });
});
