/**
 * The client: `SocialPublishing` and its resources, its errors, and helpers: lists, targets, times, hooks, logging, and
 * webhook verification.
 *
 * @packageDocumentation
 */
export { SocialPublishing, type RequestInput } from './client.js';
export type {
  AddedHeaders,
  AttemptInfo,
  CallInfo,
  ClientHooks,
  DriftInfo,
  EndInfo,
  ErrorInfo,
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- exported for those who use it
  RequestInfo,
  ResponseEventInfo,
  RetryInfo,
  StartInfo,
} from './core/call/hooks.js';
export { logHooks, type Logger, type LogLevel, type LogOptions } from './http/hooks.js';
export type { PaceLimits } from './http/pace.js';
export type { ClientOptions, FetchInit, FetchLike, FetchReply } from './http/client-options.js';
export type { Method, Route } from './core/call/endpoint.js';
export type { HeadersInput, RequestOptions } from './core/call/transport.js';
export type { StandardIssue, StandardPathSegment, StandardResult, StandardSchema } from './core/standard-schema.js';
export { Page, type ListReply, type NextQuery, type PlainQuery } from './pagination/page.js';
export { Paginator, type PaginatorOptions, type ToArrayOptions } from './pagination/paginator.js';
export { responseOf, type ResponseInfo } from './core/call/response.js';
export {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  CreditLimitError,
  InvalidRequestError,
  NotFoundError,
  PaginationError,
  PermissionError,
  RateLimitError,
  RedirectError,
  ResponseError,
  ServerError,
  SocialPublishingError,
  TimeoutError,
  WebhookVerificationError,
  outcomeOf,
  type ErrorForm,
  type Issue,
  type Outcome,
  type WebhookVerificationCode,
} from './core/errors.js';
export {
  isFinalStatus,
  isKnownPlatform,
  isKnownPostStatus,
  knownPlatforms,
  knownPostStatuses,
  type FinalPostStatus,
  type KnownPlatform,
  type KnownPostStatus,
  type Platform,
  type PostStatus,
} from './model/known-values.js';
export type { DateInput, DateTimeInput } from './schema/fields.js';
export type { InstantLike } from './model/instant.js';
export type {
  CreateDraftBody,
  CreatePostBody,
  CreatePostResponse,
  CreatePostTarget,
  ListPostsQuery,
  ListPostsResponse,
  MediaItem,
  Post,
  PostTarget,
  PostTargetInput,
  PublishPostBody,
  ReconcileResult,
  SchedulePostBody,
  UpdateScheduledPostBody,
  UpdateScheduledPostResponse,
} from './posts/posts.js';
export { PostsResource, type ClientPosts, type Posts } from './posts/posts.js';
export type {
  AnyPostFields,
  CheckedFields,
  CreatePostExtraBody,
  CreatePostExtras,
  CreatePostFields,
  CreatePostOptions,
  ManyOf,
} from './posts/create-fields.js';
export type { OutageProgress } from './core/flow/outage.js';
export type {
  BodyOf,
  CreateManyItem,
  CreateManyOptions,
  CreateManyProgress,
  CreateManyResult,
} from './posts/create-many.js';
export { retryFailed, targetOf, type FailedRetry } from './posts/retry-failed.js';
export {
  preflight,
  type PreflightClient,
  type PreflightCode,
  type PreflightFinding,
  type PreflightOptions,
  type PreflightResult,
} from './resources/preflight/preflight.js';
export { WaitTimeoutError, type PostReference, type WatchPostsOptions } from './posts/watch-posts.js';
export { splitDateRange, type DateRange } from './schema/date-range.js';
export type { LostCreate, ReconcileOptions } from './posts/reconcile.js';
export type {
  Comment,
  CommentAuthor,
  CommentPlatform,
  CommentReply,
  ListCommentsQuery,
  ListCommentsResponse,
  PostComment,
} from './resources/comments.js';
export { CommentsResource, type Comments, commentPlatforms, isCommentPlatform } from './resources/comments.js';
export type {
  Conversation,
  LastMessage,
  ListConversationsQuery,
  ListConversationsResponse,
  ListMessagesQuery,
  ListMessagesResponse,
  Message,
  MessageSender,
  Participant,
  SendMessageBody,
  SendMessageResponse,
} from './resources/messages.js';
export { MessagesResource, type Messages } from './resources/messages.js';
export type {
  Automation,
  AutomationActions,
  AutomationLog,
  AutomationStats,
  AutomationTrigger,
  CreateAutomationBody,
  EligiblePost,
  ListAutomationLogsQuery,
  ListAutomationLogsResponse,
  ListAutomationsQuery,
  ListEligiblePostsQuery,
  ListEligiblePostsResponse,
  LogPagination,
} from './resources/automations.js';
export { AutomationsResource, type Automations } from './resources/automations.js';
export type {
  AnalyticsSortBy,
  AnalyticsSource,
  GetInstagramInsightsQuery,
  GetPostAnalyticsQuery,
  InsightBreakdown,
  InsightBreakdownResult,
  InsightValue,
  InsightsDateRange,
  InstagramInsight,
  InstagramInsights,
  InstagramInsightsPlan,
  InstagramMetric,
  ListPostAnalyticsQuery,
  ListPostAnalyticsResponse,
  PostAnalytics,
  PostMetric,
  PostMetrics,
  PostPlatformAnalytics,
} from './resources/analytics.js';
export { AnalyticsResource, type Analytics } from './resources/analytics.js';
export { instagramMetrics, isInstagramMetric, isPostMetric, postMetrics } from './resources/analytics.js';
export type {
  CreateNotificationBody,
  NotificationChannel,
  NotificationEmail,
  NotificationSubscription,
  NotificationWebhook,
  NotificationWebhookInput,
} from './resources/notifications.js';
export { NotificationsResource, type Notifications } from './resources/notifications.js';
export type {
  AttentionReason,
  Integration,
  IntegrationApp,
  IntegrationDetail,
  ListIntegrationsQuery,
  ListIntegrationsResponse,
  NeedingAttentionOptions,
  NeedsAttention,
  SelectAccountsBody,
  SelectionResponse,
  TokenStatus,
  UpdateIntegrationBody,
} from './resources/integrations.js';
export { IntegrationsResource, type Integrations } from './resources/integrations.js';
export type { CreateAppBody, OAuthApp } from './resources/apps.js';
export { AppsResource, type Apps } from './resources/apps.js';
export type { ReportedTarget } from './model/targets.js';
export { zonedTime, type ZonedTimeOptions } from './model/zoned-time.js';
export * from './webhooks/main-exports.js';
