import { describe, expect, it } from 'vitest';
import { doubtWorld, isList } from './doubt.js';
import { rejection } from './client.js';

describe('a write of a post that is answered with success: false', () => {
  it.each([
    ['names a post', { success: false, message: 'Not quite', postId: 'post_1' }],
    [
      'tells of a target that came out',
      { success: false, platforms: [{ platform: 'tiktok', success: false }, { success: true }] },
    ],
  ])('is in doubt if the reply %s, and reconcile searches', async (_, reply) => {
    const { client, service, body, intercept } = doubtWorld();
    intercept((send) => async (input, init) => {
      const response = await send(input, init);
      return isList(input, init) ? response : Response.json(reply);
    });
    const error = await rejection(client.posts.create(body()));
    expect(error).toMatchObject({ name: 'ApiError', status: 200, outcome: 'unknown' });
    expect(String(error)).toContain('may have been executed');
    expect(await client.posts.reconcile(error)).toMatchObject({
      status: 'created',
      post: { postId: service.posts[0]?.postId },
    });
    expect(await rejection(client.request('POST /v1/posts/', { body: body() }))).toMatchObject({ outcome: 'unknown' });
    expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('of a scheduled post is in doubt if the reply names the post', async () => {
    const { client, intercept } = doubtWorld();
    const refusal: object[] = [{ success: false, postId: 'post_1' }, { success: false }];
    intercept(() => () => Promise.resolve(Response.json(refusal.shift())));
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated by the service alone
    const update = () => rejection(client.posts.updateScheduled('post_1', { content: 'Hello' }));
    expect(await update()).toMatchObject({ name: 'ApiError', status: 200, outcome: 'unknown' });
    expect(await update()).toMatchObject({ name: 'ApiError', status: 200, outcome: 'rejected' });
  });

  it.each([
    ['nothing else', { success: false, message: 'No' }],
    ['an empty ID', { success: false, postId: '' }],
    ['targets that all failed', { success: false, platforms: [{ platform: 'tiktok', success: false, error: 'no' }] }],
  ])('is refused if the reply contains %s', async (_, reply) => {
    const { client, service, body, intercept } = doubtWorld();
    intercept(() => () => Promise.resolve(Response.json(reply)));
    const error = await rejection(client.posts.create(body()));
    expect(error).toMatchObject({ name: 'ApiError', outcome: 'rejected' });
    expect(await client.posts.reconcile(error)).toEqual({ status: 'not_found' });
    expect(service.requests).toHaveLength(0);
  });
});
