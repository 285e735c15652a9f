import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isDone,
  isFinal,
  newIntent,
  step,
  type Failure,
  type Happening,
  type IntentPolicy,
} from '../../src/publisher/intent.js';
import type { IntentError, IntentRecord, IntentState, PostNews } from '../../src/publisher/record.js';
import type { Post } from '../../src/resources/post-shapes.js';
import { runs } from '../support/property.js';

const hold: IntentPolicy = { onMissing: 'hold', settleMs: 600_000, leaseMs: 60_000 };
const resend: IntentPolicy = { ...hold, onMissing: 'resend' };
const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse('2026-05-01T09:00:00Z');

const error: IntentError = { name: 'ApiError', message: 'no', outcome: 'unknown' };
const later = start + 2;
// All are made in the tests: what fails while a file is loaded is no failed test.
const fresh = () => newIntent('k', { body: { content: 'Hello', publishNow: true } }, start);
const resume = (more: Partial<Happening & { type: 'resume' }> = {}) =>
  ({ type: 'resume', at: start, owner: 'a', force: false, ...more }) satisfies Happening;
const sending = (more: Partial<Happening & { type: 'resume' }> = {}) => step(fresh(), resume(more), hold).record;
const failure = (kind: Failure['kind'], more: { retryAfterMs?: number; skewMs?: number } = {}): Happening => ({
  type: 'failure',
  at: start + 1,
  attempt: 1,
  createdAt: start,
  failure: { kind, error, ...more },
});
const after = (record: IntentRecord, ...happenings: Happening[]) =>
  happenings.reduce((at, happening) => step(at, happening, hold).record, record);
const reply = {
  type: 'reply',
  at: start + 1,
  attempt: 1,
  createdAt: start,
  news: { postId: 'p1', status: 'scheduled' },
} as const;
const replied = (status: string) => after(sending(), { ...reply, news: { postId: 'p1', status } });

/** One record for each state, the two kinds of sending and of accepted ones told apart. At `later` no lease is live. */
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
  in_doubt: () => after(sending(), failure('unknown')),
  abandoned: () => after(fresh(), { type: 'resolve', at: start, resolution: { as: 'abandoned' } }),
} satisfies Record<string, () => IntentRecord>;
type Name = keyof typeof records;

const at = later;
const happenings = {
  resume: { type: 'resume', at, owner: 'b', force: false },
  'reply p1': { ...reply, at },
  'reply p2': { ...reply, at, news: { postId: 'p2', status: 'scheduled' } },
  'reply p1, published': { ...reply, at, news: { postId: 'p1', status: 'published' } },
  not_sent: failure('not_sent'),
  rate_limited: failure('rate_limited'),
  unauthorized: failure('unauthorized'),
  rejected: failure('rejected'),
  unknown: failure('unknown'),
  'failure of another attempt': {
    type: 'failure',
    at,
    attempt: 7,
    createdAt: start,
    failure: { kind: 'not_sent', error },
  },
  'found p1': { type: 'found', at, news: { postId: 'p1', status: 'scheduled' } },
  'found p1, failed': { type: 'found', at, news: { postId: 'p1', status: 'failed' } },
  'found p2': { type: 'found', at, news: { postId: 'p2', status: 'published' } },
  missing: { type: 'missing', at },
  unseen: { type: 'unseen', at, error },
  'told p1, partial': { type: 'told', at, news: { postId: 'p1', status: 'partial' } },
  'told p2, published': { type: 'told', at, news: { postId: 'p2', status: 'published' } },
  'resolve published p1': { type: 'resolve', at, resolution: { as: 'published', postId: 'p1' } },
  'resolve published p2': { type: 'resolve', at, resolution: { as: 'published', postId: 'p2' } },
  'resolve not_sent': { type: 'resolve', at, resolution: { as: 'not_sent' } },
  'resolve abandoned': { type: 'resolve', at, resolution: { as: 'abandoned' } },
} satisfies Record<string, Happening>;
type What = keyof typeof happenings;

