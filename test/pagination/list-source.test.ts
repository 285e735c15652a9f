import { describe, expect, it } from 'vitest';
import type { ListDefinition } from '../../src/core/call/endpoint.js';
import { continuationOf, positionField, type PageFacts } from '../../src/pagination/list-source.js';

const posts = { items: 'posts', itemId: 'postId' } as const;
const cursor = { ...posts, style: 'cursor', next: 'nextCursor' } as const;
const offset = { ...posts, style: 'offset', total: 'total' } as const;
const skip = { ...posts, style: 'skip', pagination: 'pagination' } as const;
const page = { ...posts, style: 'page' } as const;

/** A page of ten items where ten were asked for, if nothing else is said. */
const facts = (more: Partial<PageFacts> = {}): PageFacts => ({
  query: { platform: 'x' },
  reply: {},
  received: 10,
  askedFor: 10,
  ...more,
});
const next = (list: ListDefinition, more?: Partial<PageFacts>) => continuationOf(list, facts(more)).next;
const total = (list: ListDefinition, reply: PageFacts['reply']) => continuationOf(list, facts({ reply })).total;

describe('a total that is not a whole number of 0 or more', () => {
  it.each([-1, 1.5, NaN, '45', null])('is ignored: %j', (value) => {
    for (const [list, reply, position] of [
      [offset, { total: value }, { offset: 10 }],
      [skip, { pagination: { total: value } }, { skip: 10 }],
    ] as const) {
      expect(total(list, reply)).toBeUndefined();
      expect(next(list, { reply })).toEqual({ platform: 'x', ...position });
      expect(next(list, { reply, received: 9 })).toBeUndefined();
    }
  });
});

describe('a list by cursor', () => {
  it('goes on after the cursor of the page, whatever its size', () => {
    expect(positionField(cursor)).toBe('after');
    expect(next(cursor, { received: 0, reply: { nextCursor: 'n' } })).toEqual({ platform: 'x', after: 'n' });
    expect(next(cursor, { query: { after: 'm' }, reply: { nextCursor: 'n' } })).toEqual({ after: 'n' });
  });

  it.each([{}, { nextCursor: '' }, { nextCursor: null }, { nextCursor: 5 }, { total: 50 }])('ends with %j', (reply) => {
    expect(next(cursor, { reply })).toBeUndefined();
    expect(total(cursor, reply)).toBeUndefined();
  });
});

describe('a list by offset', () => {
  it('goes on by the items received until the total is reached', () => {
    expect(positionField(offset)).toBe('offset');
    expect(next(offset, { reply: { total: 11 } })).toEqual({ platform: 'x', offset: 10 });
    expect(next(offset, { query: { offset: 20 }, received: 3, reply: { total: 24 } })).toEqual({ offset: 23 });
    expect(next(offset, { query: { offset: 20 }, received: 3, reply: { total: 23 } })).toBeUndefined();
  });

  it('ends with an empty page, whatever the total says', () => {
    expect(next(offset, { received: 0, reply: { total: 50 } })).toBeUndefined();
    expect(next(offset, { received: 0, reply: { limit: 0 } })).toBeUndefined();
  });

  it('without a total, continues only after full pages', () => {
    for (const reply of [{}, { total: '50' }, { total: null }]) {
      expect(next(offset, { reply })).toEqual({ platform: 'x', offset: 10 });
      expect(next(offset, { reply, received: 9 })).toBeUndefined();
    }
    expect(total(offset, { total: 50 })).toBe(50);
    expect(total(offset, { total: '50' })).toBeUndefined();
  });
});

describe('a list by skip', () => {
  const of = (pagination: unknown, more: Partial<PageFacts> = {}) => next(skip, { reply: { pagination }, ...more });
  const second = { platform: 'x', skip: 10 };

  it('believes hasMore before the total', () => {
    expect(positionField(skip)).toBe('skip');
    expect(of({ hasMore: true, total: 10 })).toEqual(second);
    expect(of({ hasMore: false, total: 50 })).toBeUndefined();
    expect(of({ hasMore: true }, { query: { skip: 20 }, received: 3 })).toEqual({ skip: 23 });
  });

  it('without hasMore goes on until the total is reached', () => {
    expect(of({ total: 11 }, { askedFor: 50 })).toEqual(second);
    expect(of({ total: 10 })).toBeUndefined();
    expect(of({ total: 11, hasMore: 'no' })).toEqual(second);
    expect(total(skip, { pagination: { total: 11 }, total: 5 })).toBe(11);
  });

  it('without both, continues only after full pages', () => {
    for (const pagination of [undefined, null, {}, 'all', { total: '10' }]) {
      expect(of(pagination)).toEqual(second);
      expect(of(pagination, { received: 9 })).toBeUndefined();
      expect(total(skip, { pagination })).toBeUndefined();
    }
  });

  it('ends with an empty page, whatever the reply says', () => {
    expect(of({ hasMore: true, total: 50 }, { received: 0 })).toBeUndefined();
  });
});

describe('a list by page', () => {
  it('counts pages from 1 and ends with a short one', () => {
    expect(positionField(page)).toBe('page');
    expect(next(page)).toEqual({ platform: 'x', page: 2 });
    expect(next(page, { query: { page: 4 } })).toEqual({ page: 5 });
    expect(next(page, { received: 9 })).toBeUndefined();
    expect(total(page, { total: 50 })).toBeUndefined();
  });

  it.each([{ limit: 4 }, { pagination: { limit: 4 } }, { limit: 4, pagination: { limit: 10 } }])(
    "treats a page with the service's maximum as full: %j",
    (reply) => {
      expect(next(page, { received: 4, reply })).toEqual({ platform: 'x', page: 2 });
      expect(next(page, { received: 3, reply })).toBeUndefined();
    },
  );

  it('treats a page with the requested number as full, even if the service could return more', () => {
    expect(next(page, { reply: { limit: 50 } })).toEqual({ platform: 'x', page: 2 });
    expect(next(page, { reply: { limit: '4' }, received: 4 })).toBeUndefined();
  });

  it("ends with an empty page if the service's limit is 0", () => {
    expect(next(page, { received: 0, reply: { limit: 0 } })).toBeUndefined();
  });
});

it('ignores a position that is not a number', () => {
  const reply = { pagination: { hasMore: true } };
  expect(next(skip, { reply, query: { skip: 7 } })).toEqual({ skip: 17 });
  expect(next(skip, { reply, query: { skip: '7' } })).toEqual({ skip: 10 });
  expect(next(page, { query: { page: '7' } })).toEqual({ page: 2 });
});
