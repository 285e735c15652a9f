import { callSafely } from '../../core/call/hooks.js';
import {
  checkConfiguration,
  checkPassed,
  invalidArgument,
  isObjectWith,
  oneOf,
  optionsOf,
  required,
  unchecked,
} from '../../core/call/options.js';
import type { DateTimeInput } from '../../schema/fields.js';
import { ForeignItems, unlessForeign } from '../../stores/records.js';
import { findReceiverClaim } from '../receive/event-claims.js';
import { latestMs, momentMessage, momentOf } from '../../model/instant.js';
import { finalPostsSince, recoveredBody, recoveredId, type CatchUpClient } from './catch-up.js';
import { accepted, createHttpHandler, refuse, type WebhookReceiver } from '../receive/http-handler.js';
import {
  parseInboxOptions,
  parseStartOptions,
  type InboxStartOptions,
  type WebhookInboxOptions,
} from './inbox-options.js';
import { InboxProcessor } from './inbox-processor.js';
import {
  done,
  eventKey,
  eventOf,
  finalStateOf,
  isStranded,
  revived,
  stateKey,
  waiting,
  woken,
  type InboxEvent,
  type InboxRecord,
} from './inbox-record.js';
import { InboxStorage, type DeadMark } from './inbox-storage.js';
import { InboxWorker, type InboxParts } from './inbox-worker.js';
import { currentScopes, scopesOf, sha256 } from '../verify/signatures.js';
import type { VerifiedDelivery } from '../verify/verify.js';

/** A started inbox, see {@link WebhookInbox.start}. */
export interface RunningInbox {
  /**
   * Stops handling events. Resolves when the running handlers have ended and their results are stored. The inbox still
   * receives deliveries.
   */
  readonly stop: () => Promise<void>;
}

/** Options of {@link WebhookInbox.catchUp}. */
export interface CatchUpOptions {
  /** The client. */
  readonly client: CatchUpClient;
  /**
   * The time since which events can be missing: a `Date`, or a date-time string with its offset. Choose the end of the last
   * process, or the last call that succeeded. An early time does no harm: within `keepMs`, handlers do not get an event again. The search begins one hour before `since`.
   * It does not find a post that was created or scheduled before that, even if the post became final later.
   */
  readonly since: DateTimeInput;
}

/** The result of {@link WebhookInbox.catchUp}. */
export interface CatchUpResult {
  /** The number of final states that `catchUp` added to the inbox. */
  readonly recovered: number;
}

/**
 * The state of an event in an inbox.
 *
 * - `waiting`: a handler is handling it, or its next attempt is not due yet.
 * - `done`: it was handled.
 * - `dead`: it failed `maxAttempts` times, and waits for `replay`.
 */
export type InboxEventState = 'waiting' | 'done' | 'dead';

/** The events that {@link WebhookInbox.list} yields. */
export interface ListInboxQuery {
  /** Only events in this state. Default: in any. */
  readonly state?: InboxEventState | undefined;
}

/** An event of an inbox with its state. */
export interface InboxEntry {
  /** The state. */
  readonly state: InboxEventState;
  /** The event. Missing: it was handled, and its content was removed. */
  readonly event?: InboxEvent | undefined;
  /** How many attempts failed. Only on a waiting event. */
  readonly failures?: number | undefined;
  /** When its next attempt is due, or its owner's lease ends, an ISO 8601 date-time. Only on a waiting event. */
  readonly dueAt?: string | undefined;
}

/** Receives the deliveries of a webhook subscription, stores them, and handles them later. All functions work unbound. */
export interface WebhookInbox extends Pick<WebhookReceiver, 'fetch' | 'node'> {
  /**
   * Handles due events until you stop it, including events that other processes received. If you do not call it, this
   * process handles no events.
   * @throws {@link ConfigurationError} an option is invalid
   */
  readonly start: (options?: InboxStartOptions) => RunningInbox;
  /**
   * Finds posts that became final and whose event never arrived, and adds the missed events to the inbox, for the same
   * handlers. Call it at each start, and then regularly: the service delivers an event three times at most. Such
   * an event has `recovered: true`, the ID `recovered_<postId>_<status>`, and the data of the listed post. A handler gets
   * either the delivery or the recovered event, never both. `post.scheduled` is not recovered. It reads two ranges of the list of posts.
   * @throws {@link InvalidRequestError} `since` is not a time
   * @throws any error of the client or the store; you can call it again
   */
  readonly catchUp: (options: CatchUpOptions) => Promise<CatchUpResult>;
  /**
   * Lists events, in no particular order. With `state: 'waiting'`, it reads only waiting events, otherwise every event
   * that the store has. If a newer version wrote some, it yields the others first, and then rejects.
   *
   * @example
   * ```ts
   * for await (const { event, failures } of inbox.list({ state: 'waiting' })) console.log(event?.id, failures);
   * ```
   */
  readonly list: (query?: ListInboxQuery) => AsyncGenerator<InboxEntry, void, undefined>;
  /**
   * Yields the events that failed `maxAttempts` times, in no particular order. If a newer version wrote some, it yields
   * the others first, and then rejects.
   */
  readonly dead: () => AsyncGenerator<InboxEvent, void, undefined>;
  /**
   * Retries a dead event, with `maxAttempts` new attempts.
   * @param eventId the event's `id`
   * @throws {@link InvalidRequestError} the inbox does not know the event, or the event is not dead
   */
  readonly replay: (eventId: string) => Promise<void>;
}

