/** Writes llms-full.txt, all documents in one file, for the package. A part of the build. */
import { writeFileSync } from 'node:fs';
import { llmsFull } from './docs/llms.js';

writeFileSync('llms-full.txt', llmsFull());
