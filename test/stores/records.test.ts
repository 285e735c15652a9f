import { describe, expect, it } from 'vitest';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { itemsUnder, change, formatOf, recordsIn, type Records } from '../../src/stores/records.js';

interface Count {
  readonly count: number;
}

function counts() {
  const store = new MemoryDurableStore();
  return { store, records: recordsIn(store, formatOf<Count>('format', 1)) };
}
const next = (count: number) => ({ record: { count }, wakeAt: null });
const addOne = (old: Count | undefined) => next((old?.count ?? 0) + 1);

describe('a change of a record', () => {
  it('writes the next record of the old one, and returns both', async () => {
    const { store, records } = counts();
    expect(await change(records, 'k', addOne)).toMatchObject({ old: undefined, written: { record: { count: 1 } } });
    const { old, written } = await change(records, 'k', addOne);
    expect([old, written?.record]).toEqual([{ count: 1 }, { count: 2 }]);
    expect(await store.get('k')).toEqual({ version: written?.version, data: '{"format":1,"count":2}' });
  });

  it('is repeated with the newer record if another write was faster', async () => {
    const { records } = counts();
    const known = await records.write('k', undefined, next(1));
    await change(records, 'k', () => next(5));
    const seen: unknown[] = [];
    const { written } = await change(
      records,
      'k',
      (old) => {
        seen.push(old?.count);
        return addOne(old);
      },
      { known },
    );
    expect([seen, written?.record]).toEqual([[1, 5], { count: 6 }]);
    expect((await change(records, 'k', addOne, { known: 'new' })).written?.record).toEqual({ count: 7 });
  });

  it('of a known or a new record reads nothing', async () => {
    const { records } = counts();
    const unread: Records<Count> = { ...records, read: () => Promise.reject(new Error('read')) };
    const { written } = await change(unread, 'k', addOne, { known: 'new' });
    expect((await change(unread, 'k', addOne, { known: written })).written?.record).toEqual({ count: 2 });
  });

  it('ends after its tries, if other writes are always faster', async () => {
    const { records } = counts();
    let writes = 0;
    const contended: Records<Count> = { ...records, write: () => Promise.resolve(void (writes += 1)) };
    expect(await change(contended, 'k', addOne, { mostTries: 5 })).toEqual({ old: undefined, written: undefined });
    expect(writes).toBe(5);
  });

  it('removes the record, or leaves it', async () => {
    const { store, records } = counts();
    expect(await change(records, 'k', () => null)).toEqual({ old: undefined, written: undefined });
    await change(records, 'k', addOne);
    expect(await change(records, 'k', () => undefined)).toEqual({ old: { count: 1 }, written: undefined });
    expect((await change(records, 'k', () => null)).written?.record).toEqual({ count: 1 });
    expect(store.size).toBe(0);
    expect(await records.write('k', undefined, null)).toBeUndefined();
  });

  it('by many at once loses none', async () => {
    const { records } = counts();
    await Promise.all(Array.from({ length: 20 }, () => change(records, 'k', addOne)));
    expect((await records.read('k'))?.record).toEqual({ count: 20 });
  });
});

it('reads all items under a prefix page by page, each once', async () => {
  const store = new MemoryDurableStore();
  const keys = Array.from({ length: 201 }, (_, index) => `inbox/${String(index).padStart(3, '0')}`);
  for (const key of [...keys, 'other']) await store.insert(key, key, null);
  const read: string[] = [];
  for await (const { key } of itemsUnder(store, 'inbox/')) read.push(key);
  expect(read).toEqual(keys);
});
