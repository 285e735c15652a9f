/**
 * Versions that identify the write, for handles whose replies can be lost. The table has no column for an ID of a write,
 * and tables of older releases must stay as they are. So the upper bits of a version count the swaps, and the lower 20
 * bits are random.
 */
import { defaultRuntime } from '../../core/runtime.js';
import type { ItemWrite } from '../item-store.js';
import type { Verdict } from '../lost-replies.js';
import type { StoredItem } from '../store.js';

const tags = 2 ** 20;

/** More swaps than other processes make while a caller waits for a lost reply. */
const mostSwaps = 64;

/** Returns the version of a swap: the next count, and a random tag. */
export function taggedVersion(replaces: number): number {
  return (countOf(replaces) + 1) * tags + (defaultRuntime.random48() % tags);
}

/** Finds out whether a write was executed, from the item as it is now. */
export function judgeByVersion({ replaces, version, data }: ItemWrite, seen: StoredItem | undefined): Verdict {
  if (replaces === undefined) {
    if (seen === undefined) return 'not yet';
    // The first version is random, so a higher count shows later swaps of this item.
    return seen.version === version ? seen.data === data : follows(version, seen.version);
  }
  if (seen?.version === replaces) return 'not yet';
  // An item that does not exist was removed, as the write asked.
  if (data === null) return seen === undefined || !follows(replaces, seen.version);
  if (seen?.version === version) return seen.data === data;
  return seen !== undefined && isOtherSwap(replaces, version, seen.version) ? false : 'unknown';
}

function countOf(version: number): number {
  return Math.floor(version / tags);
}

/** Whether an item with the second version came from one with the first by swaps. */
function follows(first: number, version: number): boolean {
  return version > first && countOf(version) <= countOf(first) + mostSwaps;
}

/**
 * Whether another writer made the swap. A writer on a local handle adds 1 to the version, so a version a little above the
 * own one can also be a later swap of the own write.
 */
function isOtherSwap(replaces: number, own: number, seen: number): boolean {
  return seen > replaces && (seen < own || (countOf(seen) === countOf(own) && seen > own + mostSwaps));
}
