import { ConfigurationError, type WebhookVerificationError } from '../core/errors.js';
import { checkNames } from '../core/names.js';
import type { KnownEvent, KnownEventType } from '../model/events.js';
import type { DurableStore } from '../stores/store.js';
import type { InboxEvent, InboxEventDetails } from './inbox-record.js';
import type { NodeRequest } from './webhook-request.js';
import type { ListenerSettings } from './http-handler.js';
import {
  checkFunctions,
  defaultAckTimeoutMs,
  hourMs,
  logError,
  logRejections,
  milliseconds,
  parseHandlers,
} from './receiver-options.js';
import { keepSecret, type WebhookSecret } from './secrets.js';
import { checkTolerance } from './verify.js';

/**
 * What is to be done with each type of event. `default` gets every event without a handler of its own, those of
 * undocumented types and shapes included. An event without any handler counts as handled.
 */
export type InboxHandlers = {
  /** Called for events of this type. */
  readonly [Type in KnownEventType]?: ((event: KnownEvent<Type> & InboxEventDetails) => unknown) | undefined;
} & {
  /** Called for every event that has no handler of its own, unknown ones too. */
  readonly default?: ((event: InboxEvent) => unknown) | undefined;
};

/** What {@link createWebhookInbox} is made with. */
export interface WebhookInboxOptions {
  /** The subscription's signing secret, several while one is being rotated, or a function that gives them. */
  readonly secret: WebhookSecret;
  /** Where events are kept. All processes that share the work share it; two apps must not. */
  readonly store: DurableStore;
  /** What is to be done with each type of event. */
  readonly on: InboxHandlers;
  /** How often a handler may fail before its event is dead, the first time counted. A whole number above 0; default 10. */
  readonly maxAttempts?: number | undefined;
  /**
   * How many milliseconds after a failure the next attempt comes at the earliest. `attempt` is the one that failed, 1
   * first. Default: 1 second, doubled with each attempt, at most 1 hour.
   */
  readonly backoff?: ((attempt: number) => number) | undefined;
  /** Is told of each event that is dead, with the last error. `dead()` gives it until `replay` sends it again. */
  readonly onDead?: ((event: InboxEvent, error: unknown) => unknown) | undefined;
  /**
   * Is told of each delivery that must not be trusted, for logs. A wrong method or content type is no delivery. Default:
   * `console.warn`, once for each `error.code`.
   */
  readonly onRejected?: ((error: WebhookVerificationError, request: Request | NodeRequest) => unknown) | undefined;
  /** Is told of what a handler or the store throws. Default: `console.error`. */
  readonly onError?: ((error: unknown, context: InboxErrorContext) => unknown) | undefined;
  /**
   * How many milliseconds an event belongs to the process that handles it, up to 6 hours. Default 60,000. An event is
   * handled again where its process ended meanwhile, and also where its handler takes longer, by another process.
   */
  readonly leaseMs?: number | undefined;
  /** How many milliseconds a handled event is remembered, at least an hour. Default 30 days. */
  readonly keepMs?: number | undefined;
  /** As of {@link verifyWebhook}. Default 300. */
  readonly toleranceSeconds?: number | false | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** What went wrong where. */
export interface InboxErrorContext {
  /** The event that was being handled or written. Missing: it went wrong before there was one, or it concerns all. */
  readonly event?: InboxEvent | undefined;
  /** The delivery. Missing: it was answered before. */
  readonly request?: Request | NodeRequest | undefined;
  /** Which attempt at handling the event failed, 1 first. Missing: no handler failed. */
  readonly attempt?: number | undefined;
  /** Whether that was the last attempt: the event is dead. Missing where `attempt` is. */
  readonly last?: boolean | undefined;
}

/** How a running inbox works. */
export interface InboxStartOptions {
  /** How many events are handled at once at most. A whole number above 0; default 4. */
  readonly concurrency?: number | undefined;
  /**
   * How many milliseconds pass between two looks for events that are due: what other processes have received, and what is
   * to be tried again. What this process receives is handled at once. Default 1,000.
   */
  readonly pollMs?: number | undefined;
}

/** Options that were checked, with every default in its place. */
export interface InboxSettings extends ListenerSettings {
  readonly store: DurableStore;
  readonly handlerOf: (event: InboxEvent) => ((event: InboxEvent) => unknown) | undefined;
  readonly maxAttempts: number;
  readonly backoff: (attempt: number) => number;
  readonly onDead: (event: InboxEvent, error: unknown) => unknown;
  readonly onError: (error: unknown, context: InboxErrorContext) => unknown;
  readonly leaseMs: number;
  readonly keepMs: number;
}

const optionNames: ReadonlySet<string> = new Set<keyof WebhookInboxOptions>([
  'secret',
  'store',
  'on',
  'maxAttempts',
  'backoff',
  'onDead',
  'onRejected',
  'onError',
  'leaseMs',
  'keepMs',
  'toleranceSeconds',
  'now',
]);
const startOptionNames: ReadonlySet<string> = new Set<keyof InboxStartOptions>(['concurrency', 'pollMs']);

/**
 * Checks the options of an inbox.
 * @throws ConfigurationError
 */
export function parseInboxOptions(options: WebhookInboxOptions): InboxSettings {
  checkNames('option', options, optionNames);
  const { store, now = Date.now, onError = logError, onDead = () => undefined } = options;
  const { backoff = defaultBackoff, onRejected = logRejections() } = options;
  checkFunctions({ now, onError, onDead, onRejected, backoff });
  checkTolerance(options.toleranceSeconds);
  checkStore(store);
  return {
    secret: keepSecret(options.secret),
    store,
    handlerOf: parseHandlers(options.on),
    maxAttempts: whole('maxAttempts', options.maxAttempts ?? 10),
    backoff,
    onDead,
    onRejected,
    onError,
    leaseMs: milliseconds('leaseMs', options.leaseMs ?? 60_000, 1, 6 * hourMs),
    keepMs: milliseconds('keepMs', options.keepMs ?? 30 * 24 * hourMs, hourMs, Number.MAX_SAFE_INTEGER),
    toleranceSeconds: options.toleranceSeconds,
    ackTimeoutMs: defaultAckTimeoutMs,
    now,
  };
}

/** @throws ConfigurationError */
export function parseStartOptions(options: InboxStartOptions): { concurrency: number; pollMs: number } {
  checkNames('option', options, startOptionNames);
  return {
    concurrency: whole('concurrency', options.concurrency ?? 4),
    pollMs: milliseconds('pollMs', options.pollMs ?? 1000, 1, 24 * hourMs),
  };
}

function checkStore(store: unknown): void {
  for (const method of ['get', 'insert', 'swap', 'due', 'scan'] as const) {
    if (typeof (store as Partial<DurableStore> | null | undefined)?.[method] === 'function') continue;
    throw new ConfigurationError(
      `The store has no ${method}(): give a durable store, as SqliteStore, PostgresStore, RedisStore or MemoryDurableStore.`,
    );
  }
}

function whole(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new ConfigurationError(`${name} must be a whole number above 0.`);
}

export function defaultBackoff(attempt: number): number {
  return Math.min(1000 * 2 ** (attempt - 1), hourMs);
}
