/** Replies with status 2xx that cannot count as a success. */
/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated method is checked too */
import { describe, expect, it } from 'vitest';
import { outcomeOf, ResponseError, SocialPublishing } from '../../src/index.js';

const answering = (reply: unknown) =>
  new SocialPublishing({
    baseUrl: 'https://service.test',
    accessKey: 'key',
    maxRetries: 0,
    fetch: () => Promise.resolve(Response.json(reply)),
  });

async function rejection(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'resolved',
    (error: unknown) => error,
  );
}

const strange: readonly unknown[] = [
  { error: 'Post is already publishing' },
  { error: { code: 'busy' }, postId: 'post_1' },
  { success: 'true', postId: 'post_1' },
  { success: 0, postId: 'post_1' },
  { success: null, error: 'no', postId: 'post_1' },
  { message: 'Queued' },
];

/** An object whose length cannot be compared with a number. */
const strangeLength = { length: { toString: null } };

it('an ID that is an object with a strange length is a ResponseError, and the outcome is unknown', async () => {
  const error = await rejection(answering({ postId: strangeLength }).posts.create({ content: 'a', saveAsDraft: true }));
  expect(error).toBeInstanceOf(ResponseError);
  expect(outcomeOf(error)).toBe('unknown');
});

it('such an ID in a body is refused before anything is sent', async () => {
  // A caller without types can pass it.
  const body = { platform: 'instagram', accountId: strangeLength, recipientId: 'r', text: 'a' } as never;
  expect(await rejection(answering({}).messages.send(body))).toMatchObject({
    name: 'InvalidRequestError',
    issues: [{ path: ['accountId'] }],
  });
});

describe.each(strange.map((reply) => [reply]))('a 2xx reply %j', (reply) => {
  const client = answering(reply);
  it.each([
    ['posts.create', () => client.posts.create({ content: 'a', saveAsDraft: true })],
    ['posts.updateScheduled', () => client.posts.updateScheduled('post_1', { content: 'a' })],
    ['client.request', () => client.request('DELETE /v1/notifications/{id}', { params: { id: 'n_1' } })],
  ])('is a ResponseError of %s, and the outcome is unknown', async (_, call) => {
    const error = await rejection(call());
    expect(error).toBeInstanceOf(ResponseError);
    expect(outcomeOf(error)).toBe('unknown');
  });
});

it.each([
  [{ success: true, error: 'a warning of the service' }],
  [{ success: true, message: 'Done' }],
  [{ postId: 'post_1', error: '' }],
  [{ postId: 'post_1', error: null }],
  [{ success: null, postId: 'post_1', message: 'Done' }],
])('%j resolves', async (reply) => {
  const client = answering(reply);
  expect(await client.posts.updateScheduled('post_1', { content: 'a' })).toBeDefined();
  expect(await client.request('PUT /v1/posts/post_1')).toEqual(reply);
});

it.each([[{}], [{ scheduledFor: '2026-05-01T09:00:00Z' }], [{ postId: '' }]])(
  'posts.updateScheduled needs success: true or postId: %j',
  async (reply) => {
    const error = await rejection(answering(reply).posts.updateScheduled('post_1', { content: 'a' }));
    expect(error).toBeInstanceOf(ResponseError);
    expect(String(error)).toContain('it has neither success: true nor postId');
  },
);

describe('a 2xx reply with an empty ID', () => {
  const create = { content: 'a', saveAsDraft: true } as const;
  const notification = { eventTypes: ['post.published'], webhook: { url: 'https://receiver.test/' } } as const;
  const automation = {
    accountId: 'int_1',
    name: 'Offer',
    postScope: 'any',
    keywords: ['offer'],
    dmMessage: 'Here it is',
  } as const;
  const app = { platform: 'twitter', name: 'App', clientId: 'id', clientSecret: 'secret' } as const;
  it.each<[string, unknown, (client: SocialPublishing) => Promise<unknown>]>([
    ['posts.create', { success: true, postId: '' }, (client) => client.posts.create(create)],
    [
      'messages.send',
      { success: true, messageId: '' },
      (client) => client.messages.send({ accountId: 'int_1', recipientId: 'r', text: 'a' }),
    ],
    [
      'automations.create',
      { success: true, automation: { id: '' } },
      (client) => client.automations.create(automation),
    ],
    [
      'notifications.create',
      { success: true, notification: { id: '' } },
      (client) => client.notifications.create(notification),
    ],
    ['apps.create', { success: true, app: { id: '' } }, (client) => client.apps.create(app)],
  ])('is a ResponseError of %s, and the outcome is unknown', async (_, reply, call) => {
    const error = await rejection(call(answering(reply)));
    expect(error).toBeInstanceOf(ResponseError);
    expect(outcomeOf(error)).toBe('unknown');
  });
});

it('a reply with an ID is read without a copy by zod: undocumented nulls are drifts, and the fields keep their order', async () => {
  const drifts: string[] = [];
  const client = new SocialPublishing({
    baseUrl: 'https://service.test',
    accessKey: 'key',
    hooks: { onDrift: ({ path }) => void drifts.push(path) },
    fetch: () =>
      Promise.resolve(Response.json({ status: 'draft', scheduledFor: null, postId: 'post_1', success: true })),
  });
  const reply = await client.posts.create({ content: 'a', saveAsDraft: true });
  expect(Object.keys(reply)).toEqual(['status', 'postId', 'success']);
  expect(drifts).toEqual(['scheduledFor']);
});
