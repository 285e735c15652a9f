import { batch, computed, signal } from '@preact/signals';
import { isFinalStatus, targetResults, type Post, type TargetResult } from 'social-publishing';
import { background } from '../world/session.js';
import { wordsOfRead } from '../world/words.js';
import { onChanged } from './change-events.js';
import { checkConnection, isAnswering } from './live.js';
import { announce } from './notices.js';
import { partOf, quantity } from './quantity.js';
import { dayOf } from './time.js';
import { gathered } from './timers.js';
import { changedDuringRead } from './changed-during-read.js';

/** All posts by ID, in the order of their discovery. */
const known = new Map<string, Post>();

/** Every post, the newest first. */
export const posts = signal<readonly Post[]>([]);
export const postsError = signal<string | undefined>(undefined);
/** The number of all posts, during the first read. */
export const postsLoading = signal<{ readonly read: number; readonly total: number } | undefined>(undefined);

/** Says how far the first read is; undefined after it. */
export function loadingText(): string | undefined {
  if (postsRead.value) return undefined;
  const { value } = postsLoading;
  if (value === undefined) return 'Loading';
  return `Reading ${partOf(value.read, value.total, quantity(value.total, 'post', 'posts'))}`;
}

/** Changes within this time are shown together. */
const gatherMs = 100;
/** A failed read is repeated after this time. */
const retryMs = 3_000;
/** The length of a post's content for screen readers. */
const announcedLength = 60;
/** The length of a post's content in a sentence. */
const titleLength = 40;
const meanwhile = changedDuringRead();

