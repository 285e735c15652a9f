import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { openStore, type StoreSpec } from './open-store.js';
import { startProcesses, type Job } from './store-processes.js';

interface SharedStore {
  readonly spec: StoreSpec;
  /** Undoes the setup of the store, so that several processes can set it up at once. */
  readonly unset: () => Promise<void>;
}

/** The guarantees of a store among several processes, including killed ones. */
export function describeProcesses(name: string, open: () => Promise<SharedStore>): void {
  const room = () => `processes/${randomUUID()}/`;
  const tasks = (spec: StoreSpec, count: number, job: Omit<Job, 'writer'>) =>
    Array.from({ length: count }, (_, i) => ({ spec, job: { ...job, writer: `writer ${i}` } }));

  describe(`${name}, shared by 8 processes`, () => {
    it('is set up by all of them at once', async () => {
      const { spec, unset } = await open();
      await unset();
      const processes = await startProcesses(tasks(spec, 8, { name: 'setup', room: '', rounds: 0 }));
      await Promise.all(processes.map(({ done }) => done));
      const store = await openStore(spec);
      expect(await store.insert(`${room()}a`, '', null)).toEqual(expect.any(Number));
      await store.close?.();
    });

    it('assigns each key to one of them, and loses no swap', async () => {
      const { spec } = await open();
      const store = await openStore(spec);
      await store.setup?.();
      const own = room();
      await store.insert(`${own}count`, '0', null);
      const processes = await startProcesses(tasks(spec, 8, { name: 'race', room: own, rounds: 25 }));
      await Promise.all(processes.map(({ done }) => done));
      const inserted = processes.flatMap(({ said }) => said);
      expect(inserted).toHaveLength(25);
      expect(new Set(inserted.map((line) => JSON.stringify(line))).size).toBe(25);
      expect((await store.get(`${own}count`))?.data).toBe('200');
      await store.close?.();
    });

    it('keeps all that was acknowledged to processes that were killed', async () => {
      const { spec } = await open();
      const own = room();
      const processes = await startProcesses(tasks(spec, 4, { name: 'write', room: own, rounds: 0 }));
      const acknowledged = () => processes.flatMap(({ said }) => said) as { key: string; data: string }[];
      // A slow machine needs a while for them.
      await eventually(() => {
        expect(new Set(acknowledged().map(({ key }) => key)).size).toBeGreaterThan(20);
      });
      for (const { child } of processes) {
        await sleep(150 + Math.random() * 200);
        child.kill('SIGKILL');
      }
      await Promise.all(processes.map(({ done }) => done));
      const last = new Map<string, string>();
      for (const { key, data } of acknowledged()) last.set(key, data);
      expect(last.size).toBeGreaterThan(20);
      const store = await openStore(spec);
      const kept = new Map((await store.scan(`${own}writer`, undefined, 100_000)).map(({ key, data }) => [key, data]));
      const order = ['inserted', 'swapped'];
      for (const [key, data] of last) {
        // The next write may have been made, and the process killed before it said so.
        const [said, found] = [order.indexOf(data), order.indexOf(kept.get(key) ?? '')];
        expect([key, found === said || found === said + 1]).toEqual([key, true]);
      }
      expect(kept.size).toBeLessThanOrEqual(last.size + 4);
      await store.close?.();
    });
  });
}
