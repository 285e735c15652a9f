import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createdWindow,
  findPost,
  findPosts,
  type PostOwner,
  type PostQuestion,
  type UnknownCreate,
} from '../../src/posts/find-posts.js';
import type { Post } from '../../src/posts/post-shapes.js';
import { runs } from '../support/property.js';

const start = Date.parse('2026-05-01T09:00:00Z');
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const year = 365 * 24 * hour;

const body = {
  content: 'Hello',
  scheduledFor: '2026-06-01T09:00:00.000Z',
  platforms: [{ platform: 'bluesky', accountId: 'a1' }],
};
const platforms = [{ platform: 'bluesky' }];
const at = (ms: number) => new Date(start + ms).toISOString();

/** A create that was sent at `start + ms` by a clock that agrees with the service. */
function create(ms = 0, more: Partial<UnknownCreate> = {}): UnknownCreate {
  const sentAt = start + ms;
  const bodies = more.bodies ?? [body];
  return { bodies, key: JSON.stringify(bodies), sentAt, window: createdWindow(sentAt, sentAt, [0]), ...more };
}

/** A listed post that was created at `start + ms`. */
function post(postId: string, ms = 0, more: Partial<Post> = {}): Post {
  const { content, scheduledFor } = body;
  return {
    postId,
    content,
    scheduledFor,
    platforms,
    status: 'scheduled',
    createdAt: at(ms),
    rawRequestBody: body,
    ...more,
  };
}

type Owners = Readonly<Record<string, PostOwner<UnknownCreate>>>;

/** `share`: as the publisher asks, for all creates. `hold`: as `reconcile` asks, for each create. */
type Mode = 'share' | 'hold';

const findAll = (question: PostQuestion<UnknownCreate>, mode: Mode) =>
  mode === 'share' ? findPosts(question) : new Map(question.creates.map((one) => [one, findPost(one, question)]));

function find(
  creates: readonly UnknownCreate[],
  posts: readonly Post[],
  { owners = {}, mode = 'share' }: { owners?: Owners; mode?: Mode } = {},
): string[] {
  const findings = findAll({ creates, posts, ownerOf: ({ postId }) => owners[postId] }, mode);
  return creates.map((which) => {
    const finding = findings.get(which);
    if (finding === undefined) return 'missing';
    if (finding.result === 'match') return finding.post.postId;
    if (finding.result === 'no_match') return 'no_match';
    return `${finding.result} ${finding.posts.map(({ postId }) => postId).join(' ')}`;
  });
}

describe('the window of a create', () => {
  it('begins 5 seconds before the send, in the time of the service', () => {
    expect(createdWindow(start, start, [0]).from).toBe(start - 5 * second);
    expect(createdWindow(start, start, [hour]).from).toBe(start + hour - 5 * second);
  });

  it('begins at the greatest known offset, and ends 15 minutes after the sender stopped waiting', () => {
    const window = createdWindow(start, start + minute, [-hour, hour]);
    expect(window).toEqual({ from: start + hour - 5 * second, to: start + hour + 16 * minute });
    expect(createdWindow(start, start, [0], hour).to).toBe(start + hour);
    expect(createdWindow(start, undefined, [0]).to).toBe(Infinity);
  });
});

describe('a match', () => {
  it.each([
    ['at the send', 0, 'p'],
    ['5 seconds before the send', -5 * second, 'p'],
    ['earlier than that', -5 * second - 1, 'candidates p'],
    ['15 minutes after the send', 15 * minute, 'p'],
    ['later than that', 15 * minute + 1, 'candidates p'],
  ])('is the very request in the window: %s', (_, ms, expected) => {
    expect(find([create()], [post('p', ms)])).toEqual([expected]);
  });

  it('is nothing without a post, or with a post of another request', () => {
    expect(find([create()], [])).toEqual(['no_match']);
    const other = { ...body, content: 'Other' };
    expect(find([create()], [post('p', 0, { content: 'Other', rawRequestBody: other })])).toEqual(['no_match']);
  });

  it('is not a post of another create', () => {
    expect(find([create()], [post('p')], { owners: { p: 'other' } })).toEqual(['no_match']);
  });

  it('is the post that the create claimed before a crash, whatever the list shows of it', () => {
    const [first, second_] = [create(), create(second)];
    const posts = [post('p', -hour, { rawRequestBody: undefined, content: 'Edited' }), post('q')];
    expect(find([first, second_], posts, { owners: { p: second_ } })).toEqual(['q', 'p']);
  });
});

