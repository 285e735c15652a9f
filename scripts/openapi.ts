/** Writes openapi.json from the endpoint values. */
import { readFileSync, writeFileSync } from 'node:fs';
import { buildDocument } from './openapi/document.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
writeFileSync('openapi.json', `${JSON.stringify(buildDocument(version), null, 2)}\n`);
console.log('openapi.json is written.');
