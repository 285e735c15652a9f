export {
  ConfigurationError,
  InvalidRequestError,
  SocialPublishingError,
  WebhookVerificationError,
  type ErrorDetails,
  type Issue,
  type Outcome,
  type WebhookVerificationCode,
} from '../errors.js';
export { PublishError, targetResults, type TargetInfo, type TargetResult, type TargetResults, type TargetSource } from '../targets.js';
export type * from './events.js';
export type { WebhookHeaders } from './headers.js';
export type { RawBody } from './hmac.js';
export { signWebhook, type SignWebhookOptions } from './sign.js';
export { verifyWebhook, type VerifyWebhookOptions } from './verify.js';
