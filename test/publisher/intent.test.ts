import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isDone,
  isFinal,
  newIntent,
  sinceSend,
  type FailedSearch,
  type Happening,
  type IntentPolicy,
} from '../../src/publisher/intents/intent.js';
import { IntentSpace } from '../../src/publisher/intents/intent-space.js';
import { step, type Act, type Resume } from './acts.js';
import type { IntentError, IntentRecord, IntentState, PostReport } from '../../src/publisher/intents/intent-record.js';
import { StoredIntents } from '../../src/publisher/intents/stored-intents.js';
import type { Post } from '../../src/posts/post-shapes.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { runs } from '../support/property.js';

const hold: IntentPolicy = { onMissing: 'hold', settleMs: 600_000, leaseMs: 60_000, maxLateMs: 3_600_000 };
const resend: IntentPolicy = { ...hold, onMissing: 'resend' };
const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse('2026-05-01T09:00:00Z');

const error: IntentError = { name: 'ApiError', message: 'no', outcome: 'unknown' };
const later = start + 2;
// Created in the tests: a failure while a file loads isn't a failed test.
const fresh = () => newIntent('k', { body: { content: 'Hello', publishNow: true } }, start);
const resume = (more: Partial<Resume> = {}) =>
  ({ type: 'resume', at: start, owner: 'a', force: false, ...more }) satisfies Resume;
const sending = (more: Partial<Resume> = {}) => step(fresh(), resume(more), hold).record;
const errorsOfSends = {
  not_sent: { outcome: 'not_sent' },
  rate_limited: { outcome: 'rejected', status: 429 },
  unauthorized: { outcome: 'rejected', status: 401 },
  rejected: { outcome: 'rejected', status: 400 },
  unknown: { outcome: 'unknown' },
} satisfies Record<string, Partial<IntentError>>;
type FailureKind = keyof typeof errorsOfSends;
const failure = (
  kind: FailureKind,
  { retryAfterMs, skewMs }: { retryAfterMs?: number; skewMs?: number } = {},
): Happening & { type: 'failure' } => ({
  type: 'failure',
  at: start + 1,
  attempt: 1,
  error: { ...error, ...errorsOfSends[kind], retryAfterMs },
  skewMs,
});
const after = (record: IntentRecord, ...happenings: Act[]) =>
  happenings.reduce((at, happening) => step(at, happening, hold).record, record);
const reply = {
  type: 'reply',
  at: start + 1,
  attempt: 1,
  report: { postId: 'p1', status: 'scheduled' },
} as const;
const replied = (status: string) => after(sending(), { ...reply, report: { postId: 'p1', status } });

/** A search that began and ended at this time, in the service's time too. */
const notFound = (
  at: number,
  search: Partial<FailedSearch> = {},
  searched = fresh(),
): Happening & { type: 'not_found' } => ({
  type: 'not_found',
  at,
  search: { startedAt: at, serviceAt: at, since: start, result: 'no_match', readBack: true, ...search },
  searched,
});

/** One record for each state, including the two kinds of sending and of accepted. At `later`, no lease is live. */
const records = {
  ready: fresh,
  'sending, leased': sending,
  'sending, lapsed': () => ({ ...sending(), lease: { owner: 'a', until: later } }),
  accepted: () => replied('scheduled'),
  'accepted, draft': () => replied('draft'),
  published: () => replied('published'),
  partial: () => replied('partial'),
  failed: () => replied('failed'),
  rejected: () => after(sending(), failure('rejected')),
  in_doubt: () => after(sending({ skewMs: 0 }), failure('unknown')),
  abandoned: () => after(fresh(), { type: 'resolve', at: start, resolution: { as: 'abandoned' } }),
} satisfies Record<string, () => IntentRecord>;
type Name = keyof typeof records;

const at = later;
const happenings = {
  resume: { type: 'resume', at, owner: 'b', force: false },
  'reply p1': { ...reply, at },
  'reply p2': { ...reply, at, report: { postId: 'p2', status: 'scheduled' } },
  'reply p1, published': { ...reply, at, report: { postId: 'p1', status: 'published' } },
  not_sent: failure('not_sent'),
  rate_limited: failure('rate_limited'),
  unauthorized: failure('unauthorized'),
  rejected: failure('rejected'),
  unknown: failure('unknown'),
  'failure of another attempt': { ...failure('not_sent'), at, attempt: 7 },
  'found p1': { type: 'found', at, report: { postId: 'p1', status: 'scheduled' } },
  'found p1, failed': { type: 'found', at, report: { postId: 'p1', status: 'failed' } },
  'found p2': { type: 'found', at, report: { postId: 'p2', status: 'published' } },
  missing: notFound(at),
  unseen: notFound(at, { result: 'failed', error }),
  candidates: notFound(at, { result: 'candidates', postIds: ['p3'] }),
  'told p1, partial': { type: 'event', at, report: { postId: 'p1', status: 'partial' } },
  'told p2, published': { type: 'event', at, report: { postId: 'p2', status: 'published' } },
  'resolve published p1': { type: 'resolve', at, resolution: { as: 'published', postId: 'p1' } },
  'resolve published p2': { type: 'resolve', at, resolution: { as: 'published', postId: 'p2' } },
  'resolve not_sent': { type: 'resolve', at, resolution: { as: 'not_sent' } },
  'resolve abandoned': { type: 'resolve', at, resolution: { as: 'abandoned' } },
} satisfies Record<string, Act>;
type What = keyof typeof happenings;

