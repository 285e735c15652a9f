import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findCycle, loadedBy, readImportGraph, type ImportGraph } from './support/import-graph.js';

const graph = readImportGraph(fileURLToPath(new URL('../src', import.meta.url)));
const files = [...graph.keys()];
const packages = (loaded: Iterable<string>) => [...loaded].filter((name) => !name.endsWith('.ts')).sort();
const isBuiltin = (name: string) => name.startsWith('node:') || builtinModules.includes(name);

/** Which parts of src a part may import from. The first part whose pattern fits a file is its part. */
const parts: readonly { name: string; files: RegExp; mayImport: readonly string[] }[] = [
  {
    name: 'index',
    files: /^index\.ts$/,
    mayImport: ['client', 'resources', 'webhooks', 'pagination', 'http', 'schema', 'model', 'core'],
  },
  { name: 'client', files: /^client\.ts$/, mayImport: ['resources', 'http', 'core'] },
  { name: 'schemas', files: /^schemas\.ts$/, mayImport: ['resources', 'schema', 'model', 'core'] },
  {
    name: 'emulator',
    files: /^emulator\//,
    mayImport: ['emulator', 'resources', 'webhooks', 'schema', 'model', 'core'],
  },
  { name: 'webhooks', files: /^webhooks\//, mayImport: ['webhooks', 'stores', 'schema', 'model', 'core'] },
  { name: 'stores', files: /^stores\//, mayImport: ['stores', 'core'] },
  { name: 'resources', files: /^resources\//, mayImport: ['resources', 'pagination', 'schema', 'model', 'core'] },
  { name: 'pagination', files: /^pagination\//, mayImport: ['pagination', 'schema', 'model', 'core'] },
  { name: 'http', files: /^http\//, mayImport: ['http', 'schema', 'model', 'core'] },
  { name: 'model', files: /^model\//, mayImport: ['model', 'core'] },
  { name: 'schema', files: /^schema\//, mayImport: ['schema', 'model', 'core'] },
  { name: 'core', files: /^core\//, mayImport: ['core'] },
];
const partOf = (file: string) => parts.find((part) => part.files.test(file));

describe('the imports of src', () => {
  it('run one way between its parts', () => {
    const wrong: string[] = [];
    for (const [file, imports] of graph) {
      const part = partOf(file);
      for (const { target } of imports) {
        if (!target.endsWith('.ts')) continue;
        const other = partOf(target);
        if (!part || !other || !part.mayImport.includes(other.name)) wrong.push(`${file} imports ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('have no cycle, of types either', () => {
    expect(findCycle(graph)).toBeUndefined();
  });

  it('name files that exist', () => {
    const missing = [...graph].flatMap(([file, imports]) =>
      imports
        .filter(({ target }) => target.endsWith('.ts') && !graph.has(target))
        .map(({ target }) => `${file} imports ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it('name no package but ky, zod/mini, msw and the builtins of Node, each only where it belongs', () => {
    const homes: Record<string, RegExp> = {
      ky: /^http\/transport\.ts$/,
      'zod/mini': /./,
      msw: /^emulator\/adapters\/msw\.ts$/,
    };
    const wrong = [...graph].flatMap(([file, imports]) =>
      imports
        .filter(({ target }) => !target.endsWith('.ts'))
        .filter(
          ({ target }) => !(isBuiltin(target) ? /^emulator\/adapters\/(node|cli)\.ts$/ : homes[target])?.test(file),
        )
        .map(({ target }) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('reach the client from index.ts alone', () => {
    const importers = files.filter((file) => graph.get(file)?.some(({ target }) => target === 'client.ts'));
    expect(importers).toEqual(['index.ts']);
  });
});

describe('what an entry loads', () => {
  it.each([
    ['index.ts', ['ky', 'zod/mini']],
    ['webhooks/index.ts', ['zod/mini']],
    ['schemas.ts', ['zod/mini']],
    ['emulator/index.ts', ['zod/mini']],
    ['emulator/adapters/msw.ts', ['msw', 'zod/mini']],
  ])('%s loads no package but %j', (entry, expected) => {
    expect(graph.has(entry)).toBe(true);
    const unexpected = packages(loadedBy(graph, entry)).filter((name) => !expected.includes(name));
    expect(unexpected).toEqual([]);
  });

  it('emulator/adapters/node.ts loads builtins of Node and never ky', () => {
    const loaded = packages(loadedBy(graph, 'emulator/adapters/node.ts'));
    expect(loaded).toContain('node:http');
    expect(loaded).not.toContain('ky');
  });

  it('webhooks/redis.ts loads no client for Redis: a caller hands its own over', () => {
    expect(graph.has('webhooks/redis.ts')).toBe(true);
    expect(packages(loadedBy(graph, 'webhooks/redis.ts')).filter((name) => name !== 'zod/mini')).toEqual([]);
  });

  it.each(['index.ts', 'webhooks/index.ts', 'schemas.ts'])('%s loads nothing of the emulator', (entry) => {
    expect([...loadedBy(graph, entry)].filter((file) => file.startsWith('emulator/'))).toEqual([]);
  });
});

describe('the reading of imports', () => {
  const imports = (edges: Record<string, [string, boolean][]>): ImportGraph =>
    new Map(
      Object.entries(edges).map(([file, list]) => [file, list.map(([target, runtime]) => ({ target, runtime }))]),
    );

  it('finds a cycle of three files', () => {
    const cyclic = imports({ 'a.ts': [['b.ts', true]], 'b.ts': [['c.ts', true]], 'c.ts': [['a.ts', false]] });
    expect(findCycle(cyclic)).toEqual(['a.ts', 'b.ts', 'c.ts', 'a.ts']);
  });

  it('takes type imports for no load', () => {
    const typed = imports({
      'a.ts': [
        ['b.ts', false],
        ['c.ts', true],
      ],
      'b.ts': [['ky', true]],
      'c.ts': [['zod/mini', true]],
    });
    expect([...loadedBy(typed, 'a.ts')]).toEqual(['a.ts', 'c.ts', 'zod/mini']);
  });

  it('sees that schema/fields.ts imports zod/mini and that core/errors.ts imports nothing', () => {
    expect(graph.get('schema/fields.ts')).toContainEqual({ target: 'zod/mini', runtime: true });
    expect(graph.get('core/errors.ts')).toEqual([]);
  });
});
