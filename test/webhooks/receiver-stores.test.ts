import type * as NodeSqlite from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.js';
import type { DurableStore } from '../../src/stores/store.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { createWebhookReceiver, signWebhook } from '../../src/webhooks/index.js';
import { ProcessStore, type StoreFault } from './inbox-world.js';
import { describeReceiver } from './receiver-suite.js';
import { setUp } from './recording-receiver.js';
import { published, secret } from './verify-suite.js';

// Servers: test/stores/servers/receiver.spec.ts.

function clock() {
  let now = 1_735_787_045_000;
  return {
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describeReceiver('MemoryDurableStore', () => {
  const store = new MemoryDurableStore();
  return { store, other: store, ...clock() };
});

// `npm run test:stores` runs this file on Node versions with node:sqlite.
const sqlite = process.getBuiltinModule('node:sqlite') as typeof NodeSqlite | undefined;
if (sqlite !== undefined) {
  describeReceiver('SqliteStore', async () => {
    const store = new SqliteStore(new sqlite.DatabaseSync(':memory:'), { onWarning: () => undefined });
    await store.setup();
    return { store, other: store, ...clock() };
  });
}

const hourMs = 3_600_000;
const leaseMs = 10_000;

function setUpDurable(handler: () => unknown = () => undefined) {
  const { now, pass } = clock();
  const memory = new MemoryDurableStore();
  const store = new ProcessStore(memory);
  const on = { default: vi.fn(handler) };
  const { receiver, errors } = setUp({ store, on, now, keepMs: hourMs, toleranceSeconds: false });
  const deliver = async (id = 'evt_1') => {
    const body = JSON.stringify({ ...published, id });
    const headers = await signWebhook({ body, secret });
    return (await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', body, headers }))).status;
  };
  const records = async () => {
    const items = await memory.scan('', undefined, 1000);
    return items.map(({ key, data }) => ({ key, ...(JSON.parse(data) as { state: string; until: number }) }));
  };
  return { memory, store, handler: on.default, errors, deliver, records, now, pass };
}

describe('a webhook receiver', () => {
  it.each(['MemoryWebhookStore', 'RedisWebhookStore'])(
    'refuses a %s of release 0.2.0, and names its replacement',
    (name) => {
      const method = () => Promise.resolve('new');
      const store = { claim: method, complete: method, release: method } as unknown as DurableStore;
      const create = () => createWebhookReceiver({ secret, store, on: {} });
      expect(create).toThrow(ConfigurationError);
      expect(create).toThrow(new RegExp(`^store must be a DurableStore\\. .*Replace ${name} by \\w+ of`));
    },
  );
});

describe('a webhook receiver on a DurableStore', () => {
  it('stores a record for the event and one for the final state, without content', async () => {
    const { deliver, records, memory, now } = setUpDurable();
    await deliver();
    expect(await records()).toEqual([
      {
        key: expect.stringMatching(/^receiver\/[0-9a-f]{16}\/evt_1$/) as string,
        v: 1,
        state: 'done',
        until: now() + hourMs,
      },
      {
        key: expect.stringMatching(/^receiver\/[0-9a-f]{16}\/post_1\/published$/) as string,
        v: 1,
        state: 'done',
        until: now() + hourMs,
      },
    ]);
    expect(JSON.stringify(await memory.scan('', undefined, 9))).not.toContain('Grüße');
    expect(JSON.stringify(await memory.scan('', undefined, 9))).not.toContain(secret);
  });

  it('writes twice for an event and its state, and reads the records of an inbox once', async () => {
    const { deliver, store } = setUpDurable();
    await deliver();
    expect(store.calls.map((call) => call.split(' ')[0])).toEqual(['insert', 'insert', 'get', 'get', 'swap', 'swap']);
  });

  it('remembers a handled event for keepMs, and not longer', async () => {
    const { deliver, handler, pass } = setUpDurable();
    await deliver();
    pass(hourMs - 1);
    await deliver();
    expect(handler).toHaveBeenCalledTimes(1);
    pass(1);
    expect(await deliver()).toBe(200);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  it('removes up to 10 old records at each claim', async () => {
    const { deliver, memory, pass } = setUpDurable();
    for (let i = 0; i < 25; i += 1) await deliver(`old_${String(i)}`);
    pass(hourMs - 1);
    await deliver('recent');
    expect(memory.size).toBe(27);
    pass(1);
    const sizes: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      await deliver(`new_${String(i)}`);
      sizes.push(memory.size);
    }
    expect(sizes).toEqual([18, 9, 5, 6]);
  });

  it('leaves records of others, and records of a newer version', async () => {
    const { deliver, memory, now, errors } = setUpDurable();
    const old = now() - 1;
    await memory.insert('inbox/event/evt_9', 'of an inbox', old);
    await memory.insert('receiver/0123456789abcdef/evt_9', '{"v":2}', old);
    expect(await deliver()).toBe(200);
    expect(errors).toEqual([]);
    expect(memory.size).toBe(4);
  });

  it('answers 500 to an event whose record it cannot read, and does not handle it', async () => {
    const { deliver, records, memory, handler, errors } = setUpDurable();
    await deliver();
    const [{ key } = expect.unreachable()] = await records();
    const { version } = (await memory.get(key)) ?? expect.unreachable();
    await memory.swap(key, version, '{"v":2,"state":"done"}', null);
    expect(await deliver()).toBe(500);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(errors).toEqual([expect.any(ConfigurationError)]);
    expect(String(errors[0])).toContain('newer version');
  });

  it('handles events while old records cannot be removed', async () => {
    const { deliver, store, handler } = setUpDurable();
    store.fail('due', 'lost before');
    expect(await deliver()).toBe(200);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it.each<[call: string, method: 'insert' | 'swap', fault: StoreFault, statuses: number[], calls: number]>([
    ['the claim', 'insert', 'lost before', [500, 200], 1],
    ['the claim', 'insert', 'lost after', [200, 200], 1],
    ['the record of the result', 'swap', 'lost before', [500, 503], 1],
    ['the record of the result', 'swap', 'lost after', [200, 200], 1],
  ])('after a lost reply to %s (%s, %s), answers %j', async (_, method, fault, statuses, calls) => {
    const { deliver, store, handler } = setUpDurable();
    store.fail(method, fault);
    expect([await deliver(), await deliver()]).toEqual(statuses);
    expect(handler).toHaveBeenCalledTimes(calls);
  });

  it('handles an event whose release was lost after its lease', async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error('boom'));
    const { deliver, store, errors, pass } = setUpDurable(handler);
    store.fail('swap', 'lost before');
    expect([await deliver(), await deliver()]).toEqual([500, 503]);
    expect(errors.map(String)).toEqual(['Error: boom', 'Error: The store is gone']);
    pass(leaseMs);
    expect([await deliver(), handler.mock.calls.length]).toEqual([200, 2]);
  });

  it.each([
    ['the claim', 'insert', /evt_1/],
    ['the search in the inbox', 'get', /inbox/],
  ] as const)(
    'does not handle an event that another process took after the lease (%s is late)',
    async (_, method, key) => {
      const { deliver, handler, store, memory, now, pass } = setUpDurable();
      const other = setUp({ store: memory, now, toleranceSeconds: false });
      store.delay(method, key, async () => {
        pass(leaseMs);
        const body = JSON.stringify(published);
        const headers = await signWebhook({ body, secret });
        await other.receiver.fetch(new Request('https://receiver.test/', { method: 'POST', body, headers }));
      });
      expect([await deliver(), other.handled.length]).toEqual([200, 1]);
      expect(handler).not.toHaveBeenCalled();
    },
  );

  it('handles an event whose claim was answered late, if no other process took it', async () => {
    const { deliver, handler, store, pass } = setUpDurable();
    store.delay('insert', /evt_1/, async () => {
      await Promise.resolve();
      pass(leaseMs);
    });
    expect([await deliver(), handler.mock.calls.length]).toEqual([200, 1]);
  });

  it('keeps no claim of its own that was late', async () => {
    const { deliver, errors, handler, store, pass } = setUpDurable();
    const isLate = { is: true };
    const late = async () => {
      await Promise.resolve();
      if (isLate.is) pass(leaseMs);
    };
    for (let tries = 0; tries < 5; tries += 1) store.delay('insert', /evt_1/, late);
    expect([await deliver(), handler.mock.calls.length]).toEqual([500, 0]);
    expect(errors.map(String)).toEqual([expect.stringContaining('took longer than leaseMs')]);
    isLate.is = false;
    expect([await deliver(), handler.mock.calls.length]).toEqual([200, 1]);
  });

  it('does not believe a store that refuses a write but can be read', async () => {
    const { deliver, store, handler, errors } = setUpDurable();
    const refused = new ConfigurationError('A transaction is open.');
    store.fail('insert', 'lost after', /(?:)/, refused);
    expect(await deliver()).toBe(500);
    expect(handler).not.toHaveBeenCalled();
    expect(errors).toEqual([refused]);
  });

  it('refuses an event that other processes keep changing', async () => {
    const { deliver, store, handler } = setUpDurable();
    vi.spyOn(store, 'insert').mockResolvedValue(undefined);
    vi.spyOn(store, 'get').mockResolvedValue(undefined);
    expect(await deliver()).toBe(503);
    expect(handler).not.toHaveBeenCalled();
  });

  it('names the new contract to a store that resolves to a boolean', async () => {
    const { deliver, store, errors } = setUpDurable();
    vi.spyOn(store, 'insert').mockResolvedValue(true as unknown as number);
    expect(await deliver()).toBe(500);
    expect(String(errors[0])).toContain('resolve to the item');
  });

  it('claims the keys of all secrets, or none', async () => {
    const store = new ProcessStore(new MemoryDurableStore());
    const handled = vi.fn();
    const start = (secrets: string | string[]) =>
      createWebhookReceiver({ secret: secrets, store, on: { default: handled }, onError: () => undefined });
    const deliver = async (secrets: string | string[], signedWith: string) => {
      const body = JSON.stringify(published);
      const headers = await signWebhook({ body, secret: signedWith });
      const request = new Request('https://receiver.test/', { method: 'POST', body, headers });
      return (await start(secrets).fetch(request)).status;
    };
    // The second claim fails: the first must not stay.
    let inserts = 0;
    const insert = store.insert;
    const failing = vi.spyOn(store, 'insert').mockImplementation((...args) => {
      inserts += 1;
      return inserts === 2 ? Promise.reject(new Error('down')) : insert(...args);
    });
    expect(await deliver(['one', 'two'], 'one')).toBe(500);
    failing.mockRestore();
    expect(await store.scan('', undefined, 9)).toEqual([]);
    expect([await deliver('one', 'one'), await deliver('two', 'two')]).toEqual([200, 200]);
    expect(handled).toHaveBeenCalledTimes(2);
  });

  it('takes no key of an event that one of its secrets has handled', async () => {
    const store = new MemoryDurableStore();
    const handled = vi.fn();
    const deliver = async (secrets: string | string[], signedWith: string) => {
      const receiver = createWebhookReceiver({ secret: secrets, store, on: { default: handled } });
      const body = JSON.stringify(published);
      const headers = await signWebhook({ body, secret: signedWith });
      return (await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', body, headers }))).status;
    };
    for (const first of ['one', 'two']) {
      await deliver(first, first);
      const before = store.size;
      expect(await deliver(['one', 'two'], first)).toBe(200);
      expect(store.size).toBe(before);
    }
    expect(handled).toHaveBeenCalledTimes(2);
  });
});
