/** Writes what is generated from the code: openapi.json, llms.txt, tables of guides, and the rooms in CONTRIBUTING.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { inDoubtText } from './docs/in-doubt.js';
import { guideList, llmsIndex } from './docs/llms.js';
import { methodTables } from './docs/methods.js';
import { readRooms, withRooms } from './docs/rooms.js';
import { withSection } from './docs/section.js';
import { buildDocument } from './openapi/document.js';
import { readExamples } from './openapi/examples.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
writeFileSync('openapi.json', `${JSON.stringify(buildDocument(version, await readExamples()), null, 2)}\n`);

const sections = {
  durable: ['in-doubt', inDoubtText()],
  client: ['methods', methodTables()],
  'which-piece': ['guides', guideList()],
} as const;
for (const [guide, [name, text]] of Object.entries(sections)) {
  const path = `docs/${guide}.md`;
  writeFileSync(path, withSection(readFileSync(path, 'utf8'), name, text));
}
writeFileSync('llms.txt', llmsIndex());
writeFileSync('CONTRIBUTING.md', withRooms(readFileSync('CONTRIBUTING.md', 'utf8'), await readRooms()));
