import { offsetOf } from '../../core/service-clock.js';
import { isFinalStatus, responseOf, type Post, type SocialPublishing } from '../../index.js';
import type { DurableStore } from '../../publisher/index.js';
import { signWebhook, type CatchUpPost, type CatchUpQuery, type WebhookInbox } from '../../webhooks/index.js';
import type { RunStore } from './emulator.js';

export const placeKey = 'place';
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
export class Source {
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
