// Checked by `npm run types`, never run: the types as people write programs.
/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-deprecated -- assignments are what is tested, of every method */
import { describe, expectTypeOf, it } from 'vitest';
import {
  instagramMetrics,
  isCommentPlatform,
  isKnownPlatform,
  Paginator,
  retryFailed,
  targetOf,
  targetResults,
} from '../src/index.js';
import type {
  Analytics,
  Apps,
  Automations,
  Comment,
  Comments,
  CreatePostBody,
  CreatePostFields,
  CreatePostResponse,
  EventTarget,
  Integration,
  Integrations,
  ListCommentsQuery,
  ListMessagesQuery,
  ListPostAnalyticsQuery,
  ListPostsQuery,
  Messages,
  Notifications,
  Post,
  PostComment,
  Posts,
  SocialPublishing,
  SocialPublishingError,
  WebhookEvent,
  WebhookTarget,
} from '../src/index.js';
import type { Publisher } from '../src/publisher/index.js';
import type { PostSchema } from '../src/schemas.js';

declare const client: SocialPublishing;
declare const stopped: SocialPublishingError;
declare const accounts: Integration[];

describe('the query of a walk that stopped', () => {
  it('fits each list', () => {
    const { resume } = stopped;
    const posts: ListPostsQuery | undefined = resume;
    const comments: ListCommentsQuery = resume;
    const messages: ListMessagesQuery = resume;
    const analytics: ListPostAnalyticsQuery = resume;
    expectTypeOf({ posts, comments, messages, analytics }).toBeObject();
  });
});

describe('client.request', () => {
  it('believes nothing without a schema', () => {
    expectTypeOf(client.request('GET /v1/posts/{postId}')).resolves.toBeUnknown();
    expectTypeOf(client.request('GET /v1/x', { query: { a: 1 } })).resolves.toBeUnknown();
    // @ts-expect-error a type is no proof
    void client.request<Post>('GET /v1/posts/{postId}', { params: { postId: 'p' } });
  });

  it('returns the result of its schema', () => {
    const response = {} as typeof PostSchema;
    expectTypeOf(client.request('GET /v1/posts/{postId}', { response })).resolves.toEqualTypeOf<Post>();
  });
});

describe('posts.create takes', () => {
  it('accounts as they come', () => {
    const platforms = accounts.map(({ platform, id }) => ({ platform, accountId: id }));
    void client.posts.create({ content: 'Hi', publishNow: true, platforms });
    void client.posts.create({ content: 'Hi', scheduledFor: new Date(), platforms });
  });

  it('a body in a const', () => {
    const body = { content: 'Hi', publishNow: true, platforms: [{ platform: 'bluesky', accountId: 'a' }] };
    void client.posts.create(body);
    const scheduled = { content: 'Hi', scheduledFor: new Date(), platforms: body.platforms };
    void client.posts.create(scheduled);
    const draft = { content: 'Hi', saveAsDraft: true as const };
    void client.posts.create(draft);
  });

  it('values from a form', () => {
    const form = {} as { content: string; publishNow: boolean; scheduledFor?: Date };
    void client.posts.create(form);
    void client.posts.create({ content: form.content, publishNow: form.publishNow, scheduledFor: form.scheduledFor });
    const at = {} as { saveAsDraft: boolean; scheduledFor: Date | undefined };
    void client.posts.create({ content: 'Hi', ...at });
    const whole = {} as CreatePostFields;
    void client.posts.create(whole);
    void client.posts.create({ ...whole, publishNow: true });
  });

  it('nothing that is wrong in any case', () => {
    const platforms = [{ platform: 'bluesky', accountId: 'a' }] as const;
    // @ts-expect-error a misspelt field
    void client.posts.create({ contents: 'Hi', publishNow: true, platforms });
    // @ts-expect-error a misspelt field of a target
    void client.posts.create({ publishNow: true, platforms: [{ platform: 'bluesky', acountId: 'a' }] });
    // @ts-expect-error a field that no target has
    void client.posts.create({ publishNow: true, platforms: [{ platform: 'bluesky', accountId: 'a', text: 'x' }] });
    // @ts-expect-error a platform that is none
    void client.posts.create({ publishNow: true, platforms: [{ platform: 'myspace', accountId: 'a' }] });
    // @ts-expect-error in two modes at once
    void client.posts.create({ publishNow: true, scheduledFor: new Date(), platforms });
    // @ts-expect-error in two modes at once
    void client.posts.create({ publishNow: true, saveAsDraft: true, platforms });
    // @ts-expect-error in no mode at all
    void client.posts.create({ content: 'Hi', platforms });
    // @ts-expect-error in no mode at all
    void client.posts.create({ content: 'Hi', publishNow: false, platforms });
    // @ts-expect-error to publish without targets
    void client.posts.create({ content: 'Hi', publishNow: true });
    // @ts-expect-error to schedule without targets
    void client.posts.create({ content: 'Hi', scheduledFor: new Date() });
    const untargeted = { content: 'Hi', scheduledFor: '2027-03-26T09:00:00Z' };
    // @ts-expect-error to schedule without targets, in a const
    void client.posts.create(untargeted);
    const misspelt = { contents: 'Hi', publishNow: true, platforms };
    // @ts-expect-error a misspelt field in a const
    void client.posts.create(misspelt);
  });
});

