import type * as z from 'zod/mini';
import type { listPostsQuerySchema } from '../../posts/posts.js';
import type { SortedList } from '../state/sorted-list.js';
import type { StoredPost } from '../state/stored-records.js';
import { instant } from '../state/time.js';
import type { Service } from './handler.js';

type ListQuery = z.infer<ReturnType<typeof listPostsQuerySchema>>;
type Filter = (post: StoredPost) => boolean;

/** Returns the page of posts that a query asks for, and the number of all posts that match. */
export function listPosts(service: Service, query: ListQuery): { total: number; posts: StoredPost[] } {
  const { posts } = service.store.state;
  const { sort = 'desc', offset = 0, limit = Infinity } = query;
  const [from, to] = createdWithin(posts.fromOldest(), query);
  const filters = filtersOf(service, query);
  const page: StoredPost[] = [];
  let total = 0;
  for (let index = from; index < to; index += 1) {
    const post = posts.fromOldest().at(sort === 'asc' ? index : from + to - 1 - index);
    if (post === undefined || !filters.every((matches) => matches(post))) continue;
    if (total >= offset && total < offset + limit) page.push(post);
    total += 1;
  }
  return { total, posts: page };
}

/** Returns the index range of the posts that were created within the bounds of a query, both inclusive. */
function createdWithin(posts: SortedList<StoredPost>, { createdAfter, createdBefore }: ListQuery): [number, number] {
  const [after, before] = [bound(createdAfter, -Infinity), bound(createdBefore, Infinity)];
  return [
    posts.countWhile(({ createdMs }) => createdMs < after),
    posts.countWhile(({ createdMs }) => createdMs <= before),
  ];
}

function bound(dateTime: string | undefined, none: number): number {
  return dateTime === undefined ? none : instant(dateTime);
}

function filtersOf(service: Service, query: ListQuery): Filter[] {
  const { status, platform: platforms, profileId, scheduledAfter, scheduledBefore } = query;
  const filters: Filter[] = [];
  const now = service.clock.now();
  filters.push(({ listedAt = -Infinity }) => listedAt <= now);
  if (status !== undefined) filters.push((post) => post.status === status);
  if (platforms !== undefined) {
    const wanted: readonly string[] = platforms;
    filters.push(({ targets }) => targets.some(({ platform }) => wanted.includes(platform)));
  }
  if (profileId !== undefined) filters.push((post) => hasProfile(service, post, profileId));
  if (scheduledAfter !== undefined || scheduledBefore !== undefined) {
    const [from, to] = [bound(scheduledAfter, -Infinity), bound(scheduledBefore, Infinity)];
    filters.push(({ scheduledMs }) => scheduledMs >= from && scheduledMs <= to);
  }
  return filters;
}

/** A post has a profile if one of its integrations has it, and the profile `null` if none of them has a profile. */
function hasProfile({ events }: Service, post: StoredPost, profileId: string | null): boolean {
  const profiles = post.targets.map((target) => events.profileOf(target));
  if (profileId === null) return profiles.length > 0 && profiles.every((profile) => profile === null);
  return profiles.includes(profileId);
}
