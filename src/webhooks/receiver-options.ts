import { ConfigurationError, type WebhookVerificationError } from '../core/errors.js';
import { checkNames, nearestName } from '../core/names.js';
import type { NodeRequest } from './webhook-request.js';
import { knownEventTypes, type KnownEvent, type KnownEventType, type WebhookEvent } from '../model/events.js';
import { keepSecret, type WebhookSecret } from './secrets.js';
import { MemoryWebhookStore, type WebhookStore } from './webhook-store.js';
import { checkTolerance } from './verify.js';

/**
 * What is to be done with each type of event. `default` gets every event without a handler of its own, those of
 * undocumented types and shapes included. An event without any handler is acknowledged and forgotten.
 */
export type WebhookHandlers = {
  /** Called for events of this type. */
  readonly [Type in KnownEventType]?: ((event: KnownEvent<Type>) => unknown) | undefined;
} & {
  /** Called for every event that has no handler of its own, unknown ones too. */
  readonly default?: ((event: WebhookEvent) => unknown) | undefined;
};

/** What {@link createWebhookReceiver} is made with. */
export interface WebhookReceiverOptions {
  /** The subscription's signing secret, several while one is being rotated, or a function that gives them. */
  readonly secret: WebhookSecret;
  /** What is to be done with each type of event. */
  readonly on: WebhookHandlers;
  /** Where handled events are remembered. Default: in the memory of this process, see {@link MemoryWebhookStore}. */
  readonly store?: WebhookStore | undefined;
  /** As of {@link verifyWebhook}. Default 300. */
  readonly toleranceSeconds?: number | false | undefined;
  /** How many milliseconds a delivery is answered in at most; the service waits 10 seconds. 1 to 10,000; default 8,000. */
  readonly ackTimeoutMs?: number | undefined;
  /**
   * How many milliseconds an event stays claimed, up to 6 hours. Default: `ackTimeoutMs` and 2 seconds, so that after a
   * crash the service's next attempt finds the event free. In one process an event is never handled twice at once, however
   * long its handler takes; where several processes share a store, give a lease that is longer than any handler takes, or
   * use `createWebhookInbox`. An event is lost if its process crashed and the claim still holds at the service's last
   * attempt, whose time is not documented.
   */
  readonly leaseMs?: number | undefined;
  /** How many milliseconds a handled event is remembered, at least an hour. Default 24 hours. */
  readonly keepMs?: number | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /**
   * Is told of each delivery that must not be trusted, for logs. A wrong method or content type is no delivery. Default:
   * `console.warn`, once for each `error.code`.
   */
  readonly onRejected?: ((error: WebhookVerificationError, request: Request | NodeRequest) => unknown) | undefined;
  /** Is told of what a handler or the store throws. Default: `console.error`. */
  readonly onError?: ((error: unknown, context: WebhookErrorContext) => unknown) | undefined;
}

/** What went wrong where. */
export interface WebhookErrorContext {
  /** The event that was being handled. Missing: it went wrong before there was one. */
  readonly event?: WebhookEvent | undefined;
  /** The delivery. */
  readonly request: Request | NodeRequest;
  /**
   * Which attempt at delivering the event this was, 1 first, as far as this process has seen them: those that another
   * process got are not counted. Missing: there is no event, or it has no ID.
   */
  readonly attempt?: number | undefined;
  /**
   * Whether the service's three attempts are used up, as far as this process has seen them: what failed is then not
   * delivered again. Missing where `attempt` is.
   */
  readonly last?: boolean | undefined;
}

/** Options that were checked, with every default in its place. */
export interface ReceiverSettings {
  readonly secret: WebhookSecret;
  readonly store: WebhookStore;
  readonly handlerOf: (event: WebhookEvent) => ((event: WebhookEvent) => unknown) | undefined;
  readonly toleranceSeconds: number | false | undefined;
  readonly ackTimeoutMs: number;
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly now: () => number;
  readonly onRejected: NonNullable<WebhookReceiverOptions['onRejected']>;
  readonly onError: (error: unknown, context: WebhookErrorContext) => unknown;
}

export const hourMs = 3_600_000;
export const defaultAckTimeoutMs = 8000;
/** The service gives up then (Events, Delivery 3): a later answer reaches nobody. */
const serviceTimeoutMs = 10_000;
/** How much longer than the answer a claim holds: the time for the store's note that the event was handled. */
const leaseMarginMs = 2000;