describe('a resource', () => {
  it('can be a plain object in tests', () => {
    const fake: { posts: Pick<SocialPublishing['posts'], 'create'> } = {
      posts: { create: (): Promise<CreatePostResponse> => Promise.resolve({ postId: 'post_1' }) },
    };
    expectTypeOf(client).toExtend<typeof fake>();
    expectTypeOf(fake.posts.create).toBeFunction();
  });

  it('can be replaced completely, because it has no private field', () => {
    const { create, list, updateScheduled, reconcile, ...rest } = client.posts;
    const posts: SocialPublishing['posts'] = { create, list, updateScheduled, reconcile, ...rest };
    const fake: Pick<SocialPublishing, 'posts' | 'comments' | 'apps'> = {
      posts,
      comments: { list: client.comments.list },
      apps: { create: client.apps.create },
    };
    expectTypeOf(fake).toExtend<Pick<SocialPublishing, 'posts'>>();
  });
});

describe('an interface of a resource', () => {
  it('is implemented by a plain object, without parameter types and without a cast', () => {
    const posts: Posts = {
      create: (body) => Promise.resolve({ postId: body.content ?? 'post_1', status: 'published' }),
      list: (query) => Paginator.from([{ postId: 'post_1', status: query?.status }]),
      updateScheduled: (postId, body) => Promise.resolve({ postId, message: body.content }),
      reconcile: () => Promise.resolve({ status: 'not_found' }),
      createMany: async function* (bodies, options) {
        for await (const _ of bodies) yield { index: 0, status: 'created', post: { postId: 'post_1' } };
        options?.onProgress?.({ done: 1, created: 1, failed: 0, unknown: 0, notSent: 0 });
      },
      watch: async function* (references) {
        for (const reference of references) {
          yield await Promise.resolve({ postId: typeof reference === 'string' ? reference : reference.postId });
        }
      },
      waitUntilFinal: (post) => Promise.resolve({ postId: typeof post === 'string' ? post : post.postId }),
    };
    const comments: Comments = { list: ({ postId }) => Paginator.from([{ id: postId }], { comments: [] }) };
    const messages: Messages = {
      listConversations: ({ accountId }) => Paginator.from([{ id: accountId }]),
      list: (conversationId) => Paginator.from([{ id: conversationId }]),
      send: ({ text }) => Promise.resolve({ messageId: text ?? '' }),
    };
    const automations: Automations = {
      create: ({ name }) => Promise.resolve({ id: 'automation_1', name }),
      list: () => Promise.resolve([]),
      listEligiblePosts: ({ accountId }) => Paginator.from([{ id: accountId }]),
      listLogs: (automationId) => Paginator.from([{ id: automationId }]),
    };
    const analytics: Analytics = {
      getPost: (postId) => Promise.resolve({ postId }),
      listPosts: () => Paginator.from([]),
      getInstagramInsights: ({ accountId }) => Promise.resolve({ accountId, metrics: {} }),
      planInstagramInsights: () => ({ ranges: [], credits: 0 }),
      getInstagramInsightsOver: async function* ({ accountId }) {
        yield await Promise.resolve({ accountId, metrics: {} });
      },
    };
    const integrations: Integrations = {
      list: () => Paginator.from([{ id: 'integration_1' }]),
      get: (id) => Promise.resolve({ id }),
      update: (id, { profileId }) => Promise.resolve({ id, profileId: profileId ?? undefined }),
      selectFacebookPages: (_, { selectedAccountIds }) =>
        Promise.resolve({ integrations: selectedAccountIds.map((id) => ({ id })) }),
      selectInstagramAccounts: () => Promise.resolve({ integrations: [] }),
      needingAttention: async function* () {
        yield await Promise.resolve({ integration: { id: 'integration_1' }, reason: 'auth_failed' });
      },
    };
    const notifications: Notifications = { create: () => Promise.resolve({ id: 'subscription_1' }) };
    const apps: Apps = { create: ({ name }) => Promise.resolve({ id: 'app_1', name }) };
    const fake = { posts, comments, messages, automations, analytics, integrations, notifications, apps };
    const replaced: Pick<SocialPublishing, keyof typeof fake> = fake;
    const own: typeof fake = client;
    expectTypeOf([replaced, own]).toBeArray();
  });

  it('has the documented body as the parameter of create', () => {
    expectTypeOf<Parameters<Posts['create']>[0]>().toEqualTypeOf<CreatePostBody>();
    expectTypeOf<Parameters<SocialPublishing['posts']['create']>[0]>().toEqualTypeOf<CreatePostBody>();
    expectTypeOf<Parameters<Publisher['publish']>[1]>().toEqualTypeOf<CreatePostBody>();
  });
});

