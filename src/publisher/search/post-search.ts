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
  /** By key. */
  readonly results: Map<string, SearchResult>;
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
    { joining = [], isSender = false }: { joining?: readonly IntentRecord[]; isSender?: boolean } = {},
  ): Promise<Map<string, SearchResult>> {
    const startedAt = this.#settings.now();
    const run = { startedAt, isSender, readBack: false, results: new Map<string, SearchResult>() };
    const { results } = run;
    for (const group of this.#groupsOf(wanted, joining, isSender)) await this.#searchGroup(group, run);
    const back = wanted.filter((record) => this.#isReadBackDue(record, startedAt, results.get(record.key)));
    if (back.length > 0) {
      const from = least(back.map((record) => this.#readBackFrom(record, startedAt)));
      const range = { by: 'created', from, to: Infinity } as const;
      await this.#searchGroup({ wanted: back, range }, { ...run, readBack: true });
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

  #groupsOf(wanted: readonly IntentRecord[], joining: readonly IntentRecord[], isSender: boolean): SearchGroup[] {
    const all = wanted
      .map((record) => ({ record, range: this.#rangeOf(record, isSender) }))
      .sort((a, b) => a.range.by.localeCompare(b.range.by) || a.range.from - b.range.from);
    const groups: SearchGroup[] = [];
    for (const { record, range } of all) {
      const last = groups.at(-1);
      if (last?.range.by === range.by && range.from <= last.range.to + oneWalkMs) addTo(last, record, range);
      else groups.push({ wanted: [record], range });
    }
    for (const record of joining) {
      const { by, from, to } = this.#rangeOf(record, false);
      const near = groups.find(({ range }) => by === range.by && range.from <= from && to <= range.to + oneWalkMs);
      if (near !== undefined) addTo(near, record, { by, from, to });
    }
    return groups;
  }

  /** The range to read for an intent, as far as it is known before the list is read. */
  #rangeOf(record: IntentRecord, isSender: boolean): ListRange {
    // Whether the bounds themselves are included is not documented.
    if (record.postId === undefined && record.slots !== undefined)
      return { by: 'scheduled', from: least(record.slots) - 1_000, to: greatest(record.slots) + 1_000 };
    const window = this.#windowOf(record, isSender, this.#clock.offsetMs ?? 0) ?? always;
    return { by: 'created', from: window.from - guessMs, to: window.to + guessMs };
  }

  #windowOf(record: IntentRecord, isSender: boolean, offsetMs = this.#clock.offsetMs): CreatedWindow | undefined {
    return windowOf(record, { offsetMs, isSender, settleMs: this.#settings.settleMs });
  }

  async #searchGroup(group: SearchGroup, run: SearchRun): Promise<void> {
    const { wanted } = group;
    const { startedAt, isSender, readBack, results } = run;
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
    for (const record of wanted) {
      const { key, sent, createdAt } = record;
      const found = reading.found.get(key);
      const since = Math.max(0, by === 'created' ? from : (sent?.at ?? createdAt));
      const search = { startedAt, serviceAt, since, readBack, skewMs, ...(unread ?? reading.evidenceOf(key)) };
      results.set(key, found === undefined ? { record, search } : { record, found });
    }
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
      .filter(({ key }) => !reading.found.has(key))
      .map((record) => this.#windowOf(record, isSender) ?? group.range);
    const [from, to] = [least(windows.map((one) => one.from)), greatest(windows.map((one) => one.to))];
    if (windows.length > 0 && (from < group.range.from || to > group.range.to)) {
      group.range = { ...group.range, from, to };
      await walk();
    }
  }
}

function addTo(group: SearchGroup, record: IntentRecord, { to }: ListRange): void {
  group.range = { ...group.range, to: Math.max(group.range.to, to) };
  group.wanted.push(record);
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
  readonly #contents: ReadonlySet<unknown>;
  /** The found posts, by the keys of their intents. */
  readonly found = new Map<string, PostReport>();
  readonly #posts = new Map<string, Post>();
  readonly #owners = new Map<string, PostOwner<Doubtful>>();
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
    this.#contents = new Set(inDoubt.map((record) => requestOf(record)['content'] ?? ''));
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
      if (key !== undefined) this.found.set(key, reportOfListed(post));
      // Keeps only possible posts, because lists and posts can be long.
      else if (this.#contents.has((post.rawRequestBody ?? post)['content'] ?? '')) this.#posts.set(post.postId, post);
    }
    const missing = this.#wanted.length - this.found.size;
    const isEach = [...this.#byPostId.values()].every((key) => this.found.has(key));
    if (isEach && missing > 0 && this.#posts.size >= missing) await this.settle();
    return this.found.size === this.#wanted.length;
  }

  /** Finds posts for the intents in doubt, and claims them. If another process is faster, they are compared again. */
  async settle(): Promise<void> {
    const posts = [...this.#posts.values()];
    const creates = [...this.#creates.values()].filter(({ record }) => !this.found.has(record.key));
    if (creates.length === 0) return;
    await forEachInPool(
      posts.filter(({ postId }) => !this.#owners.has(postId)),
      concurrency,
      ({ postId }) => this.#readOwner(postId),
    );
    const ownerOf = ({ postId }: Post) => this.#owners.get(postId);
    do {
      this.#findings = findPosts({ creates, posts, ownerOf });
    } while (!(await this.#claimAll()));
  }

  async #readOwner(postId: string): Promise<void> {
    try {
      this.#owners.set(postId, await this.#claims.holderOf(postId, this.#creates));
    } catch (error) {
      // No store can hold this ID, or a newer version wrote its claim, so nothing shows its owner. It must not end the search
      // of other intents.
      if (refusedItem(error) === undefined && !(error instanceof ForeignDataError)) throw error;
      this.#owners.set(postId, 'undecided');
    }
  }

  /** `false`: another process claimed one of the posts in between. */
  async #claimAll(): Promise<boolean> {
    for (const [create, finding] of this.#findings) {
      const { record } = create;
      if (finding.result !== 'match' || this.found.has(record.key)) continue;
      const { postId } = finding.post;
      if (this.#owners.get(postId) !== create && !(await this.#claims.claim(record, postId, 'search'))) {
        await this.#readOwner(postId);
        // It belongs to another intent, even if that intent was removed since.
        if (this.#owners.get(postId) === undefined) this.#owners.set(postId, 'undecided');
        return false;
      }
      this.#owners.set(postId, create);
      this.found.set(record.key, reportOfListed(finding.post));
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
