import { defaultRuntime, keepNewest } from '../../core/runtime.js';
import { change, formatOf, recordsIn, type RecordWrite } from '../../stores/records.js';
import type { DurableStore } from '../../stores/store.js';
import {
  claimFormat,
  eventFormat,
  eventKey,
  isDue,
  isFromClockAhead,
  keySegment,
  maxLeaseMs,
  stateKey,
  type FinalState,
} from '../inbox/inbox-record.js';
import { scopesOf, sharesScope } from '../verify/secrets.js';

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
  /** The length of the lease, in milliseconds. Missing: it was handled, or release 0.2.0 wrote it. */
  readonly leaseMs?: number;
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
  return async (id, secrets, state) => {
    const scopes = await scopesOf(secrets);
    const claims: EventClaim[] = [];
    const states: EventClaim[] = [];
    const claim = {
      complete: async () => {
        // First the state: if this process ends in between, the event comes again. The other way round, `catchUp` would add it.
        await endAll(states, 'complete');
        await endAll(claims, 'complete');
      },
      release: () => endAll([...claims, ...states], 'release'),
    };
    const take = async (): Promise<ClaimRefusal | undefined> => {
      for (const key of await keysOf(scopes, { id })) {
        const claimed = await claimKey(store, key, times);
        if (typeof claimed === 'string') return claimed;
        claims.push(claimed);
      }
      const stateKeys = state === undefined ? [] : await keysOf(scopes, state);
      for (const key of stateKeys) states.push(await markState(store, key, times));
      // After the claim: an inbox first takes its lease, and then reads the claim. One of the two sees the other.
      return findInInbox(store, id, { scopes, state, now: times.now() });
    };
    const [refusal] = await Promise.all([take(), prune(store, times.now)]).catch(async (error: unknown) => {
      await claim.release().catch(() => undefined); // Otherwise, the claims expire.
      throw error;
    });
    if (refusal === undefined) return claim;
    await claim.release();
    return refusal;
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

/**
 * Marks the final state of a post as being handled, so that `catchUp` of an inbox skips it. Other events with the same
 * state do not exclude each other.
 */
async function markState(store: DurableStore, key: string, times: ClaimTimes): Promise<EventClaim> {
  const claim = await claimKey(store, key, times);
  if (typeof claim !== 'string') return claim;
  const complete = () => change(recordsIn(store, format), key, () => handled(times));
  return { complete, release: () => Promise.resolve() };
}

interface Subscription {
  readonly scopes: readonly string[];
  readonly state?: FinalState | undefined;
  readonly now: number;
}

/** Searches the inbox of the same subscription on this store for the event. */
async function findInInbox(
  store: DurableStore,
  id: string,
  { scopes, state, now }: Subscription,
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
    if (record.state === 'done') return record;
    found = record;
  }
  return found;
}

function endAll(claims: readonly EventClaim[], how: keyof EventClaim): Promise<unknown> {
  return Promise.all(claims.map((claim) => claim[how]()));
}

async function claimKey(store: DurableStore, key: string, times: ClaimTimes): ReturnType<ClaimEvent> {
  const { leaseMs, now } = times;
  const until = now() + leaseMs;
  const mine: ClaimRecord = { state: 'claimed', owner: defaultRuntime.newId(), until, leaseMs };
  const records = recordsIn(store, format);
  const isFree = (old: ClaimRecord | undefined) => old === undefined || !isValid(old, now());
  const { old, written } = await change(records, key, (found) => (isFree(found) ? toWrite(mine) : undefined), {
    known: 'new',
    mostTries,
  });
  if (written === undefined) return old?.state === 'done' ? 'done' : 'in_progress';
  return {
    // Even if the lease expired: whichever process has the event now, it was handled.
    complete: () => change(records, key, () => handled(times), { known: written }),
    release: () =>
      change(records, key, (found) => (found?.owner === mine.owner ? null : undefined), { known: written }),
  };
}

function handled({ now, keepMs }: ClaimTimes): RecordWrite<ClaimRecord> {
  return toWrite({ state: 'done', until: now() + keepMs });
}

function toWrite(record: ClaimRecord): RecordWrite<ClaimRecord> {
  return { record, wakeAt: record.until };
}

/** Removes records whose time is over. */
async function prune(store: DurableStore, now: () => number): Promise<void> {
  try {
    const keys = await store.due(keyPrefix, now(), prunedPerClaim);
    await Promise.all(
      keys.map((key) =>
        change(recordsIn(store, format), key, (record) =>
          record === undefined || isValid(record, now()) ? undefined : null,
        ),
      ),
    );
  } catch {
    // The next claim tries again.
  }
}

/** Whether a record still counts. A lease that ends later than it can was written by a clock that was ahead. */
function isValid({ state, until, leaseMs = maxLeaseMs }: ClaimRecord, now: number): boolean {
  return until > now && (state === 'done' || !isFromClockAhead({ at: until, lengthMs: leaseMs }, now));
}
