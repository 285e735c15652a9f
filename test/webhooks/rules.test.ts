import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import {
  finalPostsSince,
  recoveredBody,
  recoveredId,
  type CatchUpPost,
  type CatchUpQuery,
  type FinalPost,
} from '../../src/webhooks/inbox/catch-up.js';
import { createClaims } from '../../src/webhooks/receive/event-claims.js';
import { defaultBackoff, parseInboxOptions, parseStartOptions } from '../../src/webhooks/inbox/inbox-options.js';
import * as records from '../../src/webhooks/inbox/inbox-record.js';
import { logError, parseReceiverOptions } from '../../src/webhooks/receive/receiver-options.js';
import { checkSecrets, keepSecret } from '../../src/webhooks/verify/signatures.js';
import type { WebhookEvent } from '../../src/model/events.js';
import { InboxWorld } from './inbox-world.js';

const hour = 3_600_000;
const since = Date.parse('2026-03-02T09:00:00Z');
const iso = (time: number) => new Date(time).toISOString();

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([parseReceiverOptions, parseInboxOptions])('options that are missing are a ConfigurationError', (parse) => {
  expect(() => parse(undefined as never)).toThrow(ConfigurationError);
});

describe('a search for final posts', () => {
  const search = async (posts: readonly CatchUpPost[], from = since) => {
    const queries: CatchUpQuery[] = [];
    const list = (query: CatchUpQuery) => {
      queries.push(query);
      // eslint-disable-next-line @typescript-eslint/require-await -- a list is asynchronous
      return (async function* () {
        if (queries.length === 1) yield* posts;
      })();
    };
    const found: string[] = [];
    for await (const { postId } of finalPostsSince({ posts: { list } }, from)) found.push(postId);
    return { queries, found };
  };

  it('reads posts created since an hour before, and older posts scheduled since then', async () => {
    const from = new Date(since - hour);
    expect((await search([])).queries).toEqual([
      { createdAfter: from, limit: 100 },
      { scheduledAfter: from, createdBefore: new Date(since), limit: 100 },
    ]);
    expect((await search([], 5)).queries[0]).toEqual({ createdAfter: new Date(0), limit: 100 });
  });

  it.each(['createdAt', 'scheduledFor', 'updatedAt'] as const)(
    'takes a post whose %s is not earlier',
    async (field) => {
      const post = (postId: string, time: number, status = 'published') => ({ postId, status, [field]: iso(time) });
      const posts = [post('same', since), post('before', since - 1), post('draft', since, 'draft')];
      expect((await search(posts)).found).toEqual(['same']);
    },
  );

  it('takes a post that a target published since, and a post without any time', async () => {
    const target = (postId: string, time: number) => ({
      postId,
      status: 'partial',
      createdAt: iso(0),
      platforms: [{ publishedAt: iso(time) }],
    });
    const posts = [target('same', since), target('before', since - 1), { postId: 'timeless', status: 'failed' }];
    expect((await search(posts)).found).toEqual(['same', 'timeless']);
  });
});

describe('a recovered event', () => {
  it('has null where an event of the service has null, and the earliest readable time of a target', () => {
    const found = {
      postId: 'post_1',
      status: 'partial',
      content: 'Hello',
      updatedAt: iso(since),
      platforms: [
        { platform: 'tiktok', status: 'published', publishedAt: 'soon' },
        { platform: 'bluesky', status: 'published', publishedAt: iso(since + 2), platformPostUrl: 'https://b.example' },
        { platform: 'threads', status: 'failed', publishedAt: iso(since + 1), errorMessage: 'no' },
      ],
    } satisfies FinalPost;
    expect(recoveredId(found)).toBe('recovered_post_1_partial');
    const none = { platformPostId: null, platformPostUrl: null, errorMessage: null, warningMessage: null };
    expect(JSON.parse(recoveredBody(found))).toEqual({
      id: 'recovered_post_1_partial',
      type: 'post.partial',
      createdAt: iso(since),
      data: {
        post: { id: 'post_1', status: 'partial', content: 'Hello', scheduledFor: null, publishedAt: iso(since + 1) },
        platforms: [
          { ...none, platform: 'tiktok', status: 'published', publishedAt: 'soon' },
          {
            ...none,
            platform: 'bluesky',
            status: 'published',
            publishedAt: iso(since + 2),
            platformPostUrl: 'https://b.example',
          },
          { ...none, platform: 'threads', status: 'failed', publishedAt: iso(since + 1), errorMessage: 'no' },
        ],
      },
    });
  });

  it('of a post without targets has none', () => {
    const body = JSON.parse(recoveredBody({ postId: 'p', status: 'failed' })) as { data: unknown };
    expect(body.data).toEqual({
      post: { id: 'p', status: 'failed', scheduledFor: null, publishedAt: null },
      platforms: [],
    });
  });
});

