import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/index.js';
import { hashOf, readContent, withSlot } from '../../src/publisher/intents/content.js';
import { intentOf, type IntentRecord } from '../../src/publisher/intents/intent-record.js';
import { newIntent, type FailedSearch } from '../../src/publisher/intents/intent.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import { rejection } from '../policies/client.js';
import { step } from './acts.js';
import { collect } from '../support/collect.js';
import { start, World } from './world.js';

const draft = { content: 'Hello', saveAsDraft: true } as const;
const policy = { onMissing: 'hold', settleMs: 600_000, leaseMs: 60_000, maxLateMs: 3_600_000 } as const;

const inDoubt = (search: Partial<FailedSearch>) => {
  const { record } = step(
    newIntent('k', { body: { ...draft } }, start),
    { type: 'resume', at: start, owner: 'a', force: false },
    policy,
  );
  const sent: IntentRecord = { ...record, state: 'in_doubt' };
  const found = {
    startedAt: start,
    serviceAt: start,
    since: start,
    result: 'no_match',
    readBack: true,
    ...search,
  } as const;
  return step(sent, { type: 'not_found', at: start, search: found, searched: sent }, policy).record;
};

describe('the error of an intent in doubt', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `post_${String(index)}`);

  it.each([
    [1, '(post_0)'],
    [5, '(post_0, post_1, post_2, post_3, post_4)'],
    [6, '(post_0, post_1, post_2, post_3, post_4, …)'],
  ])('shows at most five candidates: of %i', (count, shown) => {
    expect(inDoubt({ result: 'candidates', postIds: names(count) }).error).toEqual({
      name: 'SocialPublishingError',
      message:
        `The service lists an equal post ${shown}, but the evidence does not suffice: its time of creation or its ` +
        'request does not match the send, or another intent claimed it. The intent is held and not sent again. ' +
        'Wait until at least 10 minutes after the send, and check the service. Then call `resolve`.',
      outcome: 'unknown',
    });
  });
});

describe('the public form of an intent', () => {
  const times = { createdAt: '2026-05-01T09:00:00.000Z', updatedAt: '2026-05-01T09:00:00.000Z' };

  it('has no field for what is not known', () => {
    const record = newIntent('k', { body: { ...draft } }, start);
    const bare = { key: 'k', state: 'ready', body: draft, attempts: 0, ...times, replayed: false };
    expect(intentOf(record, { replayed: false })).toStrictEqual(bare);
  });

  it('has each field that is known', () => {
    const known = {
      extraBody: { timezone: 'UTC' },
      postId: 'post_1',
      post: { postId: 'post_1' },
      targets: [],
      error: { name: 'Error', message: 'no', outcome: 'unknown' } as const,
    };
    const record = { ...newIntent('k', { body: { ...draft } }, start), ...known };
    const rest = { key: 'k', state: 'ready', body: draft, attempts: 0, ...times, replayed: true };
    expect(intentOf(record, { replayed: true })).toStrictEqual({ ...rest, ...known });
  });

  it('shows the last search only in doubt, without absent fields', () => {
    const record = inDoubt({});
    const at = '2026-05-01T09:00:00.000Z';
    expect(intentOf(record, { replayed: true }).lookup).toStrictEqual({ at, since: at, result: 'no_match' });
    expect(intentOf({ ...record, state: 'accepted' }, { replayed: true })).not.toHaveProperty('lookup');
    const error = { name: 'ApiError', message: 'no', outcome: 'unknown' } as const;
    expect(intentOf(inDoubt({ result: 'failed', error }), { replayed: true }).lookup).toStrictEqual({
      at,
      since: at,
      result: 'failed',
      error,
    });
    expect(intentOf(inDoubt({ result: 'candidates', postIds: ['p'] }), { replayed: true }).lookup).toStrictEqual({
      at,
      since: at,
      result: 'candidates',
      postIds: ['p'],
    });
  });
});

