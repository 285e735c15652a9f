import type { DateTimeInput } from '../schema/fields.js';
import { ConfigurationError, InvalidRequestError } from '../core/errors.js';
import { checkNames } from '../core/names.js';
import { finalPostsSince, parseSince, recoveredBody, recoveredId, type CatchUpClient } from './catch-up.js';
import { sha256 } from './hmac.js';
import { InboxHandling } from './inbox-processor.js';
import {
  parseInboxOptions,
  parseStartOptions,
  type InboxStartOptions,
  type WebhookInboxOptions,
} from './inbox-options.js';
import {
  eventKey,
  eventOf,
  finalStateOf,
  keyPrefixes,
  parseClaim,
  parseRecord,
  revived,
  stateKey,
  waiting,
  type InboxEvent,
  type WaitingRecord,
} from './inbox-record.js';
import { InboxStorage } from './inbox-storage.js';
import { InboxWorker, type InboxParts } from './inbox-worker.js';
import type { NodeRequest, NodeResponse } from './webhook-request.js';
import { createListener, received, refusal, tell, type Listener } from './http-handler.js';
import type { VerifiedDelivery } from './verify.js';

/** An inbox at work, see {@link WebhookInbox.start}. */
export interface RunningInbox {
  /** Takes no further event, and resolves when those under way are handled and noted. Deliveries are still written. */
  readonly stop: () => Promise<void>;
}

/** What {@link WebhookInbox.catchUp} looks with, and from when. */
export interface CatchUpOptions {
  /** The client. */
  readonly client: CatchUpClient;
  /**
   * Since when nobody listened: a `Date`, or a date-time string with its offset. Rather too early than too late; what came
   * before is not given again as long as it is remembered (`keepMs`).
   */
  readonly since: DateTimeInput;
}

/** What {@link WebhookInbox.catchUp} found. */
export interface CatchUpResult {
  /** How many final states of posts were put into the inbox. */
  readonly recovered: number;
}

/** Receives the deliveries of a webhook subscription, keeps them, and handles them afterwards. All functions work unbound. */
export interface WebhookInbox {
  /** Answers a delivery that comes as a `Request`: Next.js, Hono, Bun, Deno, Cloudflare Workers. Never throws. */
  readonly fetch: (request: Request, ...context: unknown[]) => Promise<Response>;
  /** Answers a delivery in Node: for `http.createServer`, and for Express before any body parser. Never throws. */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /**
   * Handles what is due, whichever process received it, until it is stopped. Nothing is handled before.
   * @throws {@link ConfigurationError} an option can't be right
   */
  readonly start: (options?: InboxStartOptions) => RunningInbox;
  /**
   * Looks for posts that became final while nobody listened, and puts what was missed into the inbox, for the same
   * handlers: events with `recovered: true` and the ID `recovered_<postId>_<status>`, which tell what the list tells. What
   * came before is not given again, nor is a delivery that comes later. `post.scheduled` is not recovered. It costs the
   * calls of two walks over lists.
   * @throws {@link InvalidRequestError} `since` is no time
   * @throws what the client or the store throws; it is safe to call again
   */
  readonly catchUp: (options: CatchUpOptions) => Promise<CatchUpResult>;
  /** Gives the events whose handler failed `maxAttempts` times, in no order that has a meaning. */
  readonly dead: () => AsyncGenerator<InboxEvent, void, undefined>;
  /**
   * Has a dead event handled again, with all its attempts before it.
   * @param eventId the event's `id`
   * @throws {@link InvalidRequestError} there is no such event, or it is not dead
   */
  readonly replay: (eventId: string) => Promise<void>;
}

/**
 * Gives an inbox: it verifies each delivery, writes its event into a store, and answers 200, in milliseconds and with no
 * handler in the way. Handlers run afterwards, in this process or in others, and are tried again until they succeed or
 * have failed `maxAttempts` times. An event is acknowledged only when it is written, and each event ID is completed once.
 * A handler runs more than once for an event it has completed only after a crash, or where it took longer than its lease.
 *
 * API document: Events, Delivery.
 *
 * @example
 * ```ts
 * const inbox = createWebhookInbox({ secret, store, on: { 'post.failed': (event) => tellSomebody(event.data.post.id) } });
 * http.createServer(inbox.node).listen(3000);
 * const worker = inbox.start();
 * await inbox.catchUp({ client, since: lastSeen });
 * ```
 *
 * @throws {@link ConfigurationError} an option can't be right, for example an empty or masked secret
 */
