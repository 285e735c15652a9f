/** `webhooks listen`: puts each event of the service into an inbox, which delivers it to a local receiver. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { isLoopback, parseUrl } from '../../core/parse-url.js';
import { offsetOf } from '../../core/service-clock.js';
import { isFinalStatus, responseOf, type Post, type SocialPublishing } from '../../index.js';
import { instantOf } from '../../model/instant.js';
import type { DurableStore } from '../../publisher/index.js';
import {
  createWebhookInbox,
  signWebhook,
  type CatchUpPost,
  type CatchUpQuery,
  type InboxEvent,
  type WebhookInbox,
} from '../../webhooks/index.js';
import { kebab, type Session } from '../command.js';
import { connect } from '../connection.js';
import { UsageError, interruptedCode, type ExitCode } from '../errors.js';
import { findSecret } from '../input.js';
import { printable } from '../output.js';
import { messageOf } from '../report-error.js';
import { withStore } from '../store.js';

/** After this time, another run repeats an interrupted delivery. This run does not repeat a slow delivery. */
const leaseMs = 3_000;
const longestBackoffMs = 30_000;
const pollSeconds = { service: 60, emulator: 5 };

export async function listen(session: Session): Promise<ExitCode> {
  const { world, output } = session;
  const url = readReceiver(session, 'forwardTo');
  const secret = await readWebhookSecret(session);
  const client = await connect(session);
  const { baseUrl } = client;
  const since = session.time('since');
  await withStore(session, {}, async (store, place) => {
    const own = ownPart(store, url, baseUrl);
    const inbox = inboxFor(session, { url, secret, store: own });
    // The event is dead if runs were killed repeatedly during its delivery.
    for await (const { id } of inbox.dead()) await inbox.replay(id);
    const worker = inbox.start({ pollMs: 500 });
    const source = new Source({ client, inbox, store: own, secret });
    try {
      await source.begin(since, world.now());
      const changes = new EventTarget();
      const isEmulator = watchEmulator(baseUrl, world.signal, changes);
      const seconds = session.wholeNumber('poll') ?? ((await isEmulator) ? pollSeconds.emulator : pollSeconds.service);
      output.note(`Events of ${baseUrl} go to ${url.href} until Ctrl-C. ${place.name} keeps the state.`);
      await pollUntilStopped(session, source, { everyMs: seconds * 1000, changes });
    } finally {
      await worker.stop();
    }
  });
  return interruptedCode(world.signal);
}

/** The part of the store for this receiver and base URL. */
function ownPart(store: DurableStore, receiver: URL, baseUrl: string): DurableStore {
  const name = createHash('sha256').update(`${receiver.href} ${baseUrl}`).digest('hex').slice(0, 16);
  return prefixedStore(store, `listen/${name}/`);
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
    const [eventId, type] = [withoutTime(event.id), event.type];
    if (output.format === 'text') output.line(`${type}  ${eventId}  ${shown}`);
    else output.line(JSON.stringify({ eventId, type, ...delivered }));
    if (!ok) throw new NotAcceptedError(said);
  };
  return createWebhookInbox({
    secret,
    store,
    on: { default: forward },
    maxAttempts: Number.MAX_SAFE_INTEGER,
    backoff: (attempt) => Math.min(1000 * 2 ** (attempt - 1), longestBackoffMs),
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
  const post = { ...body.data.post, id: withoutTime(body.data.post.id) };
  return JSON.stringify({ ...body, id: withoutTime(body.id), data: { ...body.data, post } });
}

/** Polls at once, then in each interval and with each change, until Ctrl-C. */
async function pollUntilStopped(
  { world, output }: Session,
  source: Source,
  { everyMs, changes }: { everyMs: number; changes: EventTarget },
): Promise<void> {
  while (!world.signal.aborted) {
    const pause = new AbortController();
    const signal = AbortSignal.any([world.signal, pause.signal]);
    // A change during a read causes the next one.
    const changed = once(changes, 'change', { signal }).catch(() => undefined);
    await source.poll(world.now()).catch((error: unknown) => {
      output.note(`The events could not be read or stored: ${messageOf(error)}. The next read covers this time too.`);
    });
    const timer = setTimeout(() => {
      pause.abort();
    }, everyMs);
    await changed;
    clearTimeout(timer);
  }
}

// Deliveries to a receiver, which `webhooks trigger` sends too.

const secretVariable = 'SOCIAL_PUBLISHING_WEBHOOK_SECRET';

/** Reads the signing secret from a file or the environment. */
export async function readWebhookSecret(session: Session): Promise<string> {
  const secret = await findSecret(session, 'secretFile', secretVariable);
  if (secret !== undefined) return secret;
  throw new UsageError(`The signing secret is missing. Set ${secretVariable}, or pass --secret-file FILE.`);
}

export function readReceiver(session: Session, name: 'to' | 'forwardTo'): URL {
  const flag = kebab(name);
  const url = parseUrl(session.text(name) ?? '');
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--${flag} must be a URL such as http://127.0.0.1:3000/webhooks.`);
  // The command prints the URL.
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`--${flag} must be a URL without a user name and password.`);
  return url;
}

