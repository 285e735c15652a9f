import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defaultRuntime } from '../../src/core/runtime.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { World } from '../publisher/world.js';

describe('defaultRuntime', () => {
  it('draws whole numbers of 48 bits', () => {
    const drawn = Array.from({ length: 100 }, () => defaultRuntime.random48());

    expect(drawn.every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 48)).toBe(true);
    expect(new Set(drawn).size).toBe(100);
  });

  it('is the one place where a publish draws its IDs and versions', async () => {
    const newId = vi.spyOn(defaultRuntime, 'newId').mockReturnValue('owner-1');
    const random48 = vi.spyOn(defaultRuntime, 'random48').mockReturnValue(41);
    onTestFinished(() => {
      newId.mockRestore();
      random48.mockRestore();
    });
    const written: [key: string, version: number | undefined, data: string][] = [];
    const store = new MemoryDurableStore();
    const insert = store.insert.bind(store);
    store.insert = async (key, data, wakeAt) => {
      const version = await insert(key, data, wakeAt);
      written.push([key, version, data]);
      return version;
    };
    const world = new World(store);

    await world.process().publish('a', world.now);

    expect(written[0]).toEqual(['intent/a', 42, expect.stringContaining('"owner-1"')]);
  });
});
