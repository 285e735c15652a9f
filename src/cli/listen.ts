import { createHash } from 'node:crypto';
import { offsetOf } from '../core/service-clock.js';
import { isFinalStatus, responseOf, type Post, type SocialPublishing } from '../index.js';
import type { DurableStore } from '../publisher/index.js';
import {
  createWebhookInbox,
  signWebhook,
  type CatchUpPost,
  type CatchUpQuery,
  type InboxEvent,
  type WebhookInbox,
} from '../webhooks/index.js';
import { UsageError } from './command-errors.js';
import { connect, findBaseUrl } from './connection.js';
import { normalBaseUrl, otherSpellings } from './default-store.js';
import { deliver } from './deliver.js';
import { isLocal, watchEmulator } from './emulator-events.js';
import { interruptedCode, type ExitCode } from './exit-codes.js';
import { findStore, openStore } from './open-store.js';
import { prefixedStore } from './prefixed-store.js';
import { messageOf } from './report-error.js';
import { textOf, type Session, type Values } from './session.js';
import { RunStore } from './run-store.js';
import { printable } from './table.js';
import { readReceiver, readWebhookSecret } from './webhook-secret.js';

/** After this time, another run repeats an interrupted delivery. This run does not repeat a slow delivery. */
const leaseMs = 3_000;
const longestBackoffMs = 30_000;
const pollSeconds = { service: 60, emulator: 5 };

export async function listen(session: Session, values: Values): Promise<ExitCode> {
  const { world, output } = session;
  const url = readReceiver(values, 'forwardTo');
  const secret = await readWebhookSecret(session, values);
  const { client, baseUrl } = await connect(session, values);
  const since = readSince(values);
  const place = findStore(session, values);
  const { store, close } = await openStore(session, place);
  const own = await ownPart(store, url, findBaseUrl(session, values) ?? baseUrl);
  const runs = new RunStore(own);
  await runs.open();
  const inbox = inboxFor(session, { url, secret, store: runs.store });
  // The event is dead if runs were killed repeatedly during its delivery.
  for await (const { id } of inbox.dead()) await inbox.replay(id);
  const worker = inbox.start({ pollMs: 500 });
  const source = new Source({ client, inbox, store: own, secret, ...(isLocal(baseUrl) ? { runs } : {}) });
  try {
    await source.begin(since, world.now());
    const emulator = watchEmulator(baseUrl, world.signal);
    const seconds = readPoll(values) ?? ((await emulator.isThere) ? pollSeconds.emulator : pollSeconds.service);
    output.note(`Events of ${baseUrl} go to ${url.href}. Ctrl-C stops. The state is in ${place.name}.`);
    await pollUntilStopped(session, source, { everyMs: seconds * 1000, onChange: emulator.onChange });
  } finally {
    await worker.stop();
    await close();
  }
  return interruptedCode(world.signal);
}

/** The part of the store for this receiver and base URL. Version 0.2.0 named it after the text of the base URL. */
async function ownPart(store: DurableStore, receiver: URL, baseUrl: string): Promise<DurableStore> {
  const partOf = (text: string) => {
    const name = createHash('sha256').update(`${receiver.href} ${text}`).digest('hex').slice(0, 16);
    return prefixedStore(store, `listen/${name}/`);
  };
  const own = partOf(normalBaseUrl(baseUrl));
  if ((await own.get(placeKey)) !== undefined) return own;
  const earlier = [normalBaseUrl(baseUrl), ...otherSpellings(baseUrl)].flatMap((text) => [text, `${text}/`]);
  for (const text of earlier) if ((await partOf(text).get(placeKey)) !== undefined) return partOf(text);
  return own;
}

function readSince(values: Values): number | undefined {
  const text = textOf(values, 'since');
  if (text === undefined) return undefined;
  const time = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw new UsageError('--since must be a time with its offset, for example 2027-03-01T09:00:00Z.');
  return time;
}

function readPoll(values: Values): number | undefined {
  const text = textOf(values, 'poll');
  if (text === undefined) return undefined;
  if (!(Number(text) >= 1)) throw new UsageError('--poll must be a number of seconds from 1.');
  return Number(text);
}