/** What a pair gives where it is not "nothing changes, nothing to do": the state, then what to do; `refused` for a word. */
const expected: Record<Name, Partial<Record<What, string>>> = {
  ready: {
    resume: 'sending, send',
    'reply p1': 'accepted',
    'reply p2': 'accepted',
    'reply p1, published': 'published',
    'found p1': 'accepted',
    'found p1, failed': 'failed',
    'found p2': 'published',
    'resolve published p1': 'accepted',
    'resolve published p2': 'accepted',
    'resolve not_sent': 'ready',
    'resolve abandoned': 'abandoned',
  },
  'sending, leased': {
    'reply p1': 'accepted',
    'reply p2': 'accepted',
    'reply p1, published': 'published',
    not_sent: 'ready',
    rate_limited: 'ready',
    unauthorized: 'ready',
    rejected: 'rejected',
    unknown: 'in_doubt, look',
    'found p1': 'accepted',
    'found p1, failed': 'failed',
    'found p2': 'published',
    'resolve published p1': 'refused',
    'resolve published p2': 'refused',
    'resolve not_sent': 'refused',
    'resolve abandoned': 'refused',
  },
  'sending, lapsed': {
    resume: 'sending, look',
    'reply p1': 'accepted',
    'reply p2': 'accepted',
    'reply p1, published': 'published',
    not_sent: 'ready',
    rate_limited: 'ready',
    unauthorized: 'ready',
    rejected: 'rejected',
    unknown: 'in_doubt, look',
    'found p1': 'accepted',
    'found p1, failed': 'failed',
    'found p2': 'published',
    missing: 'in_doubt',
    unseen: 'in_doubt',
    'resolve published p1': 'accepted',
    'resolve published p2': 'accepted',
    'resolve not_sent': 'ready',
    'resolve abandoned': 'abandoned',
  },
  accepted: {
    resume: 'accepted, look',
    'reply p1': 'accepted',
    'reply p1, published': 'published',
    'found p1': 'accepted',
    'found p1, failed': 'failed',
    missing: 'accepted',
    unseen: 'accepted',
    'told p1, partial': 'partial',
    'resolve published p2': 'refused',
    'resolve not_sent': 'refused',
    'resolve abandoned': 'refused',
  },
  'accepted, draft': {
    'reply p1': 'accepted',
    'reply p1, published': 'published',
    'found p1': 'accepted',
    'found p1, failed': 'failed',
    'told p1, partial': 'partial',
    'resolve published p2': 'refused',
    'resolve not_sent': 'refused',
    'resolve abandoned': 'refused',
  },
  published: { 'resolve published p2': 'refused', 'resolve not_sent': 'refused', 'resolve abandoned': 'refused' },
  partial: { 'resolve published p2': 'refused', 'resolve not_sent': 'refused', 'resolve abandoned': 'refused' },
  failed: { 'resolve published p2': 'refused', 'resolve not_sent': 'refused', 'resolve abandoned': 'refused' },
  rejected: {
    'resolve published p1': 'accepted',
    'resolve published p2': 'accepted',
    'resolve not_sent': 'ready',
    'resolve abandoned': 'abandoned',
  },
  in_doubt: {
    resume: 'in_doubt, look',
    'reply p1': 'accepted',
    'reply p2': 'accepted',
    'reply p1, published': 'published',
    'found p1': 'accepted',
    'found p1, failed': 'failed',
    'found p2': 'published',
    missing: 'in_doubt',
    unseen: 'in_doubt',
    'resolve published p1': 'accepted',
    'resolve published p2': 'accepted',
    'resolve not_sent': 'ready',
    'resolve abandoned': 'abandoned',
  },
  abandoned: {
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
    const record = after(sending(), { ...reply, news: { postId: 'p1', status: 'scheduled', scheduledFor } });
    expect(record.wakeAt).toBe(start + 72 * hour + 30_000);
  });

  it('is at most an hour later for ever, in doubt and past its time', () => {
    for (const name of ['in_doubt', 'accepted'] as const) {
      let record: IntentRecord = records[name]();
      for (let now = record.wakeAt ?? 0, count = 0; count < 30; count += 1) {
        record = step(record, { type: 'missing', at: now }, hold).record;
        expect(record.wakeAt).toBeGreaterThan(now);
        expect(record.wakeAt).toBeLessThanOrEqual(now + hour);
        now = record.wakeAt ?? 0;
      }
    }
  });

  it.each([
    ['in doubt', 'in_doubt', 'missing', [5, 15, 60, 300, 900, 3600]],
    ['in doubt, where the list tells nothing', 'in_doubt', 'unseen', [5, 15, 60, 300, 900, 3600]],
    ['accepted, where the list tells nothing', 'accepted', 'unseen', [5, 15, 60, 300, 900, 3600]],
    ['sent by who died', 'sending, lapsed', 'missing', [5, 15, 60, 300, 900]],
  ] as const)('is less and less often, the longer it is looked for: %s', (_, name, type, pauses) => {
    let record: IntentRecord = records[name]();
    const waited = pauses.map(() => {
      record = step(record, { type, at: later }, hold).record;
      return ((record.wakeAt ?? 0) - later) / 1_000;
    });
    expect(waited).toEqual(pauses);
  });

  it('is less and less often for an accepted one, and soon again for one that was just found', () => {
    const found = { type: 'found', at: later, news: { postId: 'p1', status: 'publishing' } } as const;
    const looked = after(
      records.in_doubt(),
      ...Array.from({ length: 4 }, () => ({ type: 'missing', at: later }) as const),
    );
    const first = after(looked, found);
    expect(first.wakeAt).toBe(later + 5_000);
    expect(after(first, found).wakeAt).toBe(later + 15_000);
    expect(after(first, found, found).wakeAt).toBe(later + minute);
  });

  it('is never, for a draft, for what was rejected, and for what is final', () => {
    for (const name of ['accepted, draft', 'rejected', 'published', 'partial', 'failed', 'abandoned'] as const) {
      expect(records[name]().wakeAt).toBeNull();
    }
    // What was asked for tells as well as what the service says.
    const asked = newIntent('k', { body: { saveAsDraft: true } }, start);
    const sent = after(asked, resume());
    expect(after(sent, { ...reply, news: { postId: 'p1' } }).wakeAt).toBeNull();
    const word = { type: 'resolve', at: start, resolution: { as: 'published', postId: 'p1' } } as const;
    expect(after(asked, word)).toMatchObject({ state: 'accepted', wakeAt: null });
    expect(after(fresh(), word)).toMatchObject({ state: 'accepted', wakeAt: start });
  });
});

