/** Writes dist/schemas: every request, reply, resource and event as a JSON Schema. Part of `npm run build`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { writeJsonSchemas } from './openapi/json-schemas.js';

mkdirSync('dist/schemas', { recursive: true });
for (const [name, schema] of writeJsonSchemas())
  writeFileSync(`dist/schemas/${name}.json`, `${JSON.stringify(schema, null, 2)}\n`);
