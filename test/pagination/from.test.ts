import { describe, expect, test } from 'vitest';
import { Paginator, responseOf } from '../../src/index.js';
import { collect } from '../support/collect.js';

const posts = [{ postId: 'post_1' }, { postId: 'post_1' }, { postId: 'post_2' }];

describe('Paginator.from', () => {
  test('resolves to one page with the items and the reply', async () => {
    const page = await Paginator.from(posts, { success: true, posts });
    expect(page.items).toEqual(posts);
    expect(page.response).toEqual({ success: true, posts });
    expect(page.hasNextPage).toBe(false);
    await expect(page.nextPage()).resolves.toBeUndefined();
    expect(responseOf(page)).toBeUndefined();
  });

  test('has an empty reply by default', async () => {
    const page = await Paginator.from([]);
    expect(page.items).toEqual([]);
    expect(page.response).toEqual({});
  });

  test('yields every item, equal IDs included, in each iteration', async () => {
    const list = Paginator.from(new Set(posts));
    expect(await collect(list)).toEqual(posts);
    expect(await collect(list)).toEqual(posts);
    expect((await collect(list.pages())).map(({ items }) => items)).toEqual([posts]);
  });

  test('reads a generator once', async () => {
    async function* numbers() {
      await Promise.resolve();
      yield* [1, 2, 3];
    }
    const list = Paginator.from(numbers());
    expect(await list.toArray({ maxItems: 2 })).toEqual([1, 2]);
    expect(await list.toArray()).toEqual([1, 2, 3]);
    expect((await list).items).toEqual([1, 2, 3]);
  });

  test('rejects with the error of its source', async () => {
    const broken = Paginator.from(
      (function* () {
        yield 1;
        throw new Error('broken');
      })(),
    );
    await expect(broken).rejects.toThrow('broken');
  });
});

test('new Paginator() says how to create a list', () => {
  const create = () => Reflect.construct(Paginator, []) as unknown;
  expect(create).toThrow(TypeError);
  expect(create).toThrow(
    'Paginator has no public constructor. Call a list method of the client, or Paginator.from(items) in a test.',
  );
});

describe('a list from an endless source', () => {
  function endless() {
    const source = { read: 0 };
    function* numbers() {
      for (;;) yield (source.read += 1);
    }
    return { source, list: Paginator.from<number>(numbers()) };
  }

  test('is read as far as toArray needs it', async () => {
    const { source, list } = endless();
    expect(await list.toArray({ maxItems: 3 })).toEqual([1, 2, 3]);
    expect(source.read).toBe(3);
    expect(await list.toArray({ maxItems: 4 })).toEqual([1, 2, 3, 4]);
    expect(source.read).toBe(4);
  });

  test('is read as far as a loop needs it', async () => {
    const { source, list } = endless();
    for await (const item of list) if (item === 2) break;
    expect(source.read).toBe(2);
  });
});
