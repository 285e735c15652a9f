/**
 * One of several processes on one store. Arguments: the store and the job, as JSON. It reports its work line by line.
 */
import { once } from 'node:events';
import type { DurableStore } from '../../src/stores/store.js';
import type { TestableStore } from '../../src/stores/testing/index.js';
import { openStore } from './open-store.js';
import type { Job, StoreTask } from './store-processes.js';

const { spec, job } = JSON.parse(process.argv[2] ?? '') as StoreTask;
/** Resolves when the line has left this process: one that is killed loses what it has not written yet. */
const say = (line: unknown) =>
  new Promise<void>((resolve) => {
    process.stdout.write(`${JSON.stringify(line)}\n`, () => {
      resolve();
    });
  });
// Not to be left behind by a test that was stopped.
process.on('disconnect', () => process.exit());

const store = await openStore(spec);
if (job.name !== 'setup') await store.setup?.();
await say('ready');
await once(process, 'message');
await jobs(store, job);
await store.close?.();
process.disconnect();

async function jobs(own: TestableStore, { name, room, writer, rounds }: Job): Promise<void> {
  if (name === 'setup') await own.setup?.();
  if (name === 'race') await race(own, room, writer, rounds);
  if (name === 'write') await writeUntilKilled(own, room, writer);
}

/** Inserts keys that all others insert too, and adds up a number by reading and swapping. */
async function race(own: DurableStore, room: string, writer: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const key = `${room}insert/${round}`;
    if ((await own.insert(key, writer, null)) !== undefined) await say({ inserted: key });
  }
  for (let done = 0; done < rounds;) {
    const count = await own.get(`${room}count`);
    if (count === undefined) throw new Error('The count is gone.');
    if ((await own.swap(`${room}count`, count.version, String(Number(count.data) + 1), null)) !== undefined) done += 1;
  }
}

/** Reports acknowledged writes at once, as long as it lives. */
async function writeUntilKilled(own: DurableStore, room: string, writer: string): Promise<void> {
  for (let n = 0; ; n += 1) {
    const key = `${room}${writer}/${n}`;
    const version = await own.insert(key, 'inserted', n);
    if (version === undefined) throw new Error('No other process inserts this key.');
    await say({ key, data: 'inserted' });
    if ((await own.swap(key, version, 'swapped', null)) === undefined)
      throw new Error('No other process swaps this key.');
    await say({ key, data: 'swapped' });
  }
}