/** What a reply or a listing shows of a post that no intent has yet. */
const evidence = {
  'reply p1': 'accepted',
  'reply p2': 'accepted',
  'reply p1, published': 'published',
  'found p1': 'accepted',
  'found p1, failed': 'failed',
  'found p2': 'published',
} as const;
/** What the failure of the one send makes of an intent. */
const failures = {
  not_sent: 'ready',
  rate_limited: 'ready',
  unauthorized: 'ready',
  rejected: 'rejected',
  unknown: 'in_doubt',
} as const;
/** A search without a post. */
const searches = {
  missing: 'in_doubt',
  unseen: 'in_doubt',
  candidates: 'in_doubt',
} as const;
/** Decisions that are allowed. */
const decisions = {
  'resolve published p1': 'accepted',
  'resolve published p2': 'accepted',
  'resolve not_sent': 'ready',
  'resolve abandoned': 'abandoned',
} as const;
/** Decisions that a recorded post rules out. */
const refusedDecisions = {
  'resolve published p2': 'refused',
  'resolve not_sent': 'refused',
  'resolve abandoned': 'refused',
} as const;

/** The results of pairs that change something: the state, then the action; `refused` for a decision. */
const expected: Record<Name, Partial<Record<What, string>>> = {
  ready: {
    resume: 'sending, send',
    ...evidence,
    ...decisions,
  },
  'sending, leased': {
    ...evidence,
    ...failures,
    'resolve published p1': 'refused',
    ...refusedDecisions,
  },
  'sending, lapsed': {
    resume: 'sending, search',
    ...evidence,
    ...failures,
    ...searches,
    ...decisions,
  },
  accepted: {
    resume: 'accepted, search',
    'reply p1': 'accepted',
    'reply p1, published': 'published',
    'found p1': 'accepted',
    'found p1, failed': 'failed',
    missing: 'accepted',
    unseen: 'accepted',
    candidates: 'accepted',
    'told p1, partial': 'partial',
    ...refusedDecisions,
  },
  'accepted, draft': {
    'reply p1': 'accepted',
    'reply p1, published': 'published',
    'found p1': 'accepted',
    'found p1, failed': 'failed',
    'told p1, partial': 'partial',
    ...refusedDecisions,
  },
  published: refusedDecisions,
  partial: refusedDecisions,
  failed: refusedDecisions,
  rejected: {
    ...decisions,
  },
  in_doubt: {
    resume: 'in_doubt, search',
    ...evidence,
    ...searches,
    ...decisions,
  },
  abandoned: {
    'reply p1': 'abandoned',
    'reply p2': 'abandoned',
    'reply p1, published': 'abandoned',
    'resolve published p1': 'refused',
    'resolve published p2': 'refused',
    'resolve not_sent': 'refused',
  },
};

const names = Object.keys(expected) as Name[];
const whats = Object.keys(happenings) as What[];
const pairs = names.flatMap((name) => whats.map((what) => [name, what, expected[name][what] ?? 'no change'] as const));

describe('every state meets everything that can happen', () => {
  it.each(pairs)('%s, then %s: %s', (name, what, expectation) => {
    const record = records[name]();
    const next = step(record, happenings[what], hold);
    if (expectation === 'no change') {
      expect(next).toEqual({ record, todo: 'nothing' });
      expect(next.record).toBe(record);
    } else if (expectation === 'refused') {
      expect(next.record).toBe(record);
      expect(next.todo).toBe('nothing');
      expect(next.refused).toMatch(/./);
    } else {
      const [state, todo = 'nothing'] = expectation.split(', ');
      expect({ state: next.record.state, todo: next.todo, refused: next.refused }).toEqual({
        state,
        todo,
        refused: undefined,
      });
    }
  });
});

