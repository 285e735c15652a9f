import type { SocialPublishing } from '../../src/client.js';

/** One call of each class of the policy, with a good reply to it. */
export interface ClassOfCall {
  readonly name: string;
  readonly call: (client: SocialPublishing) => PromiseLike<unknown>;
  readonly good: unknown;
}

export const free: ClassOfCall = {
  name: 'a GET without cost',
  call: (client) => client.posts.list({ limit: 1 }),
  good: { success: true, total: 0, posts: [] },
};

export const patch: ClassOfCall = {
  name: 'the PATCH of an integration',
  call: (client) => client.integrations.update('int_1', { profileId: 'profile_1' }),
  good: { success: true, integration: { id: 'int_1' } },
};

export const insights: ClassOfCall = {
  name: 'insights',
  call: (client) => client.analytics.getInstagramInsights({ accountId: 'int_1' }),
  good: { success: true, metrics: {} },
};

export const analytics: ClassOfCall = {
  name: 'post analytics',
  call: (client) => client.analytics.getPost('post_1'),
  good: { success: true, post: { postId: 'post_1' } },
};

export const post: ClassOfCall = {
  name: 'a POST',
  call: (client) =>
    client.posts.create({ content: 'Hello', platforms: [{ platform: 'bluesky', accountId: 'a' }], publishNow: true }),
  good: { success: true, postId: 'post_1', status: 'publishing', platforms: [] },
};

export const put: ClassOfCall = {
  name: 'the PUT of a scheduled post',
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated by the service, and still to be sent once
  call: (client) => client.posts.updateScheduled('post_1', { content: 'Hello' }),
  good: { success: true, postId: 'post_1' },
};

export const classesOfCall: readonly ClassOfCall[] = [free, patch, insights, analytics, post, put];
