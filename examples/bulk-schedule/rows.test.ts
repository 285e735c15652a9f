import { describe, expect, it } from 'vitest';
import { readCampaign, type Campaign } from './rows.js';

const header = 'key,content,time,zone,targets\n';
const rest = ',2030-03-29T09:00,Europe/Berlin,bluesky:i1\n';
const read = (csv: string): Campaign => readCampaign(csv, { name: 'n', platforms: new Map([['i1', 'bluesky']]) });

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
