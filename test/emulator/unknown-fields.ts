import type * as z from 'zod/mini';
import type { Endpoint } from '../../src/core/call/endpoint.js';
import { unwrap } from '../../src/schema/wire.js';

/** Fields that the emulator adds where the document shows no shape at all. */
const chosen: Readonly<Record<string, readonly string[]>> = { 'GET /v1/analytics/': ['total', 'page', 'limit'] };

/** The fields of a reply that the endpoint's schema doesn't show. */
export function unknownFields(endpoint: Endpoint, body: unknown): string[] {
  const found: string[] = [];
  walk(endpoint.response(), body, '', found);
  return found.filter((path) => !(chosen[endpoint.route] ?? []).includes(path));
}

function walk(schema: z.core.$ZodType, value: unknown, path: string, found: string[]): void {
  const { def } = (unwrap(schema).schema as z.core.$ZodTypes)._zod;
  if (value === null || typeof value !== 'object') return;
  if (def.type === 'array') {
    for (const item of value as unknown[]) walk(def.element, item, path, found);
  } else if (def.type === 'object' && Object.keys(def.shape).length === 0) {
    for (const item of Object.values(value)) if (def.catchall !== undefined) walk(def.catchall, item, path, found);
  } else if (def.type === 'object') {
    for (const [name, field] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`;
      const known = def.shape[name];
      if (known === undefined) found.push(at);
      else walk(known, field, at, found);
    }
  }
}