/** The service waits this long for a receiver (API document: Delivery). */
const receiverTimeoutMs = 10_000;
/** The number of characters of a reply that a line shows. */
const shownReply = 200;

export interface Delivered {
  readonly ok: boolean;
  readonly status?: number;
  /** The start of the reply's body. */
  readonly reply?: string;
  /** The reason, if no reply came. */
  readonly error?: string;
}

/** Sends a signed body to a receiver. It never rejects. */
export async function deliver(url: URL, body: string, secret: string): Promise<Delivered> {
  const headers = await signWebhook({ body, secret });
  try {
    const signal = AbortSignal.timeout(receiverTimeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    // The status alone decides (API document: Delivery), even if the body breaks off.
    const reply = (await response.text().catch(() => '')).slice(0, shownReply);
    return { ok: response.ok, status: response.status, ...(reply === '' ? {} : { reply }) };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return { ok: false, error: messageOf(cause instanceof Error ? cause : error) };
  }
}

// The events: from the list of posts, at once if an emulator reports a change.

const placeKey = 'place';
/** The list may show a post late, so each read begins this long before the last one. */
const overlapMs = 600_000;
/** The time for which the command searches for a post that is not final. */
const longestPublishingMs = 24 * 3_600_000;

/** The place in the list of posts, in milliseconds since 1970. */
interface ListenPlace {
  /** The start of the first run. Earlier events are not sent, unless their posts show no `createdAt`. */
  readonly start: number;
  /** The start of the next read. */
  readonly next: number;
}

interface SourceParts {
  readonly client: SocialPublishing;
  readonly inbox: WebhookInbox;
  readonly store: DurableStore;
  readonly secret: string;
}

/** Reads the list of posts, and puts each missed event into the inbox once. */
class Source {
  readonly #parts: SourceParts;
  /** How far the service's clock is ahead. Only the newest reply counts: a new run of an emulator can have an earlier clock. */
  #offsetMs = 0;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  /** Chooses where to start: `since`, else where the last run stopped, else now. */
  async begin(since: number | undefined, now: number): Promise<void> {
    const item = await this.#parts.store.get(placeKey);
    if (since === undefined && item !== undefined) return;
    const start = since ?? (await this.#serviceTime(now));
    await this.#moveTo({ start, next: start });
  }

  async poll(now: number): Promise<void> {
    const at = await this.#serviceTime(now);
    const { start, next } = await this.#place(at);
    const oldest = await this.#addEvents(next);
    const from = Math.max(Math.min(at - overlapMs, oldest), at - longestPublishingMs);
    await this.#moveTo({ start, next: Math.max(from, start) });
  }

  /** Returns the publication time of the oldest post that is not final. */
  async #addEvents(since: number): Promise<number> {
    const { client, inbox } = this.#parts;
    // `catchUp` recovers only final events.
    const addScheduled = (post: Post) => this.#addScheduled(post, since);
    let oldest = Infinity;
    async function* list(query: CatchUpQuery): AsyncGenerator<CatchUpPost> {
      for await (const post of client.posts.list(query)) {
        const time = instantOf(post.scheduledFor ?? post.createdAt) ?? Infinity;
        if (!isFinalStatus(post.status) && post.status !== 'draft') oldest = Math.min(oldest, time);
        if (query.createdAfter !== undefined) await addScheduled(post);
        yield withTime(post);
      }
    }
    await inbox.catchUp({ client: { posts: { list } }, since: new Date(since) });
    return oldest;
  }

  async #place(at: number): Promise<ListenPlace> {
    const item = await this.#parts.store.get(placeKey);
    if (item === undefined) return { start: at, next: at };
    // Only this class writes it.
    const { start, next } = JSON.parse(item.data) as ListenPlace;
    // A new run of an emulator can have an earlier clock.
    return { start: Math.min(start, at), next: Math.min(next, at) };
  }

  /** The clock of the service, from its replies, because the posts have its times. */
  async #serviceTime(now: number): Promise<number> {
    const page = await this.#parts.client.posts.list({ limit: 1 });
    this.#offsetMs = offsetOf(responseOf(page)?.headers, now) ?? this.#offsetMs;
    return now + this.#offsetMs;
  }

  async #addScheduled(post: Post, since: number): Promise<void> {
    const isOlder = (instantOf(post.createdAt) ?? since) < since;
    if (post.scheduledFor === undefined || post.status === 'draft' || isOlder) return;
    const { inbox, secret } = this.#parts;
    const body = JSON.stringify(scheduledEvent(withTime(post)));
    const headers = await signWebhook({ body, secret });
    const { ok } = await inbox.fetch(new Request('http://inbox.invalid/', { method: 'POST', headers, body }));
    // The position must not advance.
    if (!ok) throw new Error('The store did not accept an event');
  }

  /** Only this process writes the place. */
  async #moveTo(place: ListenPlace): Promise<void> {
    const { store } = this.#parts;
    const item = await store.get(placeKey);
    const data = JSON.stringify(place);
    if (item === undefined) await store.insert(placeKey, data, null);
    else await store.swap(placeKey, item.version, data, null);
  }
}

