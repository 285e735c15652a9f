import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { buildDocument } from '../scripts/openapi/document.js';
import { readExamples } from '../scripts/openapi/examples.js';

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as unknown;

it('openapi.json is what `npm run documents` writes', async () => {
  const { version } = read('../package.json') as { version: string };
  expect(read('../openapi.json')).toEqual(buildDocument(version, await readExamples()));
});
