/** Writes llms-full.txt, all documents in one file, for the package. Part of the build. */
import { writeFileSync } from 'node:fs';
import { llmsFull } from './docs/llms.js';

writeFileSync('llms-full.txt', llmsFull());