describe('the options', () => {
  const on = { default: () => undefined };
  const inbox = (more: object = {}) => parseInboxOptions({ secret: 's', store: new MemoryDurableStore(), on, ...more });
  const receiver = (more: object = {}) => parseReceiverOptions({ secret: 's', on, ...more });

  it('of an inbox have these defaults', () => {
    expect(inbox()).toMatchObject({
      secret: ['s'],
      maxAttempts: 10,
      backoff: defaultBackoff,
      leaseMs: 60_000,
      keepMs: 30 * 24 * hour,
      toleranceSeconds: undefined,
      ackTimeoutMs: 8_000,
      now: Date.now,
    });
    expect(parseStartOptions({})).toEqual({ concurrency: 4, pollMs: 1_000 });
    expect(parseStartOptions({ concurrency: 2, pollMs: 5 })).toEqual({ concurrency: 2, pollMs: 5 });
  });

  it('of a receiver have these defaults', () => {
    expect(receiver()).toMatchObject({ ackTimeoutMs: 8_000, leaseMs: 10_000, keepMs: 24 * hour, now: Date.now });
    expect(receiver({ ackTimeoutMs: 500 })).toMatchObject({ ackTimeoutMs: 500, leaseMs: 2_500 });
    expect(receiver({ ackTimeoutMs: 500, leaseMs: 7 })).toMatchObject({ leaseMs: 7 });
  });

  it.each([
    [inbox, { leaseMs: 1 }, { leaseMs: 0 }, /leaseMs must be .*1 .*21600000/],
    [inbox, { leaseMs: 6 * hour }, { leaseMs: 6 * hour + 1 }, /leaseMs must be/],
    [inbox, { keepMs: hour }, { keepMs: hour - 1 }, /keepMs must be .*3600000/],
    [inbox, { maxAttempts: 1 }, { maxAttempts: 0 }, /maxAttempts must be a whole number, 1 or more/],
    [receiver, { ackTimeoutMs: 1 }, { ackTimeoutMs: 0.5 }, /ackTimeoutMs must be/],
    [receiver, { ackTimeoutMs: 10_000 }, { ackTimeoutMs: 10_001 }, /ackTimeoutMs must be .*10000/],
    [parseStartOptions, { pollMs: 1 }, { pollMs: 0 }, /pollMs must be/],
    [parseStartOptions, { pollMs: 24 * hour }, { pollMs: 24 * hour + 1 }, /pollMs must be/],
    [parseStartOptions, { concurrency: 1 }, { concurrency: 0 }, /concurrency must be/],
    [parseStartOptions, { concurrency: 2 }, { concurrency: 1.5 }, /concurrency must be/],
    [inbox, { maxAttempts: 2 }, { maxAttempts: 1.5 }, /maxAttempts must be/],
  ])('have limits: %o accepts %o and refuses %o', (parse: (options: object) => unknown, good, bad, message) => {
    expect(() => parse(good)).not.toThrow();
    expect(() => parse(bad)).toThrow(ConfigurationError);
    expect(() => parse(bad)).toThrow(message);
  });

  it('name what is misspelt or missing, with the nearest name', () => {
    expect(() => inbox({ maxAttempt: 1 })).toThrow(
      /'maxAttempt' is not an option of createWebhookInbox; did you mean 'maxAttempts'/,
    );
    expect(() => receiver({ leasMs: 1 })).toThrow(
      /'leasMs' is not an option of createWebhookReceiver; did you mean 'leaseMs'/,
    );
    expect(() => parseStartOptions({ poll: 1 } as object)).toThrow(/'poll' is not an option of start/);
    expect(() => inbox({ on: { 'post.publised': on.default } })).toThrow(
      /'on\.post\.publised' is not an event type with a handler; did you mean 'post\.published'/,
    );
    expect(() => inbox({ on: undefined })).toThrow('on must be an object with a handler for each event type');
    expect(() => inbox({ store: {} })).toThrow(
      'store must be a DurableStore: SqliteStore, PostgresStore, RedisStore or MemoryDurableStore',
    );
    expect(() => receiver({ store: {} })).toThrow(
      'store must be a DurableStore: SqliteStore, PostgresStore, RedisStore or MemoryDurableStore',
    );
    // A URL can contain a password.
    const quoteless = /must be a DurableStore: SqliteStore, PostgresStore(?!.*secret)/;
    for (const store of ['x.db', 'postgres://app:secret@db/x', 'rediss://app:secret@cache']) {
      expect(() => receiver({ store })).toThrow(quoteless);
    }
  });
});

