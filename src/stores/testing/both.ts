import type { DurableStore, InsertedItem, SwappedItem } from '../store.js';
import { assert, equal, rejectsAsInvalid } from './asserts.js';
import { read, type ContractTest } from './contract-test.js';
import { openBeside, pick } from './races.js';

/** A store may leave it out: then there is nothing to test. */
type Both = NonNullable<DurableStore['swapAndInsert']>;

/** Swaps of one item together with an insert of another, by stores that can. */
export function describeBoth(it: ContractTest): void {
  it('swaps one item and inserts another in one write', async (store, room) => {
    const { both, swapped, inserted } = await begin(store, room);
    if (both === undefined) return;
    equal(await both(swapped, inserted), true);
    equal(await store.get(swapped.key), { version: swapped.version + 1, data: 'two' });
    const item = await read(store, inserted.key);
    equal(item.data, 'new');
    assert(item.version > 0, 'a version above 0');
    equal(await store.due(room, 15, 10), [inserted.key]);
    equal(await store.due(room, 20, 10), [inserted.key, swapped.key]);
    equal(
      (await store.scan(room, undefined, 10)).map(({ key, data }) => [key.slice(room.length), data]),
      [
        ['new', 'new'],
        ['old', 'two'],
      ],
    );
    // What was written so is swapped like any other.
    equal(await store.swap(inserted.key, item.version, 'newer', null), true);
    equal(await store.swap(swapped.key, swapped.version + 1, null, null), true);
    equal(await both(swapped, { ...inserted, key: `${room}other` }), false);
    equal(await store.due(room, 1e15, 10), []);
  });

  it('writes neither where the one was swapped, removed or never there, or the other one is there', async (store, room) => {
    const { both, swapped, inserted } = await begin(store, room);
    if (both === undefined) return;
    const before = await read(store, swapped.key);
    equal(await both({ ...swapped, version: swapped.version + 1 }, inserted), false);
    equal(await both({ ...swapped, key: `${room}missing` }, inserted), false);
    equal(await store.get(inserted.key), undefined);
    await store.insert(inserted.key, 'first', null);
    const first = await read(store, inserted.key);
    equal(await both(swapped, inserted), false);
    equal(await store.get(inserted.key), first);
    equal(await store.get(swapped.key), before);
    equal(await store.get(`${room}missing`), undefined);
    equal(await store.due(room, 1e15, 10), [swapped.key]);
    equal(await store.due(room, 9, 10), []);
    equal((await store.scan(room, undefined, 10)).length, 2);
  });

  it('refuses two items of which one could not be kept, or that have one key', async (store, room) => {
    const { both, swapped, inserted } = await begin(store, room);
    if (both === undefined) return;
    for (const bad of [{ key: `${room}\0` }, { data: '\ud83d' }, { wakeAt: Number.NaN }]) {
      await rejectsAsInvalid(() => both({ ...swapped, ...bad }, inserted));
      await rejectsAsInvalid(() => both(swapped, { ...inserted, ...bad }));
    }
    await rejectsAsInvalid(() => both({ ...swapped, version: 0 }, inserted));
    await rejectsAsInvalid(() => both(swapped, { ...inserted, key: swapped.key }));
    equal((await read(store, swapped.key)).data, 'one');
    equal(await store.get(inserted.key), undefined);
  });

  it('lets one of 50 win who swap items of their own and insert the same one', async (store, room, openAnother) => {
    const stores = await openBeside(store, room, openAnother);
    if (store.swapAndInsert === undefined) return;
    const swapped = await Promise.all(Array.from({ length: 50 }, (_, i) => itemToSwap(store, `${room}own/${i}`)));
    const won = await Promise.all(
      swapped.map((own, i) => bothOf(pick(stores, i))(own, { key: `${room}one`, data: own.key, wakeAt: null })),
    );
    equal(won.filter(Boolean).length, 1);
    equal((await read(store, `${room}one`)).data, swapped[won.indexOf(true)]?.key);
    for (const [i, { key }] of swapped.entries()) equal((await read(store, key)).data, won[i] === true ? 'two' : 'one');
  });

  it('lets one of 50 win who swap the same item and insert one of their own', async (store, room, openAnother) => {
    const stores = await openBeside(store, room, openAnother);
    if (store.swapAndInsert === undefined) return;
    const swapped = await itemToSwap(store, `${room}one`);
    const won = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        bothOf(pick(stores, i))(
          { ...swapped, data: `writer ${i}` },
          { key: `${room}own/${i}`, data: '', wakeAt: null },
        ),
      ),
    );
    const winner = won.indexOf(true);
    equal(won.filter(Boolean).length, 1);
    equal((await read(store, swapped.key)).data, `writer ${winner}`);
    equal(
      (await store.scan(`${room}own/`, undefined, 100)).map(({ key }) => key),
      [`${room}own/${winner}`],
    );
  });
}

async function begin(store: DurableStore, room: string) {
  const swapped = await itemToSwap(store, `${room}old`);
  const inserted: InsertedItem = { key: `${room}new`, data: 'new', wakeAt: 10 };
  return { both: store.swapAndInsert && bothOf(store), swapped, inserted };
}

/** An item, and what is to be written over it. */
async function itemToSwap(store: DurableStore, key: string): Promise<SwappedItem> {
  await store.insert(key, 'one', 10);
  return { key, version: (await read(store, key)).version, data: 'two', wakeAt: 20 };
}

function bothOf(store: DurableStore): Both {
  return async (swapped, inserted) => {
    const { swapAndInsert } = store;
    assert(swapAndInsert !== undefined, 'swapAndInsert');
    return swapAndInsert.call(store, swapped, inserted);
  };
}
