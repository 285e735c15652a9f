import { defaultRuntime, keepNewest } from '../../core/runtime.js';
import { isFromClockAhead } from '../../model/instant.js';
import { change, formatOf, recordsIn, type Records, type Versioned } from '../../stores/records.js';
import type { DurableStore } from '../../stores/store.js';
import {
  claimFormat,
  eventFormat,
  eventKey,
  isDue,
  keySegment,
  stateKey,
  type FinalState,
} from '../inbox/inbox-record.js';
import { scopesOf, sharesScope } from '../verify/signatures.js';

/** The claim of an event by the call that handles it. */
interface EventClaim {
  readonly complete: () => Promise<unknown>;
  /** Releases the claim, so that the next attempt handles the event. */
  readonly release: () => Promise<unknown>;
}

/** Why a claim is refused: the event was handled, or another call is handling it. */
type ClaimRefusal = 'done' | 'in_progress';

/** @param state the final state in the event */
export type ClaimEvent = (
  id: string,
  secrets: readonly string[],
  state?: FinalState,
) => Promise<EventClaim | ClaimRefusal>;

/** Times of a claim, in milliseconds. */
export interface ClaimTimes {
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly now: () => number;
}

/** The stored form of a claim. `until`: the end of the lease, or the time at which a handled event is forgotten. */
interface ClaimRecord {
  readonly state: 'claimed' | 'done';
  /** Random, so that a process recognises its own claim after a lost reply. */
  readonly owner?: string;
  readonly until: number;
  /** The length of the lease, in milliseconds. Missing: the event was handled. */
  readonly leaseMs?: number;
}

/** A key of the event, or of its state. */
interface HeldKey {
  readonly key: string;
  /** The claim that this call wrote. `undefined`: another call has the state. */
  readonly known: Versioned<ClaimRecord> | undefined;
}

/** How many handled events a receiver without a store remembers. */
const maxRemembered = 50_000;
const keyPrefix = 'receiver/';
/** How many old records each claim removes at most. */
const prunedPerClaim = 10;
/** After this number of tries, other processes are working on the event. */
const mostTries = 5;
const format = formatOf<ClaimRecord>('v', 1);

/**
 * Creates the claims of a receiver.
 * @param store the store that it shares with other processes. `undefined`: it remembers events in memory
 */
export function createClaims(store: DurableStore | undefined, times: ClaimTimes): ClaimEvent {
  if (store === undefined) {
    const claim = claimsInMemory(times);
    return (id) => Promise.resolve(claim(id));
  }
  const records = recordsIn(store, format);
  const tryClaim: ClaimEvent = async (id, secrets, state) => {
    const scopes = await scopesOf(secrets);
    /** First the keys of the event, then the keys of its state. */
    const held: HeldKey[] = [];
    const claim = {
      complete: async () => {
        // First the state: if this process ends in between, the event comes again. The other way round, `catchUp` would add it.
        for (const key of held.toReversed()) await complete(records, key, times);
      },
      release: () => Promise.all(held.map((key) => release(records, key))),
    };
    const take = async (): Promise<ClaimRefusal | undefined> => {
      for (const key of await keysOf(scopes, { id })) {
        const { old, written } = await claimKey(records, key, times);
        if (written === undefined) return old?.state === 'done' ? 'done' : 'in_progress';
        held.push({ key, known: written });
      }
      // So that `catchUp` of an inbox skips the state. Events with the same state do not exclude each other.
      for (const key of state === undefined ? [] : await keysOf(scopes, state))
        held.push({ key, known: (await claimKey(records, key, times)).written });
      // After the claim: an inbox first takes its lease, and then reads the claim. One of the two sees the other.
      return findInInbox(store, { id, state }, scopes, times.now());
    };
    const [refusal] = await Promise.all([take(), prune(store, times.now)]).catch(async (error: unknown) => {
      await claim.release().catch(() => undefined); // Otherwise, the claims expire.
      throw error;
    });
    if (refusal !== undefined) await claim.release();
    return refusal ?? claim;
  };
  return async (...event) => {
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const latest = times.now() + times.leaseMs;
      const claim = await tryClaim(...event);
      // If the store took longer than the lease, another process may have the event: it must be claimed again.
      if (typeof claim === 'string' || times.now() < latest) return claim;
      await claim.release();
    }
    throw new Error(
      'The store took longer than leaseMs to claim an event, so no handler ran. The service delivers it again. If this ' +
        'repeats, increase leaseMs.',
    );
  };
}

