/** Reading the list of posts, as far as need be. */
import { ResponseError } from '../core/errors.js';
import type { Post } from '../resources/post-shapes.js';
import type { PublisherSettings } from './options.js';
import { skewOf, type ServiceClock } from './service-clock.js';

/** A time of creation by the service's clock, in milliseconds. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** What a walk over the list gave. */
export interface Walk {
  readonly posts: readonly Post[];
  readonly skewMs: number | undefined;
  /** It ended after the first page, though there may be more. */
  readonly cut: boolean;
}

export interface WalkOptions {
  /** Which posts matter: a list can be long, and so can posts. */
  readonly keep: (post: Post) => boolean;
  readonly sort: 'asc' | 'desc';
  /** Ends after one page. */
  readonly firstPageAlone: boolean;
  /** Asked of what matters on a page, where anything does. */
  readonly isEnough: (page: Walk) => Promise<boolean>;
}

/** What is used to walk. */
export interface Walker {
  readonly settings: PublisherSettings;
  readonly clock: ServiceClock;
}

/** The largest page that the API document allows. */
export const largestPage = 100;
/** Smaller ones for posts so long that a client can't take a hundred. */
const pageSizes = [largestPage, 10, 1] as const;

/** Reads the list; with smaller pages where a reply can't be read, which may be since it is too long. */
export async function walkOver(walker: Walker, window: Window, options: WalkOptions): Promise<Walk> {
  for (let size = 0; ; size += 1) {
    try {
      return await walkInPages(walker, window, options, pageSizes[size] ?? 1);
    } catch (error) {
      if (!(error instanceof ResponseError) || size === pageSizes.length - 1) throw error;
    }
  }
}

async function walkInPages(
  { settings, clock }: Walker,
  window: Window,
  { keep, sort, firstPageAlone, isEnough }: WalkOptions,
  limit: number,
): Promise<Walk> {
  const bound = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString() : undefined);
  const [createdAfter, createdBefore] = [bound(window.from), bound(window.to)];
  const posts: Post[] = [];
  let skewMs: number | undefined;
  for await (const page of settings.client.posts.list({ createdAfter, createdBefore, limit, sort }).pages()) {
    const now = settings.now();
    skewMs ??= skewOf(page, now);
    clock.see(skewOf(page, now), now);
    const kept = page.items.filter(keep);
    for (const post of kept) posts.push(post);
    if (kept.length > 0 && (await isEnough({ posts: kept, skewMs, cut: false }))) break;
    if (firstPageAlone) return { posts, skewMs, cut: page.hasNextPage ?? true };
  }
  return { posts, skewMs, cut: false };
}
