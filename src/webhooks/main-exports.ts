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
// All of its names are public.
export * from '../model/events.js';
export { isStale, type EventMoment } from './verify/events.js';
export type { WebhookHeaders } from './verify/headers.js';
export { signWebhook, type RawBody, type SignWebhookOptions, type WebhookSecret } from './verify/signatures.js';
export { verifyWebhook, type VerifyWebhookOptions } from './verify/verify.js';
export type { WebhookReceiver } from './receive/http-handler.js';
export { createWebhookReceiver } from './receive/receiver.js';
export type { NodeRequest, NodeResponse } from './receive/webhook-request.js';
export type { WebhookErrorContext, WebhookHandlers, WebhookReceiverOptions } from './receive/receiver-options.js';