describe('when an intent wakes', () => {
  it('is after Retry-After, where the service said so', () => {
    const record = after(sending(), failure('rate_limited', { retryAfterMs: 90_000 }));
    const end = start + 1 + 90_000;
    expect(record.wakeAt).toBe(end);
    const resumed = (at: number, force: boolean) => step(record, resume({ at, force }), hold).todo;
    expect(resumed(end - 1, false)).toBe('nothing');
    expect(resumed(end - 1, true)).toBe('send');
    expect(resumed(end, false)).toBe('send');
  });

  it('is a second later where nothing arrived, and before that for who asks', () => {
    const record = after(sending(), failure('not_sent', { retryAfterMs: 90_000 }));
    expect(record.wakeAt).toBe(start + 1 + 1_000);
    expect(step(record, resume({ at: start + 1 }), hold).todo).toBe('send');
  });

  it('is after five minutes, where the key was refused', () => {
    expect(after(sending(), failure('unauthorized')).wakeAt).toBe(start + 1 + 5 * minute);
  });

  it('is the end of the lease, while it is sent', () => {
    expect(sending().wakeAt).toBe(start + 60_000);
  });

  it('is soon after its time, where the post is scheduled', () => {
    const scheduledFor = new Date(start + 72 * hour).toISOString();
    const record = after(sending(), { ...reply, report: { postId: 'p1', status: 'scheduled', scheduledFor } });
    expect(record.wakeAt).toBe(start + 72 * hour + 30_000);
  });

  it('is at most an hour later for ever, in doubt and past its time', () => {
    for (const name of ['in_doubt', 'accepted'] as const) {
      let record: IntentRecord = records[name]();
      for (let now = record.wakeAt ?? 0, count = 0; count < 30; count += 1) {
        record = step(record, notFound(now), hold).record;
        expect(record.wakeAt).toBeGreaterThan(now);
        expect(record.wakeAt).toBeLessThanOrEqual(now + hour);
        now = record.wakeAt ?? 0;
      }
    }
  });

  it.each([
    ['in doubt', 'in_doubt', notFound(0)],
    ['in doubt, if the list fails', 'in_doubt', notFound(0, { result: 'failed', error })],
    ['accepted', 'accepted', notFound(0)],
  ] as const)('depends on the time since the send, not on the number of searches: %s', (_, name, search) => {
    const at = (seconds: number) => {
      const now = start + seconds * 1_000 + 1;
      const happening = { ...search, at: now, search: { ...search.search, startedAt: now, serviceAt: now } };
      const once = step(records[name](), happening, hold).record;
      const often = after(once, happening, happening, happening);
      expect(often.wakeAt).toBe(once.wakeAt);
      return Math.round(((once.wakeAt ?? 0) - start) / 1_000);
    };
    expect([0, 4, 5, 19, 20, 79, 80, 380, 1_280, 4_879, 4_880].map(at)).toEqual([
      5, 5, 20, 20, 80, 80, 380, 1_280, 4_880, 4_880, 8_480,
    ]);
  });

  it('counts from the first search if the clock of the sender is not known', () => {
    const lapsed = records['sending, lapsed']();
    const first = step(lapsed, notFound(later + hour), hold).record;
    expect(first.wakeAt).toBe(later + hour + 5_000);
    expect(step(first, notFound(later + hour + 7_000), hold).record.wakeAt).toBe(later + hour + 20_000);
  });

  it('is at most an hour later, however far the clocks differ', () => {
    const year = 365 * 24 * hour;
    for (const offMs of [year, -year, 70_000, -70_000]) {
      const { wakeAt } = step(records.in_doubt(), notFound(later + offMs), hold).record;
      expect((wakeAt ?? 0) - (later + offMs)).toBeGreaterThan(0);
      expect((wakeAt ?? 0) - (later + offMs)).toBeLessThanOrEqual(hour);
    }
  });

  it('is soon again for a post that was just found, then less and less often', () => {
    const found = (at: number) => ({ type: 'found', at, report: { postId: 'p1', status: 'publishing' } }) as const;
    const looked = after(records.in_doubt(), notFound(later), notFound(later), notFound(later));
    const first = after(looked, found(later));
    expect(first.wakeAt).toBe(later + 5_000);
    const second = after(first, found(later + 5_000));
    expect(second.wakeAt).toBe(later + 20_000);
    expect(after(second, found(later + 20_000)).wakeAt).toBe(later + 80_000);
  });

  it('is never, for a draft, for a rejected intent, and for a final one', () => {
    for (const name of ['accepted, draft', 'rejected', 'published', 'partial', 'failed', 'abandoned'] as const) {
      expect(records[name]().wakeAt).toBeNull();
    }
    // The requested time counts as well as the service's.
    const asked = newIntent('k', { body: { saveAsDraft: true } }, start);
    const sent = after(asked, resume());
    expect(after(sent, { ...reply, report: { postId: 'p1' } }).wakeAt).toBeNull();
    const word = { type: 'resolve', at: start, resolution: { as: 'published', postId: 'p1' } } as const;
    expect(after(asked, word)).toMatchObject({ state: 'accepted', wakeAt: null });
    expect(after(fresh(), word)).toMatchObject({ state: 'accepted', wakeAt: start });
  });
});

