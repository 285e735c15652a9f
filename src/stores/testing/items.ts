import { assert, equal, rejectsAsInvalid } from './asserts.js';
import { read, type ContractTest } from './contract-test.js';

/** One item: read, inserted, swapped, removed, and what it may hold. */
export function describeItems(it: ContractTest): void {
  it('has nothing under a key that was never written', async (store, room) => {
    equal(await store.get(`${room}a`), undefined);
    equal(await store.swap(`${room}a`, 1, 'x', null), false);
    equal(await store.swap(`${room}a`, 1, null, null), false);
    equal(await store.get(`${room}a`), undefined);
  });

  it('gives back what was inserted, and inserts a key once', async (store, room) => {
    equal(await store.insert(`${room}a`, 'first', null), true);
    const first = await store.get(`${room}a`);
    equal(first?.data, 'first');
    assert(Number.isSafeInteger(first?.version) && (first?.version ?? 0) > 0, 'the version is a whole number above 0');
    equal(await store.insert(`${room}a`, 'second', 1), false);
    equal(await store.get(`${room}a`), first);
    equal(await store.due(room, 2, 10), []);
  });

  it('swaps the version that was read, and no other one', async (store, room) => {
    await store.insert(`${room}a`, 'one', null);
    const one = await read(store, `${room}a`);
    equal(await store.swap(`${room}a`, one.version, 'two', null), true);
    const two = await read(store, `${room}a`);
    equal(two.data, 'two');
    assert(two.version > one.version, 'the version counts up');
    for (const wrong of [one.version, two.version + 1, two.version + 1000]) {
      equal(await store.swap(`${room}a`, wrong, 'wrong', 1), false);
      equal(await store.swap(`${room}a`, wrong, null, null), false);
    }
    equal(await store.get(`${room}a`), two);
    equal(await store.due(room, 2, 10), []);
  });

  it('gives the version that was asked for, and adds 1 with each swap, where it says so', async (store, room) => {
    if (store.predictableVersions !== true) return;
    assert(store.insert.length > 3, 'insert names four parameters, so that the publisher hands the version over');
    for (const [name, version] of [
      ['a', 1],
      ['b', 2 ** 48],
    ] as const) {
      equal(await store.insert(room + name, 'one', null, version), true);
      equal(await store.insert(room + name, 'other', null, 7), false);
      equal(await store.get(room + name), { version, data: 'one' });
      equal(await store.swap(room + name, version, 'two', 1), true);
      equal(await store.get(room + name), { version: version + 1, data: 'two' });
    }
    for (const version of [0, -1, 1.5, 2 ** 48 + 1, Number.NaN])
      await rejectsAsInvalid(() => store.insert(`${room}c`, 'x', null, version));
  });

  it('removes an item, after which its key is new', async (store, room) => {
    await store.insert(`${room}a`, 'one', 1);
    await store.insert(`${room}b`, 'stays', null);
    const { version } = await read(store, `${room}a`);
    equal(await store.swap(`${room}a`, version, null, null), true);
    equal(await store.get(`${room}a`), undefined);
    equal(await store.swap(`${room}a`, version, null, null), false);
    equal(await store.due(room, 2, 10), []);
    equal(
      (await store.scan(room, undefined, 10)).map(({ data }) => data),
      ['stays'],
    );
    equal(await store.insert(`${room}a`, 'anew', null), true);
    equal((await read(store, `${room}a`)).data, 'anew');
  });

  it('takes no version of an item that was removed for one of the item that came after', async (store, room) => {
    for (let round = 0; round < 20; round += 1) {
      await store.insert(`${room}a`, 'old', null);
      const old = await read(store, `${room}a`);
      await store.swap(`${room}a`, old.version, null, null);
      await store.insert(`${room}a`, 'new', null);
      equal(await store.swap(`${room}a`, old.version, 'wrong', null), false);
      equal(await store.swap(`${room}a`, old.version, null, null), false);
      const { version, data } = await read(store, `${room}a`);
      equal(data, 'new');
      await store.swap(`${room}a`, version, null, null);
    }
  });

  it('keeps any text as data', async (store, room) => {
    const texts = [
      '',
      ' ',
      '\n\r\t',
      '{"a":"\\u0000"}',
      `'; DROP TABLE x; --`,
      '\\',
      '$1 ?1 :a',
      'é',
      'e\u0301',
      '\uffff',
    ];
    for (const [index, text] of [...texts, '\u0001\u007f\u0085\u2028', '😀\u{10ffff}', 'null'].entries()) {
      const key = `${room}${index}`;
      equal(await store.insert(key, text, null), true);
      const { version, data } = await read(store, key);
      equal(data, text);
      equal(await store.swap(key, version, `${text}${text}`, null), true);
      equal((await read(store, key)).data, `${text}${text}`);
    }
  });

  it('keeps 1 MB of data', async (store, room) => {
    const large = 'é😀\n"x'.repeat(100_000);
    equal(await store.insert(`${room}a`, large, null), true);
    const { version, data } = await read(store, `${room}a`);
    assert(data === large, 'the data is what was inserted');
    equal(await store.swap(`${room}a`, version, `${large}!`, null), true);
    const [scanned] = await store.scan(room, undefined, 10);
    assert(scanned?.data === `${large}!`, 'the data is what was swapped in');
  });

  it('refuses what not every store could keep, and writes nothing', async (store, room) => {
    for (const text of ['\0', 'a\0b', '\ud83d', '\ude00', 'a\ud83db', '\ude00\ud83d']) {
      await rejectsAsInvalid(() => store.get(room + text));
      await rejectsAsInvalid(() => store.insert(room + text, 'x', null));
      await rejectsAsInvalid(() => store.insert(`${room}a`, text, null));
      await rejectsAsInvalid(() => store.swap(`${room}a`, 1, text, null));
      await rejectsAsInvalid(() => store.due(room + text, 1, 1));
      await rejectsAsInvalid(() => store.scan(room + text, undefined, 1));
      await rejectsAsInvalid(() => store.scan(room, room + text, 1));
    }
    await rejectsAsInvalid(() => store.insert(room + 'x'.repeat(3000), 'x', null));
    await rejectsAsInvalid(() => store.insert(`${room}a`, 'x', Number.NaN));
    await rejectsAsInvalid(() => store.insert(`${room}a`, 'x', Infinity));
    await rejectsAsInvalid(() => store.due(room, 1, 0));
    await rejectsAsInvalid(() => store.scan(room, undefined, 1.5));
    equal(await store.scan(room, undefined, 10), []);
  });
}