export function createWebhookInbox(options: WebhookInboxOptions): WebhookInbox {
  const settings = parseInboxOptions(options);
  const storage = new InboxStorage(settings.store);
  const parts: InboxParts = { settings, storage, handling: new InboxHandling(settings, storage), running: new Set() };
  const workers = new Set<InboxWorker>();
  const wake = () => {
    for (const worker of workers) worker.wake();
  };
  const { fetch, node } = listen(parts, wake);
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
    dead: () => deadEvents(storage),
    replay: async (eventId) => {
      await replay(parts, eventId);
      wake();
    },
  };
}

/** Writes deliveries down, and tells of each that is new. */
function listen({ settings, storage }: InboxParts, wake: () => void): Listener {
  return createListener(settings, async ({ event, body }: VerifiedDelivery, request) => {
    const id = event.id === undefined || event.id === '' ? await sha256(body) : event.id;
    // It was decoded before. A byte-order mark is no part of the JSON.
    const record = waiting(id, new TextDecoder().decode(body), settings.now());
    try {
      const key = await eventKey(id);
      if (await storage.add(key, record)) wake();
      return received;
    } catch (error) {
      // Not written: it must not be acknowledged, so that the service retries.
      tell(() => settings.onError(error, { event: eventOf(record), request }));
      return refusal(500, 'internal error');
    }
  });
}

/** How many events that are still to be handled `catchUp` looks at. */
const maxArrived = 10_000;

const catchUpNames: ReadonlySet<string> = new Set<keyof CatchUpOptions>(['client', 'since']);

async function catchUp(parts: InboxParts, options: CatchUpOptions): Promise<number> {
  const { settings, storage } = parts;
  checkNames('option', options, catchUpNames);
  const { client } = options;
  if (typeof (client as Partial<CatchUpClient> | undefined)?.posts?.list !== 'function') {
    throw new ConfigurationError('catchUp needs a client, which has posts.list().');
  }
  const since = parseSince(options.since);
  const arrived = await arrivedStates(parts);
  let recovered = 0;
  for await (const found of finalPostsSince(client, since)) {
    const state = await stateKey(found.post.postId, found.status);
    if (arrived.has(state) || (await storage.get(state)) !== undefined) continue;
    const id = recoveredId(found);
    const record = waiting(id, recoveredBody(found), settings.now(), true);
    if (await storage.add(await eventKey(id), record)) recovered += 1;
  }
  return recovered;
}

/**
 * The final states of posts that were delivered and not handled yet. Of those that a handler was told of, the store has
 * claims. Should one be missed here, because there are more or it comes meanwhile, the claim that its handling needs
 * decides between it and what was recovered.
 */
async function arrivedStates({ settings, storage }: InboxParts): Promise<ReadonlySet<string>> {
  const states = new Set<string>();
  for (const key of await storage.dueEvents(settings.now(), maxArrived)) {
    const item = await storage.get(key);
    const record = item && parseRecord(key, item.data);
    const state = record?.state === 'waiting' ? finalStateOf(eventOf(record)) : undefined;
    if (state !== undefined) states.add(await stateKey(state.postId, state.status));
  }
  return states;
}

async function* deadEvents(storage: InboxStorage): AsyncGenerator<InboxEvent, void, undefined> {
  for await (const marker of storage.items(keyPrefixes.dead)) {
    const { id } = parseClaim(marker.key, marker.data);
    const key = await eventKey(id);
    const item = await storage.get(key);
    const record = item && parseRecord(key, item.data);
    if (record?.state === 'dead') yield eventOf(record);
    // It was handled after all. One that waits may be about to be dead.
    else if (record?.state !== 'waiting') await storage.swap(marker.key, marker, null, null);
  }
}

async function replay({ settings, storage }: InboxParts, eventId: string): Promise<void> {
  const refuse = (message: string) => new InvalidRequestError([{ path: ['eventId'], message }]);
  if (typeof eventId !== 'string' || eventId === '') throw refuse('must be the ID of an event');
  const revivedRecord = await storage.update<WaitingRecord>(await eventKey(eventId), (record) => {
    if (record.state === 'dead') return revived(record, settings.now());
    throw refuse(record.state === 'done' ? 'is of an event that was handled' : 'is of an event that is still tried');
  });
  if (revivedRecord === undefined) throw refuse('is of no event that this inbox keeps');
  // The mark by which dead events are found stays: the event may be dead again by now. dead() removes it in time.
}
