import { expect, it } from 'vitest';
import { Semaphore } from '../../src/core/flow/pool.js';

it('lets a number of holders in, and the others in the order in which they came', async () => {
  const semaphore = new Semaphore(2);
  const entered: number[] = [];
  for (let holder = 1; holder <= 5; holder += 1) void semaphore.acquire().then(() => entered.push(holder));
  await Promise.resolve();
  expect(entered).toEqual([1, 2]);
  for (const expected of [
    [1, 2, 3],
    [1, 2, 3, 4],
    [1, 2, 3, 4, 5],
  ]) {
    semaphore.release();
    await Promise.resolve();
    expect(entered).toEqual(expected);
  }
  semaphore.release();
  semaphore.release();
  for (let holder = 6; holder <= 8; holder += 1) void semaphore.acquire().then(() => entered.push(holder));
  await Promise.resolve();
  expect(entered).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