describe('the record of an event', () => {
  const body = JSON.stringify({ type: 'x' });
  const fresh = records.waiting('e', body, 5);
  /** A record as a store has it. */
  const stored = (record: records.InboxRecord) => records.eventFormat.decode('k', records.eventFormat.encode(record));

  it('moves from waiting to leased, failed, done and dead', () => {
    expect(fresh).toStrictEqual({ state: 'waiting', id: 'e', body, wakeAt: 5, failures: 0, lost: 0 });
    const leased = records.leased(fresh, 'a', 40, 20);
    expect(leased).toStrictEqual({ ...fresh, owner: 'a', wakeAt: 60, writtenAt: 40 });
    expect(records.leased(leased, 'b', 60, 30)).toStrictEqual({
      ...fresh,
      owner: 'b',
      wakeAt: 90,
      writtenAt: 60,
      lost: 1,
    });
    expect(records.failed(leased, 65, 5)).toStrictEqual({ ...fresh, wakeAt: 70, writtenAt: 65, failures: 1 });
    expect(stored(records.done(9))).toStrictEqual({ state: 'done', wakeAt: 9 });
    expect(stored(records.dead(leased))).toStrictEqual({ state: 'dead', id: 'e', body });
    const revived = records.revived(records.dead(records.failed(leased, 65, 5)), 8);
    expect(stored(revived)).toStrictEqual({ ...fresh, wakeAt: 8 });
  });

  it('stays recovered in each state', () => {
    const recovered = records.waiting('e', body, 5, { recovered: true });
    expect(recovered.recovered).toBe(true);
    expect(stored(records.dead(recovered))).toStrictEqual({ state: 'dead', id: 'e', body, recovered: true });
    expect(stored(records.revived(records.dead(recovered), 5))).toStrictEqual(recovered);
    expect(records.eventOf(recovered)).toMatchObject({ id: 'e', recovered: true });
    expect(records.eventOf(fresh)).not.toHaveProperty('recovered');
  });

  it('is due at its time, and never if it is dead', () => {
    expect(records.wakeAtOf(fresh)).toBe(5);
    expect(records.wakeAtOf(records.dead(fresh))).toBeNull();
  });

  it('has a final state only for a known event with a final type', () => {
    const event = (type: string, known = true) =>
      ({ known, type, data: { post: { id: 'p' } } }) as unknown as WebhookEvent;
    for (const status of ['published', 'partial', 'failed'])
      expect(records.finalStateOf(event(`post.${status}`))).toEqual({ postId: 'p', status });
    expect(records.finalStateOf(event('post.scheduled'))).toBeUndefined();
    expect(records.finalStateOf(event('post.published', false))).toBeUndefined();
  });

  it('has keys that every store accepts', async () => {
    expect(await records.eventKey('e.1:a@b-c')).toBe('inbox/event/e.1:a@b-c');
    expect(await records.deadKey('e')).toBe('inbox/dead/e');
    expect(await records.stateKey('p', 'failed')).toBe('inbox/state/p/failed');
    const longest = 'a'.repeat(200);
    expect(await records.keySegment(longest)).toBe(longest);
    for (const id of [`${longest}a`, '', 'a/b', 'é', 'a b', `a\n`])
      expect(await records.keySegment(id)).toMatch(/^~[\da-f]{64}$/);
  });

  it('has different keys for IDs that differ in half of a surrogate pair', async () => {
    const ids = ['\ud800', '\ud801', '\ufffd', '"\\ud800"', 'a\ud800', 'a\ud801'];
    const segments = await Promise.all(ids.map(records.keySegment));
    expect(new Set(segments).size).toBe(ids.length);
    for (const segment of segments) expect(segment).toMatch(/^~~?[\da-f]{64}$/);
  });

  it('is stored with the number of its format, and read without it', () => {
    const data = records.eventFormat.encode(fresh);
    expect(JSON.parse(data)).toEqual({ v: 1, ...fresh });
    expect(records.eventFormat.decode('k', data)).toEqual(fresh);
  });

  it.each([
    [
      '{"v":2}',
      "A newer version of social-publishing wrote 'k' (format 2; this version reads up to 1). It was left as it is.",
    ],
    ...['{', 'null', '5', '{}', '{"v":"1"}'].map((data) => [
      data,
      "The store has an item 'k' that this package did not write. It was left as it is.",
    ]),
  ])('of another version is refused and not quoted: %s', (data, message) => {
    expect(() => records.eventFormat.decode('k', data)).toThrow(message);
  });
});

