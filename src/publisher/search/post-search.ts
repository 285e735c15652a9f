/** Searches for the posts of intents: evidence for intents in doubt, and the status of posts that are known. */
import { ForeignDataError } from '../../core/errors.js';
import { forEachInPool } from '../../core/flow/pool.js';
import { greatest, least, dayMs } from '../../model/instant.js';
import {
  findPosts,
  type CreatedWindow,
  type Finding,
  type PostOwner,
  type UnknownCreate,
} from '../../posts/find-posts.js';
import type { Post } from '../../posts/post-shapes.js';
import type { StoredClaims } from './claims.js';
import { requestOf } from '../../posts/read-create.js';
import { canonicalOf, withSlot } from '../intents/content.js';
import { firstSearchAt, isDecided, sinceSend, type FailedSearch } from '../intents/intent.js';
import { doubt, noTimeText, type IntentError, type IntentRecord, type PostReport } from '../intents/intent-record.js';
import { walkList, type LearnedClock, type ListGap, type ListRange } from './list-walk.js';
import type { PublisherSettings } from '../options.js';
import { reportOfListed, describeError } from '../send.js';
import { always, guessMs, windowOf } from './post-window.js';
import { refusedItem } from '../intents/stored-intents.js';

export type SearchResult = { readonly record: IntentRecord } & (
  { readonly found: PostReport } | { readonly search: FailedSearch }
);

/** Intents with ranges this close share one walk. */
const oneWalkMs = 10 * 60_000;
const concurrency = 8;

/** An intent in doubt, as the function that finds posts sees it. */
interface Doubtful extends UnknownCreate {
  readonly record: IntentRecord;
}

/** Intents whose posts are in one range of the list. */
interface SearchGroup {
  readonly wanted: IntentRecord[];
  range: ListRange;
}

interface SearchRun {
  readonly startedAt: number;
  /** This process sent the intents a moment ago. */
  readonly isSender: boolean;
  /** The ranges go back further than the windows of their intents. */
  readonly readBack: boolean;
}

interface SearchOptions {
  readonly joining?: readonly IntentRecord[] | undefined;
  readonly isSender?: boolean | undefined;
}

export class PostSearch {
  readonly #settings: PublisherSettings;
  readonly #claims: StoredClaims;
  readonly #clock: LearnedClock;
  #last: Promise<unknown> = Promise.resolve();
  #next: { readonly wanted: Map<string, IntentRecord>; readonly done: Promise<Map<string, SearchResult>> } | undefined;

  constructor(settings: PublisherSettings, claims: StoredClaims, clock: LearnedClock) {
    this.#settings = settings;
    this.#claims = claims;
    this.#clock = clock;
  }

