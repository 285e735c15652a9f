import { assert, equal, read, rejectsAsInvalid, written, type ContractTest } from './contract-test.js';

/** Tests of one item: read, inserted, swapped, removed, and its allowed contents. */
export function describeItems(it: ContractTest): void {
  it('has nothing under a key that was never written', async (store, room) => {
    equal(await store.get(`${room}a`), undefined);
    equal(await store.swap(`${room}a`, 1, 'x', null), undefined);
    equal(await store.swap(`${room}a`, 1, null, null), undefined);
    equal(await store.get(`${room}a`), undefined);
  });

  it('gives back what was inserted, and inserts a key once', async (store, room) => {
    written(await store.insert(`${room}a`, 'first', null));
    const first = await store.get(`${room}a`);
    equal(first?.data, 'first');
    equal(await store.insert(`${room}a`, 'second', 1), undefined);
    equal(await store.get(`${room}a`), first);
    equal(await store.due(room, 2, 10), []);
  });

  it('swaps the version that was read, and no other one', async (store, room) => {
    await store.insert(`${room}a`, 'one', null);
    const one = await read(store, `${room}a`);
    written(await store.swap(`${room}a`, one.version, 'two', null));
    const two = await read(store, `${room}a`);
    equal(two.data, 'two');
    for (const wrong of [one.version, two.version + 1, two.version + 1000]) {
      equal(await store.swap(`${room}a`, wrong, 'wrong', 1), undefined);
      equal(await store.swap(`${room}a`, wrong, null, null), undefined);
    }
    equal(await store.get(`${room}a`), two);
    equal(await store.due(room, 2, 10), []);
  });

  it('returns the version that a read sees, and every swap returns another one', async (store, room) => {
    const inserted = written(await store.insert(`${room}a`, 'one', null));
    equal(await store.get(`${room}a`), { version: inserted, data: 'one' });
    const swapped = written(await store.swap(`${room}a`, inserted, 'two', 1));
    assert(swapped !== inserted, 'a new version');
    equal(await store.get(`${room}a`), { version: swapped, data: 'two' });
    equal(await store.scan(room, undefined, 10), [{ key: `${room}a`, version: swapped, data: 'two' }]);
    // The same text again is a new version too.
    const again = written(await store.swap(`${room}a`, swapped, 'two', 1));
    equal(new Set([inserted, swapped, again]).size, 3);
    written(await store.swap(`${room}a`, again, null, null));
  });

  it('uses no version twice for a key, whatever is swapped, removed and inserted again', async (store, room) => {
    const seen: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      seen.push(written(await store.insert(`${room}a`, 'old', null)));
      for (let swaps = 0; swaps < round % 4; swaps += 1)
        seen.push(written(await store.swap(`${room}a`, seen.at(-1) ?? 0, `${swaps}`, null)));
      written(await store.swap(`${room}a`, seen.at(-1) ?? 0, null, null));
    }
    equal(new Set(seen).size, seen.length);
    written(await store.insert(`${room}a`, 'new', null));
    for (const old of seen) {
      equal(await store.swap(`${room}a`, old, 'wrong', null), undefined);
      equal(await store.swap(`${room}a`, old, null, null), undefined);
    }
    equal((await read(store, `${room}a`)).data, 'new');
  });

  it('removes an item, after which its key is new', async (store, room) => {
    await store.insert(`${room}a`, 'one', 1);
    await store.insert(`${room}b`, 'stays', null);
    const { version } = await read(store, `${room}a`);
    written(await store.swap(`${room}a`, version, null, null));
    equal(await store.get(`${room}a`), undefined);
    equal(await store.swap(`${room}a`, version, null, null), undefined);
    equal(await store.due(room, 2, 10), []);
    equal(
      (await store.scan(room, undefined, 10)).map(({ data }) => data),
      ['stays'],
    );
    written(await store.insert(`${room}a`, 'anew', null));
    equal((await read(store, `${room}a`)).data, 'anew');
  });

  it('keeps any text as data', async (store, room) => {
    const texts = ['', ' ', '\n\r\t', '{"a":"\\u0000"}', `'; DROP TABLE x; --`, '\\', '$1 ?1 :a', 'é', 'e\u0301'];
    for (const [index, text] of [...texts, '\uffff', '\u0001\u007f\u0085\u2028', '😀\u{10ffff}', 'null'].entries()) {
      const key = `${room}${index}`;
      written(await store.insert(key, text, null));
      const { version, data } = await read(store, key);
      equal(data, text);
      written(await store.swap(key, version, `${text}${text}`, null));
      equal((await read(store, key)).data, `${text}${text}`);
    }
  });

  it('keeps 1 MB of data', async (store, room) => {
    const large = 'é😀\n"x'.repeat(100_000);
    written(await store.insert(`${room}a`, large, null));
    const { version, data } = await read(store, `${room}a`);
    assert(data === large, 'the data is what was inserted');
    written(await store.swap(`${room}a`, version, `${large}!`, null));
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
