/** Writes whose reply was lost. Each of them may have been executed, so the item is read before the write is repeated. */
import { ConfigurationError, InvalidRequestError } from '../core/errors.js';
import { listedWaits, Retries, retrying } from '../core/flow/retrying.js';
import { storeFailure } from './failure.js';
import type { DurableStore, StoredItem } from './store.js';
import type { ItemWrite, Verdict } from './versions.js';

export interface UncertainWrite {
  /** Executes the write. `false`: it was refused. */
  readonly write: () => Promise<boolean>;
  readonly read: () => Promise<StoredItem | undefined>;
  readonly judge: (seen: StoredItem | undefined) => Verdict;
}

export interface Failures {
  /** The reply was lost, or the server is busy: the statement may have been executed, and may be repeated. */
  readonly isLost: (error: unknown) => boolean;
  readonly explain: (error: unknown) => Error;
}

/** Waits before each repetition, in milliseconds: a server that restarts is back after a second or two. */
const serverWaitsMs = [5, 50, 250, 1000];

/**
 * Makes a write. After a lost reply it reads the item; if the write was not executed, it makes the write again after each
 * of the waits.
 * @throws SocialPublishingError the result stays unknown, or the server refused
 */
export async function settleWrite(
  { write, read, judge }: UncertainWrite,
  { isLost, explain }: Failures,
): Promise<boolean> {
  const retries = new Retries({ schedule: listedWaits(serverWaitsMs) });
  let lost: unknown;
  const attempt = async (mayWrite: boolean): Promise<Verdict> => {
    if (lost !== undefined) {
      const verdict = judge(await read());
      if (verdict !== 'not yet' || !mayWrite) return verdict;
    }
    if (await write()) return true;
    if (lost === undefined) return false;
    // The earlier attempt may have arrived late, and be the reason for the refusal.
    const verdict = judge(await read());
    return verdict === 'not yet' ? 'unknown' : verdict;
  };
  for (let mayWrite = true; ; mayWrite = await retries.wait()) {
    let verdict: Verdict;
    try {
      verdict = await attempt(mayWrite);
    } catch (error) {
      if (!mayWrite) throw explain(lost);
      if (!isLost(error)) throw explain(error);
      lost = error;
      continue;
    }
    if (typeof verdict === 'boolean') return verdict;
    if (verdict === 'not yet') throw explain(lost);
    throw storeFailure(
      'The connection was lost during a write, and another write has replaced the item since: the result is unknown.',
      lost,
    );
  }
}

/** Repeats a read for as long as its reply is lost. */
export async function repeatWhenLost<T>(read: () => T | Promise<T>, { isLost, explain }: Failures): Promise<T> {
  try {
    return await retrying(read, { schedule: listedWaits(serverWaitsMs), isRetryable: isLost });
  } catch (error) {
    throw explain(error);
  }
}

/** The part of a store that writes and records use. */
export type RecordStore = Pick<DurableStore, 'get' | 'insert' | 'swap'>;

/**
 * Inserts, swaps or removes an item in any store. If the store rejects, the item's data show whether it was written.
 * @returns the new version (for a removal, a number of 1 or more); `undefined` if another write was faster
 * @throws the store's error if nothing was written
 */
export async function writeItem(
  store: RecordStore,
  { key, replaces, data, wakeAt }: Omit<ItemWrite, 'version'>,
): Promise<number | undefined> {
  try {
    const write =
      replaces === undefined ? store.insert(key, data ?? '', wakeAt) : store.swap(key, replaces, data, wakeAt);
    return checkedVersion(await write);
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof InvalidRequestError) throw error;
    // The store itself repeats a write where that helps.
    const item = await store.get(key).catch(() => {
      throw error;
    });
    if (item?.version === replaces) throw error;
    return (item?.data ?? null) === data ? (item?.version ?? replaces) : undefined;
  }
}

function checkedVersion(version: number | undefined): number | undefined {
  if (version === undefined || (Number.isSafeInteger(version) && version >= 1)) return version;
  throw new ConfigurationError(
    `insert() or swap() of the DurableStore resolved to ${JSON.stringify(version)}. Both must resolve to the item's new ` +
      'version (a whole number of 1 or more), or to undefined if they wrote nothing. Stores for release 0.2.0 resolved to ' +
      'a boolean: return the version in place of true, and undefined in place of false.',
  );
}
