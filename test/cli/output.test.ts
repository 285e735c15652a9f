import { describe, expect, it } from 'vitest';
import { counted, recordText, tableOf } from '../../src/cli/output.js';

const table = (rows: Parameters<typeof tableOf>[0], width = 80, columns?: readonly string[]) =>
  tableOf(rows, { columns, width }).split('\n');

describe('a table', () => {
  it('begins with the columns that users check first, and has no empty column', () => {
    const rows = [
      { zone: 'UTC', content: 'A', state: 'ready', note: '', id: 'post_1' },
      { zone: 'CET', content: 'Longer', state: 'in_doubt', note: null, id: 'post_2', last: true },
    ];
    expect(table(rows)).toEqual([
      'id      state     content  zone  last',
      'post_1  ready     A        UTC',
      'post_2  in_doubt  Longer   CET   true',
    ]);
    expect(table(rows, 80, ['zone', 'note', 'id'])).toEqual(['zone  id', 'UTC   post_1', 'CET   post_2']);
  });

  it('shortens a column to 40 characters, and to the width that is left if at least 12 are', () => {
    const rows = [{ key: 'k'.repeat(41), content: 'c'.repeat(20), end: 'x' }];
    const key = `${'k'.repeat(39)}…`;
    expect(table(rows, 67)[1]).toBe(`${key}  ${'c'.repeat(20)}  x`);
    expect(table(rows, 66)[1]).toBe(`${key}  ${'c'.repeat(20)}`);
    expect(table(rows, 54)[1]).toBe(`${key}  ${'c'.repeat(11)}…`);
    // There is no room for 12 characters, and for the short column after it.
    expect(table(rows, 53)[1]).toBe(`${key}  x`);
    expect(table([{ key: 'k'.repeat(40) }])[1]).toBe('k'.repeat(40));
  });

  it.each([
    ['a text with control characters', '\u001b[31mred\u001b[0m\u0000\u009f\r\nline', 'red line'],
    ['a text that reverses its line', 'a\u202Egnp.exe\u202C\u2066line\u2069', 'a gnp.exe line'],
    ['a number', 0, '0'],
    ['a truth value', false, 'false'],
    [
      'targets',
      [{ platform: 'bluesky', status: 'published' }, { platform: 'threads' }, 'x\ty'],
      'bluesky:published threads x y',
    ],
    ['other items', [1, null, { id: 2 }], '1  {"id":2}'],
    ['an author', { id: 1, name: 'Ada', username: 'ada' }, 'Ada'],
    ['an author without a name', { name: null, username: 'ada' }, 'ada'],
    ['a message', { text: 'Hi\nyou' }, 'Hi you'],
    ['another object', { a: '\u0007' }, '{"a":"\\u0007"}'],
  ])('shows %s in one line', (_, value, cell) => {
    expect(table([{ value }])).toEqual(['value', cell]);
  });
});

it('a result is shown as lines, with its parts below it', () => {
  const result = {
    id: 'post_1',
    nothing: null,
    missing: undefined,
    empty: {},
    none: [],
    author: { name: 'Ada', tags: ['a', 2] },
    targets: [{ platform: 'bluesky', status: 'published' }, [{ a: 1 }]],
  };
  expect(recordText(result).split('\n')).toEqual([
    'id: post_1',
    'nothing: null',
    'empty: {}',
    'none: []',
    'author:',
    '  name: Ada',
    '  tags:',
    '    - a',
    '    - 2',
    'targets:',
    '  - platform: bluesky',
    '    status: published',
    '  - - a: 1',
  ]);
  expect([recordText('a\nb'), recordText(null), counted(1, 'post'), counted(2, 'post')]).toEqual([
    'a b',
    '',
    '1 post',
    '2 posts',
  ]);
});
