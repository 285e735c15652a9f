/** Executes the actions of the state machine: marks, sends, searches, claims and records. */
import { callSafely } from '../core/call/hooks.js';
import { ForeignDataError, SocialPublishingError, type InvalidRequestError } from '../core/errors.js';
import { openGate, OutageGate, type Gate, type OutageOptions, type ReportEvidence } from '../core/flow/outage.js';
import { listedWaits, retrying } from '../core/flow/retrying.js';
import { defaultRuntime, type Runtime } from '../core/runtime.js';
import { StoredClaims } from './search/claims.js';
import { expired } from './intents/before-send.js';
import { isSameContent } from './intents/content.js';
import { marked, needs, type Happening, type Need, type Resuming } from './intents/intent.js';
import { doubt, intentOf, ofOtherIntentText, type IntentRecord, type PostReport } from './intents/intent-record.js';
import type { PublisherSettings } from './options.js';
import { NotedHealth } from './noted-health.js';
import { LearnedClock, readOnePost } from './search/list-walk.js';
import { PostSearch, type SearchResult } from './search/post-search.js';
import { send, type SendResult } from './send.js';
import { IntentSpace } from './intents/intent-space.js';
import { refusedItem, StoredIntents, type OnMove } from './intents/stored-intents.js';
import type { Versioned } from '../stores/records.js';

/** If the store fails, the reply is recorded again after these waits. */
const recordAgainAfterMs = [100, 500, 2_000];

export interface Moved {
  readonly record: IntentRecord;
  /** The client refused to send it: nothing was sent. */
  readonly invalid?: InvalidRequestError | undefined;
  /** Another process was faster at least once. */
  readonly wasContended?: boolean | undefined;
  /** It was not sent, because the service is down. */
  readonly isHeld?: boolean | undefined;
}

/** When, and how, an intent is resumed. */
export interface When extends Pick<Resuming, 'force' | 'send'> {
  /** After this time, in milliseconds. Default 0. */
  readonly inMs?: number | undefined;
  /** Default: every send is let through. */
  readonly gate?: Gate | undefined;
}

export type WorkerRuntime = Pick<Runtime, 'monotonic' | 'sleep'>;

export class IntentWorker {
  readonly settings: PublisherSettings;
  readonly space: IntentSpace;
  readonly intents: StoredIntents;
  readonly claims: StoredClaims;
  readonly #clock: LearnedClock;
  readonly #search: PostSearch;
  readonly #runtime: WorkerRuntime;
  readonly #health: NotedHealth;

  constructor(settings: PublisherSettings, runtime: WorkerRuntime = defaultRuntime) {
    this.settings = settings;
    this.#runtime = runtime;
    const { store, service, scope, now } = settings;
    this.space = new IntentSpace(store, service, scope);
    this.intents = new StoredIntents(store, this.space, settings, moveReporter(settings));
    this.claims = new StoredClaims(store, this.space);
    this.#clock = new LearnedClock({ now, monotonic: () => runtime.monotonic() });
    this.#search = new PostSearch(settings, this.claims, this.#clock);
    this.#health = new NotedHealth(settings);
  }

  now(): number {
    return this.settings.now();
  }