it('is done if it is final or a draft, and not if an operator can change it', () => {
  const done: Name[] = ['accepted, draft', 'published', 'partial', 'failed', 'abandoned'];
  expect(names.filter((name) => isDone(records[name]()))).toEqual(done);
});

describe('a lease', () => {
  it('is over at its end', () => {
    const resumed = (at: number) => step(sending(), resume({ at }), hold).todo;
    expect([resumed(start + 59_999), resumed(start + 60_000)]).toEqual(['nothing', 'search']);
  });

  it('delays no other process if it is not written', () => {
    const { lease: _lease, ...none } = sending();
    expect(step(none, resume(), hold).todo).toBe('search');
  });

  it('that expired leaves an error that says what to do, or why the list was not read', () => {
    const lapsed = records['sending, lapsed']();
    const ended = after(lapsed, notFound(later)).error;
    expect(ended).toMatchObject({ name: 'SocialPublishingError', outcome: 'unknown' });
    expect(ended?.message).toMatch(
      /^The sending process has recorded no result.*at least 10 minutes after the send.*`resolve`/,
    );
    expect(after(lapsed, notFound(later, { result: 'failed', error })).error).toEqual(error);
  });

  it('of a sender whose clock is ahead counts as expired', () => {
    const record = sending({ at: start + 365 * 24 * hour });
    expect(step(record, resume({ at: start }), hold).todo).toBe('search');
    expect(step(record, { type: 'resolve', at: start, resolution: { as: 'abandoned' } }, hold).record.state).toBe(
      'abandoned',
    );
    // The clocks of machines that work together differ by a few seconds.
    expect(step(sending({ at: start + 5_000 }), resume({ at: start }), hold).todo).toBe('nothing');
    expect(step(sending({ at: start + 5_001 }), resume({ at: start }), hold).todo).toBe('search');
  });

  it('does not delay a Retry-After of a process whose clock was ahead', () => {
    const year = 365 * 24 * hour;
    const record = after(sending({ at: start + year }), {
      ...failure('rate_limited', { retryAfterMs: 90_000 }),
      at: start + year,
    });
    expect(step(record, resume({ at: start }), hold).todo).toBe('send');
  });
});

describe('recorded values', () => {
  it('of an intent is when it was made, changed and sent, how often, and by whom', () => {
    expect(fresh()).toEqual({
      key: 'k',
      state: 'ready',
      body: { content: 'Hello', publishNow: true },
      attempts: 0,
      looks: 0,
      wakeAt: start,
      createdAt: start,
      updatedAt: start,
    });
    const lost = after(sending(), failure('rate_limited'));
    const again = after(lost, resume({ at: start + hour, owner: 'b' }));
    expect(again).toEqual({
      ...fresh(),
      state: 'sending',
      attempts: 2,
      lease: { owner: 'b', until: start + hour + minute },
      sent: { at: start + hour },
      wakeAt: start + hour + minute,
      updatedAt: start + hour,
    });
  });

  it('of an error is the last one, until it gets on', () => {
    const other: IntentError = { ...error, message: 'the list' };
    const failedSearch = notFound(later, { result: 'failed', error: other });
    const doubtful = after(records.in_doubt(), failedSearch);
    expect(doubtful.error).toEqual(other);
    // The list can be read again.
    expect(after(doubtful, notFound(later)).error?.message).toMatch(/^The result of the send is unknown/);
    expect(after(records.in_doubt(), notFound(later), notFound(later)).error).toEqual(error);
    expect(after(doubtful, { ...reply, at: later })).not.toHaveProperty('error');
    expect(after(records.accepted(), failedSearch)).not.toHaveProperty('error');
  });

  it('of a search is when, how far back, with which result, and when the first one was', () => {
    const first = after(records.in_doubt(), notFound(later, { readBack: false, since: start - 5_000 }));
    expect(first.lookup).toEqual({ at: later, since: start - 5_000, result: 'no_match', firstAt: later });
    const second = after(first, notFound(later + 9, { result: 'candidates', postIds: ['p3', 'p4'] }));
    expect(second.lookup).toEqual({
      at: later + 9,
      since: start,
      result: 'candidates',
      postIds: ['p3', 'p4'],
      firstAt: later,
      readBack: true,
    });
    expect(second.error?.message).toMatch(/lists an equal post \(p3, p4\).*`resolve`/);
    expect(after(second, { ...reply, at: later })).not.toHaveProperty('lookup');
    expect(after(records.accepted(), notFound(later))).not.toHaveProperty('lookup');
    const resent = after(second, { type: 'resolve', at: later, resolution: { as: 'not_sent' } }, resume({ at: later }));
    expect(resent).not.toHaveProperty('lookup');
  });

  it('of a late reply to an abandoned intent is its post', () => {
    const record = after(records.abandoned(), { ...reply, report: { postId: 'p1', post: { postId: 'p1' } } });
    expect(record).toMatchObject({ state: 'abandoned', postId: 'p1', post: { postId: 'p1' }, wakeAt: null });
    expect(after(record, { ...reply, report: { postId: 'p2' } })).toBe(record);
  });

  it('of a post contains all reports, the newer over the older', () => {
    const report = (more: Partial<PostReport>): Happening => ({
      type: 'found',
      at: later,
      report: { postId: 'p1', ...more },
    });
    const post = (fields: object) => ({ postId: 'p1', ...fields }) as Post;
    const targets: PostReport['targets'] = [];
    const first = after(sending(), report({ post: post({ content: 'Hello', status: 'scheduled' }), targets }));
    expect(first).toMatchObject({ post: { content: 'Hello', status: 'scheduled' }, targets: [] });
    const second = after(first, report({ post: post({ status: 'published' }) }));
    expect(second).toMatchObject({ post: { content: 'Hello', status: 'published' }, targets: [] });
    expect(after(first, report({})).post).toEqual(first.post);
    expect(records.accepted()).not.toHaveProperty('post');
    expect(records.accepted()).not.toHaveProperty('targets');
  });
});

