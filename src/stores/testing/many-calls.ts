import { compareKeys } from '../key-order.js';
import type { DurableStore } from '../store.js';
import { assert, equal, read, written, type ContractTest } from './contract-test.js';

/** Several writers at once, over one store and over two. */
export function describeRaces(it: ContractTest): void {
  for (const writes of ['inserts', 'swaps', 'removals']) {
    it(`lets one of 50 ${writes} at once win`, async (store, room, openAnother) => {
      const storeOf = await openBeside(store, room, openAnother);
      const dataOf = (writer: number) => (writes === 'removals' ? null : `writer ${writer}`);
      for (let round = 0; round < 5; round += 1) {
        const key = `${room}${round}`;
        const version = writes === 'inserts' ? undefined : written(await store.insert(key, 'start', 1));
        const winner = await onlyWinner(storeOf, (own, i) =>
          version === undefined ? own.insert(key, `writer ${i}`, null) : own.swap(key, version, dataOf(i), null),
        );
        equal((await store.get(key))?.data ?? null, dataOf(winner));
      }
    });
  }

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

/** The expected item; the store chooses its versions. */
interface Expected {
  readonly data: string;
  readonly wakeAt: number | null;
}

const parts = ['a', 'b', 'b/c', 'B', '%', '_', '*', '\uffff', '😀'] as const;
const rounds = 300;

/** Random calls, the same ones each time, against a few lines that say what should come of them. */
export function describeModel(it: ContractTest): void {
  it(`does what was to be expected of ${rounds} random calls`, async (store, room) => {
    const random = numbers(20_260_211);
    const model = new Map<string, Expected>();
    for (let round = 0; round < rounds; round += 1) {
      const key = room + (parts[random(parts.length)] ?? '');
      const next: Expected = { data: `data ${round}`, wakeAt: random(3) === 0 ? null : random(100) / 4 };
      const [isInsert, isRemoval] = [random(3) === 0, random(4) === 0];
      const item = await store.get(key);
      equal(item?.data, model.get(key)?.data);
      const version = isInsert
        ? await store.insert(key, next.data, next.wakeAt)
        : await store.swap(key, item?.version ?? 1, isRemoval ? null : next.data, next.wakeAt);
      const isWritten = model.has(key) !== isInsert;
      equal(version !== undefined, isWritten);
      if (isWritten && !isInsert && isRemoval) model.delete(key);
      else if (isWritten) model.set(key, next);
      await compare(store, model, room, random(25));
    }
  });
}

async function compare(store: DurableStore, model: Map<string, Expected>, room: string, now: number): Promise<void> {
  const keys = [...model.keys()].sort(compareKeys);
  const found = await store.scan(room, undefined, 100);
  equal(
    found.map(({ key, data }) => [key, data]),
    keys.map((key) => [key, model.get(key)?.data]),
  );
  const wakeAt = (key: string) => model.get(key)?.wakeAt ?? Infinity;
  const due = keys.filter((key) => wakeAt(key) <= now).sort((a, b) => wakeAt(a) - wakeAt(b) || compareKeys(a, b));
  equal(await store.due(room, now, 100), due);
  assert(
    found.every(({ version }) => version > 0),
    'versions above 0',
  );
}

/** Whole numbers below a limit, random enough and the same each time (a linear congruence modulo 2^31). */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * limit);
  };
}