/** Creates the claims of a receiver without a store. They forget the oldest handled events. */
export function claimsInMemory(
  { now, keepMs }: Omit<ClaimTimes, 'leaseMs'>,
  max = maxRemembered,
): (id: string) => EventClaim | ClaimRefusal {
  const claimed = new Set<string>();
  /** When each handled event is forgotten, by ID, the oldest first. */
  const done = new Map<string, number>();
  return (id) => {
    if ((done.get(id) ?? -Infinity) > now()) return 'done';
    if (claimed.has(id)) return 'in_progress';
    claimed.add(id);
    const release = () => Promise.resolve(claimed.delete(id));
    const complete = () => {
      done.delete(id); // It becomes the newest.
      done.set(id, now() + keepMs);
      keepNewest(done, max);
      return release();
    };
    return { complete, release };
  };
}

/**
 * The keys of an event, or of the final state of a post, one for each scope. During a rotation, an event has one key for
 * each secret, so that a process that knows only one of the secrets recognises it.
 */
async function keysOf(scopes: readonly string[], of: { readonly id: string } | FinalState): Promise<string[]> {
  const name = 'id' in of ? await keySegment(of.id) : `${await keySegment(of.postId)}/${of.status}`;
  return scopes.map((scope) => `${keyPrefix}${scope}/${name}`);
}

/** Searches the inbox of the same subscription on this store for the event, and for the final state in it. */
async function findInInbox(
  store: DurableStore,
  { id, state }: { readonly id: string; readonly state: FinalState | undefined },
  scopes: readonly string[],
  now: number,
): Promise<ClaimRefusal | undefined> {
  const key = await eventKey(id);
  const record = (await recordsIn(store, eventFormat).read(key))?.record;
  if (record !== undefined && sharesScope(scopes, record.scopes)) {
    if (record.state === 'done' && record.wakeAt > now) return 'done';
    if (record.state === 'waiting' && record.owner !== undefined && !isDue(record, now)) return 'in_progress';
  }
  if (state === undefined) return undefined;
  const stateAt = await stateKey(state.postId, state.status);
  const first = (await recordsIn(store, claimFormat).read(stateAt))?.record;
  // The inbox has the event of this state from catchUp, and handles that.
  return first?.recovered === true && sharesScope(scopes, first.scopes) ? 'done' : undefined;
}

/** Searches the records of receivers for an event, or for the final state of a post. */
export async function findReceiverClaim(
  store: DurableStore,
  of: { readonly id: string } | FinalState,
  scopes: readonly string[],
  now: number,
): Promise<Pick<ClaimRecord, 'state' | 'until'> | undefined> {
  let found: ClaimRecord | undefined;
  for (const key of await keysOf(scopes, of)) {
    const record = (await recordsIn(store, format).read(key))?.record;
    if (record === undefined || !isValid(record, now)) continue;
    // Whatever a newer version wrote under the next key, the event is handled.
    if (record.state === 'done') return record;
    found = record;
  }
  return found;
}

function claimKey(records: Records<ClaimRecord>, key: string, { leaseMs, now }: ClaimTimes) {
  const until = now() + leaseMs;
  const mine: ClaimRecord = { state: 'claimed', owner: defaultRuntime.newId(), until, leaseMs };
  const next = (old: ClaimRecord | undefined) =>
    old && isValid(old, now()) ? undefined : { record: mine, wakeAt: until };
  return change(records, key, next, { known: 'new', mostTries });
}

/** Even if the lease expired: whichever process has the event now, it was handled. */
function complete(records: Records<ClaimRecord>, { key, known }: HeldKey, { now, keepMs }: ClaimTimes) {
  const until = now() + keepMs;
  return change<ClaimRecord>(records, key, () => ({ record: { state: 'done', until }, wakeAt: until }), { known });
}

function release(records: Records<ClaimRecord>, { key, known }: HeldKey) {
  const isMine = (found: ClaimRecord | undefined) => known !== undefined && found?.owner === known.record.owner;
  return change(records, key, (found) => (isMine(found) ? null : undefined), { known });
}

/** Removes records whose time is over. */
async function prune(store: DurableStore, now: () => number): Promise<void> {
  try {
    const keys = await store.due(keyPrefix, now(), prunedPerClaim);
    const next = (record: ClaimRecord | undefined) => (record && isValid(record, now()) ? undefined : null);
    await Promise.all(keys.map((key) => change(recordsIn(store, format), key, next)));
  } catch {
    // The next claim tries again.
  }
}

/** Whether a record still counts. A lease that ends later than it can was written by a clock that was ahead. */
function isValid({ until, leaseMs = Infinity }: ClaimRecord, now: number): boolean {
  return until > now && !isFromClockAhead(until - leaseMs, now);
}
