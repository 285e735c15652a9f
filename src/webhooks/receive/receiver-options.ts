import type { WebhookVerificationError } from '../../core/errors.js';
import { checkPassed, ifPassed, isMilliseconds, optionsOf } from '../../core/call/options.js';
import type { KnownEvent, KnownEventType, WebhookEvent } from '../../model/events.js';
import type { DurableStore } from '../../stores/store.js';
import { checkStore, handlerSelector, hourMs, logError, logRejections, sharedChecks } from './event-handlers.js';
import { keepSecret } from '../verify/secrets.js';
import type { VerifyWebhookOptions } from '../verify/verify.js';
import type { NodeRequest } from './webhook-request.js';

/**
 * Handlers by event type. `default` handles every event without its own handler, including events of undocumented types
 * and shapes. An event without any handler is acknowledged and not stored.
 */
export type WebhookHandlers = {
  /** Handles events of this type. */
  readonly [Type in KnownEventType]?: ((event: KnownEvent<Type>) => unknown) | undefined;
} & {
  /** Handles every event without its own handler, including unknown events. */
  readonly default?: ((event: WebhookEvent) => unknown) | undefined;
};

/** Options of {@link createWebhookReceiver}. */
export interface WebhookReceiverOptions extends Pick<VerifyWebhookOptions, 'secret' | 'toleranceSeconds' | 'now'> {
  /** Handlers by event type. */
  readonly on: WebhookHandlers;
  /**
   * Remembers which events were handled: `SqliteStore`, `PostgresStore`, `RedisStore`, `MemoryDurableStore`, or your own
   * {@link DurableStore}. All processes that receive deliveries for the same URL must share it. Two apps can share a
   * store, because their records have different keys. Default: the memory of this process, which forgets the oldest of
   * more than 50,000 handled events.
   */
  readonly store?: DurableStore | undefined;
  /** Limit for the response to a delivery, in milliseconds. The service waits 10 seconds. 1 to 10,000; default 8,000. */
  readonly ackTimeoutMs?: number | undefined;
  /**
   * How long a process owns an event, in milliseconds, up to 6 hours. Default: `ackTimeoutMs` plus 2 seconds, so that
   * the service's next attempt after a crash can handle the event. Within one process, an event is never handled twice
   * at the same time. If several processes share a store, pass a lease that is longer than any handler takes, or use
   * `createWebhookInbox`. If a process crashes and its lease has not expired at the service's last attempt, the event
   * is lost. The time of the last attempt is not documented.
   */
  readonly leaseMs?: number | undefined;
  /** How long a handled event is remembered, in milliseconds, at least an hour. Default 24 hours. */
  readonly keepMs?: number | undefined;
  /**
   * Called with the error of each delivery that must not be trusted, for logs. A request with another method or content
   * type does not count as a delivery. The receiver ignores its exceptions. Default: `console.warn`, once for each
   * `error.code`.
   */
  readonly onRejected?: ((error: WebhookVerificationError, request: Request | NodeRequest) => unknown) | undefined;
  /**
   * Called with each error of a handler or of the store. The receiver ignores its exceptions. Default: `console.error`.
   */
  readonly onError?: ((error: unknown, context: WebhookErrorContext) => unknown) | undefined;
}

/** The context of an error in a receiver. */
export interface WebhookErrorContext {
  /** The event. Missing: the error came before the event was read. */
  readonly event?: WebhookEvent | undefined;
  /** The delivery. */
  readonly request: Request | NodeRequest;
  /**
   * The number of this delivery of the event, from 1. Deliveries to other processes are not counted. Missing: no event,
   * or an event without an ID.
   */
  readonly attempt?: number | undefined;
  /**
   * `true`: this was the last of the service's three attempts, as far as this process knows. The service does not
   * deliver the event again. Missing if `attempt` is missing.
   */
  readonly last?: boolean | undefined;
}

/** Checked options with their defaults. */
export type ReceiverSettings = ReturnType<typeof parseReceiverOptions>;

export const defaultAckTimeoutMs = 8000;
/** The service stops waiting then (Events, Delivery 3). */
const serviceTimeoutMs = 10_000;
/** How much longer than the response a claim lasts: time for the store to record that the event was handled. */
const leaseMarginMs = 2000;

const optionsCheck = () =>
  optionsOf<WebhookReceiverOptions>('an option of createWebhookReceiver', {
    ...sharedChecks(),
    store: ifPassed(checkStore),
    ackTimeoutMs: isMilliseconds({ least: 1, most: serviceTimeoutMs }),
  });

/**
 * Checks the options of a receiver.
 * @throws ConfigurationError
 */
export function parseReceiverOptions(options: WebhookReceiverOptions) {
  checkPassed(optionsCheck(), options);
  const { ackTimeoutMs = defaultAckTimeoutMs } = options;
  const onError: NonNullable<WebhookReceiverOptions['onError']> = options.onError ?? logError;
  return {
    secret: keepSecret(options.secret),
    /** `undefined`: the memory of this process. */
    store: options.store,
    handlerOf: handlerSelector<WebhookEvent>(options.on),
    toleranceSeconds: options.toleranceSeconds,
    ackTimeoutMs,
    leaseMs: options.leaseMs ?? ackTimeoutMs + leaseMarginMs,
    keepMs: options.keepMs ?? 24 * hourMs,
    now: options.now ?? Date.now,
    onRejected: options.onRejected ?? logRejections(),
    onError,
  };
}
