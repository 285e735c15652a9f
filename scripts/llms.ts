/** Writes the tables of methods and the list of guides into README.md, then llms.txt. */
import { readFileSync, writeFileSync } from 'node:fs';
import { inDoubtText } from './docs/in-doubt.js';
import { guideList, llmsIndex } from './docs/llms.js';
import { methodTables } from './docs/methods.js';
import { withSection } from './docs/section.js';

const facts = withSection(readFileSync('README.md', 'utf8'), 'in-doubt', inDoubtText());
const readme = withSection(facts, 'methods', methodTables());
writeFileSync('README.md', withSection(readme, 'guides', guideList()));
writeFileSync('llms.txt', llmsIndex());
