import {
  checkPassed,
  hasMethods,
  isFunction,
  isMilliseconds,
  oneOf,
  optional,
  optionsOf,
} from '../core/call/options.js';
import { ConfigurationError } from '../core/errors.js';
import { defaultOutageMs } from '../core/flow/outage.js';
import { isFields, notStorable } from '../core/json.js';
import { baseUrlOf, parseUrl } from '../core/parse-url.js';
import type { CreatePostBody, CreatePostResponse, ListPostsQuery, Post } from '../posts/post-shapes.js';
import { isStore } from '../stores/checks.js';
import type { DurableStore } from '../stores/store.js';
import type { IntentPolicy } from './intents/intent.js';
import type { Intent, IntentState } from './intents/intent-record.js';
import { defaultSettleMs } from './intents/wake-times.js';

/** Options of a list that a publisher reads. */
export interface ListPostsOptions {
  /** Ends the call: its result is not needed any more. */
  readonly signal?: AbortSignal | undefined;
  /** How many times a failed call may be retried. */
  readonly maxRetries?: number | undefined;
}

/** The part of a client that a publisher uses. A `SocialPublishing` has it. */
export interface PublisherClient {
  /** The URL of the service. Missing: the publisher's intents belong to every service, unless it has a `service`. */
  readonly baseUrl?: string | undefined;
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
    list(
      query?: ListPostsQuery,
      options?: ListPostsOptions,
    ): {
      /** Returns the list page by page. `responseOf` returns each page's reply, whose `Date` shows the service's time. */
      pages(): AsyncIterable<{
        /** The posts of the page. */
        readonly items: readonly Post[];
        /** The reply. A list that shows fewer posts than its `total` is no proof that a post does not exist. */
        readonly response?: {
          /** The number of posts in the whole list. Missing: unknown. */
          readonly total?: number | undefined;
        };
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
   * The URL of the service that the intents belong to, http: or https:. A publisher changes and returns only intents of
   * its service. If the URL of the same service changes, for example the
   * URL of a proxy, pass the earlier URL. The publisher then continues with the intents in the store. Default: the `baseUrl` of the client.
   */
  readonly service?: string | URL | undefined;
  /**
   * The name of a project, at most 256 characters. The same key in two scopes is two intents, and a publisher changes
   * and returns only intents of its scope. Two access keys on one store need two scopes. If you omit it, the publisher
   * uses the intents without a scope.
   */
  readonly scope?: string | undefined;
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
   * Sends each scheduled intent this long before its `scheduledFor`, in milliseconds. Until then it is `ready`, can be
   * cancelled and edited, and `sendAt` shows the time. A sweep sends it, so sweep more often than this. Default: at once.
   */
  readonly sendAheadMs?: number | undefined;
  /**
   * An intent with `sendAheadMs` that was not sent this long after its `scheduledFor`, in milliseconds, is not sent any
   * more: it becomes `rejected`. Default 3,600,000 (1 hour). `Infinity`: it is sent, however late.
   */
  readonly maxLateMs?: number | undefined;
  /**
   * How long `publishMany` and `sweep` wait for a service that is down, in milliseconds from the first failed create, 0
   * or more. They start no create meanwhile. After that time, `publishMany` stores the remaining intents as `ready`, and
   * `sweep` returns. Default 600,000 (10 minutes).
   */
  readonly outageMs?: number | undefined;
  /**
   * The publisher calls it when this process moves an intent to `in_doubt`, for example to alert an operator. The
   * search that follows can still find its post. Otherwise as `onChange`.
   */
  readonly onInDoubt?: ((intent: Intent) => void | Promise<void>) | undefined;
  /**
   * The publisher calls it once for each change of state that this process writes, with the new intent and its previous
   * state. `undefined`: the intent is new. It receives each state that `get` could return, also `sending`, and `rejected`
   * for an intent that the client refuses, before that intent is removed. It is not called for an `enqueue` with
   * `within`, because the transaction can still be rolled back, and not for a removal. A process that ends, or a store
   * that fails, right after a write can lose a call. The publisher does not wait for a promise, and ignores exceptions
   * and rejections.
   */
  readonly onChange?: ((intent: Intent, previousState: IntentState | undefined) => void | Promise<void>) | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default `Date.now`. The clocks of processes may differ. */
  readonly now?: (() => number) | undefined;
}

export interface PublisherSettings
  extends IntentPolicy, Pick<PublisherOptions, 'client' | 'store' | 'sendAheadMs' | 'onInDoubt' | 'onChange'> {
  /** The normalised URL. `undefined`: every service. */
  readonly service: string | undefined;
  /** In Unicode NFC. */
  readonly scope: string | undefined;
  readonly outageMs: number;
  readonly now: () => number;
}

/** Returns a URL as the URL Standard writes it, without a slash at its end. Omits a user name, a query and a fragment. */
function urlOf(value: unknown): string | undefined {
  const text = value instanceof URL ? value.href : value;
  const url = typeof text === 'string' ? parseUrl(text) : undefined;
  if (url === undefined) return undefined;
  return url.protocol === 'https:' || url.protocol === 'http:' ? baseUrlOf(url) : undefined;
}

export const isScope = optional(
  'a text of at most 256 characters without the character NUL (U+0000) and without half a surrogate pair',
  (value) => typeof value === 'string' && value.length <= 256 && !notStorable.test(value),
);

export const isSendAhead = isMilliseconds({ least: 0, orInfinity: true });

const postsCheck = hasMethods('the posts of a SocialPublishing', 'create', 'list');

const optionsCheck = optionsOf<PublisherOptions>('an option of createPublisher', {
  client: (client, path, issues) => {
    postsCheck((client as Partial<PublisherClient> | null | undefined)?.posts, [...path, 'posts'], issues);
  },
  store: isStore,
  service: optional('a URL that begins with https: or http:', (value) => urlOf(value) !== undefined),
  scope: isScope,
  onMissing: oneOf('hold', 'resend'),
  settleMs: isMilliseconds(),
  leaseMs: isMilliseconds(),
  sendAheadMs: isSendAhead,
  maxLateMs: isMilliseconds({ least: 0, orInfinity: true }),
  outageMs: isMilliseconds({ least: 0 }),
  onInDoubt: isFunction,
  onChange: isFunction,
  now: isFunction,
});

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
  checkRemoved(options);
  checkPassed(optionsCheck, options);
  const { client, store, sendAheadMs, onInDoubt, onChange } = options;
  return {
    client,
    store,
    service: urlOf(options.service ?? options.client.baseUrl),
    scope: options.scope?.normalize('NFC'),
    onMissing: options.onMissing ?? 'hold',
    settleMs: options.settleMs ?? defaultSettleMs,
    leaseMs: options.leaseMs ?? 60_000,
    maxLateMs: options.maxLateMs ?? 3_600_000,
    outageMs: options.outageMs ?? defaultOutageMs,
    now: options.now ?? Date.now,
    sendAheadMs,
    onInDoubt,
    onChange,
  };
}