interface Receiver {
  readonly url: URL;
  readonly secret: string;
  readonly store: DurableStore;
}

class NotAcceptedError extends Error {}

/** The inbox keeps each event until the receiver has accepted it. */
function inboxFor({ output }: Session, { url, secret, store }: Receiver): WebhookInbox {
  const forward = async (event: InboxEvent) => {
    const delivered = await deliver(url, bodyOf(event), secret);
    const { ok, status, reply, error } = delivered;
    const said = ok ? 'accepted' : 'will be repeated';
    const shown = [String(status ?? 'no reply'), said, printable(reply ?? error ?? '')].join('  ').trimEnd();
    const line = { eventId: event.id, type: event.type, ...delivered };
    if (output.format === 'text') output.line(`${event.type}  ${event.id}  ${shown}`);
    else output.line(JSON.stringify(line));
    if (!ok) throw new NotAcceptedError(`Not accepted: ${status ?? error ?? ''}`);
  };
  return createWebhookInbox({
    secret,
    store,
    on: { default: forward },
    maxAttempts: Number.MAX_SAFE_INTEGER,
    backoff: (attempt) => Math.min(1000 * 2 ** Math.min(attempt - 1, 10), longestBackoffMs),
    leaseMs,
    toleranceSeconds: false,
    onError: (error) => {
      // The output line of the delivery already shows the error.
      if (!(error instanceof NotAcceptedError)) output.note(messageOf(error));
    },
  });
}

/** Every attempt sends the same text. */
function bodyOf(event: InboxEvent): string {
  if (!event.known) return JSON.stringify(event.payload);
  const { known: _known, recovered: _recovered, ...body } = event;
  return JSON.stringify(body);
}

const placeKey = 'place';
/** The list may show a post late, so each read begins this long before the last one. */
const overlapMs = 600_000;
/** The time for which the command searches for a post that is not final. */
const longestPublishingMs = 24 * 3_600_000;

/** The place in the list of posts, in milliseconds since 1970. */
interface ListenPlace {
  /** The start of the first run. Earlier events are not sent. */
  readonly start: number;
  /** The start of the next read. */
  readonly next: number;
}

/** Reads the list of posts, and puts each missed event into the inbox once. */
class Source {
  readonly #client: SocialPublishing;
  readonly #inbox: WebhookInbox;
  readonly #store: DurableStore;
  readonly #secret: string;
  readonly #runs: RunStore | undefined;
  /** How far the service's clock is ahead. Only the newest reply counts: a new run of an emulator can have an earlier clock. */
  #offsetMs = 0;

  constructor(parts: {
    readonly client: SocialPublishing;
    readonly inbox: WebhookInbox;
    readonly store: DurableStore;
    readonly secret: string;
    /** Only if the service may be an emulator. */
    readonly runs?: RunStore;
  }) {
    this.#client = parts.client;
    this.#inbox = parts.inbox;
    this.#store = parts.store;
    this.#secret = parts.secret;
    this.#runs = parts.runs;
  }

  /** Chooses where to start: `since`, else where the last run stopped, else now. */
  async begin(since: number | undefined, now: number): Promise<void> {
    const item = await this.#store.get(placeKey);
    if (since === undefined && item !== undefined) return;
    const start = since ?? (await this.#serviceTime(now));
    await this.#moveTo({ start, next: start });
  }

  async poll(now: number): Promise<void> {
    const at = await this.#serviceTime(now);
    const { start, next } = await this.#place(at);
    let oldest = at;
    let run: number | undefined;
    do {
      run = this.#runs?.run;
      oldest = Math.min(oldest, await this.#read(next));
      // If a new run of the emulator began, its part of the store is empty, so the list is read again.
    } while (run !== this.#runs?.run);
    const from = Math.max(Math.min(at - overlapMs, oldest), at - longestPublishingMs);
    await this.#moveTo({ start, next: Math.max(from, start) });
  }

  /** Returns the publication time of the oldest post that is not final. */
  async #read(since: number): Promise<number> {
    let oldest = Infinity;
    const posts = this.#listed((time) => {
      oldest = Math.min(oldest, time);
    });
    await this.#addScheduled(since);
    await this.#inbox.catchUp({ client: { posts }, since: new Date(since) });
    return oldest;
  }

