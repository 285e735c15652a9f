import type * as z from 'zod/mini';
import type { listPostsQuerySchema } from '../../resources/posts.js';
import type { OrderedList } from '../service/ordered-list.js';
import type { StoredPost } from '../service/stored.js';
import { instant } from '../service/time.js';
import type { Service } from './handler.js';

type Query = z.infer<ReturnType<typeof listPostsQuerySchema>>;
type Filter = (post: StoredPost) => boolean;

/** A page of the posts that a query asks for, and how many there are. */
export function listPosts(service: Service, query: Query): { total: number; posts: StoredPost[] } {
  const posts = service.store.state.posts.fromOldest(query.status);
  const [from, to] = createdWithin(posts, query.createdAfter, query.createdBefore);
  const filters = filtersOf(service, query);
  if (filters.length === 0) {
    const [first, end] = pageOf(query, to - from);
    return { total: to - from, posts: inOrder(query, posts, from, first, end, to) };
  }
  const matching = posts.slice(from, to).filter((post) => filters.every((passes) => passes(post)));
  if (query.sort !== 'asc') matching.reverse();
  return { total: matching.length, posts: matching.slice(...pageOf(query, matching.length)) };
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
  const [earliest, latest] = [bound(after, -Infinity), bound(before, Infinity)];
  const from = after === undefined ? 0 : posts.countBefore(({ createdMs }) => createdMs >= earliest);
  const to = before === undefined ? posts.size : posts.countBefore(({ createdMs }) => createdMs > latest);
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
  if (platform !== undefined) {
    const wanted: readonly string[] = platform;
    filters.push(({ targets }) => targets.some((target) => wanted.includes(target.platform)));
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