it('is done where it is final or a draft, and not where a person can move it on', () => {
  const done: Name[] = ['accepted, draft', 'published', 'partial', 'failed', 'abandoned'];
  expect(names.filter((name) => isDone(records[name]()))).toEqual(done);
});

describe('a lease', () => {
  it('is over at its end', () => {
    const resumed = (at: number) => step(sending(), resume({ at }), hold).todo;
    expect([resumed(start + 59_999), resumed(start + 60_000)]).toEqual(['nothing', 'look']);
  });

  it('holds nobody up that is not written', () => {
    const { lease: _lease, ...none } = sending();
    expect(step(none, resume(), hold).todo).toBe('look');
  });

  it('over without a word leaves words that tell what to do, or why the list was not read', () => {
    const lapsed = records['sending, lapsed']();
    const died = after(lapsed, { type: 'missing', at: later }).error;
    expect(died).toMatchObject({ name: 'SocialPublishingError', outcome: 'unknown' });
    expect(died?.message).toMatch(/did not note what became of it.*`resolve`/);
    expect(after(lapsed, { type: 'unseen', at: later, error }).error).toEqual(error);
  });
});

describe('what is noted', () => {
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

  it('of the times that it was sent with is each one once', () => {
    const record = sending({ slot: 7 });
    expect(record.slots).toEqual([7]);
    const again = (slot?: number) => after(record, failure('not_sent'), resume({ at: later, slot })).slots;
    expect(again(7)).toEqual([7]);
    expect(again(8)).toEqual([7, 8]);
    expect(again()).toEqual([7]);
    expect(sending()).not.toHaveProperty('slots');
  });

  it('of an error is the last one, until it gets on', () => {
    const other: IntentError = { ...error, message: 'the list' };
    const doubtful = after(records.in_doubt(), { type: 'unseen', at: later, error: other });
    expect(doubtful.error).toEqual(other);
    expect(after(doubtful, { type: 'missing', at: later }).error).toEqual(other);
    expect(after(doubtful, { ...reply, at: later })).not.toHaveProperty('error');
    expect(after(records.accepted(), { type: 'unseen', at: later, error })).not.toHaveProperty('error');
  });

  it('of a post is all that was told, the newer over the older', () => {
    const news = (more: Partial<PostNews>): Happening => ({
      type: 'found',
      at: later,
      news: { postId: 'p1', ...more },
    });
    const post = (fields: object) => ({ postId: 'p1', ...fields }) as Post;
    const targets: PostNews['targets'] = [];
    const first = after(sending(), news({ post: post({ content: 'Hello', status: 'scheduled' }), targets }));
    expect(first).toMatchObject({ post: { content: 'Hello', status: 'scheduled' }, targets: [] });
    const second = after(first, news({ post: post({ status: 'published' }) }));
    expect(second).toMatchObject({ post: { content: 'Hello', status: 'published' }, targets: [] });
    expect(after(first, news({})).post).toEqual(first.post);
    expect(records.accepted()).not.toHaveProperty('post');
    expect(records.accepted()).not.toHaveProperty('targets');
  });
});

