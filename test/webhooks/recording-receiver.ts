import {
  createWebhookReceiver,
  type WebhookEvent,
  type WebhookReceiverOptions,
  type WebhookVerificationError,
} from '../../src/webhooks/index.js';
import { secret } from './verify-suite.js';

export function setUp(options: Partial<WebhookReceiverOptions> = {}) {
  const handled: WebhookEvent[] = [];
  const rejected: WebhookVerificationError[] = [];
  const errors: unknown[] = [];
  const receiver = createWebhookReceiver({
    secret,
    on: { default: (event) => handled.push(event) },
    onRejected: (error) => rejected.push(error),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { receiver, handled, rejected, errors };
}