/**
 * Adds the time of its creation to the ID of a post, for the inbox: an emulator that starts again without its state
 * repeats the old IDs for new posts.
 */
function withTime(post: Post): Post {
  return { ...post, postId: `${post.postId}@${post.createdAt ?? ''}` };
}

/** Removes this time from the ID of a post or an event. */
function withoutTime(id: string): string {
  return id.replace(/@[^@_]*(_[a-z]+)?$/, '$1');
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

// An emulator reports its changes.

const pauseMs = 1000;

/**
 * Reports each change of an emulator as an event `change`, until the signal aborts. Opens the stream again when it ends, and
 * only at loopback addresses. Returns whether the service is an emulator.
 */
export async function watchEmulator(baseUrl: string, signal: AbortSignal, changes: EventTarget): Promise<boolean> {
  const { hostname, origin } = new URL(baseUrl);
  if (!isLoopback(hostname)) return false;
  const open = () => openStream(`${origin}/_emulator/events`, signal);
  const isStopped = () => signal.aborted;
  const follow = async (stream: ReadableStream<Uint8Array> | undefined) => {
    while (!isStopped()) {
      await readAll(stream, changes).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      if (!isStopped()) stream = await open();
    }
  };
  const first = await open();
  if (first !== undefined) void follow(first);
  return first !== undefined;
}

async function openStream(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined> {
  try {
    const response = await fetch(url, { signal, headers: { accept: 'text/event-stream' } });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (response.ok && isStream && response.body !== null) return response.body;
    await response.body?.cancel();
    return undefined;
  } catch {
    return undefined;
  }
}

/** Only changes of posts matter. This command's own requests are changes too. They must not cause more requests. */
async function readAll(stream: ReadableStream<Uint8Array> | undefined, changes: EventTarget): Promise<void> {
  if (stream === undefined) return;
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (/^event: (?:post|clock|state)\n/m.test(text)) changes.dispatchEvent(new Event('change'));
    // The rest of the last line comes with the next chunk.
    text = text.slice(text.lastIndexOf('\n') + 1);
  }
}

/** A part of a store: all its keys begin with the prefix. */
function prefixedStore(store: DurableStore, prefix: string): DurableStore {
  return {
    get: (key) => store.get(prefix + key),
    insert: (key, data, wakeAt) => store.insert(prefix + key, data, wakeAt),
    swap: (key, version, data, wakeAt) => store.swap(prefix + key, version, data, wakeAt),
    due: async (inner, now, limit) =>
      (await store.due(prefix + inner, now, limit)).map((key) => key.slice(prefix.length)),
    scan: async (inner, after, limit) => {
      const items = await store.scan(prefix + inner, after === undefined ? undefined : prefix + after, limit);
      return items.map((item) => ({ ...item, key: item.key.slice(prefix.length) }));
    },
  };
}