const optionNames: ReadonlySet<string> = new Set<keyof WebhookReceiverOptions>([
  'secret',
  'on',
  'store',
  'toleranceSeconds',
  'ackTimeoutMs',
  'leaseMs',
  'keepMs',
  'now',
  'onRejected',
  'onError',
]);

/**
 * Checks the options of a receiver.
 * @throws ConfigurationError
 */
export function parseOptions(options: WebhookReceiverOptions): ReceiverSettings {
  const {
    store = new MemoryWebhookStore(),
    now = Date.now,
    onError = logError,
    onRejected = logRejections(),
  } = options;
  checkNames('option', options, optionNames);
  checkFunctions({ now, onError, onRejected });
  checkTolerance(options.toleranceSeconds);
  for (const method of ['claim', 'complete', 'release'] as const) {
    if (typeof (store as Partial<WebhookStore>)[method] !== 'function')
      throw new ConfigurationError(`The store has no ${method}().`);
  }
  const ackTimeoutMs = milliseconds('ackTimeoutMs', options.ackTimeoutMs ?? defaultAckTimeoutMs, 1, serviceTimeoutMs);
  return {
    secret: keepSecret(options.secret),
    store,
    handlerOf: parseHandlers(options.on),
    toleranceSeconds: options.toleranceSeconds,
    ackTimeoutMs,
    leaseMs: milliseconds('leaseMs', options.leaseMs ?? ackTimeoutMs + leaseMarginMs, 1, 6 * hourMs),
    keepMs: milliseconds('keepMs', options.keepMs ?? 24 * hourMs, hourMs, Number.MAX_SAFE_INTEGER),
    now,
    onRejected,
    onError,
  };
}

/** @throws ConfigurationError one of them is there and is no function */
export function checkFunctions(functions: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(functions)) {
    if (value !== undefined && typeof value !== 'function') throw new ConfigurationError(`${name} must be a function.`);
  }
}

/** @throws ConfigurationError */
export function parseHandlers(on: unknown): ReceiverSettings['handlerOf'] {
  if (typeof on !== 'object' || on === null)
    throw new ConfigurationError('on must be an object with a handler for each event type.');
  const handlers = new Map<string, (event: WebhookEvent) => unknown>();
  for (const [type, handler] of Object.entries(on)) {
    if (type !== 'default' && !knownEventTypes.includes(type as KnownEventType)) {
      const near = nearestName(type, [...knownEventTypes, 'default']);
      throw new ConfigurationError(
        `on has a handler for '${type}', which is no documented event type` +
          (near === undefined
            ? '. Handle others in on.default.'
            : `; did you mean '${near}'? Others go to on.default.`),
      );
    }
    if (handler === undefined) continue;
    if (typeof handler !== 'function') throw new ConfigurationError(`The handler for '${type}' is no function.`);
    // The map's keys are the events' types, which TypeScript can't follow.
    handlers.set(type, handler as (event: WebhookEvent) => unknown);
  }
  return (event) => (event.known ? handlers.get(event.type) : undefined) ?? handlers.get('default');
}

/** @throws ConfigurationError it is no number, or not between the bounds */
export function milliseconds(name: string, value: number, least: number, most: number): number {
  if (Number.isFinite(value) && value >= least && value <= most) return value;
  throw new ConfigurationError(`${name} must be a number of milliseconds from ${String(least)} to ${String(most)}.`);
}

/** Where errors go that nobody asked for. */
export function logError(error: unknown, context: ErrorPlace): void {
  console.error(`A webhook event was not handled${placeOf(context)}:`, error);
}

/** What is known of an event that was not handled. */
type ErrorPlace = Omit<WebhookErrorContext, 'request'>;

function placeOf({ event, attempt, last }: ErrorPlace): string {
  if (event === undefined) return '';
  const then =
    attempt === undefined ? '' : `, attempt ${String(attempt)}, ${last === true ? 'the last' : 'to be tried again'}`;
  return ` (${event.type}${event.id === undefined ? '' : ` ${event.id}`}${then})`;
}

/**
 * Where refused deliveries go that nobody asked for: to the console, one of each kind. Anybody can send more of them, but
 * without any a receiver whose secret is wrong would refuse everything in silence.
 */
export function logRejections(): (error: WebhookVerificationError) => void {
  const told = new Set<string>();
  return ({ code, message }) => {
    if (told.has(code)) return;
    told.add(code);
    console.warn(
      `A webhook delivery was refused (${code}): ${message} Further ones are not told of: give onRejected for that.`,
    );
  };
}
