/** The events that `webhooks listen` delivers: from the list of posts, at once if an emulator reports a change. */
import { isLoopback } from '../../core/parse-url.js';
import { offsetOf } from '../../core/service-clock.js';
import { instantOf } from '../../model/instant.js';
import { isFinalStatus, responseOf, type Post, type SocialPublishing } from '../../index.js';
import type { DurableStore } from '../../publisher/index.js';
import { signWebhook, type CatchUpPost, type CatchUpQuery, type WebhookInbox } from '../../webhooks/index.js';

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
export class Source {
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
export function withoutTime(id: string): string {
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
export function prefixedStore(store: DurableStore, prefix: string): DurableStore {
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
