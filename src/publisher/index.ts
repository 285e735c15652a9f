/**
 * The durable publisher: it publishes each intent once, even across crashes.
 *
 * @packageDocumentation
 */
export { createPublisher } from './create-publisher.js';
export type { PublisherClient, PublisherOptions } from './options.js';
export {
  createOnce,
  OnceHeldError,
  type HeldCall,
  type Once,
  type OnceDecision,
  type OnceOptions,
  type OnceResult,
} from './once.js';
export type {
  EnqueueOptions,
  ListIntentsQuery,
  PruneOptions,
  Publisher,
  PublishOptions,
  SweepOptions,
} from './publisher.js';
export type { Intent, IntentError, IntentLookup, IntentState } from './intents/intent-record.js';
export type { Resolution } from './intents/intent.js';
export type { IntentStats, OpenCounts, ResolveAllQuery } from './intent-lists.js';
export type { PublishItem, PublishManyOptions, PublishProgress } from './publish-many.js';
export type { OutageProgress } from '../core/flow/outage.js';
export { MemoryDurableStore } from '../stores/memory.js';
export type { DurableStore, ScannedItem, StoredItem, TransactionOf } from '../stores/store.js';
export {
  ConfigurationError,
  ForeignDataError,
  IntentConflictError,
  InvalidRequestError,
  SocialPublishingError,
} from '../core/errors.js';
export type { ConflictingServices } from '../core/errors.js';