describe('an intent that was pruned while it was sent, and made again under its key', () => {
  it('is another one: what came of the former send changes nothing', () => {
    const again = { ...sending(), createdAt: start + hour };
    for (const kind of ['not_sent', 'rate_limited', 'unauthorized', 'rejected', 'unknown'] as const)
      expect(step(again, failure(kind), hold)).toEqual({ record: again, todo: 'nothing' });
    expect(step(again, reply, hold)).toEqual({ record: again, todo: 'nothing' });
  });
});

describe("what the sender learns of the service's clock", () => {
  const sentAt = (record: IntentRecord) => record.sent;

  it('before the send and by its reply is noted, the reply over what was known before', () => {
    expect(sentAt(sending())).toStrictEqual({ at: start });
    expect(sentAt(sending({ skewMs: 5 }))).toEqual({ at: start, skewMs: 5 });
    expect(sentAt(after(sending({ skewMs: 5 }), { ...reply, skewMs: 7 }))).toEqual({ at: start, skewMs: 7 });
    expect(sentAt(after(sending({ skewMs: 5 }), reply))).toEqual({ at: start, skewMs: 5 });
    expect(sentAt(after(sending({ skewMs: 5 }), failure('unknown', { skewMs: 7 })))).toEqual({ at: start, skewMs: 7 });
    expect(sentAt(after(sending({ skewMs: 5 }), failure('unknown')))).toEqual({ at: start, skewMs: 5 });
  });

  it('by a look holds for what is in doubt alone', () => {
    for (const type of ['missing', 'unseen'] as const) {
      const look: Happening = { type, at: later, skewMs: 7 };
      expect(sentAt(after(records.in_doubt(), look))).toEqual({ at: start, skewMs: 7 });
      expect(sentAt(after(records['sending, lapsed'](), look))).toEqual({ at: start });
      expect(sentAt(after(records.accepted(), look))).toEqual({ at: start });
      expect(step(records.ready(), look, hold).record).toEqual(records.ready());
    }
  });

  it('is not taken from the reply of another attempt, of another post, or to what was never sent', () => {
    expect(sentAt(after(sending(), { ...reply, attempt: 2, skewMs: 7 }))).toEqual({ at: start });
    const accepted = records.accepted();
    const other: Happening = { ...reply, news: { postId: 'p2' }, skewMs: 7 };
    expect(step(accepted, other, hold).record).toBe(accepted);
    expect(after(fresh(), { ...reply, attempt: 0, skewMs: 7 })).not.toHaveProperty('sent');
  });
});

