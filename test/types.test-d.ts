// Checked by `npm run types`, never run: the documented interfaces and the schemas must say the same, both ways.
import { describe, expectTypeOf, it } from 'vitest';
import type * as z from 'zod/mini';
import type { InstantLike, Page, Paginator } from 'social-publishing';
import type * as analytics from '../src/resources/analytics.js';
import type * as apps from '../src/resources/apps.js';
import type * as automations from '../src/resources/automations.js';
import type * as comments from '../src/resources/comments.js';
import type * as integrations from '../src/resources/integrations.js';
import type * as messages from '../src/resources/messages.js';
import type * as notifications from '../src/resources/notifications.js';
import type { KnownPlatform } from '../src/model/known-values.js';
import type * as posts from '../src/posts/posts.js';
import type * as events from '../src/model/events.js';
import type { webhookEventSchema } from '../src/schema/event.js';

/** The output type of a schema thunk. */
type Output<Thunk extends () => z.core.$ZodType> = z.output<ReturnType<Thunk>>;
/** The input type of a schema thunk. */
type Input<Thunk extends () => z.core.$ZodType> = z.input<ReturnType<Thunk>>;

/**
 * A request as the schema sees it. A `Date` or an instant has become a string, a read-only array equals another array,
 * and a string with known values (`'a' | (string & {})`) is any string.
 */
type Wire<T> = T extends Date | InstantLike
  ? never
  : T extends string
    ? string extends T
      ? string
      : T
    : T extends readonly (infer Item)[]
      ? Wire<Item>[]
      : T extends object
        ? { -readonly [Key in keyof T]: Wire<T[Key]> }
        : T;

/** A reply of a list as the schema sees it: the query of its next page is only a type. */
type Fields<Reply> = { [Name in keyof Reply as Name extends string ? Name : never]: Reply[Name] };

/** All keys of all members of a union. */
type KeysOfUnion<T> = T extends T ? keyof T : never;

const output = <Thunk extends () => z.core.$ZodType>() => expectTypeOf<Output<Thunk>>();
const input = <Thunk extends () => z.core.$ZodType>() => expectTypeOf<Input<Thunk>>();

