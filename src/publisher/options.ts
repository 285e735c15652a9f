import {
  checkConfiguration,
  hasMethods,
  isFunction,
  isMilliseconds,
  isObject,
  oneOf,
  optionsOf,
} from '../core/options.js';
import { ConfigurationError } from '../core/errors.js';
import { isFields } from '../core/json.js';
import type { CreatePostBody, CreatePostResponse, ListPostsQuery, Post } from '../resources/post-shapes.js';
import type { DurableStore } from '../stores/store.js';
import type { IntentPolicy } from './intent.js';
import type { Intent } from './intent-view.js';

/** The part of a client that a publisher uses. A `SocialPublishing` has it. */
export interface PublisherClient {
  /** The posts. */
  readonly posts: {
    /** Creates a post, as `SocialPublishing.posts.create` does. */
    create(
      body: CreatePostBody,
      options?: {
        /** Fields in addition to the typed ones, sent unchecked. */
        readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
      },
    ): Promise<CreatePostResponse>;
    /** Lists posts, as `SocialPublishing.posts.list` does. */
    list(query?: ListPostsQuery): {
      /** Returns the list page by page. `responseOf` returns each page's reply, whose `Date` shows the service's time. */
      pages(): AsyncIterable<{
        /** The posts of the page. */
        readonly items: readonly Post[];
        /** Whether there is a next page. Missing: there may be one. */
        readonly hasNextPage?: boolean;
      }>;
    };
  };
}

/** Options of {@link createPublisher}. */
export interface PublisherOptions<Store extends DurableStore = DurableStore> {
  /**
   * The client that sends: a `SocialPublishing`, with its own retries, limits and hooks. Its retries are safe here: it
   * never repeats a create that may have reached the service.
   */
  readonly client: PublisherClient;
  /** The store of the intents. All processes that publish the same things share it. */
  readonly store: Store;
  /**
   * How to treat an intent in doubt whose post is not listed. `hold`: it stays in doubt until its post is listed, or
   * an operator decides (`resolve`). Nothing is ever sent twice. `resend`: it is sent again if a search that began at
   * least `settleMs` after the send found no match and no candidate. This can publish twice: if the service lists the
   * post later than that, or if the first request arrives later. Default `hold`.
   */
  readonly onMissing?: 'hold' | 'resend' | undefined;
  /**
   * The time, in milliseconds, that the service needs at most to execute a request and list its post, as far as you
   * know. Default 600,000 (10 minutes). After this time, a search reads further back once, and `resend` sends again.
   */
  readonly settleMs?: number | undefined;
  /**
   * How long other processes ignore an intent while it is sent, in milliseconds. After that, they search for its post.
   * They never send it. Default 60,000.
   */
  readonly leaseMs?: number | undefined;
  /**
   * The publisher calls it when this process moves an intent to `in_doubt`, for example to alert an operator. The
   * search that follows can still find its post. The publisher does not wait for a promise, and ignores exceptions and
   * rejections.
   */
  readonly onInDoubt?: ((intent: Intent) => void | Promise<void>) | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default `Date.now`. The clocks of processes may differ. */
  readonly now?: (() => number) | undefined;
}

export interface PublisherSettings extends IntentPolicy {
  readonly client: PublisherClient;
  readonly store: DurableStore;
  readonly onInDoubt: ((intent: Intent) => void | Promise<void>) | undefined;
  readonly now: () => number;
}

const optionsCheck = optionsOf<PublisherOptions>('an option of createPublisher', {
  client: isObject,
  store: hasMethods(
    'a DurableStore, for example a SqliteStore, a PostgresStore, a RedisStore or a MemoryDurableStore',
    'get',
    'insert',
    'swap',
    'due',
    'scan',
  ),
  onMissing: oneOf('hold', 'resend'),
  settleMs: isMilliseconds(),
  leaseMs: isMilliseconds(),
  onInDoubt: isFunction,
  now: isFunction,
});
const postsCheck = hasMethods('the posts of a SocialPublishing', 'create', 'list');

/** Options of release 0.2.0. A caller without types can still pass them. */
function checkRemoved(options: unknown): void {
  if (!isFields(options)) return;
  const name = ['correlate', 'publishNowAs'].find((removed) => options[removed] !== undefined);
  if (name === undefined) return;
  throw new ConfigurationError(
    `${name} was removed: it relied on milliseconds that the API document does not promise. Omit it. The publisher finds a ` +
      'post by its request and its time of creation. It still finds intents that an earlier version wrote with a unique time.',
  );
}

/** @throws ConfigurationError an option is invalid */
export function readOptions(options: PublisherOptions): PublisherSettings {
  const passed: unknown = options; // A caller without types can omit it.
  checkRemoved(passed);
  checkConfiguration(optionsCheck, passed ?? null);
  const { client, store, onMissing = 'hold', settleMs = 600_000, leaseMs = 60_000 } = options;
  const { onInDoubt, now = Date.now } = options;
  const passedClient: unknown = client; // A caller without types can pass anything.
  const { posts } = (passedClient ?? {}) as { posts?: unknown };
  checkConfiguration((value, _, issues) => {
    postsCheck(value, ['client.posts'], issues);
  }, posts);
  return { client, store, onMissing, settleMs, leaseMs, onInDoubt, now };
}