/**
 * Creates an inbox: it verifies each delivery, writes its event to a durable store, and answers 200 within
 * milliseconds, before any handler. Handlers run later, in this process or in others, until they succeed or fail
 * `maxAttempts` times. Only a written event is acknowledged, and each event is recorded as completed once. A handler
 * that succeeded runs again only after a crash, or if it took longer than its lease.
 *
 * API document: Events, Delivery.
 *
 * @example
 * ```ts
 * const inbox = createWebhookInbox({ secret, store, on: { 'post.failed': (event) => notifyTeam(event.data.post.id) } });
 * http.createServer(inbox.node).listen(3000);
 * const worker = inbox.start();
 * await inbox.catchUp({ client, since: lastSeen });
 * ```
 *
 * @throws {@link ConfigurationError} an option is invalid, for example an empty or masked secret
 */
export function createWebhookInbox(options: WebhookInboxOptions): WebhookInbox {
  const settings = parseInboxOptions(options);
  const storage = new InboxStorage(settings.store);
  const parts: InboxParts = { settings, storage, processor: new InboxProcessor(settings, storage), running: new Set() };
  const workers = new Set<InboxWorker>();
  const wake = () => {
    for (const worker of workers) worker.wake();
  };
  const { fetch, node } = storeDeliveries(parts, wake);
  return {
    fetch,
    node,
    start: (startOptions = {}) => {
      const worker = new InboxWorker(parts, parseStartOptions(startOptions));
      workers.add(worker);
      const ended = worker.run();
      return {
        stop: () => {
          workers.delete(worker);
          worker.stop();
          return ended;
        },
      };
    },
    catchUp: async (given) => {
      const recovered = await catchUp(parts, given);
      wake();
      return { recovered };
    },
    list: (query = {}) => listEvents(parts, query),
    dead: () => deadEvents(parts),
    replay: async (eventId) => {
      await replay(parts, eventId);
      wake();
    },
  };
}

function storeDeliveries({ settings, storage }: InboxParts, onNew: () => void): WebhookReceiver {
  return createHttpHandler(settings, async ({ event, body, text, secrets }: VerifiedDelivery, request) => {
    const id = event.id === undefined || event.id === '' ? await sha256(body) : event.id;
    const scopes = await scopesOf(secrets);
    const record = waiting(id, text, settings.now(), { scopes });
    try {
      if (await storage.add(await eventKey(id), record)) onNew();
      return accepted;
    } catch (error) {
      // The event is not written, so the service must retry.
      void callSafely(() => settings.onError(error, { event: eventOf(record), request }));
      return refuse(500, 'internal error');
    }
  });
}

const catchUpOptions = () =>
  optionsOf<CatchUpOptions>('an option of catchUp', {
    // A caller without types may pass anything.
    client: required('a client with posts.list(), for example SocialPublishing', (client) =>
      isObjectWith((client as Partial<CatchUpClient> | null | undefined)?.posts, ['list']),
    ),
    since: unchecked,
  });

async function catchUp(parts: InboxParts, options: CatchUpOptions): Promise<number> {
  const { settings, storage } = parts;
  checkPassed(catchUpOptions(), options);
  const since = momentOf(options.since);
  if (since === undefined) throw invalidArgument('since', momentMessage(options.since));
  const scopes = await currentScopes(settings.secret);
  const arrived = await arrivedStates(storage);
  let recovered = 0;
  for await (const post of finalPostsSince(options.client, since)) {
    const { postId, status } = post;
    const state = await stateKey(postId, status);
    if ((await unlessForeign(() => isClaimed(parts, state), true)) || arrived.has(state)) continue;
    // If this version cannot read the claim of a receiver, the event is added, and only a newer version handles it.
    const findClaim = () => findReceiverClaim(storage.store, { postId, status }, scopes, settings.now());
    if ((await unlessForeign(findClaim, undefined))?.state === 'done') continue;
    const id = recoveredId(post);
    const record = waiting(id, recoveredBody(post), settings.now(), { recovered: true, scopes });
    if (await storage.add(await eventKey(id), record)) recovered += 1;
  }
  return recovered;
}

