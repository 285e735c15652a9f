/** The events that `webhooks listen` delivers: from the list of posts, at once if an emulator reports a change. */
import { offsetOf } from '../../core/service-clock.js';
import { isFinalStatus, responseOf, type Post, type SocialPublishing } from '../../index.js';
import type { DurableStore } from '../../publisher/index.js';
import { signWebhook, type CatchUpPost, type CatchUpQuery, type WebhookInbox } from '../../webhooks/index.js';
import { isLocal } from '../connection.js';

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

interface SourceParts {
  readonly client: SocialPublishing;
  readonly inbox: WebhookInbox;
  readonly store: DurableStore;
  readonly secret: string;
  /** Only if the service may be an emulator. */
  readonly runs?: RunStore;
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
    let oldest = at;
    let run: number | undefined;
    do {
      run = this.#parts.runs?.run;
      oldest = Math.min(oldest, await this.#read(next));
      // If a new run of the emulator began, its part of the store is empty, so the list is read again.
    } while (run !== this.#parts.runs?.run);
    const from = Math.max(Math.min(at - overlapMs, oldest), at - longestPublishingMs);
    await this.#moveTo({ start, next: Math.max(from, start) });
  }

  /** Returns the publication time of the oldest post that is not final. */
  async #read(since: number): Promise<number> {
    const { client, inbox, runs } = this.#parts;
    let oldest = Infinity;
    async function* list(query: CatchUpQuery): AsyncGenerator<CatchUpPost> {
      for await (const post of client.posts.list(query)) {
        await runs?.see(post);
        const time = Date.parse(post.scheduledFor ?? post.createdAt ?? '');
        const isUnfinished = !isFinalStatus(post.status) && post.status !== 'draft';
        if (isUnfinished && !Number.isNaN(time)) oldest = Math.min(oldest, time);
        yield post;
      }
    }
    await this.#addScheduled(since);
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

  /** `catchUp` recovers only final events. */
  async #addScheduled(since: number): Promise<void> {
    const { client, inbox, secret, runs } = this.#parts;
    const scheduled: Post[] = [];
    for await (const post of client.posts.list({ createdAfter: new Date(since), limit: 100 })) {
      await runs?.see(post);
      const isScheduled = post.scheduledFor !== undefined && post.status !== 'draft';
      if (isScheduled && !(Date.parse(post.createdAt ?? '') < since)) scheduled.push(post);
    }
    // Only now it is known which run of the emulator they belong to.
    for (const post of scheduled) {
      const body = JSON.stringify(scheduledEvent(post));
      const headers = await signWebhook({ body, secret });
      const { ok } = await inbox.fetch(new Request('http://inbox.invalid/', { method: 'POST', headers, body }));
      // The position must not advance.
      if (!ok) throw new Error('The store did not accept an event');
    }
  }

  async #moveTo(place: ListenPlace): Promise<void> {
    await put(this.#parts.store, placeKey, JSON.stringify(place));
  }
}

/** Only one process writes the item. */
async function put(store: DurableStore, key: string, data: string): Promise<void> {
  const item = await store.get(key);
  if (item === undefined) await store.insert(key, data, null);
  else await store.swap(key, item.version, data, null);
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

// An emulator reports its changes, and can begin again with the same IDs.

const pauseMs = 1000;

/**
 * Reports each change of an emulator as an event `change`, until the signal aborts. Opens the stream again when it ends, and
 * only at loopback addresses. Returns whether the service is an emulator.
 */
export async function watchEmulator(baseUrl: string, signal: AbortSignal, changes: EventTarget): Promise<boolean> {
  if (!isLocal(baseUrl)) return false;
  const open = () => openStream(`${new URL(baseUrl).origin}/_emulator/events`, signal);
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
  for await (const chunk of stream) {
    if (/^event: (?:post|clock|state)$/m.test(decoder.decode(chunk, { stream: true })))
      changes.dispatchEvent(new Event('change'));
  }
}

const runKey = 'run';

/**
 * A store with a part for each run of the emulator. A new run without its state assigns the same post IDs again. A
 * known ID with another `createdAt` shows a new run.
 */
export class RunStore {
  readonly #all: DurableStore;
  #run = 0;
  /** The part of the current run. */
  readonly store: DurableStore;

  constructor(all: DurableStore) {
    this.#all = all;
    this.store = prefixedStore(all, () => `run/${String(this.#run)}/`);
  }

  get run(): number {
    return this.#run;
  }

  /** Continues with the last run. */
  async open(): Promise<void> {
    this.#run = Number((await this.#all.get(runKey))?.data ?? 0);
  }

  /** Remembers a post. If its ID belongs to another post, a new part begins. */
  async see({ postId, createdAt }: Pick<Post, 'postId' | 'createdAt'>): Promise<void> {
    if (createdAt === undefined) return;
    const key = `post/${postId}`;
    const item = await this.store.get(key);
    if (item?.data === createdAt) return;
    if (item !== undefined) {
      const run = this.#run + 1;
      await put(this.#all, runKey, String(run));
      this.#run = run;
    }
    await this.store.insert(key, createdAt, null);
  }
}

/** A part of a store: all its keys begin with the current prefix. */
export function prefixedStore(store: DurableStore, prefixNow: () => string): DurableStore {
  return {
    get: (key) => store.get(prefixNow() + key),
    insert: (key, data, wakeAt) => store.insert(prefixNow() + key, data, wakeAt),
    swap: (key, version, data, wakeAt) => store.swap(prefixNow() + key, version, data, wakeAt),
    due: async (inner, now, limit) => {
      const prefix = prefixNow();
      return (await store.due(prefix + inner, now, limit)).map((key) => key.slice(prefix.length));
    },
    scan: async (inner, after, limit) => {
      const prefix = prefixNow();
      const items = await store.scan(prefix + inner, after === undefined ? undefined : prefix + after, limit);
      return items.map((item) => ({ ...item, key: item.key.slice(prefix.length) }));
    },
  };
}
