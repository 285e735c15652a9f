/**
 * Receives webhooks: the verifier, the receiver, which handles an event during its delivery, and the inbox, which stores it
 * first.
 *
 * @packageDocumentation
 */
export * from './main-exports.js';
// Not in the main entry, so that its bundles stay small.
export * from './inbox/inbox.js';
export type { CatchUpClient, CatchUpPost, CatchUpQuery, CatchUpTarget } from './inbox/catch-up.js';
export type {
  InboxErrorContext,
  InboxHandlers,
  InboxStartOptions,
  WebhookInboxOptions,
} from './inbox/inbox-options.js';
export type { InboxEvent, InboxEventDetails } from './inbox/inbox-record.js';
export type { DurableStore, ScannedItem, StoredItem } from '../stores/store.js';