describe('a candidate', () => {
  it.each([
    ['its clock was 15 seconds ahead', 15 * second],
    ['its clock was a year ahead', year],
    ['its clock was an hour behind', -hour],
    ['its clock was stepped while the create was in flight', 20 * minute],
    ['a cached Date was 7 seconds ahead', 7 * second],
  ])('is an equal post outside the window: %s', (_, offMs) => {
    const window = createdWindow(start + offMs, start + offMs, [0]);
    expect(find([create(0, { window })], [post('p')])).toEqual(['candidates p']);
  });

  it('is an equal post if nothing is known of the time of the service', () => {
    expect(find([create(0, { window: undefined })], [post('p')])).toEqual(['candidates p']);
  });

  it('is an equal post without a time of creation', () => {
    expect(find([create()], [post('p', 0, { createdAt: undefined })])).toEqual(['candidates p']);
  });

  it('is a post whose request is missing or has more fields', () => {
    expect(find([create()], [post('p', 0, { rawRequestBody: undefined })])).toEqual(['candidates p']);
    const more = { ...body, timezone: 'UTC' };
    expect(find([create()], [post('p', 0, { rawRequestBody: more })])).toEqual(['candidates p']);
  });

  it.each([
    ['content', { content: 'Other' }],
    ['targets', { platforms: [{ platform: 'tiktok' }] }],
    ['time', { scheduledFor: '2026-06-01T10:00:00.000Z' }],
  ])('is not a post without its request and with another %s', (_, other) => {
    expect(find([create()], [post('p', 0, { rawRequestBody: undefined, ...other })])).toEqual(['no_match']);
  });

  it('goes after the very request', () => {
    const more = post('p', 0, { rawRequestBody: { ...body, timezone: 'UTC' } });
    expect(find([create()], [more, post('q', second)])).toEqual(['q']);
    expect(find([create()], [post('p', -hour), post('q', second)])).toEqual(['q']);
  });

  it('is not a post that matches another create', () => {
    const zoned = create(0, { bodies: [{ ...body, timezone: 'UTC' }] });
    const posts = [post('p', 0, { rawRequestBody: { ...body, timezone: 'UTC' } })];
    expect(find([create(), zoned], posts)).toEqual(['no_match', 'p']);
    expect(find([create()], posts)).toEqual(['candidates p']);
  });

  it('is a post that an equal create claimed without recording it', () => {
    expect(find([create()], [post('p')], { owners: { p: 'undecided' } })).toEqual(['candidates p']);
    expect(find([create()], [post('p'), post('q')], { owners: { p: 'undecided' } })).toEqual(['q']);
  });
});

describe('equal creates', () => {
  const three = [create(0), create(second), create(2 * second)];

  it.each([
    [0, ['no_match', 'no_match', 'no_match']],
    [1, ['p0', 'no_match', 'no_match']],
    [2, ['p0', 'p1', 'no_match']],
    [3, ['p0', 'p1', 'p2']],
    [4, ['p0', 'p1', 'p2']],
  ])('share %i posts, the earliest sent takes the earliest created', (count, expected) => {
    const posts = Array.from({ length: count }, (_, index) => post(`p${String(index)}`, index * second));
    expect(find(three, posts.reverse())).toEqual(expected);
  });

  it('are ambiguous on request, unless there are as many posts', () => {
    const posts = [post('p0'), post('p1', second), post('p2', 2 * second), post('p3', 3 * second)];
    const held = (count: number) => find(three, posts.slice(0, count), { mode: 'hold' });
    expect(held(0)).toEqual(['no_match', 'no_match', 'no_match']);
    expect(held(1)).toEqual(Array(3).fill('ambiguous p0'));
    expect(held(3)).toEqual(['p0', 'p1', 'p2']);
    expect(held(4)).toEqual(Array(3).fill('ambiguous p0 p1 p2 p3'));
  });

  it('are ambiguous on request while one of them is in flight', () => {
    const flying = create(second, { inFlight: true });
    expect(find([create(), flying], [post('p'), post('q')], { mode: 'hold' })).toEqual([
      'ambiguous p q',
      'ambiguous p q',
    ]);
    const other = create(0, { bodies: [{ ...body, content: 'Other' }], inFlight: true });
    expect(find([create(), other], [post('p')], { mode: 'hold' })).toEqual(['p', 'no_match']);
  });

  it('are settled later only if another post or reply can settle them', () => {
    const mayClear = (creates: UnknownCreate[], posts: Post[]) => {
      const findings = findAll({ creates, posts, ownerOf: () => undefined }, 'hold');
      return [...findings.values()].map((finding) => finding.result === 'ambiguous' && finding.mayClear);
    };
    expect(mayClear([create(), create()], [post('p')])).toEqual([true, true]);
    expect(mayClear([create()], [post('p'), post('q')])).toEqual([false]);
    expect(mayClear([create(0, { inFlight: true })], [post('p'), post('q')])).toEqual([true]);
    // As many posts as creates, and two posts fit the first create only.
    const posts = [post('p', minute), post('q', 10 * minute), post('r', 12 * minute)];
    expect(mayClear([create(), create(-10 * minute), create(-10 * minute)], posts)).toEqual([true, true, true]);
  });

  it('take posts by their windows, so that the most creates get one', () => {
    const [late, early] = [create(10 * minute), create(-5 * minute)];
    expect(find([late, early], [post('p', 10 * minute), post('q', 10 * minute)])).toEqual(['q', 'p']);
    const endless = create(0, { window: { from: start, to: Infinity } });
    expect(find([endless, create(second)], [post('p')])).toEqual(['no_match', 'p']);
  });

  it("are equal by the service's data, not by the format of a time", () => {
    const spelled = create(second, { bodies: [{ ...body, scheduledFor: '2026-06-01T11:00:00+02:00' }] });
    expect(find([create(), spelled], [post('p'), post('q', second)], { mode: 'hold' })).toEqual(['p', 'q']);
  });
});