  /** Searches while no other search is running: waiting searches share the walks of the next one. */
  async searchInTurn(wanted: readonly IntentRecord[]): Promise<Map<string, SearchResult>> {
    const next = (this.#next ??= this.#open());
    for (const record of wanted) next.wanted.set(record.key, record);
    const keys = new Set(wanted.map(({ key }) => key));
    return new Map([...(await next.done)].filter(([key]) => keys.has(key)));
  }

  #open() {
    const wanted = new Map<string, IntentRecord>();
    const done = this.#last.then(() => {
      this.#next = undefined;
      return this.search([...wanted.values()]);
    });
    this.#last = done.catch(() => undefined);
    return { wanted, done };
  }

  /**
   * Searches for several intents with as few walks over the list as possible.
   * @param options `joining`: intents that are searched for too if a walk reads their range anyway. Others have no result.
   *   `isSender`: this process sent the intents a moment ago
   */
  async search(
    wanted: readonly IntentRecord[],
    { joining = [], isSender = false }: SearchOptions = {},
  ): Promise<Map<string, SearchResult>> {
    const startedAt = this.#settings.now();
    const run = { startedAt, isSender, readBack: false };
    const results = new Map<string, SearchResult>();
    const groups = this.#groupsOf(wanted, isSender);
    for (const record of joining) joinGroup(groups, record, this.#rangesOf(record, false));
    for (const group of groups) {
      for (const [key, result] of await this.#searchGroup(group, run)) keepBest(results, key, result);
    }
    const back = wanted.filter((record) => this.#isReadBackDue(record, startedAt, results.get(record.key)));
    if (back.length > 0) {
      const from = least(back.map((record) => this.#readBackFrom(record, startedAt)));
      const group: SearchGroup = { wanted: back, range: { by: 'created', from, to: Infinity } };
      for (const [key, result] of await this.#searchGroup(group, { ...run, readBack: true })) results.set(key, result);
    }
    return results;
  }

  #serviceAt(startedAt: number): number | undefined {
    const { offsetMs } = this.#clock;
    return offsetMs === undefined ? undefined : startedAt + offsetMs;
  }

  /** Once for each send, and before each further send: the sender's clock may have been wrong. */
  #isReadBackDue(record: IntentRecord, startedAt: number, result: SearchResult | undefined): boolean {
    if (record.postId !== undefined || result === undefined || 'found' in result) return false;
    const isRead = result.search.result !== 'failed' || result.search.isUndated === true;
    if (!isRead) return false;
    if (isDecided(record)) return true;
    const { settleMs, onMissing } = this.#settings;
    const isSettled = sinceSend(record, { startedAt, serviceAt: this.#serviceAt(startedAt) }) >= settleMs;
    return isSettled && (onMissing === 'resend' || record.lookup?.readBack !== true);
  }

  #readBackFrom({ sent, lookup, createdAt }: IntentRecord, startedAt: number): number {
    const offsetMs = sent?.skewMs ?? this.#clock.offsetMs ?? 0;
    const markedAt = (sent?.at ?? createdAt) + Math.min(offsetMs, sent?.laterSkewMs ?? Infinity);
    const serviceAt = this.#serviceAt(startedAt);
    return Math.min(markedAt, firstSearchAt(lookup, serviceAt) ?? serviceAt ?? startedAt) - dayMs;
  }

  #groupsOf(wanted: readonly IntentRecord[], isSender: boolean): SearchGroup[] {
    const all = wanted
      .flatMap((record) => this.#rangesOf(record, isSender).map((range) => ({ record, range })))
      .sort((a, b) => a.range.by.localeCompare(b.range.by) || a.range.from - b.range.from);
    const groups: SearchGroup[] = [];
    for (const { record, range } of all) {
      const last = groups.at(-1);
      if (last?.range.by === range.by && range.from <= last.range.to + oneWalkMs) addTo(last, record, range);
      else groups.push({ wanted: [record], range });
    }
    return groups;
  }

  /** The ranges to read for an intent, as far as they are known before the list is read. */
  #rangesOf(record: IntentRecord, isSender: boolean): ListRange[] {
    if (record.postId === undefined && record.slots !== undefined) {
      // Whether the bounds themselves are included is not documented.
      return record.slots.map((slot) => ({ by: 'scheduled', from: slot - 1_000, to: slot + 1_000 }));
    }
    const { offsetMs } = this.#clock;
    const window = this.#windowOf(record, isSender, offsetMs ?? 0) ?? always;
    return [{ by: 'created', from: window.from - guessMs, to: window.to + guessMs }];
  }

  #windowOf(record: IntentRecord, isSender: boolean, offsetMs = this.#clock.offsetMs): CreatedWindow | undefined {
    return windowOf(record, { offsetMs, isSender, settleMs: this.#settings.settleMs });
  }

  async #searchGroup(group: SearchGroup, run: SearchRun): Promise<Map<string, SearchResult>> {
    const { wanted } = group;
    const { startedAt, isSender, readBack } = run;
    const reading = new GroupReading(wanted, this.#claims, (record) => this.#windowOf(record, isSender));
    /** The sender itself searched: its clock is known now. */
    let skewMs: number | undefined;
    let unread: SearchEvidence | undefined;
    try {
      await this.#read(group, run, reading);
      await reading.settle();
      if (isSender) skewMs = this.#clock.offsetMs;
    } catch (thrown) {
      // A refused list proves nothing about the create.
      const failure = describeError(thrown);
      const error: IntentError = { ...failure, message: `${mayExist} ${failure.message}`, outcome: 'unknown' };
      // A list that could not be read was not read back.
      unread = { result: 'failed', error, readBack: false };
    }
    const { by, from } = group.range;
    const serviceAt = this.#serviceAt(startedAt);
    const resultOf = (record: IntentRecord): SearchResult => {
      const { key, sent, createdAt } = record;
      const found = reading.foundOf(key);
      if (found !== undefined) return { record, found };
      const since = Math.max(0, by === 'created' ? from : (sent?.at ?? createdAt));
      const evidence = unread ?? reading.evidenceOf(key);
      return { record, search: { startedAt, serviceAt, since, readBack, skewMs, ...evidence } };
    };
    return new Map(wanted.map((record) => [record.key, resultOf(record)]));
  }

  /** Reads a group's range. Its pages show the service's time: a range that was chosen without it can be wrong. */
  async #read(group: SearchGroup, { isSender, readBack }: SearchRun, reading: GroupReading): Promise<void> {
    const walk = async () => {
      reading.gap = await walkList(this.#settings, this.#clock, {
        range: group.range,
        sort: isSender ? 'desc' : 'asc',
        onPage: (posts) => reading.onPage(posts),
      });
    };
    await walk();
    if (readBack || group.range.by === 'scheduled') return;
    const windows = group.wanted
      .filter(({ key }) => reading.foundOf(key) === undefined)
      .map((record) => this.#windowOf(record, isSender) ?? group.range);
    const [from, to] = [least(windows.map((one) => one.from)), greatest(windows.map((one) => one.to))];
    if (windows.length > 0 && (from < group.range.from || to > group.range.to)) {
      group.range = { ...group.range, from, to };
      await walk();
    }
  }
}

/** Adds an intent to a group. */
function addTo(group: SearchGroup, record: IntentRecord, { to }: ListRange): void {
  group.range = { ...group.range, to: Math.max(group.range.to, to) };
  if (!group.wanted.includes(record)) group.wanted.push(record);
}

function joinGroup(groups: readonly SearchGroup[], record: IntentRecord, ranges: readonly ListRange[]): void {
  for (const range of ranges) {
    const group = groups.find(
      ({ range: { by, from, to } }) => by === range.by && from <= range.from && range.to <= to + oneWalkMs,
    );
    if (group !== undefined) addTo(group, record, range);
  }
}

/** An intent with several own times is in several groups. */
function keepBest(results: Map<string, SearchResult>, key: string, result: SearchResult): void {
  const known = results.get(key);
  const rank = (one: SearchResult | undefined) => {
    if (one === undefined) return 0;
    if ('found' in one) return 4;
    return { no_match: 1, failed: 2, candidates: 3 }[one.search.result];
  };
  if (rank(result) >= rank(known)) results.set(key, result);
}

/** What a search shows about an intent whose post it did not find. */
type SearchEvidence = Pick<FailedSearch, 'result'> & Partial<FailedSearch>;

/** The posts that the pages of one group have shown so far. */
class GroupReading {
  readonly #wanted: readonly IntentRecord[];
  readonly #claims: StoredClaims;
  readonly #byPostId = new Map<string, string>();
  /** The intents in doubt, by key. */
  readonly #creates: ReadonlyMap<string, Doubtful>;
  /** The `createdAt` of the intents in doubt, by key. */
  readonly #createdAt: ReadonlyMap<string, number>;
  readonly #contents: ReadonlySet<unknown>;
  readonly #found = new Map<string, PostReport>();
  readonly #posts = new Map<string, Post>();
  /** A key is in an object, because it can be any text, also `other`. */
  readonly #owners = new Map<string, PostOwner<{ readonly key: string }>>();
  #findings: ReadonlyMap<Doubtful, Finding> = new Map();
  /** The last walk over the range missed posts: a post that it did not show can exist. */
  gap: ListGap | undefined;

  /** @param windowOf it changes when a page shows the service's time */
  constructor(
    wanted: readonly IntentRecord[],
    claims: StoredClaims,
    windowOf: (record: IntentRecord) => CreatedWindow | undefined,
  ) {
    this.#wanted = wanted;
    this.#claims = claims;
    for (const { postId, key } of wanted) if (postId !== undefined) this.#byPostId.set(postId, key);
    const inDoubt = wanted.filter(({ postId }) => postId === undefined);
    this.#creates = new Map(inDoubt.map((record) => [record.key, doubtfulOf(record, windowOf)]));
    this.#createdAt = new Map(inDoubt.map(({ key, createdAt }) => [key, createdAt]));
    this.#contents = new Set(inDoubt.map((record) => requestOf(record)['content'] ?? ''));
  }

  foundOf(key: string): PostReport | undefined {
    return this.#found.get(key);
  }

  evidenceOf(key: string): SearchEvidence {
    const create = this.#creates.get(key);
    const isUndated = create !== undefined && create.window === undefined && create.hasOwnTimes !== true;
    const error = isUndated ? noClock : undefined;
    const finding = create && this.#findings.get(create);
    if (finding !== undefined && 'posts' in finding)
      return { result: 'candidates', postIds: finding.posts.map(({ postId }) => postId), error };
    if (this.gap !== undefined) return { result: 'failed', error: listEndedEarly(this.gap), readBack: false };
    return { result: isUndated ? 'failed' : 'no_match', isUndated, error };
  }

  /** Takes a page. `true`: every post is found. */
  async onPage(posts: readonly Post[]): Promise<boolean> {
    for (const post of posts) {
      const key = this.#byPostId.get(post.postId);
      if (key !== undefined) this.#found.set(key, reportOfListed(post));
      // Keeps only possible posts, because lists and posts can be long.
      else if (this.#contents.has((post.rawRequestBody ?? post)['content'] ?? '')) this.#posts.set(post.postId, post);
    }
    const missing = this.#wanted.length - this.#found.size;
    const isEach = [...this.#byPostId.values()].every((key) => this.#found.has(key));
    if (isEach && missing > 0 && this.#posts.size >= missing) await this.settle();
    return this.#found.size === this.#wanted.length;
  }

  /** Finds posts for the intents in doubt, and claims them. If another process is faster, they are compared again. */
  async settle(): Promise<void> {
    const posts = [...this.#posts.values()];
    const creates = [...this.#creates.values()].filter(({ record }) => !this.#found.has(record.key));
    if (creates.length === 0) return;
    await forEachInPool(
      posts.filter(({ postId }) => !this.#owners.has(postId)),
      concurrency,
      ({ postId }) => this.#readOwner(postId),
    );
    for (let isSettled = false; !isSettled;) {
      const ownerOf = ({ postId }: Post): PostOwner<Doubtful> => {
        const owner = this.#owners.get(postId);
        return typeof owner === 'object' ? (this.#creates.get(owner.key) ?? 'other') : owner;
      };
      this.#findings = findPosts({ creates, posts, ownerOf });
      isSettled = await this.#claimAll();
    }
  }

  async #readOwner(postId: string): Promise<void> {
    try {
      this.#owners.set(postId, await this.#claims.holderOf(postId, this.#createdAt));
    } catch (error) {
      // No store can hold this ID, or a newer version wrote its claim, so nothing shows its owner. It must not end the search
      // of other intents.
      if (refusedItem(error) === undefined && !(error instanceof ForeignDataError)) throw error;
      this.#owners.set(postId, 'undecided');
    }
  }

  #isOwner(key: string, postId: string): boolean {
    const owner = this.#owners.get(postId);
    return typeof owner === 'object' && owner.key === key;
  }

  /** `false`: another process claimed one of the posts in between. */
  async #claimAll(): Promise<boolean> {
    for (const [{ record }, finding] of this.#findings) {
      if (finding.result !== 'match' || this.#found.has(record.key)) continue;
      const { postId } = finding.post;
      if (!this.#isOwner(record.key, postId) && !(await this.#claims.claim(record, postId, 'search'))) {
        await this.#readOwner(postId);
        // It belongs to another intent, even if that intent was removed since.
        if (this.#owners.get(postId) === undefined) this.#owners.set(postId, 'undecided');
        return false;
      }
      this.#owners.set(postId, { key: record.key });
      this.#found.set(record.key, reportOfListed(finding.post));
    }
    return true;
  }
}

function doubtfulOf(record: IntentRecord, windowOf: (record: IntentRecord) => CreatedWindow | undefined): Doubtful {
  const { key, slots, sent, createdAt } = record;
  return {
    record,
    bodies: slots?.map((slot) => requestOf(withSlot(record, slot))) ?? [requestOf(record)],
    hasOwnTimes: slots !== undefined,
    key: slots === undefined ? canonicalOf(record) : key,
    sentAt: sent?.at ?? createdAt,
    // A page that shows the service's time changes it.
    get window() {
      return windowOf(record);
    },
  };
}

/** The error of a read says that the read can be repeated. This must not look like advice about the create. */
const mayExist = 'The post may exist: do not send it again. The search for it failed, and a later sweep repeats it:';

function listEndedEarly({ shown, total }: ListGap): IntentError {
  return {
    name: 'PaginationError',
    message:
      `The list of posts showed ${String(shown)} of ${String(total)} posts, so the post can be among the others. ` +
      "A later search reads the list again. If it stays incomplete, check the service, then call `resolve` with as: 'abandoned'. " +
      'Publish under another key only if the post does not exist.',
    outcome: 'unknown',
  };
}

const noClock = doubt(noTimeText);
