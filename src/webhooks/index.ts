/**
 * Receiving webhooks: the verifier, the receiver that handles events as they come, and the inbox that keeps them in a durable store
 * first.
 *
 * @packageDocumentation
 */
// The main entry has all of receiving.ts too; what stands beside it here stays out of a bundle of the main entry.
export * from './main-exports.js';
export {
  createWebhookInbox,
  type CatchUpOptions,
  type CatchUpResult,
  type RunningInbox,
  type WebhookInbox,
} from './inbox.js';
export type { CatchUpClient, CatchUpPost, CatchUpQuery, CatchUpTarget } from './catch-up.js';
export type { InboxErrorContext, InboxHandlers, InboxStartOptions, WebhookInboxOptions } from './inbox-options.js';
export type { InboxEvent, InboxEventDetails } from './inbox-record.js';
export type { DurableStore, ScannedItem, StoredItem } from '../stores/store.js';
