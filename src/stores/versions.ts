/**
 * The versions of items. The version that a write chooses is its mark: it shows whether a write whose reply was lost was
 * executed. The upper bits count the swaps, and the lower 20 bits are random.
 */
import { defaultRuntime } from '../core/runtime.js';
import type { StoredItem } from './store.js';

const tags = 2 ** 20;

/** More swaps than other processes make while a caller waits for a lost reply. */
const mostSwaps = 64;

/**
 * Draws the version of a new item: 48 random bits. If a key is removed and inserted again, a version of the old item
 * does not match the new one.
 */
export function firstVersion(): number {
  return defaultRuntime.random48() + 1;
}

/** Returns the version of a swap: the next count, and a random tag. */
export function nextVersion(replaces: number): number {
  return (countOf(replaces) + 1) * tags + (defaultRuntime.random48() % tags);
}

/** A write, with the version that it chose. */
export interface ItemWrite {
  readonly key: string;
  /** The version that the write replaces; `undefined` for an insert. */
  readonly replaces: number | undefined;
  readonly version: number;
  /** The new text; `null` removes the item. */
  readonly data: string | null;
  readonly wakeAt: number | null;
}

/** Whether a write was executed. `not yet`: the item shows that it was not. `unknown`: the item does not show it. */
export type Verdict = boolean | 'not yet' | 'unknown';

/** Finds out whether a write was executed, from the item as it is after the lost reply. */
export function judge({ replaces, version, data }: ItemWrite, seen: StoredItem | undefined): Verdict {
  if (seen?.version === replaces) return 'not yet';
  // Two writers choose the same version about once in 1,000,000 races. Then their data show which of them wrote.
  if (seen?.version === version) return seen.data === data;
  // The first version is random, so a higher count shows later swaps of this item.
  if (replaces === undefined) return seen !== undefined && follows(version, seen.version);
  // A removal leaves no version. An item that does not exist was removed, as the write asked.
  if (data === null) return seen === undefined || !follows(replaces, seen.version);
  return seen !== undefined && isRival(replaces, version, seen.version) ? false : 'unknown';
}

function countOf(version: number): number {
  return Math.floor(version / tags);
}

/** Whether an item with the second version came from one with the first by swaps. */
function follows(first: number, version: number): boolean {
  return version > first && countOf(version) <= countOf(first) + mostSwaps;
}

/**
 * Whether another writer replaced the same version, and the own write was not executed. Release 0.2.0 adds 1 to a version.
 * So a version a little above the own one can also be a later swap of the own write.
 */
function isRival(replaces: number, own: number, seen: number): boolean {
  return seen > replaces && (seen < own || (countOf(seen) === countOf(own) && seen > own + mostSwaps));
}
