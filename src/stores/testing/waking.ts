import { equal, read, type ContractTest } from './contract-test.js';

export function describeWaking(it: ContractTest): void {
  it('names what is due, the oldest first, and of equal ones in the order of keys', async (store, room) => {
    const wakeAt = { never: null, late: 40, b: 20, a: 20, '\u{10000}': 20, '\uffff': 20, first: 10, past: -5, zero: 0 };
    for (const [name, at] of Object.entries(wakeAt)) await store.insert(room + name, '', at);
    const due = async (now: number, limit = 100) =>
      (await store.due(room, now, limit)).map((key) => key.slice(room.length));
    equal(await due(30), ['past', 'zero', 'first', 'a', 'b', '\uffff', '\u{10000}']);
    equal(await due(30, 4), ['past', 'zero', 'first', 'a']);
    equal(await due(1e15), ['past', 'zero', 'first', 'a', 'b', '\uffff', '\u{10000}', 'late']);
    equal(await due(-6), []);
  });

  it('knows fractions of a millisecond, and the time of day with them', async (store, room) => {
    const now = 1_790_000_000_000;
    await store.insert(`${room}c`, '', now + 0.25);
    await store.insert(`${room}b`, '', now + 0.125);
    await store.insert(`${room}a`, '', now + 0.375);
    equal(await store.due(room, now, 10), []);
    equal(await store.due(room, now + 0.125, 10), [`${room}b`]);
    equal(await store.due(room, now + 0.374, 10), [`${room}b`, `${room}c`]);
    equal(await store.due(room, now + 0.375, 10), [`${room}b`, `${room}c`, `${room}a`]);
  });

  it('follows what a swap says', async (store, room) => {
    await store.insert(`${room}a`, '', 10);
    const swap = async (data: string | null, wakeAt: number | null) =>
      store.swap(`${room}a`, (await read(store, `${room}a`)).version, data, wakeAt);
    await swap('later', 20);
    equal(await store.due(room, 15, 10), []);
    equal(await store.due(room, 20, 10), [`${room}a`]);
    await swap('never', null);
    equal(await store.due(room, 1e15, 10), []);
    await swap('again', 5);
    equal(await store.due(room, 5, 10), [`${room}a`]);
    await swap(null, 1);
    equal(await store.due(room, 1e15, 10), []);
  });

  it('names keys of the prefix alone, however many others are due before them', async (store, room) => {
    for (let i = 0; i < 600; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, j) => store.insert(`${room}other/${i + j}`, '', 1)));
    }
    await store.insert(`${room}mine/b`, '', 2);
    await store.insert(`${room}mine/a`, '', 3);
    equal(await store.due(`${room}mine/`, 10, 1), [`${room}mine/b`]);
    equal(await store.due(`${room}mine/`, 10, 100), [`${room}mine/b`, `${room}mine/a`]);
    equal((await store.due(`${room}other/`, 10, 2000)).length, 600);
  });
}
