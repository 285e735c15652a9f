import { describe, expect, it, vi } from 'vitest';
import {
  ConfigurationError,
  createOnce,
  IntentConflictError,
  InvalidRequestError,
  MemoryDurableStore,
  OnceHeldError,
  SocialPublishingError,
  type Once,
} from '../../src/publisher/index.js';
import { OnceCalls } from '../../src/publisher/once.js';
import { outcomeOf, SocialPublishing } from '../../src/index.js';
import { createEmulator } from '../../src/emulator/index.js';
import { storeCalling, storeWith } from '../support/stores.js';

const start = Date.UTC(2027, 0, 1);
const body = { platform: 'instagram', recipientId: 'r', text: 'Hello' };

function world({ scope }: { scope?: string } = {}) {
  const store = new MemoryDurableStore();
  return { store, once: createOnce({ store, scope, now: () => start }) };
}

/** A call that counts, and whose ends follow the list; the last one repeats. */
function counted<T>(...ends: (T | Error)[]) {
  return vi.fn(() => {
    const end = ends.length > 1 ? ends.shift() : ends[0];
    return end instanceof Error ? Promise.reject(end) : Promise.resolve(end as T);
  });
}

async function heldKeys(once: Once): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of once.held()) keys.push(key);
  return keys;
}

describe('a call once per key', () => {
  it('is made once, and its result is replayed for the same body in any order of fields', async () => {
    const { once } = world();
    const call = counted({ messageId: 'm', at: new Date(start) });
    expect(await once('k', body, call)).toEqual({ result: { messageId: 'm', at: new Date(start) }, replayed: false });
    const { platform, ...rest } = body;
    expect(await once('k', { ...rest, platform }, call)).toEqual({
      result: { messageId: 'm', at: new Date(start).toISOString() },
      replayed: true,
    });
    expect(call).toHaveBeenCalledOnce();
    expect(call).toHaveBeenCalledWith(body);
  });

  it('is not made for another body under the key', async () => {
    const { once } = world();
    const call = counted('done');
    await once('k', body, call);
    const error: unknown = await once('k', { ...body, text: 'Other' }, call).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(IntentConflictError);
    expect(String(error)).toMatch(
      /Another call has the key "k", with another body \(different: text\)\. Nothing was called/,
    );
    expect(call).toHaveBeenCalledOnce();
  });

  it.each(['rejected', 'not_sent'] as const)('frees its key after an error with the outcome %s', async (outcome) => {
    const { once, store } = world();
    const refusal = new InvalidRequestError([], { outcome });
    const call = counted<string>(refusal, 'sent');
    await expect(once('k', body, call)).rejects.toBe(refusal);
    expect(store.size).toBe(0);
    expect(await once('k', { ...body, text: 'Fixed' }, call)).toEqual({ result: 'sent', replayed: false });
  });

  it.each([
    ['an unknown outcome', new SocialPublishingError('lost', { outcome: 'unknown' })],
    ['an error without an outcome', new Error('socket hang up')],
  ])('holds its key after %s, and is not made again', async (_, error) => {
    const { once } = world();
    const call = counted<string>(error, 'sent');
    await expect(once('k', body, call)).rejects.toBe(error);
    for (let again = 0; again < 2; again += 1) {
      const held: unknown = await once('k', body, call).catch((thrown: unknown) => thrown);
      expect(held).toBeInstanceOf(OnceHeldError);
      expect(held).toMatchObject({ key: 'k', createdAt: new Date(start).toISOString() });
      expect(outcomeOf(held)).toBe('unknown');
    }
    expect(call).toHaveBeenCalledOnce();
    expect(await heldKeys(once)).toEqual(['k']);
  });

  it('holds its key after an abort whose reason another call of the client has recorded as not sent', async () => {
    const { once } = world();
    const stop = new AbortController();
    const client = new SocialPublishing({ baseUrl: 'https://api.example.com', accessKey: 'key' });
    const reason = new Error('The process stops.');
    const executed = vi.fn(async () => {
      stop.abort(reason);
      await expect(client.integrations.get('account', { signal: stop.signal })).rejects.toBe(reason);
      throw reason;
    });
    await expect(once('k', body, executed)).rejects.toBe(reason);
    expect(outcomeOf(reason)).toBe('not_sent');
    await expect(once('k', body, executed)).rejects.toBeInstanceOf(OnceHeldError);
    expect(executed).toHaveBeenCalledOnce();
  });

  it('holds its key if a store of the call failed, because the call may have been executed before', async () => {
    const { once } = world();
    const noTable = new ConfigurationError('There is no table my_replies.');
    await expect(once('k', body, counted<string>(noTable, 'again'))).rejects.toBe(noTable);
    await expect(once('k', body, counted('again'))).rejects.toBeInstanceOf(OnceHeldError);
  });

  it('holds its key while it runs, in this process and in another one', async () => {
    const { once, store } = world();
    const other = createOnce({ store });
    let end: (result: string) => void = () => undefined;
    const running = once('k', body, () => new Promise<string>((resolve) => (end = resolve)));
    await expect(once('k', body, counted('again'))).rejects.toBeInstanceOf(OnceHeldError);
    await expect(other('k', body, counted('again'))).rejects.toBeInstanceOf(OnceHeldError);
    end('sent');
    expect(await running).toEqual({ result: 'sent', replayed: false });
    expect(await other('k', body, counted('again'))).toEqual({ result: 'sent', replayed: true });
  });

  it('is made by one of two that begin together', async () => {
    const { once } = world();
    const call = counted('sent');
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => once('k', body, call)));
    expect(call).toHaveBeenCalledOnce();
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('resolves with its result although the store does not keep it, and holds the key', async () => {
    const { once, store } = world();
    vi.spyOn(store, 'swap').mockRejectedValueOnce(new Error('the disk is full'));
    const call = counted('sent');
    expect(await once('k', body, call)).toEqual({ result: 'sent', replayed: false });
    await expect(once('k', body, call)).rejects.toBeInstanceOf(OnceHeldError);
    expect(call).toHaveBeenCalledOnce();
  });

  it('is not made without a durable mark', async () => {
    const { once, store } = world();
    vi.spyOn(store, 'insert').mockRejectedValue(new Error('the store is down'));
    const call = counted('sent');
    await expect(once('k', body, call)).rejects.toThrow('the store is down');
    expect(call).not.toHaveBeenCalled();
  });

  it('has one key in both Unicode forms, whichever was stored', async () => {
    const { once, store } = world();
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
    await once(decomposed, body, counted('sent'));
    expect(await once(composed, body, counted('again'))).toMatchObject({ replayed: true });
    const stored = (await store.scan('once/', undefined, 10)).map(({ key }) => key);
    expect(stored).toEqual([`once/${composed}`]);
  });

  it.each([
    ['undefined', undefined, undefined],
    ['null', null, null],
    ['a bigint', { id: 1n, name: 'a' }, { name: 'a' }],
  ])('returns %s, and stores as much of it as JSON can hold', async (_, result, stored) => {
    const { once } = world();
    expect(await once('k', body, () => Promise.resolve(result))).toEqual({ result, replayed: false });
    expect(await once('k', body, counted('again'))).toEqual({ result: stored, replayed: true });
  });

  it('stores a result with a circle, or whose toJSON throws', async () => {
    const { once } = world();
    const circle: { self?: unknown; name: string } = { name: 'a' };
    circle.self = circle;
    await once('circle', body, () => Promise.resolve(circle));
    expect(await once('circle', body, counted('again'))).toEqual({ result: { name: 'a' }, replayed: true });
    const throws = { toJSON: () => expect.unreachable() };
    await once('throws', body, () => Promise.resolve(throws));
    expect(await once('throws', body, counted('again'))).toEqual({ result: undefined, replayed: true });
  });

  it.each([
    ['an empty key', '', body],
    ['half a character in the key', 'a\ud83d', body],
    ['a body that JSON cannot hold', 'k', { size: 1n }],
    ['half a character in the body', 'k', { text: '\ud83d' }],
  ])('refuses %s', async (_, key, wrong) => {
    const { once } = world();
    const call = counted('sent');
    await expect(once(key, wrong, call)).rejects.toBeInstanceOf(InvalidRequestError);
    expect(call).not.toHaveBeenCalled();
  });

  it('is a separate one in each scope', async () => {
    const { store, once } = world();
    const scoped = createOnce({ store, scope: 'acme/eu' });
    const unknown = new Error('lost');
    await once('k', body, counted('one'));
    await expect(scoped('k', body, counted<string>(unknown))).rejects.toBe(unknown);
    expect(await heldKeys(once)).toEqual([]);
    expect(await heldKeys(scoped)).toEqual(['k']);
  });

  it('costs two writes and no read', async () => {
    const asked: string[] = [];
    const store = storeCalling(new MemoryDurableStore(), (call) => asked.push(call.split(' ')[0] ?? ''));
    await createOnce({ store })('k', body, counted('sent'));
    expect(asked).toEqual(['insert', 'swap']);
  });

  it('refuses a call that is not a function, and leaves its key free', async () => {
    const once = createOnce({ store: new MemoryDurableStore() });
    await expect(once('k', {}, undefined as never)).rejects.toMatchObject({ issues: [{ path: ['call'] }] });
    expect(await once('k', {}, () => Promise.resolve(1))).toEqual({ result: 1, replayed: false });
  });

  it('refuses an option that it does not know, a store that is none, and no options', () => {
    expect(() => (createOnce as () => unknown)()).toThrow(ConfigurationError);
    expect(() => createOnce({ store: new MemoryDurableStore(), scop: 'a' } as never)).toThrow(ConfigurationError);
    expect(() => createOnce({ store: {} } as never)).toThrow(/must be a DurableStore/);
  });
});

