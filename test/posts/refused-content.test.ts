/** Content that would be stored differently, or published twice by one create. */
/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated method is checked too */
import { describe, expect, it } from 'vitest';
import { InvalidRequestError, SocialPublishing } from '../../src/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';

function counting() {
  const service = { calls: 0 };
  const client = new SocialPublishing({
    baseUrl: 'https://service.test',
    accessKey: 'key',
    fetch: () => {
      service.calls += 1;
      return Promise.resolve(Response.json({ success: true, postId: 'post_1' }));
    },
  });
  return { service, client, publisher: createPublisher({ client, store: new MemoryDurableStore() }) };
}

async function issuesOf(call: Promise<unknown>) {
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidRequestError);
  return (error as InvalidRequestError).issues.map(({ path }) => path.join('.'));
}

const cut = 'Party 🎉'.slice(0, 7);
const draft = { content: 'Hello', saveAsDraft: true } as const;
const target = { platform: 'bluesky', accountId: 'int_1' } as const;

describe('half of an emoji', () => {
  it('is refused with its path, anywhere in a body or query, before anything is sent', async () => {
    const { service, client, publisher } = counting();
    const extraBody = { media: [{ url: 'https://a.test/', altText: cut }] };
    expect(await issuesOf(client.posts.create({ ...draft, content: cut }))).toEqual(['content']);
    expect(await issuesOf(client.posts.create(draft, { extraBody }))).toEqual(['extraBody.media.0.altText']);
    expect(await issuesOf(client.posts.create(draft, { extraBody: { [cut]: 1 } }))).toEqual([`extraBody.${cut}`]);
    expect(await issuesOf(client.posts.updateScheduled('post_1', { content: cut }))).toEqual(['content']);
    expect(await issuesOf(client.request('POST /v1/new', { body: { a: [cut] } }))).toEqual(['body.a.0']);
    expect(await issuesOf(client.request('POST /v1/new', { body: cut }))).toEqual(['body']);
    expect(await issuesOf(client.request('GET /v1/new', { query: { q: ['a', cut] } }))).toEqual(['q']);
    expect(await issuesOf(publisher.publish('a', { ...draft, content: cut }))).toEqual(['content']);
    expect(await issuesOf(publisher.publish('b', draft, { extraBody }))).toEqual(['extraBody.media.0.altText']);
    expect(service.calls).toBe(0);
  });

  it('is not found in a whole emoji, or in a text that looks like its escape', async () => {
    const { service, client } = counting();
    await client.posts.create({ ...draft, content: '🎉' });
    await client.posts.create({ ...draft, content: String.raw`\ud83c` });
    expect(service.calls).toBe(2);
  });
});

describe('the same target twice', () => {
  const twice = {
    content: 'Hello',
    publishNow: true,
    platforms: [target, { ...target, accountId: 'int_2' }, { ...target }],
  } as const;

  it('is refused by client and publisher before anything is sent', async () => {
    const { service, client, publisher } = counting();
    expect(await issuesOf(client.posts.create(twice))).toEqual(['platforms.2']);
    expect(await issuesOf(client.posts.create({ ...draft, platforms: [target, target, target] }))).toEqual([
      'platforms.1',
      'platforms.2',
    ]);
    expect(await issuesOf(client.posts.updateScheduled('post_1', { platforms: [target, target] }))).toEqual([
      'platforms.1',
    ]);
    expect(await issuesOf(publisher.publish('k', twice))).toEqual(['platforms.2']);
    expect(service.calls).toBe(0);
  });

  it('in extraBody is not checked', async () => {
    const { service, client } = counting();
    await client.posts.create({ ...draft }, { extraBody: { platforms: [target, target] } });
    expect(service.calls).toBe(1);
  });
});