describe('a list', () => {
  it('has no public constructor', () => {
    // @ts-expect-error the constructor is private
    expectTypeOf(new Paginator()).toBeObject();
  });

  it('of Paginator.from fits each list result', () => {
    const items = [{ postId: 'post_1' }];
    const list = Paginator.from(items);
    const posts: ReturnType<SocialPublishing['posts']['list']> = list;
    const analytics: ReturnType<SocialPublishing['analytics']['listPosts']> = list;
    expectTypeOf([posts, analytics]).toBeArray();
  });
});

describe("names next to the DOM's", () => {
  it('mean the same', () => {
    expectTypeOf<PostComment>().toEqualTypeOf<Comment>();
    expectTypeOf<WebhookTarget>().toEqualTypeOf<EventTarget>();
  });
});

describe('programs', () => {
  const publisher = {} as Publisher;
  const at = '' as string | undefined;
  const form = {} as { content: string; publishNow: boolean; scheduledFor?: Date };
  const values = {} as { since?: string; until?: string; account?: string; platform?: string };

  it('map accounts to targets', () => {
    const platforms = accounts.map(targetOf);
    const body: CreatePostBody = { content: 'Hi', platforms, publishNow: true };
    void client.posts.create(body);
    void publisher.publish('key', body);
  });

  it('choose when by an option', () => {
    const when = at === undefined ? { publishNow: true } : { scheduledFor: at };
    const post = { content: 'Hi', platforms: accounts.map(targetOf) };
    void client.posts.create({ ...post, ...when });
    void publisher.publish('key', { ...post, ...when });
    void publisher.enqueue('key', { ...post, ...when });
    const body: CreatePostBody = { ...post, ...(at === undefined ? { publishNow: true } : { scheduledFor: at }) };
    void publisher.publish('key', body);
  });

  it('accept form values, with any field missing', () => {
    const wrapper = (fields: { content: string; publishNow?: boolean; saveAsDraft?: boolean; scheduledFor?: string }) =>
      client.posts.create(fields);
    expectTypeOf(wrapper).returns.resolves.toEqualTypeOf<CreatePostResponse>();
    void publisher.publish('key', form);
    void publisher.enqueue('key', form);
  });

  it('make many bodies from lines', () => {
    const drafts = ['a', 'b'].map((content) => ({ content, saveAsDraft: true }));
    void client.posts.createMany(drafts);
    void client.posts.createMany([form, form]);
    void client.posts.createMany(drafts.map((body) => ({ body, extraBody: { mediaItems: [] } })));
    void publisher.publishMany(drafts.map((body) => ({ key: body.content, body })));
    // @ts-expect-error a misspelt field
    void client.posts.createMany([{ contents: 'Hi', publishNow: true }]);
    // @ts-expect-error in no mode at all
    void client.posts.createMany([{ content: 'Hi' }]);
    // @ts-expect-error in two modes at once
    void publisher.publish('key', { publishNow: true, scheduledFor: new Date() });
    // @ts-expect-error a misspelt field
    void publisher.publishMany([{ key: 'a', body: { contents: 'Hi', publishNow: true } }]);
    // @ts-expect-error an item without a key
    void publisher.publishMany([{ body: { content: 'Hi', publishNow: true } }]);
  });

  it('accept options of a command line, passed or not', () => {
    void client.posts.list({ createdAfter: values.since });
    void client.analytics.listPosts({ fromDate: values.since, toDate: values.until, accountId: values.account });
    client.analytics.planInstagramInsights({ accountId: 'a', metrics: instagramMetrics, since: values.since });
    const metrics = ['reach', 'views'];
    void client.analytics.getInstagramInsights({ accountId: 'a', metrics });
    if (isKnownPlatform(values.platform)) void client.posts.list({ platform: values.platform });
    // @ts-expect-error any text is no platform
    void client.posts.list({ platform: values.platform });
  });

  it('retry, wait and read events', () => {
    const post = {} as Post;
    const event = {} as WebhookEvent;
    const retry = retryFailed(post, event.known ? event : undefined);
    if (retry) void client.posts.create(retry.body, { extraBody: retry.extraBody });
    if (retry) void publisher.publish('retry', retry.body, { extraBody: retry.extraBody });
    void client.posts.watch([post, 'post_1', {} as CreatePostResponse]);
    expectTypeOf(targetResults(post).failed[0]?.accountId).toEqualTypeOf<string | undefined>();
    for (const { platform, accountId } of targetResults(post).all) {
      if (isCommentPlatform(platform) && accountId !== undefined)
        void client.comments.list({ platform, accountId, postId: 'platform-post' });
    }
  });
});
