import { describe, expect, it } from 'vitest';
import { readCampaign } from '../../../src/cli/campaign-rows.js';

const header = 'key,content,time,zone,targets\n';
const rest = ',2030-03-29T09:00,Europe/Berlin,bluesky:i1\n';
const read = (csv: string) => readCampaign(csv, { name: 'n', platforms: new Map([['i1', 'bluesky']]) });

describe('the line of a row is the one on which it begins', () => {
  const files: readonly (readonly [name: string, csv: string, lines: readonly number[]])[] = [
    ['plain rows', `${header}a,x${rest}b,x${rest}`, [2, 3]],
    ['a blank line before a row', `${header}\na,x${rest}b,x${rest}`, [3, 4]],
    ['several, and one of spaces', `${header}\n\n  \na,x${rest}\nb,x${rest}`, [5, 7]],
    ['texts of several lines', `${header}a,"x\ny\nz"${rest}b,"x\n\ny"${rest}c,x${rest}`, [2, 5, 8]],
    ['blank lines before a text of several', `${header}\n\n\na,"x\ny"${rest}b,x${rest}`, [5, 7]],
    ['blank lines before the header', `\n\n${header}a,x${rest}`, [4]],
    ['a text that begins with a new line', `${header}a,"\nx"${rest}b,x${rest}`, [2, 4]],
  ];
  for (const [name, csv, lines] of files) {
    for (const [ends, end] of [
      ['LF', '\n'],
      ['CRLF', '\r\n'],
      ['CR', '\r'],
    ] as const) {
      it(`${name}, ${ends}`, () => {
        const { rows, problems } = read(csv.replaceAll('\n', end));
        expect(problems).toEqual([]);
        expect(rows.map(({ line }) => line)).toEqual(lines);
      });
    }
  }

  it('a CRLF in a text is sent as a LF', () => {
    expect(read(`${header}a,"x\r\ny"${rest}`).rows[0]?.body.content).toBe('x\ny');
  });
});

it.each([
  ['the last row', `b,"x${rest}`, 3],
  ['a row before others', `b,"x${rest}c,x${rest}d,x${rest}`, 3],
  ['a row after blank lines, and before some', `\n\nb,"x${rest}c,x${rest}\n\n`, 5],
  ['a file without an end of its last line', `b,"x${rest}c,x`, 3],
])('a quote that is not closed is reported at the line of its row: %s', (_, rows, line) => {
  const message = 'has a quote that is not closed';
  expect(read(`${header}a,x${rest}${rows}`).problems).toEqual([{ line, field: 'row', message }]);
  expect(read(`${header}a,"x\ny"${rest}${rows}`).problems).toEqual([{ line: line + 1, field: 'row', message }]);
});

it('a time with an offset has seconds, as the service asks', () => {
  const sent = (time: string) => read(`${header}a,x,${time},,bluesky:i1\n`).rows[0]?.body.scheduledFor;
  const times = ['2030-03-29T09:00Z', '2030-03-29 09:00+01:00', '2030-03-29T09:00:30Z'];
  expect(times.map(sent)).toEqual(['2030-03-29T09:00:00Z', '2030-03-29T09:00:00+01:00', '2030-03-29T09:00:30Z']);
  // As toISOString() writes it.
  expect(sent('2030-03-29T09:00:00.000Z')).toBe('2030-03-29T09:00:00.000Z');
});