/** Whether an event with this state was handled, or is being handled. */
async function isClaimed({ settings, storage }: InboxParts, state: string): Promise<boolean> {
  const claim = await storage.claims.read(state);
  if (claim === undefined) return false;
  // A fast clock may have postponed its event.
  await storage.update(await eventKey(claim.record.id), (record) => woken(record, settings.now()));
  return true;
}

/**
 * Returns the final states that were delivered and not handled yet. Handled ones have a state claim in the store. This
 * search misses an event that arrives in the meantime, or that a newer version wrote. Then the state claim before its
 * handler excludes the recovered event.
 */
async function arrivedStates(storage: InboxStorage): Promise<ReadonlySet<string>> {
  const states = new Set<string>();
  for await (const record of storage.waitingRecords(new ForeignItems())) {
    const state = finalStateOf(eventOf(record));
    if (state !== undefined) states.add(await stateKey(state.postId, state.status));
  }
  return states;
}

const listQuery = () => optionsOf<ListInboxQuery>('an option of list', { state: oneOf('waiting', 'done', 'dead') });

async function* listEvents(
  { settings, storage }: InboxParts,
  query: ListInboxQuery,
): AsyncGenerator<InboxEntry, void, undefined> {
  checkConfiguration(listQuery(), query);
  const foreign = new ForeignItems();
  const records = query.state === 'waiting' ? storage.waitingRecords(foreign) : storage.allRecords(foreign);
  for await (const record of records) {
    if (query.state === undefined || record.state === query.state) yield entryOf(record, settings.now());
  }
  foreign.check();
}

function entryOf(record: InboxRecord, now: number): InboxEntry {
  const { state } = record;
  if (state === 'done') return { state };
  const event = eventOf(record);
  if (state === 'dead') return { state, event };
  const dueAt = isStranded(record, now) ? now : record.wakeAt;
  // A `backoff` can be longer than any date.
  return { state, event, failures: record.failures, dueAt: new Date(Math.min(dueAt, latestMs)).toISOString() };
}

async function* deadEvents(parts: InboxParts): AsyncGenerator<InboxEvent, void, undefined> {
  const foreign = new ForeignItems();
  for await (const marked of parts.storage.deadMarks(foreign)) {
    const event = await foreign.skip(() => deadEvent(parts, marked));
    if (event !== undefined) yield event;
  }
  foreign.check();
}

/** Returns the dead event of a mark. `undefined`: it isn't dead. */
async function deadEvent({ settings, storage }: InboxParts, marked: DeadMark): Promise<InboxEvent | undefined> {
  const { id } = marked.mark.record;
  const key = await eventKey(id);
  const record = (await storage.events.read(key))?.record;
  // It may be about to become dead: its mark stays.
  if (record?.state === 'waiting') return undefined;
  if (record?.state === 'dead') {
    const now = settings.now();
    const claim = await findReceiverClaim(storage.store, { id }, record.scopes ?? [], now);
    if (claim?.state !== 'done') return eventOf(record);
    const handled = done(now + settings.keepMs, record.scopes);
    await storage.update(key, (current) => (current.state === 'dead' ? handled : undefined));
  }
  await storage.claims.write(marked.key, marked.mark, null);
  return undefined;
}

async function replay({ settings, storage }: InboxParts, eventId: string): Promise<void> {
  const refuseId = (reason: string) => invalidArgument('eventId', `must be the ID of a dead event: ${reason}`);
  // A caller without types can pass the event itself.
  if (typeof eventId !== 'string') throw refuseId('it is not a string');
  const isKnown = await storage.update(await eventKey(eventId), (record) => {
    const next = record.state === 'dead' ? revived(record, settings.now()) : woken(record, settings.now());
    if (next !== undefined) return next;
    throw refuseId(record.state === 'done' ? 'this event was handled' : 'this event is still being retried');
  });
  if (!isKnown) throw refuseId('this inbox does not have the event');
  // The mark stays: the event may be dead again by now. dead() removes it later.
}
