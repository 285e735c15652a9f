import type { WebhookVerificationError } from '../../core/errors.js';
import {
  checkPassed,
  ifPassed,
  isFunction,
  isMilliseconds,
  isObjectWith,
  issueAt,
  optionsOf,
  ownOptions,
  unchecked,
  type OptionCheck,
} from '../../core/call/options.js';
import { knownEventTypes, type KnownEvent, type KnownEventType, type WebhookEvent } from '../../model/events.js';
import { isStore } from '../../stores/checks.js';
import type { DurableStore } from '../../stores/store.js';
import { maxLeaseMs } from '../inbox/inbox-record.js';
import { keepSecret } from '../verify/signatures.js';
import { isTolerance, type VerifyWebhookOptions } from '../verify/verify.js';
import type { NodeRequest } from './webhook-request.js';

/**
 * Handlers by event type. `default` handles every event without its own handler, including events of undocumented types
 * and shapes. An event without any handler is acknowledged and not stored.
 */
export type WebhookHandlers<Details = unknown> = {
  /** Handles events of this type. */
  readonly [Type in KnownEventType]?: ((event: KnownEvent<Type> & Details) => unknown) | undefined;
} & {
  /** Handles every event without its own handler, including unknown events. */
  readonly default?: ((event: WebhookEvent & Details) => unknown) | undefined;
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

export const hourMs = 3_600_000;

/** Checks the options that the receiver and the inbox share. */
export const sharedChecks = () => ({
  secret: unchecked, // keepSecret() checks it.
  on: checkHandlers,
  toleranceSeconds: isTolerance,
  leaseMs: isMilliseconds({ least: 1, most: maxLeaseMs }),
  keepMs: isMilliseconds({ least: hourMs, most: Number.MAX_SAFE_INTEGER }),
  now: isFunction,
  onRejected: isFunction,
  onError: isFunction,
});

/** Checks the option `store`. */
export const checkStore: OptionCheck = (value, path, issues) => {
  if (!isObjectWith(value, ['claim'])) isStore(value, path, issues);
  else issues.push(issueAt(path, formerStore));
};

const formerStore =
  'must be a DurableStore. Objects with claim(), complete() and release() are not supported any more. Replace ' +
  'RedisWebhookStore by RedisStore of social-publishing/stores/redis. Replace MemoryWebhookStore by ' +
  'MemoryDurableStore of social-publishing/publisher. Replace your own class by SqliteStore, PostgresStore, or a ' +
  'class with the five methods of DurableStore';

const checkHandlers: OptionCheck = (value, path, issues) => {
  if (typeof value === 'object' && value !== null) handlersCheck()(value, path, issues);
  else issues.push(issueAt(path, 'must be an object with a handler for each event type'));
};

const handlersCheck = () =>
  optionsOf<Record<string, unknown>>(
    'an event type with a handler',
    Object.fromEntries([...knownEventTypes, 'default'].map((type) => [type, isFunction])),
  );

/** Returns the handler of each event, which can be a method of an instance. Later changes of the object have no effect. */
export function handlerSelector<Event extends WebhookEvent>(
  on: object,
): (event: Event) => ((event: Event) => unknown) | undefined {
  // The handlers were checked, and each type of event has the handler of that type.
  const handlers = ownOptions(handlersCheck(), on as Record<string, unknown>) as Partial<
    Record<string, (event: Event) => unknown>
  >;
  return (event) => ((event.known ? handlers[event.type] : undefined) ?? handlers.default)?.bind(on);
}

export function logError(error: unknown, { event, attempt, last }: Omit<WebhookErrorContext, 'request'>): void {
  const id = event?.id === undefined ? '' : ` ${event.id}`;
  const count =
    attempt === undefined ? '' : `, attempt ${String(attempt)}, ${last === true ? 'the last one' : 'will be retried'}`;
  console.error(`A webhook event was not handled${event === undefined ? '' : ` (${event.type}${id}${count})`}:`, error);
}

/**
 * Creates the default `onRejected`, which writes to the console once for each code. Anyone can send invalid deliveries,
 * but without any log a receiver with a wrong secret would refuse everything silently.
 */
export function logRejections(): (error: WebhookVerificationError) => void {
  const logged = new Set<string>();
  return ({ code, message }) => {
    if (logged.has(code)) return;
    logged.add(code);
    console.warn(
      `A webhook delivery was refused (${code}): ${message} Later refusals with this code are not logged. Pass ` +
        'onRejected to handle them.',
    );
  };
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
    onError: options.onError ?? logError,
  };
}