describe('replies', () => {
  it('of posts', () => {
    output<typeof posts.postSchema>().toEqualTypeOf<posts.Post>();
    output<typeof posts.createPostResponseSchema>().toEqualTypeOf<posts.CreatePostResponse>();
    output<typeof posts.listPostsResponseSchema>().toEqualTypeOf<Fields<posts.ListPostsResponse>>();
    output<typeof posts.updateScheduledPostResponseSchema>().toEqualTypeOf<posts.UpdateScheduledPostResponse>();
  });

  it('of comments', () => {
    output<typeof comments.commentSchema>().toEqualTypeOf<comments.Comment>();
    output<typeof comments.listCommentsResponseSchema>().toEqualTypeOf<Fields<comments.ListCommentsResponse>>();
  });

  it('of messages', () => {
    output<typeof messages.messageSchema>().toEqualTypeOf<messages.Message>();
    output<typeof messages.conversationSchema>().toEqualTypeOf<messages.Conversation>();
    output<typeof messages.listConversationsResponseSchema>().toEqualTypeOf<
      Fields<messages.ListConversationsResponse>
    >();
    output<typeof messages.listMessagesResponseSchema>().toEqualTypeOf<Fields<messages.ListMessagesResponse>>();
    output<typeof messages.sendMessageResponseSchema>().toEqualTypeOf<messages.SendMessageResponse>();
  });

  it('of automations', () => {
    output<typeof automations.automationSchema>().toEqualTypeOf<automations.Automation>();
    output<typeof automations.automationLogSchema>().toEqualTypeOf<automations.AutomationLog>();
    output<typeof automations.eligiblePostSchema>().toEqualTypeOf<automations.EligiblePost>();
    expectTypeOf<
      Output<typeof automations.automationResponseSchema>['automation']
    >().toEqualTypeOf<automations.Automation>();
    expectTypeOf<Output<typeof automations.listAutomationsResponseSchema>['automations']>().toEqualTypeOf<
      automations.Automation[]
    >();
    output<typeof automations.listEligiblePostsResponseSchema>().toEqualTypeOf<
      Fields<automations.ListEligiblePostsResponse>
    >();
    output<typeof automations.listAutomationLogsResponseSchema>().toEqualTypeOf<
      Fields<automations.ListAutomationLogsResponse>
    >();
  });

  it('of analytics', () => {
    output<typeof analytics.postAnalyticsSchema>().toEqualTypeOf<analytics.PostAnalytics>();
    expectTypeOf<
      Output<typeof analytics.getPostAnalyticsResponseSchema>['post']
    >().toEqualTypeOf<analytics.PostAnalytics>();
    output<typeof analytics.listPostAnalyticsResponseSchema>().toEqualTypeOf<
      Fields<analytics.ListPostAnalyticsResponse>
    >();
    output<typeof analytics.instagramInsightsSchema>().toEqualTypeOf<analytics.InstagramInsights>();
  });

  it('of notifications', () => {
    output<
      typeof notifications.notificationSubscriptionSchema
    >().toEqualTypeOf<notifications.NotificationSubscription>();
    expectTypeOf<
      Output<typeof notifications.createNotificationResponseSchema>['notification']
    >().toEqualTypeOf<notifications.NotificationSubscription>();
  });

  it('of integrations', () => {
    output<typeof integrations.integrationSchema>().toEqualTypeOf<integrations.Integration>();
    output<typeof integrations.integrationDetailSchema>().toEqualTypeOf<integrations.IntegrationDetail>();
    output<typeof integrations.listIntegrationsResponseSchema>().toEqualTypeOf<
      Fields<integrations.ListIntegrationsResponse>
    >();
    expectTypeOf<
      Output<typeof integrations.getIntegrationResponseSchema>['integration']
    >().toEqualTypeOf<integrations.IntegrationDetail>();
    expectTypeOf<
      Output<typeof integrations.updateIntegrationResponseSchema>['integration']
    >().toEqualTypeOf<integrations.Integration>();
    output<typeof integrations.selectionResponseSchema>().toEqualTypeOf<integrations.SelectionResponse>();
  });

  it('of apps', () => {
    output<typeof apps.oauthAppSchema>().toEqualTypeOf<apps.OAuthApp>();
    expectTypeOf<Output<typeof apps.createAppResponseSchema>['app']>().toEqualTypeOf<apps.OAuthApp>();
  });
});