describe('the default log', () => {
  it('names the event, its ID and the attempt', () => {
    const lines: unknown[] = [];
    vi.spyOn(console, 'error').mockImplementation((line: unknown) => void lines.push(line));
    const event = { type: 'post.failed', known: false, id: 'e1' } as unknown as WebhookEvent & { id: string };
    logError('x', {});
    logError('x', { event });
    logError('x', { event: { ...event, id: undefined } as unknown as WebhookEvent });
    logError('x', { event, attempt: 2, last: false });
    logError('x', { event, attempt: 3, last: true });
    expect(lines).toEqual([
      'A webhook event was not handled:',
      'A webhook event was not handled (post.failed e1):',
      'A webhook event was not handled (post.failed):',
      'A webhook event was not handled (post.failed e1, attempt 2, will be retried):',
      'A webhook event was not handled (post.failed e1, attempt 3, the last one):',
    ]);
  });
});

describe('a webhook secret', () => {
  const origin =
    'notifications.create() returns it as webhook.secret. If you read it from an environment variable, check that the ' +
    'variable is set.';

  it.each([
    [[], `The list of webhook secrets is empty. ${origin}`],
    [undefined, `The webhook secret must be a string, not undefined. ${origin}`],
    [null, `The webhook secret must be a string, not null. ${origin}`],
    [['a', 5], `The webhook secret must be a string, not number. ${origin}`],
    ['  ', `The webhook secret is empty. ${origin}`],
    [' undefined', "The webhook secret is the text 'undefined': a variable without a value was turned into a string."],
    ['null', "The webhook secret is the text 'null': a variable without a value was turned into a string."],
    ['a\n', /has a line break/],
    ['a\rb', /has a line break/],
    ['whsec_***abc', /is masked/],
    ['whsec_\u2022abc', /is masked/],
    ['whsec_\u2026', /is masked/],
  ])('is refused with the reason: %j', (secret, message) => {
    expect(() => checkSecrets(secret as string)).toThrow(message);
  });

  it('is copied as a list, and a function is kept', () => {
    const secrets = ['a', 'b**'];
    const kept = keepSecret(secrets);
    secrets.push('c');
    expect(kept).toEqual(['a', 'b**']);
    expect(keepSecret('a')).toEqual(['a']);
    const current = () => 'a';
    expect(keepSecret(current)).toBe(current);
  });
});

