/** Looks for the posts of intents: the evidence that settles a doubt, and what became of posts that are known. */
import { greatest, least } from '../core/extremes.js';
import { instantOf } from '../model/instant.js';
import { matchPost } from '../model/match-post.js';
import type { Post } from '../resources/post-shapes.js';
import type { Claims, Holder } from './claims.js';
import { wireOf, withSlot } from './content.js';
import { newsOfPost } from './news.js';
import type { PublisherSettings } from './options.js';
import type { IntentError, IntentRecord, PostNews } from './record.js';
import { describeError } from './send.js';
import type { ServiceClock } from './service-clock.js';
import { largestPage, walkOver, type Walk, type Window } from './walk.js';

/** An intent to look for. `own`: it was sent by this very process a moment ago, so that its clock is the one here. */
export interface Wanted {
  readonly record: IntentRecord;
  readonly own: boolean;
}

/** What a look gave for one intent. */
export type Looked = { readonly key: string; readonly skewMs?: number | undefined } & (
  | { readonly type: 'found'; readonly news: PostNews }
  | { readonly type: 'missing' }
  | { readonly type: 'unseen'; readonly error?: IntentError | undefined }
);

/** A service of several machines has several clocks. */
const clockSlackMs = 5_000;
/** How long a create may take that nobody gave up on. */
const longestCreateMs = 10 * 60_000;
/** Intents that were sent within this time are looked for in one walk over the list. */
const oneWalkMs = 10 * 60_000;
/** How far the clock may be off from what is known of it before the list must be read again. */
const guessSlackMs = 5_000;
/** The same where nothing is known of it. */
const blindSlackMs = 60_000;
const always: Window = { from: -Infinity, to: Infinity };

export interface LookUp {
  readonly settings: PublisherSettings;
  readonly claims: Claims;
  readonly clock: ServiceClock;
}

/** Looks for several intents with as few walks over the list as can be. Every one of them gets an answer. */
export async function lookUp(up: LookUp, wanted: readonly Wanted[]): Promise<Looked[]> {
  const bySlot = wanted.filter(({ record }) => record.postId === undefined && record.slots !== undefined);
  const byTime = wanted.filter((one) => !bySlot.includes(one));
  const looked: Looked[] = [];
  for (const { record } of bySlot) looked.push(await lookAtSlots(up, record));
  for (const group of groupsOf(up, byTime)) for (const one of await lookInTime(up, group)) looked.push(one);
  return looked;
}

/** The intent's own milliseconds: whatever is listed there with its content is its post, whoever's clock is wrong. */
async function lookAtSlots({ settings, claims }: LookUp, record: IntentRecord): Promise<Looked> {
  const { key } = record;
  try {
    for (const slot of record.slots ?? []) {
      const sent = wireOf(withSlot(record, slot));
      // Whether the bounds themselves are in is not documented.
      const query = {
        scheduledAfter: new Date(slot - 1_000).toISOString(),
        scheduledBefore: new Date(slot + 1_000).toISOString(),
        limit: largestPage,
      };
      for await (const { items } of settings.client.posts.list(query).pages()) {
        for (const post of items) {
          if (instantOf(post.scheduledFor) !== slot || matchPost(sent, post) === undefined) continue;
          if (await claims.claimPost(post.postId, key)) return { key, type: 'found', news: newsOfPost(post) };
        }
      }
    }
    return { key, type: 'missing' };
  } catch (error) {
    return { key, type: 'unseen', error: describeError(error) };
  }
}

/** Intents that are looked for in one walk. */
interface Group {
  readonly wanted: Wanted[];
  window: Window;
  /** Nothing was known of the service's clock when the window was chosen. */
  blind: boolean;
}

/** Intents whose windows are near each other, as far as the windows can be known before the list is read. */
function groupsOf({ settings, clock }: LookUp, wanted: readonly Wanted[]): Group[] {
  const guess = clock.skew(settings.now());
  const known = wanted
    .map((one) => {
      const guessed = windowOf(settings, one, guess);
      const { from, to } = guessed ?? windowOf(settings, one, 0) ?? always;
      // Others publish as well: each second more is posts more to read.
      const slackMs = guessed === undefined ? blindSlackMs : guessSlackMs;
      const window = { from: from - slackMs, to: to + slackMs };
      return { wanted: [one], window, blind: guessed === undefined };
    })
    .sort((a, b) => a.window.from - b.window.from);
  const groups: Group[] = [];
  for (const one of known) {
    const last = groups.at(-1);
    if (last !== undefined && one.window.from <= last.window.to + oneWalkMs) {
      last.wanted.push(...one.wanted);
      last.window = { from: last.window.from, to: Math.max(last.window.to, one.window.to) };
      last.blind ||= one.blind;
    } else groups.push(one);
  }
  return groups;
}

/** When an intent's post was created, by the service's clock; `undefined`: that can't be told without the skew. */
function windowOf(
  { settleMs }: PublisherSettings,
  { record, own }: Wanted,
  skewMs: number | undefined,
): Window | undefined {
  const createdAt = instantOf(record.post?.createdAt);
  if (record.postId !== undefined && createdAt !== undefined) return { from: createdAt - 1_000, to: createdAt + 1_000 };
  // A person named a post, of whatever age.
  if (record.postId !== undefined && record.sent?.skewMs === undefined) return always;
  if (record.sent === undefined) return always;
  const senders = own ? (skewMs ?? record.sent.skewMs) : record.sent.skewMs;
  const skew = senders ?? skewMs;
  if (skew === undefined) return undefined;
  const at = record.sent.at + skew;
  // Without the sender's own skew its clock is taken for this process's: then only the lower bound means anything.
  const to = senders === undefined ? Infinity : at + Math.max(settleMs, longestCreateMs);
  return { from: at - clockSlackMs, to };
}

