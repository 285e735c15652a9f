import type * as z from 'zod/mini';
import type { listPostsQuerySchema } from '../../resources/posts.js';
import type { OrderedList } from '../service/ordered-list.js';
import { platformBits } from '../service/platform-bits.js';
import type { StoredPost } from '../service/stored.js';
import { instant } from '../service/time.js';
import type { Service } from './handler.js';

type Query = z.infer<ReturnType<typeof listPostsQuerySchema>>;
type Filter = (post: StoredPost) => boolean;

/** A page of the posts that a query asks for, and how many there are. */
export function listPosts(service: Service, query: Query): { total: number; posts: StoredPost[] } {
  const posts = candidates(service, query);
  const [from, to] = createdWithin(posts, query.createdAfter, query.createdBefore);
  const filters = filtersOf(service, query);
  if (filters.length === 0) {
    const [first, end] = pageOf(query, to - from);
    return { total: to - from, posts: inOrder(query, posts, from, first, end, to) };
  }
  const { offset = 0, limit = Infinity } = query;
  const page: StoredPost[] = [];
  let total = 0;
  posts.each(from, to, query.sort !== 'asc', (post) => {
    for (const passes of filters) if (!passes(post)) return;
    if (total >= offset && total < offset + limit) page.push(post);
    total += 1;
  });
  return { total, posts: page };
}

/** The shortest list that holds all that a query asks for. */
function candidates({ store }: Service, { status, platform = [] }: Query): OrderedList<StoredPost> {
  const { posts } = store.state;
  if (status !== undefined) return posts.withStatus(status);
  const [only] = platform;
  return only === undefined || platform.length > 1 ? posts.fromOldest() : posts.onPlatform(only);
}

/** Where the page begins and ends among what matches. */
function pageOf({ offset = 0, limit }: Query, total: number): [from: number, to: number] {
  const from = Math.min(offset, total);
  return [from, limit === undefined ? total : Math.min(from + limit, total)];
}

/** A page of posts of which all match. Without `sort` it begins at the newest one. */
function inOrder(
  { sort }: Query,
  posts: OrderedList<StoredPost>,
  from: number,
  first: number,
  end: number,
  to: number,
): StoredPost[] {
  return sort === 'asc' ? posts.slice(from + first, from + end) : posts.slice(to - end, to - first).reverse();
}

/** The places of the posts that were created within bounds, both inclusive. */
function createdWithin(
  posts: OrderedList<StoredPost>,
  after: string | undefined,
  before: string | undefined,
): [from: number, to: number] {
  const from = after === undefined ? 0 : posts.countBelow(instant(after));
  // Times are whole milliseconds: up to this one means below the next one.
  const to = before === undefined ? posts.size : posts.countBelow(instant(before) + 1);
  return [from, Math.max(from, to)];
}

function bound(dateTime: string | undefined, none: number): number {
  return dateTime === undefined ? none : instant(dateTime);
}

/** The filters that no index answers. Given together, they narrow each other. */
function filtersOf(service: Service, query: Query): Filter[] {
  const { platform, profileId, scheduledAfter, scheduledBefore } = query;
  const filters: Filter[] = [];
  const now = service.clock.now();
  if (service.store.state.posts.lagsAt(now)) filters.push(({ listedAt = -Infinity }) => listedAt <= now);
  if (platform !== undefined && (platform.length > 1 || query.status !== undefined)) {
    const wanted = platformBits(platform);
    filters.push((post) => (post.platformBits & wanted) !== 0);
  }
  if (profileId !== undefined) filters.push((post) => hasProfile(service, post, profileId));
  if (scheduledAfter !== undefined || scheduledBefore !== undefined) {
    const [from, to] = [bound(scheduledAfter, -Infinity), bound(scheduledBefore, Infinity)];
    filters.push(({ scheduledMs }) => scheduledMs >= from && scheduledMs <= to);
  }
  return filters;
}

/** A post is a profile's where one of its integrations is, and nobody's (`null`) where none of them has a profile. */
function hasProfile({ events }: Service, post: StoredPost, profileId: string | null): boolean {
  const profiles = post.targets.map((target) => events.profileOf(target));
  if (profileId === null) return profiles.length > 0 && profiles.every((profile) => profile === null);
  return profiles.includes(profileId);
}
