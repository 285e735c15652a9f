/**
 * Writes what is generated from the code: openapi.json, llms.txt, the tables of README.md, and the rooms in
 * CONTRIBUTING.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { inDoubtText } from './docs/in-doubt.js';
import { guideList, llmsIndex } from './docs/llms.js';
import { methodTables } from './docs/methods.js';
import { readRooms, withRooms } from './docs/rooms.js';
import { withSection } from './docs/section.js';
import { buildDocument } from './openapi/document.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
writeFileSync('openapi.json', `${JSON.stringify(buildDocument(version), null, 2)}\n`);

const facts = withSection(readFileSync('README.md', 'utf8'), 'in-doubt', inDoubtText());
const readme = withSection(facts, 'methods', methodTables());
writeFileSync('README.md', withSection(readme, 'guides', guideList()));
writeFileSync('llms.txt', llmsIndex());
writeFileSync('CONTRIBUTING.md', withRooms(readFileSync('CONTRIBUTING.md', 'utf8'), await readRooms()));