describe('a problem of a row is reported: ', () => {
  const problemsOf = (row: string) => read(header + row).problems.map(({ field, message }) => `${field} ${message}`);
  const time = (text: string) => problemsOf(`a,x,${text},,bluesky:i1\n`);

  it('a day that does not exist, with an offset', () => {
    for (const offset of ['Z', '+02:00'])
      expect(time(`2030-02-30T09:00:00${offset}`)).toEqual([
        `time '2030-02-30T09:00:00${offset}' names a day that does not exist: 2030-02 has 28 days`,
      ]);
  });

  it('a time or an offset that no clock shows', () => {
    expect(time('2030-02-28 9:00Z')).toEqual([expect.stringMatching(/^time '2030-02-28 9:00Z' must be written/)]);
    expect(time('2030-02-28T24:00Z')).toEqual([
      expect.stringMatching(/^time '2030-02-28T24:00Z' must be a time of day from 00:00/),
    ]);
    expect(time('2030-02-28T09:00+02:99')).toEqual([expect.stringMatching(/^time has an offset that does not exist/)]);
    expect(time('2030-02-28T09:00+99:00')).toEqual([expect.stringMatching(/^time has an offset that does not exist/)]);
  });

  it('no time zone', () => {
    for (const text of ['2030-02-28T09:00', '2030-02-28T09:00Z?', '2030-02-28T09:00:00.5'])
      expect(time(text)).toEqual([`zone is empty: name the time zone of '${text}', for example Europe/Berlin`]);
  });

  it('a time with an offset beside a zone', () => {
    expect(problemsOf('a,x,2030-02-28T09:00Z,Europe/Berlin,bluesky:i1\n')).toEqual([
      'time has an offset, and the row has a zone too: leave the zone empty, or remove the offset',
    ]);
  });

  it('a time that clocks skip or repeat, with the flags of the command', () => {
    expect(problemsOf('a,x,2027-03-28T02:30,Europe/Berlin,bluesky:i1\n')).toEqual([
      expect.stringMatching(
        /^time '2027-03-28T02:30' does not exist in Europe\/Berlin.* Pass --gap earlier for .*, or --gap later for /,
      ),
    ]);
    expect(problemsOf('a,x,2027-10-31T02:30,Europe/Berlin,bluesky:i1\n')).toEqual([
      expect.stringMatching(/ Pass --overlap earlier for .*, or --overlap later for /),
    ]);
  });

  it('a target without an account', () => {
    for (const target of ['bluesky', 'bluesky:']) {
      expect(problemsOf(`a,x,2030-03-29T09:00,Europe/Berlin,${target}\n`)).toEqual([
        `targets '${target}' must be a platform and an account, for example bluesky:ID`,
      ]);
    }
  });

  it('a target with a second colon, which belongs to the ID of the account', () => {
    expect(problemsOf('a,x,2030-03-29T09:00,Europe/Berlin,bluesky:i1:threads:i2\n')).toEqual([
      "targets there is no connected account 'i1:threads:i2'",
    ]);
  });

  it('targets without a target', () => {
    for (const targets of ['', ';', ' ; ;'])
      expect(problemsOf(`a,x,2030-03-29T09:00,Europe/Berlin,${targets}\n`)).toEqual(['targets is empty']);
  });

  it('a key that is too long, with the name of the campaign', () => {
    // `n/` precedes it.
    expect(problemsOf(`${'k'.repeat(510)},x${rest}`)).toEqual([]);
    expect(problemsOf(`${'k'.repeat(511)},x${rest}`)).toEqual([
      "key is too long: with the campaign's name and a slash it has 513 characters; at most 512 are allowed",
    ]);
  });

  it('a key that is empty, which is not a repeated key', () => {
    const empty = 'key is empty: the key identifies the row when the command runs again';
    expect(problemsOf(`,x${rest},y${rest}`)).toEqual([empty, empty]);
  });

  it('a key that no store can hold', () => {
    expect(problemsOf(`a\0b,x${rest}`)).toEqual(['key must not contain the character NUL (U+0000)']);
  });
});

it.each(['key,content,content,time,targets', 'key,content,time,targets,Key', 'key,content,time,targets, time '])(
  'a column that occurs twice is refused: %s',
  (names) => {
    const { rows, problems } = read(`${names}\na,x,y,2030-03-29T09:00Z,bluesky:i1\n`);
    expect(rows).toEqual([]);
    expect(problems).toEqual([
      expect.objectContaining({ line: 1, message: 'occurs twice: remove one of the two columns' }),
    ]);
  },
);

it('the names of columns can have capitals, quotes and spaces, in each order, after a byte order mark', () => {
  const csv = `\uFEFF Zone,"targets ", TIME ,Key,Content\nEurope/Berlin,bluesky:i1,2030-03-29T09:00,a,x\n`;
  expect(read(csv)).toMatchObject({ problems: [], rows: [{ line: 2, key: 'n/a', body: { content: 'x' } }] });
});