describe('a call whose mark changed while it ran', () => {
  it('reports that its result is not stored', async () => {
    const { once, store } = world();
    const calls = new OnceCalls(store, 'once/', () => start);
    const end = await calls.run('k', body, async () => {
      await once.resolve('k', { as: 'not_sent' });
      return 'sent';
    });
    expect(end).toEqual({ kind: 'done', result: 'sent', replayed: false, isStored: false });
  });
});

describe('a mark of a newer version', () => {
  it('is left as it is, and nothing is called', async () => {
    const { once, store } = world();
    await store.insert('once/k', JSON.stringify({ format: 2 }), null);
    const call = counted('sent');
    await expect(once('k', body, call)).rejects.toThrow(/A newer version of social-publishing wrote 'once\/k'/);
    expect(call).not.toHaveBeenCalled();
  });

  it('hides no other held call, and is named last', async () => {
    const { once, store } = world();
    await once('a', body, counted<string>(new Error('lost'))).catch(() => undefined);
    await store.insert('once/k', JSON.stringify({ format: 2 }), start - 1);
    const keys: string[] = [];
    const listing = (async () => {
      for await (const { key } of once.held()) keys.push(key);
    })();
    await expect(listing).rejects.toThrow(/newer version .*'once\/k'/);
    expect(keys).toEqual(['a']);
  });
});