describe('an intent that was pruned while it was sent, and made again under its key', () => {
  it.each<[string, Happening]>([
    ['a reply', reply],
    ...(['not_sent', 'rate_limited', 'unauthorized', 'rejected', 'unknown'] as const).map(
      (kind): [string, Happening] => [`a failure (${kind})`, failure(kind)],
    ),
    ['a listed post', happenings['found p1']],
    ['a search without result', notFound(later)],
    ['a decision', { type: 'resolve', at: later, resolution: { as: 'abandoned' } }],
  ])('is another intent: %s of the former one changes nothing', async (_, happening) => {
    const store = new MemoryDurableStore();
    const intents = new StoredIntents(store, new IntentSpace(store, undefined, undefined), hold);
    const again = { ...records['sending, lapsed'](), createdAt: start + hour };
    const known = await intents.put(again);
    expect(await intents.apply(sending(), happening, known)).toBeUndefined();
    expect(await intents.apply(sending(), happening)).toBeUndefined();
    expect((await intents.read('k'))?.record).toEqual(again);
  });
});

describe("the sender's knowledge of the service's clock", () => {
  const sentAt = (record: IntentRecord) => record.sent;

  it('before the send is kept, and a later different offset is added', () => {
    expect(sentAt(sending())).toStrictEqual({ at: start });
    expect(sentAt(sending({ skewMs: 5 }))).toEqual({ at: start, skewMs: 5 });
    expect(sentAt(after(sending(), { ...reply, skewMs: 7 }))).toEqual({ at: start, skewMs: 7 });
    expect(sentAt(after(sending({ skewMs: 5 }), { ...reply, skewMs: 7 }))).toEqual({ at: start, skewMs: 5 });
    const set = { at: start, skewMs: 5, laterSkewMs: hour };
    expect(sentAt(after(sending({ skewMs: 5 }), { ...reply, skewMs: hour }))).toEqual(set);
    expect(sentAt(after(sending({ skewMs: 5 }), reply))).toEqual({ at: start, skewMs: 5 });
    expect(sentAt(after(sending({ skewMs: 5 }), failure('unknown', { skewMs: hour })))).toEqual(set);
    expect(sentAt(after(sending({ skewMs: 5 }), failure('unknown')))).toEqual({ at: start, skewMs: 5 });
  });

  it('by its own search is kept only for an intent in doubt', () => {
    for (const result of ['no_match', 'failed'] as const) {
      const search = notFound(later, { result, skewMs: hour });
      expect(sentAt(after(records.in_doubt(), search))).toEqual({ at: start, skewMs: 0, laterSkewMs: hour });
      expect(sentAt(after(records.accepted(), search))).toEqual({ at: start });
      expect(step(records.ready(), search, hold).record).toEqual(records.ready());
    }
  });

  it('is not taken from the reply of another attempt or post, or for an intent that was never sent', () => {
    expect(sentAt(after(sending(), { ...reply, attempt: 2, skewMs: 7 }))).toEqual({ at: start });
    const accepted = records.accepted();
    const other: Happening = { ...reply, report: { postId: 'p2' }, skewMs: 7 };
    expect(step(accepted, other, hold).record).toBe(accepted);
    expect(after(fresh(), { ...reply, attempt: 0, skewMs: 7 })).not.toHaveProperty('sent');
  });
});

