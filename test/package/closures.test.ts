import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installed } from './support/app.js';

/** Strings that occur in the code of only one part, so that they identify it in the files of an entry. */
const parts = {
  client: 'SOCIAL_PUBLISHING_BASE_URL',
  resources: 'PostsResource = class',
  zod: 'ZodMini',
  ky: 'KyError',
  emulator: 'reset_after_commit',
  server: 'closeAllConnections',
  publisher: 'function createPublisher',
  otel: 'social_publishing.credits',
  sqlite: 'journal_mode',
  postgres: 'pg_advisory_xact_lock',
  redis: 'ZRANGEBYLEX',
};

const api = ['resources', 'zod'];
const ofServer = ['node:events', 'node:http', 'node:stream', 'node:stream/consumers', 'node:stream/promises'];

/** The files that Node loads for an entry: their maximum number, the parts, and other packages. */
const loads: Record<string, { files: number; parts: string[]; packages: string[] }> = {
  index: { files: 3, parts: ['client', 'ky', ...api], packages: [] },
  webhooks: { files: 2, parts: [], packages: [] },
  // One file is shared with the tools.
  publisher: { files: 5, parts: ['publisher', ...api], packages: [] },
  otel: { files: 2, parts: ['otel'], packages: ['@opentelemetry/api'] },
  query: { files: 4, parts: api, packages: [] },
  // Two files are shared with the publisher, one with the MCP server.
  tools: { files: 6, parts: api, packages: [] },
  mcp: { files: 4, parts: api, packages: ['@modelcontextprotocol/server'] },
  'stores/sqlite': { files: 3, parts: ['sqlite'], packages: [] },
  'stores/postgres': { files: 3, parts: ['postgres'], packages: [] },
  'stores/redis': { files: 3, parts: ['redis'], packages: [] },
  'stores/testing': { files: 3, parts: [], packages: [] },
  schemas: { files: 1, parts: [], packages: ['zod/mini'] },
  emulator: { files: 5, parts: ['emulator', ...api], packages: [] },
  'emulator/node': { files: 6, parts: ['emulator', ...api, 'server'], packages: ofServer },
  'emulator/msw': { files: 3, parts: [], packages: ['msw'] },
};

describe.each([
  ['ESM', '.js', /^(?:import|export)\b(?:[^'";]*? from)? ?(['"])([^'"]+)\1;$/gm],
  ['CommonJS', '.cjs', /^\S.*\brequire\((['"])([^'"]+)\1\)/gm],
] as const)('what Node loads in %s', (_system, extension, imports) => {
  it.each(Object.entries(loads))('loads only what %s needs', (entry, expected) => {
    const files = new Map<string, string>();
    const packages = new Set<string>();
    const load = (path: string) => {
      if (files.has(path)) return;
      const text = readFileSync(path, 'utf8');
      files.set(path, text);
      for (const [, , source = ''] of text.matchAll(imports)) {
        if (source.startsWith('.')) load(join(dirname(path), source));
        else packages.add(source);
      }
    };
    load(join(installed, `dist/${entry}${extension}`));
    const held = Object.entries(parts).filter(([, mark]) => [...files.values()].some((text) => text.includes(mark)));
    expect(held.map(([part]) => part).sort()).toEqual([...expected.parts].sort());
    expect([...packages].sort()).toEqual([...expected.packages].sort());
    expect(files.size).toBeLessThanOrEqual(expected.files);
  });

  it('of the main entry is ASCII, which Node keeps and reads as single bytes', () => {
    const files = ['index', 'chunk-api', 'chunk-base'].map((name) => join(installed, `dist/${name}${extension}`));
    for (const file of files) {
      expect(existsSync(file)).toBe(true);
      expect(/[^\0-\x7f]/.exec(readFileSync(file, 'utf8'))?.[0]).toBeUndefined();
    }
  });
});
