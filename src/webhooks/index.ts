export { ConfigurationError, SocialPublishingError, WebhookVerificationError, type WebhookVerificationCode } from '../errors.js';
export type * from './events.js';
export type { WebhookHeaders } from './headers.js';
export type { RawBody } from './hmac.js';
export { signWebhook, type SignWebhookOptions } from './sign.js';
export { verifyWebhook, type VerifyWebhookOptions } from './verify.js';