async function lookInTime(up: LookUp, group: Group): Promise<Looked[]> {
  const { wanted, window, blind } = group;
  const found = new Map<string, Looked>();
  const missing = () => wanted.filter(({ record }) => !found.has(record.key));
  const keep = relevance(wanted);
  const walk = (where: Window, firstPageAlone: boolean) =>
    walkOver(up, where, {
      keep,
      // What was sent a moment ago is among the newest, what was sent before it among the oldest of its window. Only a
      // hint: by what the service sorts is not documented.
      sort: wanted.every(({ own }) => own) ? 'desc' : 'asc',
      firstPageAlone,
      isEnough: async (page) => {
        for (const one of await assign(up, missing(), page)) if (one.type === 'found') found.set(one.key, one);
        return missing().length === 0;
      },
    });
  try {
    // The first page tells the service's time: a window that was chosen without it need not be read to its end.
    let read = await walk(window, blind);
    // Where the window began too late by that time, the walk missed the beginning.
    const windows = missing().map((one) => windowOf(up.settings, one, read.skewMs) ?? window);
    const from = least(windows.map((one) => one.from));
    const to = greatest(windows.map((one) => one.to));
    if (read.cut || from < window.from || to > window.to) read = await walk({ from, to }, false);
    return [...found.values(), ...(await assign(up, missing(), read))];
  } catch (error) {
    const unseen = missing().map(({ record: { key } }): Looked => ({
      key,
      type: 'unseen',
      error: describeError(error),
    }));
    return [...found.values(), ...unseen];
  }
}

/** Keeps only what may be one of the posts: a list can be long, and so can posts. */
function relevance(wanted: readonly Wanted[]): (post: Post) => boolean {
  const postIds = new Set(wanted.map(({ record }) => record.postId));
  const contents = new Set(
    wanted.filter(({ record }) => record.postId === undefined).map(({ record }) => wireOf(record)['content'] ?? ''),
  );
  return (post) => postIds.has(post.postId) || contents.has((post.rawRequestBody ?? post)['content'] ?? '');
}

/**
 * Gives each intent its post. Equal intents are interchangeable: each listed post goes to one of them, the oldest first,
 * and the claims see to it that no post goes to two, here or in another process.
 */
async function assign(up: LookUp, wanted: readonly Wanted[], walk: Walk): Promise<Looked[]> {
  const byId = new Map(walk.posts.map((post) => [post.postId, post]));
  const byAge = [...walk.posts].sort((a, b) => createdAt(a) - createdAt(b));
  const byTurn = [...wanted].sort((a, b) => (a.record.sent?.at ?? 0) - (b.record.sent?.at ?? 0));
  const looked: Looked[] = [];
  for (const one of byTurn) {
    const { key, postId } = one.record;
    const skewMs = one.own ? walk.skewMs : undefined;
    const known = postId === undefined ? undefined : byId.get(postId);
    if (known !== undefined) looked.push({ key, type: 'found', news: newsOfPost(known) });
    else if (postId !== undefined) looked.push({ key, type: 'missing' });
    else looked.push({ ...(await findUnknown(up, one, walk.skewMs, byAge)), skewMs });
  }
  return looked;
}

function createdAt(post: Post): number {
  return instantOf(post.createdAt) ?? 0;
}

async function findUnknown(
  { settings, claims }: LookUp,
  one: Wanted,
  skewMs: number | undefined,
  posts: readonly Post[],
): Promise<Looked> {
  const { key } = one.record;
  const window = windowOf(settings, one, skewMs);
  const sent = wireOf(one.record);
  // A post that may be it, and may be another's as well, proves nothing: neither that it was sent nor that it was not.
  let unsure = window === undefined;
  const candidates: { post: Post; holder: Holder }[] = [];
  for (const post of posts) {
    const match = matchPost(sent, post);
    if (match === undefined) continue;
    const at = instantOf(post.createdAt);
    if (window !== undefined && at !== undefined && (at < window.from || at > window.to)) continue;
    if (match !== 'exact' || at === undefined) unsure = true;
    else if (window !== undefined) candidates.push({ post, holder: await claims.holderOf(post.postId, key) });
  }
  // What it claimed before a crash comes first.
  candidates.sort((a, b) => Number(b.holder === 'self') - Number(a.holder === 'self'));
  for (const { post, holder } of candidates) {
    if (holder === 'undecided') unsure = true;
    else if (holder !== 'other' && (await claims.claimPost(post.postId, key)))
      return { key, type: 'found', news: newsOfPost(post) };
  }
  return unsure ? { key, type: 'unseen', error: window === undefined ? noClock : undefined } : { key, type: 'missing' };
}

const noClock: IntentError = {
  name: 'SocialPublishingError',
  message:
    "The service's replies have no Date header, so that no listed post can be placed in time. " +
    "The intent is held: tell the publisher with `resolve`, or use correlate: 'schedule'.",
  outcome: 'unknown',
};