describe('an intent whose post is not listed', () => {
  it('is held by default, however long it is missing', () => {
    const next = step(records.in_doubt(), notFound(start + 1_000 * hour), hold);
    expect([next.record.state, next.todo]).toEqual(['in_doubt', 'nothing']);
  });

  it("is sent again with 'resend' once settleMs is over, and not before", () => {
    const early = step(records.in_doubt(), notFound(start + 599_999), resend);
    expect([early.record.state, early.todo, early.record.wakeAt]).toEqual(['in_doubt', 'nothing', start + 600_000]);
    const late = step(records.in_doubt(), notFound(start + 600_000), resend);
    expect([late.record.state, late.todo]).toEqual(['ready', 'resume']);
    expect(late.record).toMatchObject({ looks: 0, wakeAt: start + 600_000 });
  });

  it("is not sent again by 'resend' after a search that began before settleMs was over, whenever it ended", () => {
    const search = notFound(start + hour, { startedAt: start + 599_999, serviceAt: start + 599_999 });
    const next = step(records.in_doubt(), search, resend);
    expect([next.record.state, next.todo]).toEqual(['in_doubt', 'nothing']);
  });

  it('keeps its candidates if a later search fails or reads only the window', () => {
    const candidates = after(records.in_doubt(), notFound(later, { result: 'candidates', postIds: ['p3'] }));
    const windowOnly = { readBack: false } as const;
    const failed = after(candidates, notFound(later + 9, { ...windowOnly, result: 'failed', error }));
    expect(failed.lookup).toMatchObject({ at: later + 9, result: 'candidates', postIds: ['p3'] });
    expect(after(failed, notFound(later + 20, windowOnly)).lookup).toMatchObject({
      result: 'candidates',
      postIds: ['p3'],
    });
    const readBack = after(candidates, notFound(later + 9, { result: 'failed', error }));
    expect(readBack.lookup).toMatchObject({ result: 'candidates', postIds: ['p3'] });
    expect(after(failed, notFound(later + 20)).lookup?.result).toBe('no_match');
  });

  it("does not count the time since a search that did not know the service's time, with 'resend'", () => {
    // The service's clock is an hour ahead. The first search read no `Date`.
    const doubtful = after(sending(), failure('unknown'));
    const first = after(doubtful, notFound(later, { serviceAt: undefined, result: 'failed', error }));
    const second = notFound(later + 9, { serviceAt: later + 9 + hour });
    const next = step(first, second, resend);
    expect([next.record.state, next.todo]).toEqual(['in_doubt', 'nothing']);
    expect(next.record.lookup).toMatchObject({ firstAt: later + 9 + hour });
    const settled = notFound(later + 600_009, { serviceAt: later + 600_009 + hour });
    expect(step(next.record, settled, resend).todo).toBe('resume');
  });

  it("is not sent again by 'resend' after a search of the window only, or with candidates, or if the list fails", () => {
    const at = start + hour;
    for (const search of [{ readBack: false }, { result: 'candidates' }, { result: 'failed' }] as const) {
      const next = step(records.in_doubt(), notFound(at, search), resend);
      expect([next.record.state, next.todo]).toEqual(['in_doubt', 'nothing']);
    }
  });

  it("settles from its last send on, with 'resend'", () => {
    const sentLate = after(fresh(), resume({ at: start + hour, skewMs: 0 }), {
      ...failure('unknown'),
      at: start + hour,
    });
    const early = step(sentLate, notFound(start + hour + 599_999), resend);
    expect([early.record.state, early.todo]).toEqual(['in_doubt', 'nothing']);
    expect(step(sentLate, notFound(start + hour + 600_000), resend).todo).toBe('resume');
  });

  it("settles in the time of the service, with 'resend'", () => {
    // The clock of this process is an hour ahead of the sender's.
    const search = (ms: number) => notFound(start + hour + ms, { serviceAt: start + ms });
    expect(step(records.in_doubt(), search(599_999), resend).todo).toBe('nothing');
    expect(step(records.in_doubt(), search(600_000), resend).todo).toBe('resume');
  });

  it("settles from the first search on if the clock of the sender is not known, with 'resend'", () => {
    const first = step(records['sending, lapsed'](), notFound(later + hour), resend);
    expect([first.record.state, first.todo]).toEqual(['in_doubt', 'nothing']);
    expect(step(first.record, notFound(later + hour + 599_999), resend).todo).toBe('nothing');
    expect(step(first.record, notFound(later + hour + 600_000), resend).todo).toBe('resume');
  });
});

