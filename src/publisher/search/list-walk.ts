/** Reads the list of posts, as far as a search needs it. */
import { isApiError, isErrorNamed } from '../../core/errors.js';
import { responseOf } from '../../core/call/response.js';
import { ServiceClock, type LocalTime } from '../../core/service-clock.js';
import { isInstant } from '../../model/instant.js';
import type { ListPostsQuery, Post } from '../../posts/post-shapes.js';
import type { ListPostsOptions, PublisherSettings } from '../options.js';

/** A range of times by the service's clock, in milliseconds. Its ends can be infinite. */
export interface ListRange {
  readonly by: 'created' | 'scheduled';
  readonly from: number;
  readonly to: number;
}

export interface ListWalk {
  readonly range: ListRange;
  /** Only a hint: the API document does not say by which field the service sorts. */
  readonly sort: 'asc' | 'desc';
  /** Receives the posts of each page. `true` ends the walk. */
  readonly onPage: (posts: readonly Post[]) => Promise<boolean>;
}

/** The service's clock, as the replies to one publisher show it. */
export class LearnedClock {
  readonly #clock = new ServiceClock();
  readonly #time: LocalTime;

  constructor(time: LocalTime) {
    this.#time = time;
  }

  /** How far the service's clock is ahead of this machine's; `undefined`: no reply of the last 10 minutes showed it. */
  get offsetMs(): number | undefined {
    return this.#clock.recentOffsetMs(this.#time);
  }

  /** @param reply a reply, a page, or the error of a call */
  learn(reply: unknown): void {
    this.#clock.learn(headersOf(reply), this.#time);
  }
}

/** A list that showed fewer posts than its `total`. */
export interface ListGap {
  readonly shown: number;
  readonly total: number;
}

/**
 * Reads a range of the list, in the largest pages that the API document allows. If a page cannot be read, for example
 * because its posts are too long for a client's limit, it starts again with smaller pages.
 * @returns the gap of a list that ended early
 */
export async function walkList(
  { client }: PublisherSettings,
  clock: LearnedClock,
  { range, sort, onPage }: ListWalk,
): Promise<ListGap | undefined> {
  for (let limit = 100; ; limit /= 10) {
    let [shown, total] = [0, 0];
    try {
      for await (const page of client.posts.list({ ...boundsOf(range), limit, sort }).pages()) {
        clock.learn(page);
        if (await onPage(page.items)) return undefined;
        shown += page.items.length;
        // If a post is deleted meanwhile, the next one moves to a page that was read.
        total = Math.max(total, page.response?.total ?? 0);
      }
      return shown < total ? { shown, total } : undefined;
    } catch (error) {
      if (!isErrorNamed(error, 'ResponseError') || limit === 1) throw error;
    }
  }
}

/** Reads one post of the list, which shows that the service answers, and its time. */
export async function readOnePost(
  { client }: PublisherSettings,
  clock: LearnedClock,
  options?: ListPostsOptions,
): Promise<void> {
  for await (const page of client.posts.list({ limit: 1 }, options).pages()) {
    clock.learn(page);
    return;
  }
}

function boundsOf({ by, from, to }: ListRange): ListPostsQuery {
  // A `Date` ends at this time. An option such as `settleMs` can be larger.
  const bound = (time: number) => (isInstant(time) ? new Date(time).toISOString() : undefined);
  return by === 'created'
    ? { createdAfter: bound(from), createdBefore: bound(to) }
    : { scheduledAfter: bound(from), scheduledBefore: bound(to) };
}

/** Returns the headers of a reply, a page or an error. */
function headersOf(reply: unknown): Headers | undefined {
  if (isApiError(reply)) return reply.headers;
  return typeof reply === 'object' && reply !== null ? responseOf(reply)?.headers : undefined;
}
