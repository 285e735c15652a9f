import { describe, expect, it } from 'vitest';
import { matchPost } from '../../src/posts/match-post.js';

const sent = {
  content: 'Hello',
  scheduledFor: '2026-05-01T09:00:00Z',
  platforms: [{ platform: 'bluesky', accountId: 'a1' }],
  mediaItems: [{ url: 'https://example.com/a.png' }],
};

/** Two targets on one platform. */
const two = {
  content: 'Hello',
  publishNow: true,
  platforms: [
    { platform: 'bluesky', accountId: 'a1' },
    { platform: 'bluesky', accountId: 'a2' },
  ],
};

describe('a post that keeps its request', () => {
  it('is equal, whatever the order of keys', () => {
    const { content, ...rest } = structuredClone(sent);
    expect(matchPost(sent, { rawRequestBody: { ...rest, content } })).toBe('equal');
  });

  it('is equal where only the spelling of a time differs', () => {
    const kept = { ...sent, scheduledFor: '2026-05-01T11:00:00.000+02:00' };
    expect(matchPost(sent, { rawRequestBody: kept })).toBe('equal');
  });

  it('is similar where the service added something, at any depth', () => {
    expect(matchPost(sent, { rawRequestBody: { ...sent, timezone: 'UTC' } })).toBe('similar');
    const kept = { ...sent, platforms: [{ platform: 'bluesky', accountId: 'a1', profileId: null }] };
    expect(matchPost(sent, { rawRequestBody: kept })).toBe('similar');
  });

  it.each([
    ['another text', { ...sent, content: 'hello' }],
    ['another account', { ...sent, platforms: [{ platform: 'bluesky', accountId: 'a2' }] }],
    ['one target more', { ...sent, platforms: [...sent.platforms, { platform: 'tiktok', accountId: 'a3' }] }],
    ['another time', { ...sent, scheduledFor: '2026-05-01T09:00:01Z' }],
    ['no media', { ...sent, mediaItems: undefined }],
    ['an object for an array', { ...sent, mediaItems: { 0: sent.mediaItems[0] } }],
    ['nothing', {}],
  ])('is another post with %s', (_, rawRequestBody) => {
    expect(matchPost(sent, { content: 'Hello', rawRequestBody })).toBeUndefined();
  });

  it.each([
    ['empty fields', { mediaItems: [], saveAsDraft: false, scheduledFor: null, content: '' }],
    ['fields of its own', { timezone: 'UTC', visibility: 'public', options: { notify: true } }],
  ])('is the same draft where the service added %s', (_, added) => {
    expect(matchPost({ saveAsDraft: true }, { rawRequestBody: { ...added, saveAsDraft: true } })).toBeDefined();
  });

  it.each([
    ['a text', { content: 'Hello' }],
    ['targets', { platforms: sent.platforms }],
    ['a time', { scheduledFor: '2026-05-01T09:00:00Z' }],
    ['files', { mediaItems: sent.mediaItems }],
  ])('does not match an empty draft with %s', (_, added) => {
    expect(matchPost({ saveAsDraft: true }, { rawRequestBody: { saveAsDraft: true, ...added } })).toBeUndefined();
  });

  it('is another post if a target has its own text', () => {
    const kept = { ...sent, platforms: [{ platform: 'bluesky', accountId: 'a1', content: 'Other' }] };
    expect(matchPost(sent, { rawRequestBody: kept })).toBeUndefined();
  });

  it('is equal without the empty fields that were sent', () => {
    const body = { content: 'Hello', publishNow: true, saveAsDraft: false, tags: [] };
    expect(matchPost(body, { rawRequestBody: { content: 'Hello', publishNow: true } })).toBe('equal');
  });

  it('is similar with a value in the place of an empty field that was sent', () => {
    const body = { content: 'Hello', publishNow: true, notify: false };
    expect(matchPost(body, { rawRequestBody: { ...body, notify: { email: true } } })).toBe('similar');
  });

  it("takes precedence over the post's other fields", () => {
    const post = { content: 'Edited since', platforms: [], rawRequestBody: sent };
    expect(matchPost(sent, post)).toBe('equal');
  });
});

describe('a post without its request', () => {
  const post = { content: 'Hello', scheduledFor: '2026-05-01T09:00:00.000Z', platforms: [{ platform: 'bluesky' }] };

  it('is similar where content, platforms and time agree', () => {
    expect(matchPost(sent, post)).toBe('similar');
    expect(matchPost({ content: 'Hello', publishNow: true, platforms: sent.platforms }, post)).toBe('similar');
  });

  it.each([
    ['content', { ...post, content: 'Bye' }],
    ['platforms', { ...post, platforms: [{ platform: 'tiktok' }] }],
    ['time', { ...post, scheduledFor: '2026-05-01T09:00:01.000Z' }],
  ])('is another post where the %s differs', (_, other) => {
    expect(matchPost(sent, other)).toBeUndefined();
  });

  it.each([
    ['both, in another order', ['a2', 'a1'], 'similar'],
    ['one of them', [undefined, 'a1'], 'similar'],
    ['another one', ['a1', 'a3'], undefined],
    ['one of them twice', ['a1', 'a1'], undefined],
  ])('is compared by its accounts: %s', (_, accounts, expected) => {
    for (const name of ['accountId', 'integrationId']) {
      const platforms = accounts.map((account) => ({ platform: 'bluesky', [name]: account }));
      expect(matchPost(two, { content: 'Hello', platforms })).toBe(expected);
    }
  });

  it('is a draft where a draft was sent, and else none', () => {
    expect(matchPost({ saveAsDraft: true }, { status: 'draft' })).toBe('similar');
    expect(matchPost({ saveAsDraft: true }, { status: 'scheduled' })).toBeUndefined();
    expect(matchPost(sent, { ...post, status: 'draft' })).toBeUndefined();
  });

  it('may be at any hour of its time where the time was sent without an offset', () => {
    const local = { ...sent, scheduledFor: '2026-05-01T11:00:00' };
    expect(matchPost(local, post)).toBe('similar');
    expect(matchPost(local, { ...post, scheduledFor: '2026-05-02T09:00:00Z' })).toBeUndefined();
  });
});