describe('the claim of an event in a durable store', () => {
  function claimed() {
    const store = new MemoryDurableStore();
    let time = since;
    const times = { leaseMs: 1_000, keepMs: hour, now: () => time };
    const claim = createClaims(store, times);
    return { store, claim: (id: string, secrets = ['s']) => claim(id, secrets), pass: (ms: number) => (time += ms) };
  }
  const taken = async (claim: ReturnType<ReturnType<typeof createClaims>>) => {
    const one = await claim;
    if (typeof one === 'string') throw new Error(one);
    return one;
  };

  it('excludes others until its lease ends', async () => {
    const { claim, pass, store } = claimed();
    await taken(claim('e'));
    const [item] = await store.scan('receiver/', undefined, 9);
    const owner = expect.any(String) as string;
    const record = { v: 1, state: 'claimed', owner, until: since + 1_000, leaseMs: 1_000 };
    expect(JSON.parse(item?.data ?? '')).toEqual(record);
    pass(999);
    expect(await claim('e')).toBe('in_progress');
    pass(1);
    await taken(claim('e'));
    await taken(claim('other'));
  });

  it('completes the event even if another process has it by then, or its record is gone', async () => {
    const { claim, pass, store } = claimed();
    const slow = await taken(claim('e'));
    pass(1_000);
    await taken(claim('e'));
    await slow.complete();
    expect(await claim('e')).toBe('done');
    const [item] = await store.scan('receiver/', undefined, 9);
    if (item === undefined) throw new Error('no item');
    await store.swap(item.key, item.version, null, null);
    await slow.complete();
    expect(await claim('e')).toBe('done');
  });

  describe('with several secrets', () => {
    /** A store in which the second claim of an event fails. */
    function failing() {
      const world = claimed();
      const lost = new Error('gone');
      const insert = world.store.insert.bind(world.store);
      let count = 0;
      vi.spyOn(world.store, 'insert').mockImplementation((...args) =>
        (count += 1) === 2 ? Promise.reject(lost) : insert(...args),
      );
      return { ...world, lost };
    }

    it('is taken with all of them, or with none', async () => {
      const { claim, store } = claimed();
      await taken(claim('e', ['b']));
      expect(await claim('e', ['a', 'b', 'c'])).toBe('in_progress');
      expect(await store.scan('receiver/', undefined, 9)).toHaveLength(1);
    });

    it('rejects with the first error, even if the release fails', async () => {
      const { claim, store, lost } = failing();
      vi.spyOn(store, 'swap').mockRejectedValue(new Error('also gone'));
      await expect(claim('e', ['a', 'b'])).rejects.toBe(lost);
    });
  });

  it('is taken over after its lease if the record is not among the ten oldest, which are removed', async () => {
    const { claim, pass, store } = claimed();
    for (let count = 0; count < 12; count += 1) await taken(claim(`old${String(count)}`));
    pass(1);
    await taken(claim('e'));
    const [before] = (await store.scan('receiver/', undefined, 20)).filter(({ key }) => key.endsWith('/e'));
    pass(1_000);
    await taken(claim('e'));
    expect(await claim('e')).toBe('in_progress');
    const after = await store.get(before?.key ?? '');
    expect(after?.data).not.toBe(before?.data);
    expect(after?.version).toBeGreaterThan(before?.version ?? Infinity);
  });
});

describe('the worker of an inbox', () => {
  const event = (id: string) => ({ id, type: 'post.failed', data: { post: { id: `post_${id}` }, platforms: [] } });

  it('continues without a pause while more events are due than it processes at once', async () => {
    const world = new InboxWorld();
    const process = world.process();
    const ids = Array.from({ length: 12 }, (_, index) => `evt_${String(index)}`);
    for (const id of ids) await process.deliver(event(id));
    const worker = process.inbox.start({ concurrency: 2, pollMs: 3_600_000 });
    await expect.poll(() => process.ids.length).toBe(ids.length);
    await worker.stop();
  });

  it('searches for old claims of states once a minute', async () => {
    const world = new InboxWorld();
    const process = world.process();
    const searches: string[] = [];
    const { due } = process.store;
    process.store.due = (prefix, now, limit) => {
      searches.push(prefix);
      return due(prefix, now, limit);
    };
    const states = () => searches.filter((prefix) => prefix === 'inbox/state/').length;
    const worker = process.inbox.start({ pollMs: 1 });
    await expect.poll(() => searches.length).toBeGreaterThan(10);
    expect(states()).toBe(1);
    world.time += 60_000;
    await expect.poll(states).toBe(2);
    await worker.stop();
  });

  it('asks backoff once for the wait after a failed attempt, even if it must repeat the write', async () => {
    const world = new InboxWorld();
    const attempts: number[] = [];
    const process = world.process({
      on: { default: () => Promise.reject(new Error('boom')) },
      backoff: (attempt) => {
        attempts.push(attempt);
        return 60_000;
      },
    });
    await process.deliver(event('evt_1'));
    for (let count = 0; count < 3; count += 1) process.store.fail('swap', 'lost before', /"failures":1/);
    await process.work();
    expect(attempts).toEqual([1]);
    expect(process.errors.map(({ error }) => String(error))).toEqual(['Error: boom', 'Error: The store is gone']);
  });

  it('reports a result that it cannot write once, and repeats the write', async () => {
    const world = new InboxWorld();
    const process = world.process();
    await process.deliver(event('evt_1'));
    for (let count = 0; count < 3; count += 1) process.store.fail('swap', 'lost before', /"state":"done"/);
    await process.work();
    expect(process.errors.map(({ error }) => String(error))).toEqual(['Error: The store is gone']);
    expect(process.ids).toEqual(['evt_1']);
  });
});
