import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SocialPublishingError } from '../../src/core/errors.js';
import { defaultRuntime } from '../../src/core/runtime.js';
import { PostgresStore } from '../../src/stores/postgres/index.js';
import { RedisStore } from '../../src/stores/redis/index.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { repeatWhenLost, settleWrite, type Failures } from '../../src/stores/lost-replies.js';

describe('settling a write', () => {
  beforeEach(() => {
    vi.spyOn(defaultRuntime, 'sleep').mockResolvedValue();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  class Lost extends Error {}
  const failures: Failures = { isLost: (error) => error instanceof Lost, explain: (error) => error as Error };
  /** Runs the plan of writes and reads, and returns the result with the calls. */
  const settle = async (writes: (boolean | Error)[], seen: (string | Error | undefined)[]) => {
    const calls: string[] = [];
    const next = async <T>(name: string, plan: (T | Error)[]) => {
      calls.push(name);
      const value = plan.shift();
      if (value instanceof Error) throw value;
      return Promise.resolve(value as T);
    };
    const settled = settleWrite(
      {
        write: () => next('write', writes),
        read: async () => {
          const data = await next<string | undefined>('read', seen);
          return data === undefined ? undefined : { version: 1, data };
        },
        judge: (found) => (found === undefined ? 'not yet' : found.data === '?' ? 'unknown' : found.data === 'mine'),
      },
      failures,
    );
    return [await settled.catch((error: unknown) => (error as Error).message), calls.join(' ')];
  };

  it('costs one write if the reply arrives', async () => {
    expect(await settle([true], [])).toEqual([true, 'write']);
    expect(await settle([false], [])).toEqual([false, 'write']);
  });

  it('reads before it trusts or repeats a write whose reply was lost', async () => {
    expect(await settle([new Lost()], ['mine'])).toEqual([true, 'write read']);
    expect(await settle([new Lost()], ['other'])).toEqual([false, 'write read']);
    expect(await settle([new Lost(), true], [undefined])).toEqual([true, 'write read write']);
  });

  it('reads once more if the repetition is refused: the first attempt may have arrived late', async () => {
    expect(await settle([new Lost(), false], [undefined, 'mine'])).toEqual([true, 'write read write read']);
    expect(await settle([new Lost(), false], [undefined, 'other'])).toEqual([false, 'write read write read']);
    const [message] = await settle([new Lost(), false], [undefined, undefined]);
    expect(message).toMatch(/the result is unknown/);
  });

  it('ends with a read after the last wait, and with the error if nothing was written', async () => {
    const ending = (last: string | Error | undefined) => {
      const writes = Array.from({ length: 5 }, () => new Lost('lost'));
      return settle(writes, [undefined, undefined, undefined, undefined, last]);
    };
    const calls = 'write read write read write read write read write read';
    expect(await ending('mine')).toEqual([true, calls]);
    expect(await ending('other')).toEqual([false, calls]);
    expect(await ending(undefined)).toEqual(['lost', calls]);
    expect(await ending(new Lost('read'))).toEqual(['lost', calls]);
  });

  it('repeats nothing that the server refused', async () => {
    expect(await settle([new Error('refused')], [])).toEqual(['refused', 'write']);
    expect(await settle([new Lost(), new Error('refused')], [undefined])).toEqual(['refused', 'write read write']);
    expect((await settle([new Lost()], ['?']))[0]).toMatch(/the result is unknown/);
  });
});

describe('an error of Next.js in place of a request', () => {
  const kinds = ['Upstash', 'libSQL', 'Postgres'] as const;
  it.each(kinds)('passes through a store on %s unchanged and at once', async (kind) => {
    // Only then the page is rendered at each request.
    const bail = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' });
    let commands: string[] = [];
    const refuse = (...command: unknown[]) => {
      commands.push(JSON.stringify(command));
      return Promise.reject(bail);
    };
    const stores = {
      Upstash: () => new RedisStore(refuse),
      libSQL: () => new SqliteStore({ execute: refuse, batch: refuse, protocol: 'http' }),
      Postgres: () => new PostgresStore({ query: refuse, getTransactionStatus: () => 'I' }),
    };
    const store = stores[kind]();
    const calls = [
      () => store.setup(),
      () => store.get('k'),
      () => store.insert('k', 'data', null),
      () => store.swap('k', 1, 'data', null),
      () => store.swap('k', 1, null, null),
      () => store.due('', 0, 1),
      () => store.scan('', undefined, 1),
    ];
    for (const call of calls) {
      commands = [];
      await expect(call()).rejects.toBe(bail);
      expect(new Set(commands).size).toBe(commands.length);
    }
  });
});

describe('the waits for a server', () => {
  const failures: Failures = {
    isLost: (error) => String(error).includes('lost'),
    explain: (error) => new Error('explained', { cause: error }),
  };
  let waits: number[];
  beforeEach(() => {
    waits = [];
    vi.spyOn(defaultRuntime, 'sleep').mockImplementation((ms) => {
      waits.push(ms);
      return Promise.resolve();
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const serverWaits = [5, 50, 250, 1000];
  const lost = new Error('lost');

  it('grow between the attempts of a write', async () => {
    const calls: string[] = [];
    const settled = settleWrite(
      {
        write: () => {
          calls.push('write');
          return Promise.reject(lost);
        },
        read: () => {
          calls.push('read');
          return Promise.resolve(undefined);
        },
        judge: () => 'not yet',
      },
      failures,
    );
    await expect(settled).rejects.toMatchObject({ message: 'explained', cause: lost });
    expect(waits).toEqual(serverWaits);
    expect(calls.join(' ')).toBe('write read write read write read write read write read');
  });

  it('grow between the attempts of a read', async () => {
    let reads = 0;
    const read = () => {
      reads += 1;
      throw lost;
    };
    await expect(repeatWhenLost(read, failures)).rejects.toMatchObject({ message: 'explained', cause: lost });
    expect(waits).toEqual(serverWaits);
    expect(reads).toBe(5);
  });

  it('end with the first reply to a read', async () => {
    let reads = 0;
    const read = () => {
      reads += 1;
      if (reads < 3) throw lost;
      return 'item';
    };
    expect(await repeatWhenLost(read, failures)).toBe('item');
    expect(waits).toEqual([5, 50]);
  });

  it('are left out if the server refuses a read', async () => {
    const refused = new Error('refused');
    const read = () => Promise.reject(refused);
    await expect(repeatWhenLost(read, failures)).rejects.toMatchObject({ message: 'explained', cause: refused });
    expect(waits).toEqual([]);
  });

  it('end if the result of a write is unknown', async () => {
    const settled = settleWrite(
      { write: () => Promise.reject(lost), read: () => Promise.resolve(undefined), judge: () => 'unknown' },
      failures,
    );
    const error: unknown = await settled.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SocialPublishingError);
    expect(error).toMatchObject({
      outcome: 'unknown',
      message:
        'The connection was lost during a write, and another write has replaced the item since: the result is unknown.',
      cause: { message: 'lost' },
    });
    expect(waits).toEqual([5]);
  });
});