describe('a decision on a held call whose reply is lost', () => {
  it('does not free the mark of a newer call', async () => {
    const { once, store } = world();
    await once('k', body, counted<string>(new Error('lost'))).catch(() => undefined);
    let isFirst = true;
    const losing = storeWith(store, {
      swap: async (...args) => {
        const written = await store.swap(...args);
        if (!isFirst) return written;
        isFirst = false;
        const begun = new Promise<void>((resolve) => {
          void once('k', body, () => {
            resolve();
            return new Promise(() => undefined);
          });
        });
        await begun;
        throw new Error('The reply was lost.');
      },
    });
    const deciding = createOnce({ store: losing, now: () => start }).resolve('k', { as: 'not_sent' });
    await expect(deciding).rejects.toThrow(/has a newer call/);
    expect(await heldKeys(once)).toEqual(['k']);
    await expect(once('k', body, counted('twice'))).rejects.toBeInstanceOf(OnceHeldError);
  });

  it('is not repeated by a caller who reads held() again: a newer call has another createdAt', async () => {
    let now = start;
    const store = new MemoryDurableStore();
    const once = createOnce({ store, now: () => now });
    const held = async () => {
      for await (const { createdAt } of once.held()) return createdAt;
      return undefined;
    };
    const lost = counted<string>(new Error('lost'));
    await once('k', body, lost).catch(() => undefined);
    const decided = await held();
    // It is recorded, and its caller gets the error of the store.
    await once.resolve('k', { as: 'not_sent' });
    now += 1;
    await once('k', body, lost).catch(() => undefined);
    expect([decided, await held()]).toEqual([new Date(start).toISOString(), new Date(start + 1).toISOString()]);
    await expect(once('k', body, lost)).rejects.toThrow(/Wait until at least 10 minutes after it began/);
    expect(lost).toHaveBeenCalledTimes(2);
  });
});