describe("an operator's ID that nothing has confirmed", () => {
  const resolution = (as: 'published' | 'not_sent' | 'abandoned', postId = 'p2'): Happening => ({
    type: 'resolve',
    at: later,
    resolution: as === 'published' ? { as, postId } : { as },
  });
  const typo = () => after(records.in_doubt(), resolution('published', 'p1'));

  it('can be corrected', () => {
    expect(after(typo(), resolution('published'))).toMatchObject({
      state: 'accepted',
      postId: 'p2',
      unconfirmed: true,
    });
    expect(after(typo(), resolution('not_sent'))).toMatchObject({ state: 'ready' });
    expect(after(typo(), resolution('not_sent'))).not.toHaveProperty('postId');
    expect(after(typo(), resolution('abandoned'))).not.toHaveProperty('postId');
  });

  it.each([
    ['a listing', { type: 'found', at: later, report: { postId: 'p1' } }],
    ['an event', { type: 'event', at: later, report: { postId: 'p1' } }],
    ['a reply', { ...reply, at: later }],
  ] as const)('is kept once %s confirmed it', (_, happening) => {
    const record = after(typo(), happening);
    expect(record).not.toHaveProperty('unconfirmed');
    expect(step(record, resolution('published'), hold).refused).toMatch(/has a post, which it keeps/);
  });
});

describe('laws of any order of happenings', () => {
  const diagram: Record<IntentState, readonly IntentState[]> = {
    // In doubt again: only after a search of `resend` that nobody used.
    ready: ['sending', 'accepted', 'published', 'partial', 'failed', 'abandoned', 'in_doubt'],
    sending: ['accepted', 'published', 'partial', 'failed', 'rejected', 'ready', 'in_doubt', 'abandoned'],
    accepted: ['published', 'partial', 'failed'],
    published: [],
    partial: [],
    failed: [],
    rejected: ['ready', 'accepted', 'abandoned'],
    in_doubt: ['accepted', 'published', 'partial', 'failed', 'ready', 'abandoned'],
    abandoned: [],
  };
  const report = fc.record({
    postId: fc.constantFrom('p1', 'p2'),
    status: fc.constantFrom('draft', 'scheduled', 'publishing', 'published', 'partial', 'failed', 'new-one'),
  });
  const any: fc.Arbitrary<Act> = fc
    .record({ step: fc.integer({ min: -2 * hour, max: 2 * hour }), attempt: fc.integer({ min: 1, max: 3 }), report })
    .chain((known) => {
      const now = start + known.step;
      return fc.oneof(
        fc.record({
          type: fc.constant('resume' as const),
          at: fc.constant(now),
          owner: fc.constantFrom('a', 'b'),
          force: fc.boolean(),
        }),
        fc.constant<Happening>({ ...reply, at: now, attempt: known.attempt, report: known.report }),
        fc
          .constantFrom<FailureKind>('not_sent', 'rate_limited', 'unauthorized', 'rejected', 'unknown')
          .map((kind): Happening => ({ ...failure(kind), at: now, attempt: known.attempt })),
        fc
          .constantFrom('found' as const, 'event' as const)
          .map((type): Happening => ({ type, at: now, report: known.report })),
        fc
          .record({
            result: fc.constantFrom('no_match' as const, 'candidates' as const, 'failed' as const),
            readBack: fc.boolean(),
          })
          .map((search) => notFound(now, search)),
        fc
          .constantFrom<'published' | 'not_sent' | 'abandoned'>('published', 'not_sent', 'abandoned')
          .map((as): Happening => ({
            type: 'resolve',
            at: now,
            resolution: as === 'published' ? { as, postId: known.report.postId } : { as },
          })),
      );
    });

  it('keep to the diagram, never change a recorded post or a final state, and leave nothing open without a time', () => {
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 30 }),
        fc.constantFrom(hold, resend),
        fc.boolean(),
        (list, policy, draft) => {
          let record = newIntent('k', { body: draft ? { saveAsDraft: true } : { publishNow: true } }, start);
          for (const happening of list) {
            const { record: next, todo } = step(record, happening, policy);
            const isUnconfirmed = record.unconfirmed === true;
            if (record.state === 'ready' && next.state === 'in_doubt')
              expect(record.lookup ?? record.resent).toBeDefined();
            if (next.state !== record.state && !(isUnconfirmed && happening.type === 'resolve')) {
              expect(diagram[record.state]).toContain(next.state);
            }
            // A late reply shows the post of an abandoned intent.
            if (isFinal(record.state) && record.state !== 'abandoned') expect(next).toBe(record);
            if (record.state === 'abandoned') expect(next.state).toBe('abandoned');
            if (record.postId !== undefined && !isUnconfirmed) expect(next.postId).toBe(record.postId);
            if (['accepted', 'published', 'partial', 'failed'].includes(next.state)) expect(next.postId).toBeDefined();
            const open = !isDone(next) && next.state !== 'rejected';
            expect(next.wakeAt !== null).toBe(open);
            expect(next.lease !== undefined).toBe(next.state === 'sending');
            if (todo === 'send') {
              expect([record.state, next.state, happening.type]).toEqual(['ready', 'sending', 'resume']);
              expect(next.attempts).toBe(record.attempts + 1);
            }
            if (todo === 'send' && record.lookup !== undefined) {
              expect(Math.abs(happening.at - record.lookup.at)).toBeLessThanOrEqual(policy.leaseMs);
            }
            if (policy === hold && record.state === 'in_doubt' && next.state === 'ready') {
              expect(happening.type).toBe('resolve');
            }
            record = next;
          }
        },
      ),
      runs(500),
    );
  });
});