function show(): void {
  posts.value = [...known.values()].sort((a, b) => compare(b.createdAt ?? '', a.createdAt ?? ''));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const showSoon = gathered(gatherMs, show);

/** Whether the list was read at least once. */
export const postsRead = signal(false);
let reading: Promise<void> | undefined;
let next: Promise<void> | undefined;

/** Reads the whole list. A request during a read triggers one more read after it. */
export function loadPosts(): Promise<void> {
  if (reading !== undefined) {
    next ??= reading.then(() => {
      next = undefined;
      return loadPosts();
    });
    return next;
  }
  reading = meanwhile.during(readAll).finally(() => {
    reading = undefined;
  });
  return reading;
}

/** Forgets posts that are no longer listed, except posts reported since the read began. */
async function readAll(told: ReadonlySet<string>): Promise<void> {
  const seen = new Set<string>();
  try {
    for await (const page of background().posts.list({ limit: 100 }, { concurrency: 4 }).pages()) {
      for (const post of page.items) {
        seen.add(post.postId);
        if (!told.has(post.postId)) known.set(post.postId, post);
      }
      if (!postsRead.value) postsLoading.value = { read: seen.size, total: page.response.total ?? seen.size };
      showSoon();
    }
    for (const id of [...known.keys()]) if (!seen.has(id) && !told.has(id)) known.delete(id);
    batch(() => {
      postsRead.value = true;
      postsError.value = undefined;
      postsLoading.value = undefined;
      show();
    });
  } catch (error) {
    postsError.value = wordsOfRead(error);
    void checkConnection();
    retry();
    postsLoading.value = undefined;
  }
}

const retry = gathered(retryMs, () => {
  // If no emulator answers, the posts are read when it answers again.
  if (postsError.value !== undefined && isAnswering.value) void loadPosts();
});

/** A search in the list would take seconds for the posts of a week out of 10,000. */
const byId = computed(() => new Map(posts.value.map((post) => [post.postId, post])));

export function findPost(postId: string): Post | undefined {
  return byId.value.get(postId);
}

/** Shows a change of a post before its event arrives. */
export function putPost(post: Post): void {
  meanwhile.add(post.postId);
  known.set(post.postId, post);
  show();
}

onChanged('post', (detail) => {
  // An event contains the post; otherwise the list is read again.
  if (!isPost(detail)) {
    void loadPosts();
    return;
  }
  if (isFinalStatus(detail.status) && known.get(detail.postId)?.status !== detail.status)
    announce(`Post ${detail.status}: ${detail.content?.slice(0, announcedLength) ?? detail.postId}`);
  meanwhile.add(detail.postId);
  known.set(detail.postId, detail);
  showSoon();
});

function isPost(value: unknown): value is Post {
  return typeof value === 'object' && value !== null && 'postId' in value && typeof value.postId === 'string';
}

const results = new WeakMap<Post, readonly TargetResult[]>();

/** Returns the results of a post's targets, computed once per post, because lists and the calendar read them often. */
export function targetsOf(post: Post): readonly TargetResult[] {
  const found = results.get(post) ?? targetResults(post).all;
  results.set(post, found);
  return found;
}

/** Letters from right to left, and characters that change the direction of the text after them. */
const changesDirection = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Keeps the direction of a text from changing the rest of its sentence. */
const isolated = (text: string): string => (changesDirection.test(text) ? `\u2068${text}\u2069` : text);

const rank = ({ state, warning }: TargetResult): number => (state === 'failed' ? 0 : warning === undefined ? 2 : 1);

/** Returns whether a target failed, or was published with a warning. */
export const isProblem = (target: TargetResult): boolean => rank(target) < 2;

/** Returns whether the status of the post does not tell the results of its targets: they differ, or have a warning. */
export const areMixed = (targets: readonly TargetResult[]): boolean =>
  new Set(targets.map(({ state }) => state)).size > 1 || targets.some(({ warning }) => warning !== undefined);

/** Returns failed targets first, then targets with a warning. A place with little room shows only the first ones. */
export const problemsFirst = (targets: readonly TargetResult[]): readonly TargetResult[] =>
  [...targets].sort((a, b) => rank(a) - rank(b));

/** Returns the first words of a post in quotation marks, to name it in a sentence. */
export function titleOfPost({ content = '', postId }: Pick<Post, 'content' | 'postId'>, most = titleLength): string {
  const text = content.trim().replaceAll(/\s+/g, ' ');
  if (text === '') return `Post ${postId}`;
  if (text.length <= most) return `“${isolated(text)}”`;
  const cut = text.slice(0, most + 1);
  const space = cut.lastIndexOf(' ');
  // A long word, or a text without spaces, is cut within the word.
  return `“${isolated(cut.slice(0, space > 0 ? space : most))}…”`;
}

/** Returns the planned or actual publication time of a post. Undefined for drafts. */
export function timeOf(post: Post): string | undefined {
  if (post.status === 'draft') return post.scheduledFor;
  return (
    post.scheduledFor ??
    post.platforms?.find(({ publishedAt }) => publishedAt !== undefined)?.publishedAt ??
    post.createdAt
  );
}

/** The published posts by their IDs on the platforms. */
export const postsByPlatformId = computed<ReadonlyMap<string, Post>>(
  () =>
    new Map(
      posts.value.flatMap((post) =>
        (post.platforms ?? []).flatMap(({ platformPostId }): [string, Post][] =>
          platformPostId === undefined ? [] : [[platformPostId, post]],
        ),
      ),
    ),
);

/** Groups posts by day, each day in order of time. */
export function groupByDay(some: readonly Post[]): ReadonlyMap<string, readonly Post[]> {
  const days = new Map<string, { readonly time: string; readonly post: Post }[]>();
  for (const post of some) {
    const time = timeOf(post);
    if (time === undefined) continue;
    const day = dayOf(time);
    const entries = days.get(day) ?? [];
    entries.push({ time, post });
    days.set(day, entries);
  }
  return new Map(
    [...days].map(([day, entries]) => [
      day,
      // Of posts of the same time, the one that was created first comes first.
      entries
        .reverse()
        .sort((a, b) => compare(a.time, b.time))
        .map(({ post }) => post),
    ]),
  );
}
