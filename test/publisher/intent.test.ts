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
import type { IntentError, IntentRecord, IntentState } from '../../src/publisher/record.js';
import { runs } from '../support/property.js';

const hold: IntentPolicy = { onMissing: 'hold', settleMs: 600_000, leaseMs: 60_000 };
const resend: IntentPolicy = { ...hold, onMissing: 'resend' };
const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse('2026-05-01T09:00:00Z');

const error: IntentError = { name: 'ApiError', message: 'no', outcome: 'unknown' };
const fresh = newIntent('k', { body: { content: 'Hello', publishNow: true } }, start);
const sending = step(fresh, { type: 'resume', at: start, owner: 'a', force: false }, hold).record;
const failure = (kind: Failure['kind']): Happening => ({
  type: 'failure',
  at: start + 1,
  attempt: 1,
  failure: { kind, error },
});
const after = (record: IntentRecord, ...happenings: Happening[]) =>
  happenings.reduce((at, happening) => step(at, happening, hold).record, record);
const reply: Happening = { type: 'reply', at: start + 1, attempt: 1, news: { postId: 'p1', status: 'scheduled' } };

/** One record for each state, the two kinds of sending and of accepted ones told apart. At `later` no lease is live. */
const records = {
  ready: fresh,
  'sending, leased': sending,
  'sending, lapsed': { ...sending, lease: { owner: 'a', until: start } },
  accepted: after(sending, reply),
  'accepted, draft': after(
    { ...sending, body: { saveAsDraft: true } },
    { ...reply, news: { postId: 'p1', status: 'draft' } },
  ),
  published: after(sending, { ...reply, news: { postId: 'p1', status: 'published' } }),
  partial: after(sending, { ...reply, news: { postId: 'p1', status: 'partial' } }),
  failed: after(sending, { ...reply, news: { postId: 'p1', status: 'failed' } }),
  rejected: after(sending, failure('rejected')),
  in_doubt: after(sending, failure('unknown')),
  abandoned: after(fresh, { type: 'resolve', at: start, resolution: { as: 'abandoned' } }),
} satisfies Record<string, IntentRecord>;
type Name = keyof typeof records;

const at = start + 2;
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

const names = Object.keys(records) as Name[];
const whats = Object.keys(happenings) as What[];
const pairs = names.flatMap((name) => whats.map((what) => [name, what, expected[name][what] ?? 'no change'] as const));

describe('every state meets everything that can happen', () => {
  it.each(pairs)('%s, then %s: %s', (name, what, expectation) => {
    const record = records[name];
    const next = step(record, happenings[what], hold);
    if (expectation === 'no change') {
      expect(next).toEqual({ record, todo: 'nothing' });
      expect(next.record).toBe(record);
    } else if (expectation === 'refused') {
      expect(next.record).toBe(record);
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
    const told: Happening = {
      type: 'failure',
      at: start,
      attempt: 1,
      failure: { kind: 'rate_limited', error, retryAfterMs: 90_000 },
    };
    const record = after(sending, told);
    expect(record.wakeAt).toBe(start + 90_000);
    const resumed = (force: boolean) =>
      step(record, { type: 'resume', at: start + 89_999, owner: 'a', force }, hold).todo;
    expect(resumed(false)).toBe('nothing');
    expect(resumed(true)).toBe('send');
  });

  it('is after five minutes, where the key was refused', () => {
    expect(after(sending, failure('unauthorized')).wakeAt).toBe(start + 1 + 5 * minute);
  });

  it('is the end of the lease, while it is sent', () => {
    expect(sending.wakeAt).toBe(start + 60_000);
  });

  it('is soon after its time, where the post is scheduled', () => {
    const scheduledFor = new Date(start + 72 * hour).toISOString();
    const record = after(sending, { ...reply, news: { postId: 'p1', status: 'scheduled', scheduledFor } });
    expect(record.wakeAt).toBe(start + 72 * hour + 30_000);
  });

  it('is at most an hour later for ever, in doubt and past its time', () => {
    for (const name of ['in_doubt', 'accepted'] as const) {
      let record: IntentRecord = records[name];
      for (let now = record.wakeAt ?? 0, count = 0; count < 30; count += 1) {
        record = step(record, { type: 'missing', at: now }, hold).record;
        expect(record.wakeAt).toBeGreaterThan(now);
        expect(record.wakeAt).toBeLessThanOrEqual(now + hour);
        now = record.wakeAt ?? 0;
      }
    }
  });

  it('is never, for a draft, for what was rejected, and for what is final', () => {
    for (const name of ['accepted, draft', 'rejected', 'published', 'partial', 'failed', 'abandoned'] as const) {
      expect(records[name].wakeAt).toBeNull();
    }
  });
});

describe('what is missing from the list', () => {
  it('is held by default, however long it is missing', () => {
    const next = step(records.in_doubt, { type: 'missing', at: start + 1_000 * hour }, hold);
    expect([next.record.state, next.todo]).toEqual(['in_doubt', 'nothing']);
  });

  it("is sent again with 'resend' once settleMs is over, and not before", () => {
    const early = step(records.in_doubt, { type: 'missing', at: start + 599_999 }, resend);
    expect([early.record.state, early.todo, early.record.wakeAt]).toEqual(['in_doubt', 'nothing', start + 600_000]);
    const late = step(records.in_doubt, { type: 'missing', at: start + 600_000 }, resend);
    expect([late.record.state, late.todo]).toEqual(['ready', 'resume']);
  });

  it("is held with 'resend' too where the list does not tell", () => {
    const next = step(records.in_doubt, { type: 'unseen', at: start + 1_000 * hour }, resend);
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
        fc.constant<Happening>({ type: 'reply', at: now, attempt: known.attempt, news: known.news }),
        fc
          .constantFrom<Failure['kind']>('not_sent', 'rate_limited', 'unauthorized', 'rejected', 'unknown')
          .map((kind): Happening => ({ type: 'failure', at: now, attempt: known.attempt, failure: { kind, error } })),
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
