import { ConfigurationError } from '../core/errors.js';
import { checkNames } from '../core/names.js';
import type { CreatePostBody, CreatePostResponse, ListPostsQuery, Post } from '../resources/post-shapes.js';
import type { DurableStore } from '../stores/store.js';
import type { IntentPolicy } from './intent.js';

/** What a publisher needs of a client: a `SocialPublishing` has it. */
export interface PublisherClient {
  /** The posts. */
  readonly posts: {
    /** Creates a post, as `SocialPublishing.posts.create` does. */
    create(
      body: CreatePostBody,
      options?: {
        /** Fields beside the typed ones, sent as they are. */
        readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
      },
    ): Promise<CreatePostResponse>;
    /** Lists posts, as `SocialPublishing.posts.list` does. */
    list(query?: ListPostsQuery): {
      /** The list page by page. `responseOf` knows each page's reply, whose `Date` tells the service's time. */
      pages(): AsyncIterable<{
        /** The posts of the page. */
        readonly items: readonly Post[];
        /** Whether there is a next page. Missing: there may be one. */
        readonly hasNextPage?: boolean;
      }>;
    };
  };
}

/** What {@link createPublisher} is made with. */
export interface PublisherOptions<Store extends DurableStore = DurableStore> {
  /**
   * The client that sends: a `SocialPublishing`, with its own retries, limits and hooks. Its retries are safe here: it
   * never repeats a create that may have reached the service.
   */
  readonly client: PublisherClient;
  /** Where intents are kept. All processes that publish the same things share it. */
  readonly store: Store;
  /**
   * What becomes of an intent in doubt whose post is not listed. `hold`: it stays in doubt until its post is listed, or a
   * person tells (`resolve`); nothing is ever sent twice. `resend`: it is sent again once `settleMs` have passed, which can
   * publish twice: where the service lists a post later than that, and where the first request arrives later.
   * Default `hold`.
   */
  readonly onMissing?: 'hold' | 'resend' | undefined;
  /**
   * Within how many milliseconds a request that was sent is carried out and listed, for all that can be known. Default
   * 600,000 (10 minutes). What is listed later than that is not taken for the intent's post.
   */
  readonly settleMs?: number | undefined;
  /**
   * For how many milliseconds other processes leave an intent alone that is being sent. Once they are over, others look
   * for its post; they never send it. Default 60,000.
   */
  readonly leaseMs?: number | undefined;
  /**
   * `schedule`: each scheduled intent is sent with a `scheduledFor` of its own, up to 999 ms after yours (in a crowd of
   * more than that, up to a minute), by which its post is found again without doubt. Without it a post is found by the
   * request that the service kept of it. It holds for a `scheduledFor` with an offset (or `Z`, or a `Date`) alone.
   */
  readonly correlate?: 'schedule' | undefined;
  /**
   * `schedule`: what is to be published now is sent as a post that is scheduled a minute ahead, so that `correlate` works
   * for it too. The service then tells of it with `post.scheduled` as well. Only together with `correlate`.
   */
  readonly publishNowAs?: 'schedule' | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default `Date.now`. It need not agree with other processes'. */
  readonly now?: (() => number) | undefined;
}

/** Options that were checked, with every default in its place. */
export interface PublisherSettings extends IntentPolicy {
  readonly client: PublisherClient;
  readonly store: DurableStore;
  readonly correlate: 'schedule' | undefined;
  readonly publishNowAs: 'schedule' | undefined;
  readonly now: () => number;
}

const optionNames: ReadonlySet<string> = new Set<keyof PublisherOptions>([
  'client',
  'store',
  'onMissing',
  'settleMs',
  'leaseMs',
  'correlate',
  'publishNowAs',
  'now',
]);

/** @throws ConfigurationError an option can't work */
export function readOptions(options: PublisherOptions): PublisherSettings {
  if (typeof options !== 'object' || (options as unknown) === null) {
    throw new ConfigurationError('createPublisher takes an object of options.');
  }
  checkNames('option', options, optionNames);
  const { client, store, onMissing = 'hold', settleMs = 600_000, leaseMs = 60_000, correlate, publishNowAs } = options;
  const { now = Date.now } = options;
  checkParts(client, store);
  const oneOf = (name: string, value: unknown, ...allowed: unknown[]) => {
    if (value !== undefined && !allowed.includes(value)) {
      throw new ConfigurationError(`${name} must be ${allowed.map((word) => `'${String(word)}'`).join(' or ')}.`);
    }
  };
  oneOf('onMissing', onMissing, 'hold', 'resend');
  oneOf('correlate', correlate, 'schedule');
  oneOf('publishNowAs', publishNowAs, 'schedule');
  if (publishNowAs !== undefined && correlate === undefined) {
    throw new ConfigurationError("publishNowAs: 'schedule' needs correlate: 'schedule' beside it.");
  }
  for (const [name, value] of Object.entries({ settleMs, leaseMs })) {
    if (!Number.isFinite(value) || value <= 0) {
      throw new ConfigurationError(`${name} must be a number of milliseconds above 0.`);
    }
  }
  if (typeof now !== 'function') throw new ConfigurationError('now must be a function that gives milliseconds.');
  return { client, store, onMissing, settleMs, leaseMs, correlate, publishNowAs, now };
}

function checkParts(client: unknown, store: unknown): void {
  const has = (value: unknown, ...methods: string[]) =>
    typeof value === 'object' &&
    value !== null &&
    methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
  if (!has((client as { posts?: unknown } | undefined)?.posts, 'create', 'list')) {
    throw new ConfigurationError('client must be a SocialPublishing.');
  }
  if (!has(store, 'get', 'insert', 'swap', 'due', 'scan')) {
    throw new ConfigurationError(
      'store must be a DurableStore, for example a SqliteStore, a PostgresStore, a RedisStore or a MemoryDurableStore.',
    );
  }
}
