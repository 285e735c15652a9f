import { describe, expect, it, vi } from 'vitest';
import { growingWaits, Interval, listedWaits, Retries, retrying } from '../../src/core/flow/retrying.js';
import { eventually } from '../support/eventually.js';

/** A clock that moves only while something waits. */
function fakeRuntime() {
  const waits: number[] = [];
  let now = 100;
  return {
    waits,
    runtime: {
      monotonic: () => now,
      sleep: (ms: number, signal: AbortSignal | undefined) => {
        signal?.throwIfAborted();
        waits.push(ms);
        now += ms;
        return Promise.resolve();
      },
    },
  };
}

function failing(times: number) {
  let calls = 0;
  return vi.fn(() => {
    calls += 1;
    if (calls <= times) throw new Error(`failure ${String(calls)}`);
    return 'done';
  });
}

describe('schedules', () => {
  it('list waits, and end after the last one', () => {
    expect([1, 2, 3].map(listedWaits([5, 50]))).toEqual([5, 50, undefined]);
  });

  it('grow by a factor up to a longest wait', () => {
    expect([1, 2, 3, 4, 5].map(growingWaits(10, 100))).toEqual([10, 20, 40, 80, 100]);
    expect([1, 2, 3].map(growingWaits(10, 100, 1.5))).toEqual([10, 15, 22.5]);
  });
});

describe('retrying', () => {
  it('returns the result of the first success without a wait', async () => {
    const { runtime, waits } = fakeRuntime();
    await expect(retrying(failing(0), { schedule: () => 5, runtime })).resolves.toBe('done');
    expect(waits).toEqual([]);
  });

  it('waits as the schedule says between attempts', async () => {
    const { runtime, waits } = fakeRuntime();
    await expect(retrying(failing(3), { schedule: growingWaits(1, 3), runtime })).resolves.toBe('done');
    expect(waits).toEqual([1, 2, 3]);
  });

  it('throws the last failure when the schedule ends', async () => {
    const { runtime, waits } = fakeRuntime();
    const work = failing(9);
    await expect(retrying(work, { schedule: listedWaits([5, 6]), runtime })).rejects.toThrow('failure 3');
    expect(waits).toEqual([5, 6]);
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('throws a failure that is not retryable at once', async () => {
    const { runtime, waits } = fakeRuntime();
    const isRetryable = (error: unknown) => (error as Error).message !== 'failure 2';
    const options = { schedule: () => 5, runtime, isRetryable };
    await expect(retrying(failing(9), options)).rejects.toThrow('failure 2');
    expect(waits).toEqual([5]);
  });

  it('cuts the last wait short at the time limit, makes one more attempt, and throws its failure', async () => {
    const { runtime, waits } = fakeRuntime();
    const work = failing(9);
    await expect(retrying(work, { schedule: () => 40, limitMs: 100, runtime })).rejects.toThrow('failure 4');
    expect(waits).toEqual([40, 40, 20]);
  });

  it('makes one attempt with a time limit of 0', async () => {
    const { runtime, waits } = fakeRuntime();
    await expect(retrying(failing(1), { schedule: () => 40, limitMs: 0, runtime })).rejects.toThrow('failure 1');
    expect(waits).toEqual([]);
  });

  it("rejects with the signal's reason when it aborts during a wait", async () => {
    const controller = new AbortController();
    const work = failing(9);
    const rejected = expect(retrying(work, { schedule: () => 60_000, signal: controller.signal })).rejects.toBe('stop');
    await eventually(() => {
      expect(work).toHaveBeenCalled();
    });
    controller.abort('stop');
    await rejected;
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('waits on the timers of the machine by default', async () => {
    vi.useFakeTimers();
    try {
      const done = vi.fn();
      void retrying(failing(1), { schedule: () => 20 }).then(done);
      await vi.advanceTimersByTimeAsync(19);
      expect(done).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(done).toHaveBeenCalledWith('done');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the waits between attempts', () => {
  it('say whether there is a further attempt, and how much time is left', async () => {
    const { runtime, waits } = fakeRuntime();
    const retries = new Retries({ schedule: () => 30, limitMs: 50, runtime });
    expect(retries.leftMs).toBe(50);
    expect(await retries.wait()).toBe(true);
    expect(retries.leftMs).toBe(20);
    expect(await retries.wait()).toBe(true);
    expect(retries.leftMs).toBe(0);
    expect(await retries.wait()).toBe(false);
    expect(waits).toEqual([30, 20]);
  });

  it('have no end without a limit', () => {
    expect(new Retries({ schedule: () => 1 }).leftMs).toBe(Infinity);
  });
});

describe('Interval', () => {
  it('is due at first, after its time, and at once if the clock is set back', () => {
    const interval = new Interval(1_000);
    expect(interval.isDue(5_000)).toBe(true);
    interval.restart(5_000);
    expect([5_000, 5_999, 6_000].map((now) => interval.isDue(now))).toEqual([false, false, true]);
    expect([4_999, 0].map((now) => interval.isDue(now))).toEqual([true, true]);
  });
});