  /** The service's time is this machine's if no reply of the last minutes showed it. */
  times(inMs = 0): { readonly at: number; readonly serviceAt: number } {
    const at = this.now() + inMs;
    return { at, serviceAt: at + (this.#clock.offsetMs ?? 0) };
  }

  /** Returns the service's time, asks for it if no reply of the last minutes showed it. `undefined`: it is not known. */
  async serviceTime(): Promise<number | undefined> {
    if (this.#clock.offsetMs === undefined)
      await readOnePost(this.settings, this.#clock).catch((error: unknown) => {
        this.#clock.learn(error);
      });
    const { offsetMs } = this.#clock;
    return offsetMs === undefined ? undefined : this.now() + offsetMs;
  }

  /** Returns the gate for the creates of one call. Close it at the end of the call. */
  outageGate(options: Pick<OutageOptions, 'limit' | 'signal' | 'onWait'>): OutageGate {
    const { outageMs, now } = this.settings;
    return new OutageGate({
      ...options,
      health: this.#health,
      outageMs,
      now,
      runtime: this.#runtime,
      probe: (signal) => readOnePost(this.settings, this.#clock, { signal, maxRetries: 0 }),
    });
  }

  needs(record: IntentRecord, when: When): Need {
    return needs(record, { ...this.times(when.inMs), ...when }, this.settings);
  }

  /** The same, but it asks for the service's time before it says `expire`: a clock that is ahead must not make it late. */
  async surelyNeeds(record: IntentRecord, when: When): Promise<Need> {
    if (this.needs(record, when) === 'expire') await this.serviceTime();
    return this.needs(record, when);
  }

  /** Whether it needs no search before its send, or before the record that it is too late. */
  isToSend(record: IntentRecord, when: When): boolean {
    return ['send', 'expire'].includes(this.needs(record, when));
  }

  /** Returns the intent that the key then has: another service's, if that took the key in between. */
  async advance(read: Versioned<IntentRecord>, when: When): Promise<Moved> {
    const { key } = read.record;
    const { gate = openGate } = when;
    let current: Versioned<IntentRecord> | undefined = read;
    let hasSearched = false;
    for (let wasContended = false; ; wasContended = true) {
      const last = current;
      const { record } = last;
      const need = await this.surelyNeeds(record, when);
      if (need === 'nothing') return { record, wasContended };
      if (need === 'search') {
        // The store took longer than the lease for the result: a later call searches again.
        if (hasSearched) return { record, wasContended };
        hasSearched = true;
        const next = (await this.searchInTurn([record])).get(key) ?? record;
        if (!this.isToSend(next, when)) return { record: next, wasContended };
      } else {
        // `undefined`: another process was faster.
        const moved =
          need === 'expire'
            ? await this.intents.put(expired(record, this.now(), this.settings), last)
            : await gate.run((report) => this.send(record, last, when, report));
        if (moved === 'held') return { record, wasContended, isHeld: true };
        if (moved !== undefined) return { ...moved, wasContended };
      }
      current = await this.intents.read(key);
      if (current === undefined) return { record };
      // This call was for the body before an edit, or the key is pruned and another service has it now.
      if (this.space.isForeign(current.record) || !isSameContent(current.record, record))
        return { record: current.record, wasContended: true };
    }
  }

  /**
   * Marks an intent and sends it. `undefined`: another process was faster, or time has passed.
   * @param old the intent as it was read. `undefined`: it is new
   */
  async send(
    record: IntentRecord,
    old: Versioned<IntentRecord> | undefined,
    when: When,
    report: ReportEvidence,
  ): Promise<Moved | undefined> {
    if (this.needs(record, when) !== 'send') return undefined;
    const { service } = this.space;
    const sender = { at: this.now(), owner: defaultRuntime.newId(), skewMs: this.#clock.offsetMs, service };
    const next = marked(record, sender, this.settings);
    const mine = await this.intents.put(next, old);
    return mine && this.#deliver(mine, report);
  }

  async #deliver(mine: Versioned<IntentRecord>, report: ReportEvidence): Promise<Moved> {
    const { record } = mine;
    if (!(await this.#isStillOurs(record))) return { record };
    const sent = await send(this.settings.client, record, this.#clock, report);
    const skewMs = this.#clock.offsetMs;
    const happening = await this.#insist(() => this.#claimPost(record, sent, skewMs)).catch(explainId);
    const recorded = await this.#insist(() => this.intents.apply(record, happening, mine));
    // It was pruned after the post was claimed for it. A new intent under its key must not get the post.
    if (recorded === undefined && happening.type === 'reply') await this.claims.retire(record, happening.report);
    const invalid = 'error' in sent ? sent.invalid : undefined;
    const next = recorded?.record ?? record;
    // Another process may have sent it again since: its clock is not known here.
    const isOfThisSend = next.state === 'in_doubt' && next.attempts === record.attempts;
    if (!isOfThisSend || next.refusedLater === true) return { record: next, invalid };
    // Most posts are listed immediately. This search waits for no other.
    const searched = await this.#record(await this.#search.search([next], { isSender: true }));
    return { record: searched.get(record.key) ?? next };
  }

  /** Searches for the posts of intents, and records the results. Searches at the same time share their walks. */
  async searchInTurn(wanted: readonly IntentRecord[]): Promise<Map<string, IntentRecord>> {
    return this.#record(await this.#search.searchInTurn(wanted));
  }

  /** @param joining intents that are searched for too if that costs no further list call */
  async search(wanted: readonly IntentRecord[], joining: readonly IntentRecord[]): Promise<Map<string, IntentRecord>> {
    return this.#record(await this.#search.search(wanted, { joining }));
  }

  async #record(results: ReadonlyMap<string, SearchResult>): Promise<Map<string, IntentRecord>> {
    const records = new Map<string, IntentRecord>();
    for (const [key, result] of results) {
      const at = this.now();
      const happening: Happening =
        'found' in result
          ? { type: 'found', at, report: result.found }
          : { type: 'not_found', at, search: result.search, searched: result.record };
      const next = (await this.intents.apply(result.record, happening))?.record;
      if (next !== undefined) records.set(key, next);
      if ('found' in result) await this.#dropClaim(result.record, result.found, next);
    }
    return records;
  }

  /** The intent may have been pruned, abandoned or refused after the search claimed the post for it. */
  async #dropClaim(searched: IntentRecord, found: PostReport, current: IntentRecord | undefined): Promise<void> {
    if (current === undefined) await this.claims.retire(searched, found, { isUnproved: true });
    else if (current.postId === undefined && ['abandoned', 'rejected'].includes(current.state))
      await this.claims.releasePost(found.postId, searched);
  }

  /** The post of a reply is claimed before it is recorded: an equal intent in doubt may have taken it. */
  async #claimPost(record: IntentRecord, sent: SendResult, skewMs: number | undefined): Promise<Happening> {
    const ofSend = { at: this.now(), attempt: record.attempts };
    if ('report' in sent && (await this.claims.claim(record, sent.report.postId, 'reply')))
      return { type: 'reply', ...ofSend, report: sent.report, skewMs };
    return { type: 'failure', ...ofSend, error: 'error' in sent ? sent.error : taken, skewMs };
  }

  /** If the store took longer than the lease for the mark, another process can own the intent. */
  async #isStillOurs(marked: IntentRecord): Promise<boolean> {
    if (this.now() < (marked.lease?.until ?? 0)) return true;
    const { record } = (await this.intents.read(marked.key)) ?? {};
    return record?.state === 'sending' && record.lease?.owner === marked.lease?.owner;
  }

  /** A reply arrives only once, so a short failure of the store must not lose it. */
  async #insist<T>(write: () => Promise<T>): Promise<T> {
    return retrying(write, {
      schedule: listedWaits(recordAgainAfterMs),
      // Data of a newer version stays unchanged, and an ID that no store can hold stays so.
      isRetryable: (error) => !(error instanceof ForeignDataError || refusedItem(error) !== undefined),
      runtime: this.#runtime,
    });
  }
}

/** Calls the hooks about moves. Each gets a copy: a change to it must not change the content that is sent. */
function moveReporter({ onChange, onInDoubt }: PublisherSettings): OnMove {
  return (record, previous) => {
    const copy = () => intentOf(structuredClone(record), { replayed: previous !== undefined });
    if (onChange !== undefined) void callSafely(() => onChange(copy(), previous));
    if (onInDoubt !== undefined && record.state === 'in_doubt') void callSafely(() => onInDoubt(copy()));
  };
}

/** The post of a reply could not be claimed. */
function explainId(error: unknown): never {
  const wrong = refusedItem(error);
  if (wrong === undefined) throw error;
  throw new SocialPublishingError(
    `The service answered with a post ID that the store cannot hold: it ${wrong}. The post may exist. Check the service, ` +
      "then call `resolve` with as: 'abandoned'. The key is then never sent again.",
    { outcome: 'unknown', cause: error },
  );
}

const taken = doubt(ofOtherIntentText);
