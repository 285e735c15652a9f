import { describe, expect, it, vi } from 'vitest';
import { forEachInPool, inPool, type PoolOptions } from '../../src/core/flow/pool.js';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const never = new Promise<never>(() => {});

/** Collects results until the end or a failure. */
async function collect<T>(items: AsyncIterable<T>): Promise<{ seen: T[]; error?: unknown }> {
  const seen: T[] = [];
  try {
    for await (const item of items) seen.push(item);
  } catch (error) {
    return { seen, error };
  }
  return { seen };
}

function* counting(end: number, closed?: () => void) {
  try {
    for (let item = 0; item < end; item += 1) yield item;
  } finally {
    closed?.();
  }
}

describe('a pool', () => {
  it('yields results as they become ready, of sync and async sources', async () => {
    const work = async (ms: number, index: number) => {
      await pause(ms);
      return `${String(index)}: ${String(ms)}`;
    };
    async function* source() {
      await Promise.resolve();
      yield* [30, 1, 10];
    }
    const inOrderOfTheirEnds = ['1: 1', '2: 10', '0: 30'];
    expect((await collect(inPool([30, 1, 10], work, { concurrency: 3 }))).seen).toEqual(inOrderOfTheirEnds);
    expect((await collect(inPool(source(), work, { concurrency: 3 }))).seen).toEqual(inOrderOfTheirEnds);
    expect((await collect(inPool([], work, { concurrency: 3 }))).seen).toEqual([]);
  });

  it.each([
    [1, undefined],
    [3, undefined],
    [3, 6],
  ])('keeps at most %i items under way, and reads one item at a time, at most %s ahead', async (concurrency, ahead) => {
    const counts = { asking: 0, read: 0, taken: 0, underWay: 0 };
    const most = { ahead: 0, underWay: 0 };
    async function* source() {
      for (let item = 0; item < 40; item += 1) {
        expect((counts.asking += 1)).toBe(1);
        await Promise.resolve();
        counts.asking -= 1;
        counts.read += 1;
        most.ahead = Math.max(most.ahead, counts.read - counts.taken);
        yield item;
      }
    }
    const work = async () => {
      counts.underWay += 1;
      most.underWay = Math.max(most.underWay, counts.underWay);
      await pause(1);
      counts.underWay -= 1;
    };
    for await (const _ of inPool(source(), work, { concurrency, readAhead: ahead })) {
      await pause(1);
      counts.taken += 1;
    }
    expect(counts.taken).toBe(40);
    expect(most).toEqual({ ahead: ahead ?? concurrency, underWay: concurrency });
  });

  it('throws the error of the source after the results of earlier items', async () => {
    function* source() {
      yield* counting(3);
      throw new Error('line 4 is not CSV');
    }
    const { seen, error } = await collect(inPool(source(), (item) => pause(5).then(() => item), { concurrency: 2 }));
    expect(seen).toEqual([0, 1, 2]);
    expect(error).toEqual(new Error('line 4 is not CSV'));
  });

  it('throws the error of the work after the results of items in flight, and reads no more', async () => {
    const closed = vi.fn();
    const work = async (item: number) => {
      await pause(item === 1 ? 1 : 15);
      if (item === 1) throw new Error('disk full');
      return item;
    };
    const { seen, error } = await collect(inPool(counting(50, closed), work, { concurrency: 3 }));
    expect(seen).toEqual([0, 2]);
    expect(error).toEqual(new Error('disk full'));
    expect(closed).toHaveBeenCalledOnce();
  });

  it('throws a failure of every item, one at a time', async () => {
    const fails = () => Promise.reject(new Error('down'));
    const { seen, error } = await collect(inPool(counting(3), fails, { concurrency: 1 }));
    expect([seen, error]).toEqual([[], new Error('down')]);
  });

  it('throws the failure of the work, though the source fails to close', async () => {
    const source = () => ({
      [Symbol.iterator]: () => ({
        next: () => ({ done: false as const, value: 1 }),
        return: () => {
          throw new Error('not closed');
        },
      }),
    });
    const fails = () => Promise.reject(new Error('down'));
    expect((await collect(inPool(source(), fails, { concurrency: 1 }))).error).toEqual(new Error('down'));
    const leave = async () => {
      for await (const _ of inPool(source(), () => 1, { concurrency: 1 })) break;
    };
    await expect(leave()).rejects.toThrow('not closed');
  });
});

