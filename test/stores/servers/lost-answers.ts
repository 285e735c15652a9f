import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defaultRuntime } from '../../../src/core/runtime.js';
import { openStore, type StoreSpec } from '../open-store.js';
import type { TestableStore } from '../../../src/stores/testing/index.js';
import { CuttingProxy } from './cutting-proxy.js';

/**
 * Tests a store whose connection ends at the worst moment. `through` opens it through a local proxy, `direct` without
 * it.
 */
export function describeLostAnswers(
  name: string,
  target: () => { host: string; port: number },
  through: (port: number) => StoreSpec,
  direct: () => StoreSpec,
): void {
  describe(`${name} over a connection that is lost`, () => {
    let proxy: CuttingProxy;
    let [store, beside]: TestableStore[] = [];
    const stores = () => {
      if (store === undefined || beside === undefined) throw new Error('Not opened');
      return { store, beside };
    };
    const newKey = () => `lost/${randomUUID()}`;
    const versionOf = async (key: string) => (await stores().beside.get(key))?.version ?? 0;

    beforeAll(async () => {
      proxy = await CuttingProxy.start(target());
      store = await openStore(through(proxy.port));
      beside = await openStore(direct());
      await store.setup?.();
    });
    afterAll(async () => {
      await store?.close?.();
      await beside?.close?.();
      await proxy.close();
    });

    it.each(['reply', 'request'] as const)('trusts an insert whose %s was lost only after a read', async (lose) => {
      const { store, beside } = stores();
      const key = newKey();
      const before = proxy.cuts;
      proxy.cutNext(`marked ${key}`, lose);
      expect(await store.insert(key, `marked ${key}`, 5)).toEqual(expect.any(Number));
      expect(proxy.cuts).toBe(before + 1);
      expect((await beside.get(key))?.data).toBe(`marked ${key}`);
      expect(await beside.due(key, 5, 10)).toEqual([key]);
    });

    it.each(['reply', 'request'] as const)('takes no other’s item for its own where the %s was lost', async (lose) => {
      const { store, beside } = stores();
      const key = newKey();
      await beside.insert(key, 'other', null);
      proxy.cutNext(`marked ${key}`, lose);
      expect(await store.insert(key, `marked ${key}`, 5)).toBeUndefined();
      expect((await beside.get(key))?.data).toBe('other');
    });

    it.each(['reply', 'request'] as const)('makes a swap whose %s was lost once', async (lose) => {
      const { store, beside } = stores();
      const key = newKey();
      await beside.insert(key, 'first', 1);
      const version = await versionOf(key);
      proxy.cutNext(`marked ${key}`, lose);
      const swapped = await store.swap(key, version, `marked ${key}`, 7);
      expect(swapped).toBeGreaterThan(version);
      expect(await beside.get(key)).toEqual({ version: swapped, data: `marked ${key}` });
      expect(await beside.due(key, 6, 10)).toEqual([]);
    });

    it.each(['reply', 'request'] as const)(
      'knows that another was faster where the %s of a swap was lost',
      async (lose) => {
        const { store, beside } = stores();
        const key = newKey();
        await beside.insert(key, 'first', 1);
        const version = await versionOf(key);
        const random48 = vi.spyOn(defaultRuntime, 'random48').mockReturnValueOnce(500).mockReturnValueOnce(5);
        const swapped = await beside.swap(key, version, `marked ${key}`, 1);
        proxy.cutNext(`marked ${key}`, lose);
        // The same data: only the version distinguishes the two.
        expect(await store.swap(key, version, `marked ${key}`, 1)).toBeUndefined();
        expect(await versionOf(key)).toBe(swapped);
        random48.mockRestore();
      },
    );

    it.each(['reply', 'request'] as const)('removes once where the %s was lost', async (lose) => {
      const { store, beside } = stores();
      const key = newKey();
      await beside.insert(key, 'first', 1);
      proxy.cutNext(key, lose);
      expect(await store.swap(key, await versionOf(key), null, null)).toEqual(expect.any(Number));
      expect(await beside.get(key)).toBeUndefined();
    });

    it('reads again', async () => {
      const { store, beside } = stores();
      const key = newKey();
      await beside.insert(key, 'first', 1);
      for (const read of [() => store.get(key), () => store.scan(key, undefined, 1), () => store.due(key, 1, 1)]) {
        proxy.cutNext(key, 'reply');
        expect(JSON.stringify(await read())).toContain(read.toString().includes('due') ? key : 'first');
      }
    });
  });
}
