import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { knownEventTypes } from '../../src/model/events.js';
import { operations } from '../../scripts/openapi/operations.js';

const text = readFileSync(new URL('../../docs/emulator.md', import.meta.url), 'utf8');

function rowsUnder(heading: string): string[][] {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const rows = rowsUnder('Conformance');
const said = rows.map(([first = '']) => first);

/** Limits of the API document, in its order. */
const limits = [
  'page size',
  'offset',
  'skip',
  'page',
  'analytics date range',
  'insights date range',
  'daily time series',
  'Instagram selection token length',
  'Facebook selection token length',
  'webhook delivery time-out',
  'webhook delivery attempts',
  'credits',
];

describe('the table of conformance', () => {
  it.each([...new Set(operations.map(({ endpoint }) => endpoint.route))])('has %s, in its section', (route) => {
    const row = rows.find(([first]) => first === `\`${route}\``);
    expect(row?.[1]).toBe(operations.find(({ endpoint }) => endpoint.route === route)?.section);
  });

  it.each(knownEventTypes)('has the event %s', (type) => {
    expect(said).toContain(`\`${type}\``);
  });

  it.each(limits)('has the limit of %s', (limit) => {
    expect(said).toContain(`limit: ${limit}`);
  });

  it('contains both error forms', () => {
    expect(said).toEqual(expect.arrayContaining(['message form `{ success, message }`', 'error form `{ error }`']));
  });

  it('contains only documented operations', () => {
    const routes = said.flatMap((cell) => /^`([A-Z]+ \/\S+)`$/.exec(cell)?.[1] ?? []);
    expect(routes.filter((route) => !operations.some(({ endpoint }) => endpoint.route === route))).toEqual([]);
  });

  it('names an existing test in each row', () => {
    for (const [first = '', , how = '', test = ''] of rows) {
      expect(how, first).not.toBe('');
      expect(existsSync(new URL(`../../${test.replaceAll('`', '')}`, import.meta.url)), `${first}: ${test}`).toBe(true);
    }
  });

  it('is followed by the choices, each with an alternative', () => {
    const choices = rowsUnder("The emulator's choices for undocumented behavior");
    expect(choices.length).toBeGreaterThan(50);
    for (const [what = '', choice = '', otherwise = ''] of choices) expect(choice && otherwise, what).not.toBe('');
  });
});
