/** docs/cli.md shows what the command prints: `WRITE_DOCS=1 npx vitest run test/cli/docs.test.ts` writes it. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { transcribe } from '../support/cli-transcript.js';
import { allOperations } from '../../src/cli/commands/resource.js';
import { kebab } from '../../src/cli/command.js';

const path = 'docs/cli.md';

it('docs/cli.md shows what the command prints', async () => {
  const document = await readFile(path, 'utf8');
  const written = await transcribe(document);
  if (process.env['WRITE_DOCS'] === '1') await writeFile(path, written);
  else expect(written).toBe(document);
});

it('docs/cli.md shows every operation', async () => {
  const document = await readFile(path, 'utf8');
  const missing = allOperations()
    .map(({ resource, method }) => `social-publishing ${resource} ${kebab(method)}`)
    .filter((command) => !document.includes(`${command} `));
  expect(missing).toEqual([]);
});
