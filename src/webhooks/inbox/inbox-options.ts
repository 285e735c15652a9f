import {
  checkConfiguration,
  checkPassed,
  isFunction,
  isMilliseconds,
  isWhole,
  optionsOf,
} from '../../core/call/options.js';
import { growingWaits } from '../../core/flow/retrying.js';
import type { DurableStore } from '../../stores/store.js';
import type { InboxEvent, InboxEventDetails } from './inbox-record.js';
import {
  checkStore,
  defaultAckTimeoutMs,
  handlerSelector,
  hourMs,
  logError,
  logRejections,
  sharedChecks,
  type WebhookHandlers,
  type WebhookReceiverOptions,
} from '../receive/receiver-options.js';
import { keepSecret } from '../verify/signatures.js';
import type { NodeRequest } from '../receive/webhook-request.js';

/**
 * Handlers by event type. `default` handles every event without its own handler, including events of undocumented types
 * and shapes. An event without any handler counts as handled.
 */
export type InboxHandlers = WebhookHandlers<InboxEventDetails>;

/** Options of {@link createWebhookInbox}. */
export interface WebhookInboxOptions extends Pick<
  WebhookReceiverOptions,
  'secret' | 'toleranceSeconds' | 'now' | 'onRejected'
> {
  /** The store of the events. All processes of an app must share it. Two apps must not share it. */
  readonly store: DurableStore;
  /** Handlers by event type. */
  readonly on: InboxHandlers;
  /** The number of failed attempts after which an event is dead. 1 or more; default 10. */
  readonly maxAttempts?: number | undefined;
  /**
   * Returns the wait after a failed attempt, in milliseconds. `attempt` is the number of the failed attempt, from 1.
   * Default: 1 second, doubled with each attempt, at most 1 hour.
   */
  readonly backoff?: ((attempt: number) => number) | undefined;
  /**
   * The inbox calls it with each event that becomes dead, and with its last error. `dead()` lists the event until
   * `replay` retries it. The inbox ignores its exceptions.
   */
  readonly onDead?: ((event: InboxEvent, error: unknown) => unknown) | undefined;
  /** Called with each error of a handler or of the store. The inbox ignores its exceptions. Default: `console.error`. */
  readonly onError?: ((error: unknown, context: InboxErrorContext) => unknown) | undefined;
  /**
   * How long a process owns an event that it handles, in milliseconds, up to 6 hours. Default 60,000. After this time,
   * another process handles the event again.
   */
  readonly leaseMs?: number | undefined;
  /** How long a handled event is remembered, in milliseconds, at least an hour. Default 30 days. */
  readonly keepMs?: number | undefined;
}

/** The context of an error in an inbox. */
export interface InboxErrorContext {
  /** The event. Missing: the error came before the event was read, or it concerns all events. */
  readonly event?: InboxEvent | undefined;
  /** The delivery. Missing: it was already answered. */
  readonly request?: Request | NodeRequest | undefined;
  /** The number of the failed attempt, from 1. Missing: no handler failed. */
  readonly attempt?: number | undefined;
  /** Whether that was the last attempt: the event is dead. Missing if `attempt` is. */
  readonly last?: boolean | undefined;
}

/** Options of {@link WebhookInbox.start}. */
export interface InboxStartOptions {
  /** The maximum number of events that are handled at once. 1 or more; default 4. */
  readonly concurrency?: number | undefined;
  /**
   * The time between two searches for due events, in milliseconds. The searches find retries, and events that other
   * processes received. Events that this process receives are handled at once. 1 to 24 hours; default 1,000.
   */
  readonly pollMs?: number | undefined;
}

export type InboxSettings = ReturnType<typeof parseInboxOptions>;

const optionsCheck = () =>
  optionsOf<WebhookInboxOptions>('an option of createWebhookInbox', {
    ...sharedChecks(),
    store: checkStore,
    maxAttempts: isWhole({ least: 1 }),
    backoff: isFunction,
    onDead: isFunction,
  });

/**
 * Checks the options of an inbox.
 * @throws ConfigurationError
 */
export function parseInboxOptions(options: WebhookInboxOptions) {
  checkPassed(optionsCheck(), options);
  return {
    secret: keepSecret(options.secret),
    store: options.store,
    handlerOf: handlerSelector<InboxEvent>(options.on),
    maxAttempts: options.maxAttempts ?? 10,
    backoff: options.backoff ?? defaultBackoff,
    onDead: options.onDead ?? (() => undefined),
    onRejected: options.onRejected ?? logRejections(),
    onError: options.onError ?? logError,
    leaseMs: options.leaseMs ?? 60_000,
    keepMs: options.keepMs ?? 30 * 24 * hourMs,
    toleranceSeconds: options.toleranceSeconds,
    ackTimeoutMs: defaultAckTimeoutMs,
    now: options.now ?? Date.now,
  };
}

const startOptionsCheck = () =>
  optionsOf<InboxStartOptions>('an option of start', {
    concurrency: isWhole({ least: 1 }),
    pollMs: isMilliseconds({ least: 1, most: 24 * hourMs }),
  });

export type StartSettings = ReturnType<typeof parseStartOptions>;

/** @throws ConfigurationError */
export function parseStartOptions(options: InboxStartOptions) {
  checkConfiguration(startOptionsCheck(), options);
  return { concurrency: options.concurrency ?? 4, pollMs: options.pollMs ?? 1000 };
}

export const defaultBackoff = growingWaits(1000, hourMs);
