import type { DurableStore } from '../store.js';
import { assert, equal, written, type ContractTest } from './contract-test.js';

/** Parts of keys in code point order, which is also the order of their UTF-8 bytes. */
const ordered = [
  ...['', '\u0001', '\t', '\n', ' ', '!', '"', '#', '$', '%', '%%', '&', `'`, '(', '*', '*a', ',', '-', '.', '..', '/'],
  ...[
    '0',
    '00',
    '01',
    '1',
    '10',
    '2',
    ':',
    ';',
    '?',
    '@',
    'A',
    'AB',
    'Z',
    '[',
    '[a]',
    '\\',
    ']',
    '^',
    '_',
    '__proto__',
  ],
  ...['`', 'a', 'a\u0001', 'a ', 'a/', 'aA', 'aa', 'ab', 'b', 'e', 'e\u0301', 'e\u0301x', 'i', 'z'],
  ...['{', '{a}', '|', '}', '~', '\u007f', '\u0080', 'ß', 'ä', 'é', 'ı', 'я', '\u2028', '中', '\ud7ff', '\ue000'],
  ...['\ufeff', '\ufffd', '\uffff', '\u{10000}', '😀', '😀a', '😁', '\u{10ffff}', '\u{10ffff}\u{10ffff}'],
];

/** Keys: their order, their prefixes, their walls. */
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
    const parts = [
      '%',
      '_',
      '*',
      '?',
      '[a-z]',
      '\\',
      '\\%',
      '{a}',
      '(',
      '$',
      '^',
      `'`,
      '"',
      '\uffff',
      '\u{10ffff}',
      'é',
    ];
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

  it('tells keys apart that only look alike', async (store, room) => {
    const alike = [
      'a',
      'A',
      'a ',
      ' a',
      'a\u00a0',
      'é',
      'e\u0301',
      '\u00c5',
      '\u212b',
      'ﬁ',
      'fi',
      'ss',
      'ß',
      '1',
      '01',
      '1.0',
    ];
    for (const part of alike) written(await store.insert(room + part, part, null));
    for (const part of alike) equal((await store.get(room + part))?.data, part);
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