describe('the content of an intent', () => {
  const messages = (extraBody: unknown) => {
    try {
      readContent(draft, extraBody);
    } catch (error) {
      if (error instanceof InvalidRequestError) return error.issues.map(({ message }) => message);
      throw error;
    }
    return [];
  };
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  it.each([
    ['NaN', { a: NaN }, 'extraBody.a must be a finite number'],
    ['a bigint', { a: 1n }, 'extraBody.a must be JSON, not a bigint'],
    ['a function', { a: () => 1 }, 'extraBody.a must be JSON, not a function'],
    ['a cycle', cycle, 'extraBody.self must not contain itself'],
    ['a Map', { a: new Map() }, 'extraBody.a must be JSON, not a Map. Pass Object.fromEntries(map)'],
    ['a text', 'x', 'extraBody must be an object'],
  ])('is refused with its path and the reason: %s', (_, extraBody, message) => {
    expect(messages(extraBody)).toEqual([message]);
  });

  it('lists every mistake at once', () => {
    expect(messages({ a: NaN, b: [1n] })).toEqual([
      'extraBody.a must be a finite number',
      'extraBody.b.0 must be JSON, not a bigint',
    ]);
  });

  it('accepts one object in two places: only a parent is a cycle', () => {
    const shared = { x: 1 };
    expect(readContent(draft, { a: shared, b: [shared] }).extraBody).toEqual({ a: { x: 1 }, b: [{ x: 1 }] });
  });

  it('is copied as JSON: dates as text, undefined fields omitted, undefined items null', () => {
    const at = new Date(start);
    const keyed = { toJSON: (name: string) => name };
    const { extraBody } = readContent(draft, { at, none: undefined, items: [undefined, null], keyed });
    expect(extraBody).toStrictEqual({ at: at.toISOString(), items: [null, null], keyed: 'keyed' });
    expect(readContent(draft, undefined)).toStrictEqual({ body: draft });
  });

  it('with a unique time of release 0.2.0 has no other mode, in neither part', () => {
    const body = { content: 'Hello', publishNow: true, platforms: [] };
    const scheduledFor = '2026-05-01T09:00:00.000Z';
    expect(withSlot({ body }, start)).toStrictEqual({ body: { content: 'Hello', platforms: [], scheduledFor } });
    const extraBody = { publishNow: true, scheduledFor: 'noon', timezone: 'UTC' };
    expect(withSlot({ body, extraBody }, start)).toStrictEqual({
      body: { content: 'Hello', platforms: [], scheduledFor },
      extraBody: { timezone: 'UTC' },
    });
  });
});

describe('the hash of a text', () => {
  it.each([
    ['', 35_186_538_225_093],
    ['a', 1_806_557_265_013_036],
    ['campaign-42/en', 1_223_424_095_405_386],
    ['Grüße 👋', 7_725_088_780_965_420],
  ])('is the same in every release, because claims in a store contain it: %j', (text, hash) => {
    expect(hashOf(text)).toBe(hash);
  });

  it('differs for 20,000 texts, also in its lower and its upper half', () => {
    const hashes = Array.from({ length: 20_000 }, (_, index) => hashOf(`campaign/${String(index)}`));
    expect(new Set(hashes).size).toBe(20_000);
    const halves = [hashes.map((hash) => hash % 0x1_0000_0000), hashes.map((hash) => Math.floor(hash / 0x1_0000_0000))];
    for (const half of halves) expect(new Set(half).size).toBeGreaterThan(19_000);
  });
});

describe('an option that is out of range', () => {
  it.each([
    ['sweep', (publisher: Publisher) => publisher.sweep({ limit: 0 }), 'limit must be a whole number, 1 or more'],
    [
      'list',
      (publisher: Publisher) => collect(publisher.list({ state: 'lost' as 'ready' })),
      /^state must be .*ready.*in_doubt/,
    ],
    ['prune', (publisher: Publisher) => publisher.prune({ olderThan: 'yesterday' }), /^olderThan must be /],
    [
      'resolve',
      (publisher: Publisher) => publisher.resolve('k', { as: 'sent' as 'not_sent' }),
      "as must be 'published', 'not_sent' or 'abandoned'",
    ],
    [
      'resolve without an ID',
      (publisher: Publisher) => publisher.resolve('k', { as: 'published', postId: '' }),
      "postId must be the post's ID with as: 'published', and omitted otherwise",
    ],
    [
      'resolve with an ID too many',
      (publisher: Publisher) => publisher.resolve('k', { as: 'not_sent', postId: 'post_1' } as { as: 'not_sent' }),
      "postId must be the post's ID with as: 'published', and omitted otherwise",
    ],
    [
      'resume of an unknown key',
      (publisher: Publisher) => publisher.resume('k'),
      'key "k" is not known: there is no such intent',
    ],
    [
      'retryFailed under its own key',
      (publisher: Publisher) => publisher.retryFailed('k', 'k'),
      'retryKey must differ from the key of the intent',
    ],
  ])('of %s says what is allowed', async (_, call, message) => {
    const error = await rejection(call(new World().process()));
    if (!(error instanceof InvalidRequestError)) throw error;
    expect(error.issues).toHaveLength(1);
    expect(error.issues[0]?.message).toMatch(message);
  });
});