  /** The list of posts. `onUnfinished` is called with the publication time of each post that is not final. */
  #listed(onUnfinished: (time: number) => void): { list: (query: CatchUpQuery) => AsyncGenerator<CatchUpPost> } {
    const { posts } = this.#client;
    const runs = this.#runs;
    return {
      list: async function* (query) {
        for await (const post of posts.list(query)) {
          await runs?.see(post);
          const time = Date.parse(post.scheduledFor ?? post.createdAt ?? '');
          if (!isFinalStatus(post.status) && post.status !== 'draft' && !Number.isNaN(time)) onUnfinished(time);
          yield post;
        }
      },
    };
  }

  async #place(at: number): Promise<ListenPlace> {
    const item = await this.#store.get(placeKey);
    if (item === undefined) return { start: at, next: at };
    // Only this class writes it.
    const { start, next } = JSON.parse(item.data) as ListenPlace;
    // A new run of an emulator can have an earlier clock.
    return { start: Math.min(start, at), next: Math.min(next, at) };
  }

  /** The clock of the service, from its replies, because the posts have its times. */
  async #serviceTime(now: number): Promise<number> {
    const page = await this.#client.posts.list({ limit: 1 });
    this.#offsetMs = offsetOf(responseOf(page)?.headers, now) ?? this.#offsetMs;
    return now + this.#offsetMs;
  }

  /** `catchUp` recovers only final events. */
  async #addScheduled(since: number): Promise<void> {
    const scheduled: Post[] = [];
    for await (const post of this.#client.posts.list({ createdAfter: new Date(since), limit: 100 })) {
      await this.#runs?.see(post);
      const isScheduled = post.scheduledFor !== undefined && post.status !== 'draft';
      if (isScheduled && !(Date.parse(post.createdAt ?? '') < since)) scheduled.push(post);
    }
    // Only now it is known which run of the emulator they belong to.
    for (const post of scheduled) {
      const body = JSON.stringify(scheduledEvent(post));
      const headers = await signWebhook({ body, secret: this.#secret });
      const { ok } = await this.#inbox.fetch(new Request('http://inbox.invalid/', { method: 'POST', headers, body }));
      // The position must not advance.
      if (!ok) throw new Error('The store did not accept an event');
    }
  }

  async #moveTo(place: ListenPlace): Promise<void> {
    const item = await this.#store.get(placeKey);
    const data = JSON.stringify(place);
    if (item === undefined) await this.#store.insert(placeKey, data, null);
    else await this.#store.swap(placeKey, item.version, data, null);
  }
}

function scheduledEvent({ postId, content, scheduledFor, createdAt, mediaItems, platforms = [] }: Post) {
  return {
    id: `recovered_${postId}_scheduled`,
    type: 'post.scheduled',
    createdAt,
    data: {
      post: { id: postId, status: 'scheduled', content, scheduledFor, publishedAt: null, mediaItems },
      platforms: platforms.map(({ platform }) => ({ platform, status: 'scheduled' })),
    },
  };
}

/** Polls at once, then in each interval and with each change, until Ctrl-C. */
async function pollUntilStopped(
  { world, output }: Session,
  source: Source,
  { everyMs, onChange }: { everyMs: number; onChange: (listener: () => void) => void },
): Promise<void> {
  let wake: () => void = () => undefined;
  let changed = false;
  onChange(() => {
    changed = true;
    wake();
  });
  world.signal.addEventListener('abort', () => {
    wake();
  });
  // The callback changes it in the meantime.
  const isStopped = () => world.signal.aborted;
  while (!isStopped()) {
    changed = false;
    await source.poll(world.now()).catch((error: unknown) => {
      output.note(`The events could not be read or stored: ${messageOf(error)}. The next read covers this time too.`);
    });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, everyMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (changed || isStopped()) wake();
    });
  }
}
