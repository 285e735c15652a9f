/** The checks of `npm run lint:prose` find violations, and nothing in plain sentences. */
import { describe, expect, it } from 'vitest';
import { check, ruleIds, sentencesOf } from '../prose/checks.js';
import { lintPage } from '../prose/lint-page.js';

const found = (text: string) => ruleIds.filter((rule) => check(rule, text).length > 0);

describe('the checks of a sentence', () => {
  it.each([
    ['words', 'It tells the status.'],
    ['words', 'Apart from drafts, posts need accounts.'],
    ['inverted-opening', 'Left out, the option comes from the environment.'],
    ['inverted-opening', 'What fails is sent again.'],
    ['negation', 'A draft is no post.'],
    ['modal', 'The option is to be set.'],
    ['long-sentence', `The client ${'very '.repeat(25)}slowly sends.`],
  ])('%s: %s', (rule, text) => {
    expect(found(text)).toEqual([rule]);
  });

  it.each([
    'If you omit `baseUrl`, the client reads the environment.',
    'There is no table.',
    'The value is no longer used.',
    'What does it cost?',
    'Look up the ID.',
    'This looks like milliseconds.',
  ])('finds nothing in: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('count 25 words, not 26', () => {
    expect(found(`${'word '.repeat(24)}word.`)).toEqual([]);
    expect(found(`${'word '.repeat(25)}word.`)).toEqual(['long-sentence']);
  });
});

it('a sentence ends before the next capital letter, also after code', () => {
  expect(sentencesOf('One call. XXXX does two. (Three.)').map(({ text }) => text.trim())).toEqual([
    'One call.',
    'XXXX does two.',
    '(Three.)',
  ]);
});

describe('a page', () => {
  it('reports the line of each finding in text, lists and tables', async () => {
    const text =
      '# What it costs\n\nPlain text.\nIt tells all.\n\n- Nobody reads it.\n\n| a | b |\n|---|---|\n| c | is none |\n';
    const { findings } = await lintPage('page.md', text);
    expect(findings.map(({ line, rule }) => [line, rule])).toEqual([
      [4, 'words'],
      [6, 'words'],
      [10, 'negation'],
    ]);
  });

  it('ignores code, addresses of links and code blocks', async () => {
    const text = 'Call `tells` of [the page](nobody.md).\n\n```ts\n// It tells nobody.\n```\n';
    expect(await lintPage('page.md', text)).toEqual({ words: 5, findings: [] });
  });
});