describe('the time since a send', () => {
  const searched = { at: 1_000, since: 0, result: 'no_match' as const, firstAt: 2_000 };
  const skewed = { at: 1_000, skewMs: 300, laterSkewMs: 500 };

  it("is in the service's time, by the larger offset of the sender's clock", () => {
    const search = { startedAt: 0, serviceAt: 5_000 };
    expect(sinceSend({ ...fresh(), sent: skewed }, search)).toBe(3_500);
    expect(sinceSend({ ...fresh(), sent: { at: 1_000, skewMs: 300 } }, search)).toBe(3_700);
  });

  it('counts from the first search if no offset is known', () => {
    const unknown = { ...fresh(), sent: { at: 1_000 }, lookup: searched };
    expect(sinceSend(unknown, { startedAt: 9_000, serviceAt: 5_000 })).toBe(3_000);
    expect(sinceSend({ ...unknown, sent: skewed }, { startedAt: 9_000, serviceAt: undefined })).toBe(7_000);
    expect(sinceSend({ ...fresh(), sent: { at: 1_000 } }, { startedAt: 9_000, serviceAt: undefined })).toBe(0);
  });
});

describe('an intent that an operator made ready', () => {
  const decided = () => after(records.in_doubt(), { type: 'resolve', at: later, resolution: { as: 'not_sent' } });

  it('is sent only after a search that read back, not after one that began before the decision', () => {
    const before = { ...decided(), updatedAt: later - 1 };
    for (const ended of [
      notFound(later + 1, {}, records.in_doubt()),
      notFound(later + 1, {}, before),
      notFound(later + 1, { readBack: false }, decided()),
    ]) {
      const early = step(decided(), ended, hold);
      expect([early.todo, early.record]).toEqual(['nothing', decided()]);
    }
    const searched = step(decided(), notFound(later + 1, {}, decided()), hold);
    expect(searched).toMatchObject({ todo: 'resume', record: { state: 'ready' } });
  });

  it('of release 0.2.0 stays decided after its search', () => {
    const { overruled: _overruled, ...old } = { ...decided(), error };
    const searched = after(old, notFound(later + 1, {}, old));
    const again = after(searched, notFound(later + hour, { readBack: false }));
    expect(again).toMatchObject({ state: 'ready', overruled: [] });
  });

  it('of release 0.2.0 is searched for before its send, also if the operator decides so again', () => {
    const { overruled: _overruled, ...old } = { ...decided(), error };
    const again = after(old, { type: 'resolve', at: later + 1, resolution: { as: 'not_sent' } });
    expect(again.overruled).toEqual([]);
    expect(step(again, resume({ at: later + 2 }), hold).todo).toBe('search');
  });
});

describe('a decision', () => {
  it('for not_sent is refused if the intent was sent since it was read', () => {
    const decide = (as: 'not_sent' | 'abandoned') =>
      step(records.in_doubt(), { type: 'resolve', at: later, resolution: { as }, attempts: 0 }, hold);
    expect(decide('not_sent')).toMatchObject({ refused: expect.stringContaining('was sent again') as string });
    expect(decide('abandoned').record.state).toBe('abandoned');
  });
});

describe('the candidates of an intent in doubt', () => {
  const found = (postIds: string[], readBack: boolean) => notFound(later, { result: 'candidates', postIds, readBack });

  it('stay if a search of the window finds others, and change with a search that reads back', () => {
    const far = after(records.in_doubt(), found(['far', 'near'], true));
    const near = after(far, found(['near', 'new'], false));
    expect(near).toMatchObject({ state: 'in_doubt', lookup: { postIds: ['far', 'near', 'new'] } });
    expect(near.error?.message).toContain('(far, near, new)');
    expect(after(near, found(['near'], true)).lookup?.postIds).toEqual(['near']);
  });

  it("stay until a search reads back in the service's time, if the first one did not know it", () => {
    const undated = notFound(later, { serviceAt: undefined, result: 'candidates', postIds: ['far'] });
    const first = after(sending(), failure('unknown'), undated);
    expect(first.lookup).toMatchObject({ postIds: ['far'], readBack: true });
    const dated = after(first, notFound(later + 9, { readBack: false }));
    expect(dated.lookup).toMatchObject({ postIds: ['far'], firstAt: later + 9 });
    expect(dated.lookup?.readBack).toBeUndefined();
  });
});
