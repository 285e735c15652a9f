import type { DurableStore } from '../store.js';
import { assert, equal, read, written, type ContractTest } from './contract-test.js';

/** Parts of keys in code point order, which is also the order of their UTF-8 bytes. Some are similar. */
const ordered = [
  ...['', '\u0001', '\t', '\n', ' ', ' a', '!', '"', '#', '$', '%', '%%', '&', `'`, '(', '*', '*a', ',', '-', '.'],
  ...['..', '/', '0', '00', '01', '1', '1.0', '10', '2', ':', ';', '?', '@', 'A', 'AB', 'Z', '[', '[a]', '\\', ']'],
  ...['^', '_', '__proto__', '`', 'a', 'a\u0001', 'a ', 'a/', 'aA', 'aa', 'ab', 'a\u00a0', 'b', 'e', 'e\u0301'],
  ...['e\u0301x', 'fi', 'i', 'ss', 'z', '{', '{a}', '|', '}', '~', '\u007f', '\u0080', '\u00c5', 'ß', 'ä', 'é'],
  ...['ı', 'я', '\u2028', '\u212b', '中', '\ud7ff', '\ue000', 'ﬁ', '\ufeff', '\ufffd', '\uffff', '\u{10000}'],
  ...['😀', '😀a', '😁', '\u{10ffff}', '\u{10ffff}\u{10ffff}'],
];

/** Tests of scan: the order of keys, their prefixes, their pages. */
export function describeScan(it: ContractTest): void {
  it('scans in the order of code points, whatever the order of writing', async (store, room) => {
    for (const part of shuffled(ordered)) written(await store.insert(room + part, part, null));
    equal(await walk(store, room, 1000), ordered);
    equal(await walk(store, room, 7), ordered);
    equal(await walk(store, room, 1), ordered);
    for (const part of ordered) equal((await store.get(room + part))?.data, part);
  });

  it('goes on after any key, there or not', async (store, room) => {
    for (const part of ['b', 'd', 'f']) await store.insert(room + part, part, null);
    const after = async (key: string) => (await store.scan(room, key, 10)).map(({ data }) => data);
    equal(await after(`${room}b`), ['d', 'f']);
    equal(await after(`${room}c`), ['d', 'f']);
    equal(await after(room), ['b', 'd', 'f']);
    equal(await after(''), ['b', 'd', 'f']);
    equal(await after(`${room}f`), []);
    equal(await after('\u{10ffff}'), []);
  });

  it('takes every character of a prefix as it is', async (store, room) => {
    const parts = Array.from('%_*?\\($^\'"\uffff\u{10ffff}é').concat('[a-z]', '\\%', '{a}');
    for (const part of parts) {
      await store.insert(`${room}${part}/1`, `${part}1`, 1);
      await store.insert(`${room}${part}/2`, `${part}2`, 2);
      await store.insert(`${room}x${part}/`, 'other', 1);
    }
    await store.insert(`${room}a/`, 'other', 1);
    await store.insert(`${room}ab/`, 'other', 1);
    for (const part of parts) {
      const prefix = `${room}${part}/`;
      equal(await walk(store, prefix, 10), [`${part}1`, `${part}2`]);
      equal(await store.due(prefix, 5, 10), [`${prefix}1`, `${prefix}2`]);
      equal(
        await walk(store, prefix.toUpperCase(), 10),
        prefix === prefix.toUpperCase() ? [`${part}1`, `${part}2`] : [],
      );
    }
  });

  it('keeps keys of 512 characters, also of those that take the most bytes', async (store, room) => {
    for (const character of ['x', 'é', '中', '😀']) {
      const key = room + character.repeat(512);
      written(await store.insert(key, character, 1));
      equal(await store.insert(key, 'again', 1), undefined);
      equal((await store.get(key))?.data, character);
      equal(await store.due(`${room}${character}`, 1, 10), [key]);
      equal(
        (await store.scan(key, undefined, 10)).map((item) => item.key),
        [key],
      );
    }
  });

  it('gives each item with the version that swaps it', async (store, room) => {
    for (let i = 0; i < 30; i += 1) await store.insert(`${room}${i}`, 'old', null);
    for (const { key, version, data } of await store.scan(room, undefined, 100)) {
      equal(data, 'old');
      equal(await store.get(key), { version, data });
      written(await store.swap(key, version, 'new', null));
    }
    equal(new Set(await walk(store, room, 100)).size, 1);
  });

  it('pages over 600 items, each once', async (store, room) => {
    const names = Array.from({ length: 600 }, (_, i) => String(i).padStart(4, '0'));
    for (let i = 0; i < names.length; i += 100) {
      await Promise.all(names.slice(i, i + 100).map((name) => store.insert(room + name, name, null)));
    }
    equal(await walk(store, room, 250), names);
    equal((await store.scan(room, undefined, 600)).length, 600);
  });
}

/** Tests of due: its order, its times, its prefixes. */
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

/** The data of all items under a prefix, page by page. */
async function walk(store: DurableStore, prefix: string, limit: number): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await store.scan(prefix, after, limit);
    assert(page.length <= limit, `at most ${limit} items, the limit of scan`);
    found.push(...page.map(({ data }) => data));
    if (page.length < limit) return found;
    after = page.at(-1)?.key;
  }
}

/** Returns every seventh item of the list, then the next ones, and so on: the same order each time. */
function shuffled(list: readonly string[]): string[] {
  return Array.from({ length: 7 }, (_, offset) => list.filter((_item, i) => i % 7 === 6 - offset)).flat();
}
