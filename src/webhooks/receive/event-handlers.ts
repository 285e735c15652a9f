import type { Issue, WebhookVerificationError } from '../../core/errors.js';
import { isFunction, isMilliseconds, isObjectWith, issueAt, optionsOf, unchecked } from '../../core/call/options.js';
import { knownEventTypes, type KnownEventType, type WebhookEvent } from '../../model/events.js';
import { isStore } from '../../stores/checks.js';
import { maxLeaseMs } from '../inbox/inbox-record.js';
import { checkTolerance } from '../verify/verify.js';

export const hourMs = 3_600_000;

/** Checks the options that the receiver and the inbox share. */
export const sharedChecks = () => ({
  secret: unchecked, // keepSecret() checks it.
  on: checkHandlers,
  toleranceSeconds: checkTolerance,
  leaseMs: isMilliseconds({ least: 1, most: maxLeaseMs }),
  keepMs: isMilliseconds({ least: hourMs, most: Number.MAX_SAFE_INTEGER }),
  now: isFunction,
  onRejected: isFunction,
  onError: isFunction,
});

/** Checks the option `store`. */
export function checkStore(value: unknown, path: Issue['path'], issues: Issue[]): void {
  if (isObjectWith(value, ['claim'])) {
    issues.push(
      issueAt(
        path,
        'must be a DurableStore. Objects with claim(), complete() and release() are not supported any more. Replace ' +
          'RedisWebhookStore by RedisStore of social-publishing/stores/redis. Replace MemoryWebhookStore by ' +
          'MemoryDurableStore of social-publishing/publisher. Replace your own class by SqliteStore, PostgresStore, or a ' +
          'class with the five methods of DurableStore',
      ),
    );
  } else {
    isStore(value, path, issues);
  }
}

type HandlersByType = Readonly<Partial<Record<KnownEventType | 'default', unknown>>>;

function checkHandlers(value: unknown, path: Issue['path'], issues: Issue[]): void {
  if (typeof value !== 'object' || value === null) {
    issues.push(issueAt(path, 'must be an object with a handler for each event type'));
    return;
  }
  const checks = Object.fromEntries([...knownEventTypes, 'default'].map((type) => [type, isFunction]));
  optionsOf<Record<string, unknown>>('an event type with a handler', checks)(value, path, issues);
}

/** Returns the handler of each event. Later changes of the object have no effect. */
export function handlerSelector<Event extends WebhookEvent>(
  on: HandlersByType,
): (event: Event) => ((event: Event) => unknown) | undefined {
  // The handlers were checked, and each type of event has the handler of that type.
  const handlers = { ...on } as Partial<Record<string, (event: Event) => unknown>>;
  return (event) => (event.known ? handlers[event.type] : undefined) ?? handlers.default;
}

interface HandlerFailure {
  readonly event?: (WebhookEvent & { readonly id?: string | undefined }) | undefined;
  readonly attempt?: number | undefined;
  readonly last?: boolean | undefined;
}

export function logError(error: unknown, { event, attempt, last }: HandlerFailure): void {
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
