import { storeFailure } from './failure.js';

/** What stands in the store now, of what tells one write from another. */
export interface Seen {
  readonly version: number;
  /** Random: which write it was that is seen. */
  readonly writeId: string;
}

/** `again`: the write was not carried out, so it may be made. `unknown`: nothing that can be seen tells. */
type Verdict = boolean | 'again' | 'unknown';

/** How often an item is swapped at most: versions further apart are those of two items under one key. */
const maxSwaps = 2 ** 20;

/** Whether our insert was carried out, from what is there now. */
export function judgeInsert(seen: Seen | undefined, firstVersion: number, writeId: string): Verdict {
  if (seen === undefined) return 'again';
  // Nobody has swapped it: whose it is stands there.
  if (seen.version === firstVersion) return seen.writeId === writeId;
  // The first version is random, and ours alone. Others have swapped the item since.
  return countedUpFrom(firstVersion, seen.version);
}

/** Whether our swap of a version was carried out. */
export function judgeSwap(seen: Seen | undefined, version: number, writeId: string): Verdict {
  if (seen?.writeId === writeId) return true;
  if (seen?.version === version) return 'again';
  if (seen?.version === version + 1) return false;
  // Another one wrote after us, or instead of us.
  return 'unknown';
}

/** Whether our removal of a version was carried out. */
export function judgeRemoval(seen: Seen | undefined, version: number): Verdict {
  // It is gone as was asked for, whoever did it.
  if (seen === undefined) return true;
  if (seen.version === version) return 'again';
  return !countedUpFrom(version, seen.version);
}

function countedUpFrom(first: number, version: number): boolean {
  return version >= first && version < first + maxSwaps;
}

/** How long to wait before each further try, in milliseconds: a server that starts again is there after a second or two. */
const waitsMs = [5, 50, 250, 1000];

/** One call of a store, as {@link makeSure} needs it. */
export interface SureWrite {
  /** Makes the write. */
  readonly write: () => Promise<boolean>;
  /** Looks at what is there. */
  readonly look: () => Promise<Seen | undefined>;
  /** Says what became of the write. */
  readonly judge: (seen: Seen | undefined) => Verdict;
}

/** How a driver's errors are read. */
export interface Failures {
  /** The connection ended, or never began, or the server asks to come back: what was asked may have been carried out. */
  readonly isLost: (error: unknown) => boolean;
  /** The error in plain words. */
  readonly explain: (error: unknown) => Error;
}

/**
 * Makes a write, and where its answer is lost looks before it believes anything or makes the write again.
 * @throws SocialPublishingError it stays unknown whether it was carried out, or the server refused
 */
export async function makeSure({ write, look, judge }: SureWrite, failures: Failures): Promise<boolean> {
  let lost: unknown;
  const attempt = async (): Promise<Verdict> => {
    if (lost !== undefined) {
      const verdict = judge(await look());
      if (verdict !== 'again') return verdict;
    }
    const done = await write();
    // What refused it may be our own first write, which arrived late.
    return done || lost === undefined ? done : judge(await look());
  };
  for (let tries = 0; ; tries += 1) {
    try {
      const verdict = await attempt();
      if (typeof verdict === 'boolean') return verdict;
      if (verdict === 'unknown' || tries >= waitsMs.length) throw unknownOutcome(lost);
    } catch (error) {
      if (!failures.isLost(error) || tries >= waitsMs.length) throw failures.explain(error);
      lost = error;
    }
    await sleep(waitsMs[tries] ?? 0);
  }
}

/** Does what may be done twice, and does it again where the connection was lost. */
export async function repeatWhenLost<T>(work: () => Promise<T>, failures: Failures): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!failures.isLost(error) || tries >= waitsMs.length) throw failures.explain(error);
    }
    await sleep(waitsMs[tries] ?? 0);
  }
}

function unknownOutcome(cause: unknown): Error {
  return storeFailure(
    'The connection was lost during a write, and others have written since: whether it was carried out can’t be told.',
    cause,
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