describe('each rule separately', () => {
  const withSecond = (fields: object) => ({
    ...two,
    platforms: [two.platforms[0], { ...two.platforms[1], ...fields }],
  });

  it.each([
    ['one of two targets is another', withSecond({ accountId: 'a3' })],
    ['one of two targets has a text of its own', withSecond({ content: 'Other' })],
    ['a text stands for an object', { ...two, platforms: ['bluesky', 'bluesky'] }],
    ['nothing stands for a list', { ...two, platforms: null }],
    ['it was a draft', { ...two, saveAsDraft: true }],
    ['it has a time', { ...two, scheduledFor: 'tomorrow' }],
  ])('a kept request is another where %s', (_, rawRequestBody) => {
    expect(matchPost(two, { rawRequestBody })).toBeUndefined();
  });

  it.each(['platforms', 'publishNow', 'saveAsDraft', 'scheduledFor', 'content', 'platform', 'accountId'])(
    'a kept %s that was not sent is not an addition of the service',
    (name) => {
      expect(matchPost({ note: 'x' }, { rawRequestBody: { note: 'x', [name]: 'y' } })).toBeUndefined();
      expect(matchPost({ note: 'x' }, { rawRequestBody: { note: 'x', other: 'y' } })).toBe('similar');
    },
  );

  it('a kept request is similar where one of two targets has more', () => {
    expect(matchPost(two, { rawRequestBody: withSecond({ profileId: null }) })).toBe('similar');
  });

  it('neither a text nor a number is a time', () => {
    expect(matchPost({ note: 'a' }, { rawRequestBody: { note: 'b' } })).toBeUndefined();
    expect(matchPost({ note: 5 }, { rawRequestBody: { note: '5' } })).toBeUndefined();
    expect(matchPost({ note: '2026-05-01T09:00:00Z' }, { rawRequestBody: { note: 5 } })).toBeUndefined();
    expect(matchPost({ note: { a: 1 } }, { rawRequestBody: { note: 5 } })).toBeUndefined();
  });

  it('a post without a status may be a draft or not', () => {
    expect(matchPost({ content: 'Hello', saveAsDraft: true }, { content: 'Hello' })).toBe('similar');
    expect(matchPost({ content: 'Hello' }, { content: 'Hello' })).toBe('similar');
    expect(matchPost({ content: 'Hello' }, { content: 'Hello', status: 'draft' })).toBeUndefined();
    expect(matchPost({ content: 'Hello', saveAsDraft: true }, { content: 'Hello', status: 'failed' })).toBeUndefined();
  });

  it('a time without an offset is at most 15 hours away, in some time zone', () => {
    const at = (scheduledFor: string) => ({ content: 'Hello', scheduledFor });
    expect(matchPost(at('2026-05-01T09:00:00'), at('2026-05-02T00:00:00Z'))).toBe('similar');
    expect(matchPost(at('2026-05-01T09:00:00'), at('2026-05-02T00:00:01Z'))).toBeUndefined();
    expect(matchPost(at('2026-05-01T09:00:00Z'), { content: 'Hello' })).toBeUndefined();
    expect(matchPost(at('tomorrow'), at('tomorrow'))).toBe('similar');
    expect(matchPost(at('tomorrow'), at('2026-05-01T09:00:00Z'))).toBeUndefined();
    expect(matchPost(at('tomorrow'), at('next week'))).toBeUndefined();
    expect(matchPost(at('tomorrow'), { content: 'Hello' })).toBeUndefined();
  });

  it('targets agree in number, and targets with accounts are compared first', () => {
    const listed = (...platforms: object[]) => ({ content: 'Hello', platforms });
    expect(matchPost(two, listed({ platform: 'bluesky' }))).toBeUndefined();
    expect(matchPost(two, listed({ platform: 'bluesky' }, { platform: 'bluesky', accountId: 'a1' }))).toBe('similar');
    expect(matchPost(two, listed({ platform: 'bluesky', accountId: 'a2' }, { platform: 'bluesky' }))).toBe('similar');
    expect(matchPost(two, listed({ platform: 'bluesky' }, { platform: 'bluesky' }, { platform: 'x' }))).toBeUndefined();
    const odd = { content: 'Hello', platforms: [null, 'bluesky'] as never };
    expect(matchPost({ content: 'Hello' }, odd)).toBe('similar');
    expect(matchPost({ content: 'Hello' }, { content: 'Hello', platforms: 'bluesky' as never })).toBe('similar');
  });
});
