export {
  ConfigurationError,
  InvalidRequestError,
  SocialPublishingError,
  WebhookVerificationError,
  type ErrorDetails,
  type Issue,
  type Outcome,
  type WebhookVerificationCode,
} from '../core/errors.js';
export {
  PublishError,
  targetResults,
  type TargetInfo,
  type TargetResult,
  type TargetResults,
  type TargetSource,
} from '../model/targets.js';
export {
  knownEventTypes,
  type EventData,
  type EventMediaItem,
  type EventPost,
  type EventPostLinks,
  type EventTarget,
  type EventType,
  type KnownEvent,
  type KnownEventType,
  type KnownWebhookEvent,
  type PostFailedEvent,
  type PostPartialEvent,
  type PostPublishedEvent,
  type PostScheduledEvent,
  type UndocumentedEventType,
  type UnknownWebhookEvent,
  type WebhookEvent,
  type WebhookTarget,
} from '../model/events.js';
export { isStale, type EventMoment } from './verify/events.js';
export type { WebhookHeaders } from './verify/headers.js';
export { signWebhook, type RawBody, type SignWebhookOptions, type WebhookSecret } from './verify/signatures.js';
export { verifyWebhook, type VerifyWebhookOptions } from './verify/verify.js';
export type { WebhookReceiver } from './receive/http-handler.js';
export { createWebhookReceiver } from './receive/receiver.js';
export type { NodeRequest, NodeResponse } from './receive/webhook-request.js';
export type { WebhookErrorContext, WebhookHandlers, WebhookReceiverOptions } from './receive/receiver-options.js';
