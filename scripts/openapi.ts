/** Writes openapi.json from the endpoint values, and that of the emulator's control API from its routes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { allRoutes } from '../src/emulator/adapters/control/api.js';
import { controlDocument } from './openapi/control-document.js';
import { buildDocument } from './openapi/document.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
writeFileSync('openapi.json', `${JSON.stringify(buildDocument(version), null, 2)}\n`);
// Written out, and not made while the emulator runs: what makes JSON Schemas would go into a chunk that the client loads too.
writeFileSync('src/emulator/adapters/control/openapi.json', `${JSON.stringify(controlDocument(allRoutes), null, 2)}\n`);
console.log('Both openapi.json are written.');