describe('an own time', () => {
  const ownTime = '2026-06-01T09:00:00.123Z';
  const kept = { ...body, scheduledFor: ownTime };
  const own = create(0, { bodies: [kept], hasOwnTimes: true, window: undefined });

  it.each([
    ['the service dropped the milliseconds', { scheduledFor: body.scheduledFor, rawRequestBody: kept }],
    ['a user rescheduled the post', { scheduledFor: '2026-07-01T12:00:00Z', rawRequestBody: kept }],
    ['the service added a field', { rawRequestBody: { ...kept, timezone: 'UTC' } }],
    ['the list shows no request', { scheduledFor: ownTime, rawRequestBody: undefined }],
    ['the clocks differ by a year', { createdAt: at(-year), rawRequestBody: kept }],
  ])('identifies the post: %s', (_, shown) => {
    expect(find([own], [post('p', 0, shown)])).toEqual(['p']);
  });

  it.each([
    ['the service dropped the milliseconds of the request', { rawRequestBody: body }],
    ['the list shows no request and no milliseconds', { rawRequestBody: undefined }],
    ['the list shows no request, and a user rescheduled', { scheduledFor: at(0), rawRequestBody: undefined }],
  ])('leaves a candidate: %s', (_, shown) => {
    expect(find([own], [post('p', 0, shown)])).toEqual(['candidates p']);
  });

  it.each([
    ['the own time of another create', { ...body, scheduledFor: '2026-06-01T09:00:00.124Z' }],
    ['another second', { ...body, scheduledFor: '2026-06-01T09:00:01.000Z' }],
    ['another text', { ...kept, content: 'Other' }],
  ])('is not found in a request with %s', (_, rawRequestBody) => {
    expect(find([own], [post('p', 0, { rawRequestBody })])).toEqual(['no_match']);
  });

  it('can be one of several', () => {
    const twice = create(0, {
      bodies: [{ ...body, scheduledFor: '2026-06-01T09:00:00.005Z' }, kept],
      hasOwnTimes: true,
    });
    expect(find([twice], [post('p', 0, { rawRequestBody: kept })])).toEqual(['p']);
  });

  it('is a candidate if the service dropped the milliseconds of one of several own times', () => {
    const twice = create(0, {
      bodies: [
        { ...body, scheduledFor: '2026-06-01T09:00:01.005Z' },
        { ...body, scheduledFor: kept.scheduledFor },
      ],
      hasOwnTimes: true,
    });
    expect(find([twice], [post('p', 0, { rawRequestBody: body })])).toEqual(['candidates p']);
  });
});

