import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, inject, it } from 'vitest';
import { fragmentOf } from '../support/fragments.js';

const packed = join(inject('app'), 'node_modules/social-publishing');
const documents = readdirSync(packed, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
  .map((path) => join(packed, path));

function fragmentsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => fragmentOf(heading));
}

/** Links of a document that lead nowhere in the package. */
function brokenLinks(document: string): string[] {
  const links = [...readFileSync(document, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', fragment] = link.split('#', 2);
      const target = path === '' ? document : join(dirname(document), path);
      if (!existsSync(target) || relative(packed, target).startsWith('..')) return true;
      return fragment !== undefined && !fragmentsOf(target).includes(fragment);
    })
    .map((link) => `${relative(packed, document)}: ${link}`);
}

it('finds the documents of the package', () => {
  const names = documents.map((path) => relative(packed, path));
  expect(names).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/emulator.md', 'docs/webhooks.md']));
});

it('every link of a document leads to something in the package', () => {
  expect(documents.flatMap(brokenLinks)).toEqual([]);
});
