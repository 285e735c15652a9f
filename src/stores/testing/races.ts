import type { DurableStore } from '../store.js';
import { equal, read, written, type ContractTest } from './contract-test.js';

/** Several writers at once, over one store and over two. */
export function describeRaces(it: ContractTest): void {
  it('lets one of 50 inserts at once win', async (store, room, openAnother) => {
    const storeOf = await openBeside(store, room, openAnother);
    for (let round = 0; round < 5; round += 1) {
      const key = `${room}${round}`;
      const winner = await onlyWinner(storeOf, (own, i) => own.insert(key, `writer ${i}`, null));
      equal((await read(store, key)).data, `writer ${winner}`);
    }
  });

  it('lets one of 50 swaps at once win', async (store, room, openAnother) => {
    const storeOf = await openBeside(store, room, openAnother);
    await store.insert(`${room}a`, 'start', null);
    for (let round = 0; round < 5; round += 1) {
      const { version } = await read(store, `${room}a`);
      const winner = await onlyWinner(storeOf, (own, i) => own.swap(`${room}a`, version, `writer ${round}/${i}`, null));
      equal((await read(store, `${room}a`)).data, `writer ${round}/${winner}`);
    }
  });

  it('lets one of 50 removals at once win', async (store, room, openAnother) => {
    const storeOf = await openBeside(store, room, openAnother);
    await store.insert(`${room}a`, 'start', 1);
    const { version } = await read(store, `${room}a`);
    await onlyWinner(storeOf, (own) => own.swap(`${room}a`, version, null, null));
    equal(await store.get(`${room}a`), undefined);
  });

  it('loses no count of 8 writers who add up by reading and swapping', async (store, room, openAnother) => {
    const storeOf = await openBeside(store, room, openAnother);
    await store.insert(`${room}count`, '0', null);
    const add = async (own: DurableStore) => {
      for (let done = 0; done < 10;) {
        const { version, data } = await read(own, `${room}count`);
        if ((await own.swap(`${room}count`, version, String(Number(data) + 1), null)) !== undefined) done += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => add(storeOf(i))));
    equal((await read(store, `${room}count`)).data, '80');
  });
}

/** Makes 50 writes at once, and returns the number of the one that succeeded. */
async function onlyWinner(
  storeOf: StoreOf,
  write: (store: DurableStore, number: number) => Promise<number | undefined>,
): Promise<number> {
  const versions = await Promise.all(Array.from({ length: 50 }, (_, i) => write(storeOf(i), i)));
  const winners = [...versions.entries()].filter(([, version]) => version !== undefined && written(version) > 0);
  equal(winners.length, 1);
  return winners[0]?.[0] ?? -1;
}

/** The store of each writer: of every second one another store, if opening again leads to the same data. */
type StoreOf = (writer: number) => DurableStore;

async function openBeside(
  store: DurableStore,
  room: string,
  openAnother: () => Promise<DurableStore>,
): Promise<StoreOf> {
  const other = await openAnother();
  await store.insert(`${room}shared`, '', null);
  const isShared = (await other.get(`${room}shared`)) !== undefined;
  return (writer) => (isShared && writer % 2 === 1 ? other : store);
}