describe('laws of any creates and posts', () => {
  const texts = fc.constantFrom('A', 'B');
  const times = fc.integer({ min: -20, max: 20 }).map((count) => count * minute);
  const anyCreate = fc
    .record({
      content: texts,
      ms: times,
      offMs: fc.constantFrom(0, 0, hour, -hour),
      isTimed: fc.boolean(),
      inFlight: fc.boolean(),
    })
    .map(({ content, ms, offMs, isTimed, inFlight }) => {
      const window = isTimed ? createdWindow(start + ms + offMs, start + ms + offMs, [0]) : undefined;
      return create(ms, { bodies: [{ ...body, content }], window, inFlight });
    });
  const anyPost = fc.record({
    content: texts,
    ms: times,
    shows: fc.constantFrom('request', 'request', 'more', 'nothing'),
    owner: fc.constantFrom(undefined, undefined, 'other' as const, 'undecided' as const),
  });
  const world = fc
    .record({ creates: fc.array(anyCreate, { maxLength: 6 }), listed: fc.array(anyPost, { maxLength: 6 }) })
    .map(({ creates, listed }) => {
      const owners: Record<string, PostOwner<UnknownCreate>> = {};
      const posts = listed.map(({ content, ms, shows, owner }, index) => {
        const postId = `p${String(index)}`;
        owners[postId] = owner;
        const request = { ...body, content };
        const rawRequestBody =
          shows === 'request' ? request : shows === 'more' ? { ...request, timezone: 'UTC' } : undefined;
        return post(postId, ms, { content, rawRequestBody });
      });
      return { creates, posts, owners };
    });
  const modes = fc.constantFrom<Mode>('share', 'hold');

  it('each create gets one result, each post goes to one create at most, and never to another owner', () => {
    fc.assert(
      fc.property(world, modes, ({ creates, posts, owners }, mode) => {
        const findings = findAll({ creates, posts, ownerOf: ({ postId }) => owners[postId] }, mode);
        expect(findings.size).toBe(creates.length);
        const matched = [...findings.values()].flatMap((finding) => (finding.result === 'match' ? [finding.post] : []));
        expect(new Set(matched).size).toBe(matched.length);
        for (const finding of findings.values()) {
          if (finding.result === 'match') expect(owners[finding.post.postId]).toBeUndefined();
          if (finding.result !== 'candidates' && finding.result !== 'ambiguous') continue;
          expect(finding.posts.length).toBeGreaterThan(0);
          for (const candidate of finding.posts) {
            expect(matched).not.toContain(candidate);
            expect(owners[candidate.postId]).not.toBe('other');
          }
        }
      }),
      runs(300),
    );
  });

  it('every create has a result while an equal post without an owner is listed', () => {
    fc.assert(
      fc.property(world, ({ creates, posts, owners }) => {
        const findings = findPosts({ creates, posts, ownerOf: ({ postId }) => owners[postId] });
        const taken = [...findings.values()].flatMap((finding) => (finding.result === 'match' ? [finding.post] : []));
        for (const [which, finding] of findings) {
          if (finding.result !== 'no_match') continue;
          const left = posts.filter(
            (one) =>
              one.content === which.bodies[0]?.['content'] &&
              owners[one.postId] !== 'other' &&
              !taken.includes(one) &&
              // In the window of an equal create, it is for that create to take.
              !creates.some(
                ({ window }) =>
                  window &&
                  Date.parse(one.createdAt ?? '') >= window.from &&
                  Date.parse(one.createdAt ?? '') <= window.to,
              ),
          );
          expect(left).toEqual([]);
        }
      }),
      runs(300),
    );
  });

  it('the order of the list does not matter, and the posts of others change nothing', () => {
    fc.assert(
      fc.property(world, modes, ({ creates, posts, owners }, mode) => {
        // Posts of one moment are interchangeable.
        const distinct = posts.map((one, index) => ({
          ...one,
          createdAt: new Date(Date.parse(one.createdAt ?? '') + index).toISOString(),
        }));
        const answers = (listed: Post[]) =>
          find(creates, listed, { owners, mode }).map((answer) => answer.split(' ').sort());
        const answer = answers(distinct);
        expect(answers([...distinct].reverse())).toEqual(answer);
        expect(answers(distinct.filter(({ postId }) => owners[postId] !== 'other'))).toEqual(answer);
      }),
      runs(300),
    );
  });

  it('a thousand equal creates and posts are compared once, not a million times', () => {
    const creates = Array.from({ length: 1_000 }, (_, index) => create(index));
    let reads = 0;
    const posts = Array.from({ length: 1_000 }, (_, index) => ({
      ...post(`p${String(index)}`, index),
      // Each comparison reads the post's request.
      get rawRequestBody() {
        reads += 1;
        return body;
      },
    }));
    expect(new Set(find(creates, posts)).size).toBe(1_000);
    expect(reads).toBeGreaterThanOrEqual(1_000);
    expect(reads).toBeLessThan(10_000);
  });
});