describe('requests', () => {
  it('of posts', () => {
    input<typeof posts.listPostsQuerySchema>().toEqualTypeOf<
      // One platform has become an array of one.
      Wire<Omit<posts.ListPostsQuery, 'platform'> & { platform?: readonly KnownPlatform[] | undefined }>
    >();
    input<typeof posts.updateScheduledPostBodySchema>().toEqualTypeOf<Wire<posts.UpdateScheduledPostBody>>();
  });

  it('of a create, in each of its modes', () => {
    // The service declares one flat body; the modes narrow it, and must neither add a field nor forget one.
    expectTypeOf<Wire<posts.CreateDraftBody>>().toExtend<Input<typeof posts.createPostBodySchema>>();
    expectTypeOf<Wire<posts.PublishPostBody>>().toExtend<Input<typeof posts.createPostBodySchema>>();
    expectTypeOf<Wire<posts.SchedulePostBody>>().toExtend<Input<typeof posts.createPostBodySchema>>();
    expectTypeOf<KeysOfUnion<posts.CreatePostBody>>().toEqualTypeOf<keyof Input<typeof posts.createPostBodySchema>>();
    expectTypeOf<keyof posts.CreateDraftBody>().toEqualTypeOf<keyof posts.SchedulePostBody>();
    expectTypeOf<keyof posts.CreateDraftBody>().toEqualTypeOf<keyof posts.PublishPostBody>();
  });

  it('of comments', () => {
    input<typeof comments.listCommentsQuerySchema>().toEqualTypeOf<Wire<comments.ListCommentsQuery>>();
  });

  it('of messages', () => {
    input<typeof messages.listConversationsQuerySchema>().toEqualTypeOf<Wire<messages.ListConversationsQuery>>();
    input<typeof messages.listMessagesQuerySchema>().toEqualTypeOf<Wire<messages.ListMessagesQuery>>();
    input<typeof messages.sendMessageBodySchema>().toEqualTypeOf<Wire<messages.SendMessageBody>>();
  });

  it('of automations', () => {
    input<typeof automations.createAutomationBodySchema>().toEqualTypeOf<Wire<automations.CreateAutomationBody>>();
    input<typeof automations.listAutomationsQuerySchema>().toEqualTypeOf<Wire<automations.ListAutomationsQuery>>();
    input<typeof automations.listEligiblePostsQuerySchema>().toEqualTypeOf<Wire<automations.ListEligiblePostsQuery>>();
    input<typeof automations.listAutomationLogsQuerySchema>().toEqualTypeOf<
      Wire<automations.ListAutomationLogsQuery>
    >();
  });

  it('of analytics', () => {
    input<typeof analytics.getPostAnalyticsQuerySchema>().toEqualTypeOf<
      Wire<analytics.GetPostAnalyticsQuery & { postId: string }>
    >();
    input<typeof analytics.listPostAnalyticsQuerySchema>().toEqualTypeOf<Wire<analytics.ListPostAnalyticsQuery>>();
    input<typeof analytics.getInstagramInsightsQuerySchema>().toEqualTypeOf<
      // An array of metrics has become the comma-separated string.
      Wire<Omit<analytics.GetInstagramInsightsQuery, 'metrics'> & { metrics?: string | undefined }>
    >();
  });

  it('of notifications', () => {
    input<typeof notifications.createNotificationBodySchema>().toEqualTypeOf<
      Wire<notifications.CreateNotificationBody>
    >();
  });

  it('of integrations', () => {
    input<typeof integrations.listIntegrationsQuerySchema>().toEqualTypeOf<Wire<integrations.ListIntegrationsQuery>>();
    input<typeof integrations.updateIntegrationBodySchema>().toEqualTypeOf<Wire<integrations.UpdateIntegrationBody>>();
    input<typeof integrations.selectAccountsBodySchema>().toEqualTypeOf<Wire<integrations.SelectAccountsBody>>();
  });

  it('of apps', () => {
    input<typeof apps.createAppBodySchema>().toEqualTypeOf<Wire<apps.CreateAppBody>>();
  });
});

describe('events', () => {
  it('of a documented type have the schema’s fields, and say that they are known', () => {
    type Payload = Output<typeof webhookEventSchema>;
    expectTypeOf<Omit<events.KnownWebhookEvent, 'known' | 'type'>>().toEqualTypeOf<Omit<Payload, 'type'>>();
    expectTypeOf<events.KnownWebhookEvent['type']>().toEqualTypeOf<Payload['type']>();
    expectTypeOf<events.KnownWebhookEvent['known']>().toEqualTypeOf<true>();
  });
});

describe('page.next', () => {
  it('fits the list that it came from, and holds no Date', () => {
    const next = {} as Page<posts.Post, posts.ListPostsResponse>['next'];
    expectTypeOf(next).toExtend<posts.ListPostsQuery | undefined>();
    expectTypeOf<NonNullable<typeof next>['createdAfter']>().toEqualTypeOf<string | undefined>();
    const comment = {} as NonNullable<Page<comments.Comment, comments.ListCommentsResponse>['next']>;
    expectTypeOf(comment).toExtend<comments.ListCommentsQuery>();
    expectTypeOf<Awaited<Paginator<posts.Post, never>>['next']>().toEqualTypeOf<undefined>();
  });
});