describe('what is missing from the list', () => {
  it('is held by default, however long it is missing', () => {
    const next = step(records.in_doubt(), { type: 'missing', at: start + 1_000 * hour }, hold);
    expect([next.record.state, next.todo]).toEqual(['in_doubt', 'nothing']);
  });

  it("is sent again with 'resend' once settleMs is over, and not before", () => {
    const early = step(records.in_doubt(), { type: 'missing', at: start + 599_999 }, resend);
    expect([early.record.state, early.todo, early.record.wakeAt]).toEqual(['in_doubt', 'nothing', start + 600_000]);
    const late = step(records.in_doubt(), { type: 'missing', at: start + 600_000 }, resend);
    expect([late.record.state, late.todo]).toEqual(['ready', 'resume']);
    expect(late.record).toMatchObject({ looks: 0, wakeAt: start + 600_000 });
  });

  it("is looked for in between, and settles from its last send on, with 'resend'", () => {
    const missing = (at: number) => ({ type: 'missing', at }) as const;
    expect(step(records.in_doubt(), missing(later), resend).record.wakeAt).toBe(later + 5_000);
    const sentLate = after(fresh(), resume({ at: start + hour }), { ...failure('unknown'), at: start + hour });
    const early = step(sentLate, missing(start + hour + 599_999), resend);
    expect([early.record.state, early.todo]).toEqual(['in_doubt', 'nothing']);
    expect(step(sentLate, missing(start + hour + 600_000), resend).todo).toBe('resume');
  });

  it("is held with 'resend' too where the list does not tell", () => {
    const next = step(records.in_doubt(), { type: 'unseen', at: start + 1_000 * hour }, resend);
    expect([next.record.state, next.todo]).toEqual(['in_doubt', 'nothing']);
  });
});

describe('laws of any order of happenings', () => {
  const diagram: Record<IntentState, readonly IntentState[]> = {
    ready: ['sending', 'accepted', 'published', 'partial', 'failed', 'abandoned'],
    sending: ['accepted', 'published', 'partial', 'failed', 'rejected', 'ready', 'in_doubt', 'abandoned'],
    accepted: ['published', 'partial', 'failed'],
    published: [],
    partial: [],
    failed: [],
    rejected: ['ready', 'accepted', 'abandoned'],
    in_doubt: ['accepted', 'published', 'partial', 'failed', 'ready', 'abandoned'],
    abandoned: [],
  };
  const news = fc.record({
    postId: fc.constantFrom('p1', 'p2'),
    status: fc.constantFrom('draft', 'scheduled', 'publishing', 'published', 'partial', 'failed', 'new-one'),
  });
  const any: fc.Arbitrary<Happening> = fc
    .record({ step: fc.integer({ min: -2 * hour, max: 2 * hour }), attempt: fc.integer({ min: 1, max: 3 }), news })
    .chain((known) => {
      const now = start + known.step;
      return fc.oneof(
        fc.record({
          type: fc.constant('resume' as const),
          at: fc.constant(now),
          owner: fc.constantFrom('a', 'b'),
          force: fc.boolean(),
        }),
        fc.constant<Happening>({ ...reply, at: now, attempt: known.attempt, news: known.news }),
        fc
          .constantFrom<Failure['kind']>('not_sent', 'rate_limited', 'unauthorized', 'rejected', 'unknown')
          .map((kind): Happening => ({ ...failure(kind), at: now, attempt: known.attempt }) as Happening),
        fc
          .constantFrom('found' as const, 'told' as const)
          .map((type): Happening => ({ type, at: now, news: known.news })),
        fc.constantFrom('missing' as const, 'unseen' as const).map((type): Happening => ({ type, at: now })),
        fc
          .constantFrom<'published' | 'not_sent' | 'abandoned'>('published', 'not_sent', 'abandoned')
          .map((as): Happening => ({
            type: 'resolve',
            at: now,
            resolution: as === 'published' ? { as, postId: known.news.postId } : { as },
          })),
      );
    });

  it('keep to the diagram, never change a recorded post or what is final, and leave nothing open without a time', () => {
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 30 }),
        fc.constantFrom(hold, resend),
        fc.boolean(),
        (list, policy, draft) => {
          let record = newIntent('k', { body: draft ? { saveAsDraft: true } : { publishNow: true } }, start);
          for (const happening of list) {
            const { record: next, todo } = step(record, happening, policy);
            if (next.state !== record.state) expect(diagram[record.state]).toContain(next.state);
            if (isFinal(record.state)) expect(next).toBe(record);
            if (record.postId !== undefined) expect(next.postId).toBe(record.postId);
            if (['accepted', 'published', 'partial', 'failed'].includes(next.state)) expect(next.postId).toBeDefined();
            const open = !isDone(next) && next.state !== 'rejected';
            expect(next.wakeAt !== null).toBe(open);
            expect(next.lease !== undefined).toBe(next.state === 'sending');
            if (todo === 'send') {
              expect([record.state, next.state, happening.type]).toEqual(['ready', 'sending', 'resume']);
              expect(next.attempts).toBe(record.attempts + 1);
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