describe('a decision on a held call', () => {
  const heldWorld = async () => {
    const made = world();
    await made.once('k', body, counted<string>(new Error('lost'))).catch(() => undefined);
    return made;
  };

  it('as done keeps the call from being made, with or without a result', async () => {
    const { once } = await heldWorld();
    await once.resolve('k', { as: 'done', result: { messageId: 'm' } });
    await once.resolve('k', { as: 'done' });
    expect(await once('k', body, counted('again'))).toEqual({ result: { messageId: 'm' }, replayed: true });
    expect(await heldKeys(once)).toEqual([]);
  });

  it('as not_sent frees the key', async () => {
    const { once } = await heldWorld();
    await once.resolve('k', { as: 'not_sent' });
    expect(await once('k', body, counted('sent'))).toEqual({ result: 'sent', replayed: false });
  });

  it.each([undefined, {}, { as: 'published' }, { as: 'abandoned' }, { as: 'done', postId: 'p' }, 'not_sent'])(
    'that is %j changes nothing',
    async (decision) => {
      const { once } = await heldWorld();
      await expect(once.resolve('k', decision as never)).rejects.toThrow(InvalidRequestError);
      expect(await heldKeys(once)).toEqual(['k']);
    },
  );

  it.each([
    ['a key without a call', 'other', /has no call/],
    ['a call with a result', 'done', /has a result/],
  ])('is refused for %s', async (_, key, message) => {
    const { once } = await heldWorld();
    await once('done', body, counted('sent'));
    await expect(once.resolve(key, { as: 'not_sent' })).rejects.toThrow(message);
  });

  it('lists many held calls, the oldest first, and reads no finished one', async () => {
    const store = new MemoryDurableStore();
    let now = start;
    const once = createOnce({ store, now: () => now });
    for (let index = 0; index < 250; index += 1) {
      now += 1;
      const lost = index % 2 === 0;
      await once(`k${String(index)}`, body, counted<string>(lost ? new Error('lost') : 'sent')).catch(() => undefined);
    }
    const get = vi.spyOn(store, 'get');
    const keys = await heldKeys(once);
    expect(keys).toEqual(Array.from({ length: 125 }, (_, index) => `k${String(2 * index)}`));
    expect(get).toHaveBeenCalledTimes(125);
  });
});

describe('a message once per key', () => {
  it('is sent once, although its reply is lost and the program runs again', async () => {
    const service = createEmulator({ accessKey: 'key' });
    const { id: accountId } = service.seed.integration({ platform: 'instagram' });
    const { participants } = service.seed.conversation({ accountId });
    const recipientId = participants?.[0]?.id ?? '';
    const client = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'key', fetch: service.fetch });
    service.faults.add({ route: 'POST /v1/messages/', kind: 'reset_after_commit', times: 1 });
    const { once } = world();
    const message = { platform: 'instagram' as const, accountId, recipientId, text: 'Hello' };
    const send = () => once('reply/1', message, (checked) => client.messages.send(checked));
    expect(outcomeOf(await send().catch((error: unknown) => error))).toBe('unknown');
    await expect(send()).rejects.toBeInstanceOf(OnceHeldError);
    const sent = () => service.requests.filter(({ path, method }) => method === 'POST' && path === '/v1/messages/');
    expect(sent()).toHaveLength(1);
    await once.resolve('reply/1', { as: 'done' });
    expect(await send()).toEqual({ result: undefined, replayed: true });
    expect(sent()).toHaveLength(1);
  });
});