it('names that a campaign does not know are problems of the first line', () => {
  const known = 'the columns are key, content, time, zone, targets';
  expect(read('key,content,when,targets\n').problems).toEqual([
    { line: 1, field: 'time', message: `is missing; ${known}` },
    { line: 1, field: 'when', message: `is not a column of a campaign; ${known}` },
  ]);
  // An empty file.
  expect(read('').problems.map(({ line, field }) => [line, field])).toEqual([
    [1, 'key'],
    [1, 'content'],
    [1, 'time'],
    [1, 'targets'],
  ]);
});

it('a row with too few or too many cells is a problem of its line', () => {
  for (const cells of ['b,x\n', `b,x${rest.trimEnd()},y\n`])
    expect(read(`${header}a,"x\ny"${rest}${cells}`)).toEqual({
      rows: [],
      problems: [{ line: 4, field: 'row', message: expect.stringContaining('Invalid Record Length') as string }],
    });
});

describe('a table with another character between columns', () => {
  const readWith = (csv: string, delimiter?: string) =>
    readCampaign(csv, { name: 'n', platforms: new Map([['i1', 'bluesky']]), delimiter });
  const table = (character: string) => `${header}a,x${rest}b,y${rest}`.replaceAll(',', character);

  it.each([
    [';', "the columns are separated by ';': pass --delimiter ';'"],
    ['\t', 'the columns are separated by a tab: pass --delimiter tab'],
  ])('is refused with the name of %j, and read with it', (character, message) => {
    expect(readWith(table(character)).problems).toEqual([{ line: 1, field: 'delimiter', message }]);
    expect(readWith(table(character), character).rows.map(({ line }) => line)).toEqual([2, 3]);
  });

  it('is read after sep=, with the numbers of its lines, and --delimiter goes first', () => {
    for (const end of ['\n', '\r\n']) {
      const csv = `\uFEFFsep=;\n${table(';')}`.replaceAll('\n', end);
      expect(readWith(csv)).toMatchObject({ problems: [], rows: [{ line: 3 }, { line: 4 }] });
    }
    expect(readWith(`sep=,\n${table('|')}`, '|').rows).toHaveLength(2);
  });

  it.each(['SEP=;', '"sep=;"', '"Sep=;";;;;', 'sep=;;;;;'])('is read after %s, as spreadsheets write it', (first) => {
    for (const end of ['\n', '\r\n']) {
      const csv = `${first}\n${table(';')}`.replaceAll('\n', end);
      expect(readWith(csv)).toMatchObject({ problems: [], rows: [{ line: 3 }, { line: 4 }] });
    }
  });

  it('of commas is refused with --delimiter ;', () => {
    expect(readWith(table(','), ';').problems).toMatchObject([
      { message: expect.stringContaining("separated by ','") as string },
    ]);
  });
});

it('empty columns at the end are ignored, and text in them is a problem', () => {
  const wide = (csv: string) => csv.replaceAll('\n', ',,\n');
  expect(read(wide(`${header}a,x${rest}b,y${rest}`))).toMatchObject({ problems: [], rows: [{ line: 2 }, { line: 3 }] });
  const message = 'has text, but no name: name the column, or clear it';
  expect(read(`${wide(`${header}a,x${rest}`)}b,y${rest.trimEnd()},text,note\n`)).toMatchObject({
    rows: [{ line: 2 }],
    problems: [
      { line: 3, field: 'column 6', message },
      { line: 3, field: 'column 7', message },
    ],
  });
  expect(read(`,${header},a,x${rest}`).problems).toMatchObject([{ line: 1, field: '' }]);
});

it('empty rows at the end are ignored, and empty rows before another row are not', () => {
  const row = `a,x${rest}`;
  expect(read(`${header}${row},,,,\n , ,,,\n`)).toMatchObject({ problems: [], rows: [{ line: 2 }] });
  expect(read(`${header}${row},,,,\nb,x${rest}`).problems.map(({ line }) => line)).toContain(3);
  expect(read(`${header},,,,\n`)).toEqual({ rows: [], problems: [] });
});