describe('a reader that leaves', () => {
  it('closes the source, and the work under way ends first', async () => {
    const closed = vi.fn();
    let underWay = 0;
    const work = async (item: number) => {
      underWay += 1;
      await pause(item === 0 ? 1 : 10);
      underWay -= 1;
    };
    for await (const _ of inPool(counting(50, closed), work, { concurrency: 4 })) break;
    expect(closed).toHaveBeenCalledOnce();
    expect(underWay).toBe(0);
  });

  it('does not wait for a source that hangs', async () => {
    async function* source() {
      yield 1;
      await never;
    }
    for await (const _ of inPool(source(), (item) => item, { concurrency: 2 })) {
      await pause(1);
      break;
    }
  });
});

describe('an abort', () => {
  const reason = new Error('Ctrl-C');

  /** A source of two items that then hangs, and an abort a little later. */
  async function aborted(work: (item: number) => Promise<number>, options: Partial<PoolOptions>) {
    const controller = new AbortController();
    async function* source() {
      yield* [1, 2];
      await never;
    }
    setTimeout(() => {
      controller.abort(reason);
    }, 10);
    return collect(inPool(source(), work, { concurrency: 4, signal: controller.signal, ...options }));
  }

  it("ends the iteration at once with the signal's reason, even while source and work hang", async () => {
    expect(await aborted(() => never, {})).toEqual({ seen: [], error: reason });
  });

  it('lets the work under way finish and yields its results, if asked', async () => {
    const work = (item: number) => pause(30).then(() => item);
    expect(await aborted(work, { whenAborted: 'finish' })).toEqual({ seen: [1, 2] });
  });

  it('then has no result of work that ends with its reason, and no failure hides behind it', async () => {
    const failure = new Error('The disk is full');
    const work = async (item: number) => {
      await pause(30 * item);
      throw item === 1 ? reason : failure;
    };
    expect(await aborted(work, { whenAborted: 'finish' })).toEqual({ seen: [], error: failure });
    const one = async (item: number) => (item === 1 ? pause(30).then(() => Promise.reject(reason)) : item);
    expect(await aborted(one, { whenAborted: 'finish' })).toEqual({ seen: [2] });
  });

  it('closes the source and begins nothing more', async () => {
    const controller = new AbortController();
    const closed = vi.fn();
    const begun: number[] = [];
    const work = (item: number) => {
      begun.push(item);
      if (item === 3) controller.abort(reason);
      return item;
    };
    const pool = inPool(counting(50, closed), work, { concurrency: 1, signal: controller.signal });
    expect((await collect(pool)).error).toBe(reason);
    expect(begun).toEqual([0, 1, 2, 3]);
    expect(closed).toHaveBeenCalledOnce();
  });

  it('before the start reads nothing', async () => {
    const next = vi.fn(() => ({ done: false as const, value: 1 }));
    const source = { [Symbol.iterator]: () => ({ next }) };
    const pool = inPool(source, (item) => item, { concurrency: 1, signal: AbortSignal.abort(reason) });
    expect((await collect(pool)).error).toBe(reason);
    expect(next).not.toHaveBeenCalled();
  });
});

describe('for each item in a pool', () => {
  it('calls a function, a few at a time', async () => {
    let underWay = 0;
    let most = 0;
    const done: number[] = [];
    await forEachInPool([...counting(20)], 3, async (item) => {
      most = Math.max(most, (underWay += 1));
      await pause(1);
      underWay -= 1;
      done.push(item);
    });
    expect(most).toBe(3);
    expect(done).toHaveLength(20);
  });

  it('throws the first failure after all calls have ended', async () => {
    const done: number[] = [];
    const work = async (item: number) => {
      await pause(1);
      if (item === 2 || item === 4) throw new Error(`item ${String(item)}`);
      done.push(item);
    };
    await expect(forEachInPool([...counting(6)], 2, work)).rejects.toThrow('item 2');
    expect(done).toEqual([0, 1, 3, 5]);
  });
});
