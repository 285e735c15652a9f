import { linkedController, throwIfAborted } from '../core/flow/abort.js';
import { callSafely } from '../core/call/hooks.js';
import type { Runtime } from '../core/runtime.js';
import type { KnownWebhookEvent, WebhookEvent } from '../model/events.js';
import type { Post } from './post-shapes.js';

/** Collects the final events of wanted posts from a feed. An event ends a pause. */
export class FinalEventFeed {
  readonly #iterator: AsyncIterator<WebhookEvent> | undefined;
  readonly #isWanted: (postId: string) => boolean;
  readonly #events = new Map<string, KnownWebhookEvent>();
  #isOpen: boolean;
  #hasNews = false;
  #wake: () => void = () => undefined;

  constructor(events: AsyncIterable<WebhookEvent> | undefined, isWanted: (postId: string) => boolean) {
    this.#isWanted = isWanted;
    this.#isOpen = events !== undefined;
    this.#iterator = events?.[Symbol.asyncIterator]();
    void this.#read();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  take(): ReadonlyMap<string, KnownWebhookEvent> {
    this.#hasNews = false;
    return new Map(this.#events);
  }

  async pause(runtime: Runtime, ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#hasNews) return;
    if (!this.#isOpen) {
      await runtime.sleep(ms, signal);
      return;
    }
    throwIfAborted(signal);
    const { stop: nap, forget } = linkedController(signal);
    const woken = new Error('An event came.');
    this.#wake = () => {
      nap.abort(woken);
    };
    try {
      await runtime.sleep(ms, nap.signal);
    } catch (error) {
      if (error !== woken) throw error;
    } finally {
      this.#wake = () => undefined;
      forget();
    }
  }

  /** Closes the feed without waiting for it: it may wait for an event that never comes. */
  close(): void {
    this.#isOpen = false;
    void callSafely(() => this.#iterator?.return?.());
  }

  async #read(): Promise<void> {
    try {
      while (this.#isOpen) {
        const next = await this.#iterator?.next();
        if (next === undefined || next.done === true) break;
        const event = next.value;
        // An unacknowledged delivery is repeated with the same content.
        if (!event.known || event.type === 'post.scheduled' || !this.#isWanted(event.data.post.id)) continue;
        this.#events.set(event.data.post.id, event);
        this.#hasNews = true;
        this.#wake();
      }
    } catch {
      // A feed that fails does not end the wait: there are still the lists.
    }
    this.#isOpen = false;
  }
}

/** Returns a post from its final event, merged over the last listed post. */
export function postOfEvent(event: KnownWebhookEvent, listed: Post | undefined): Post {
  const { post, platforms } = event.data;
  const { content = listed?.content, scheduledFor } = post;
  return {
    ...listed,
    postId: post.id,
    status: event.type.replace('post.', ''),
    ...(content === undefined ? {} : { content }),
    ...(typeof scheduledFor === 'string' ? { scheduledFor } : {}),
    platforms: platforms.map(({ platform, status, ...told }) => ({
      ...(platform === undefined ? {} : { platform }),
      ...(status === undefined ? {} : { status }),
      ...textsOf(told, ['platformPostId', 'platformPostUrl', 'publishedAt', 'errorMessage', 'warningMessage']),
    })),
  };
}

/** Returns the string fields: an event has `null` for a missing value. */
function textsOf<Name extends string>(
  fields: Readonly<Partial<Record<Name, string | null | undefined>>>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}
