import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cruise, type ICruiseOptions, type IFlattenedRuleSet, type IReporterOutput } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRooms, withRooms } from '../../scripts/docs/rooms.js';

// The configuration is JavaScript, which has no types.
const { default: config } = (await import(pathToFileURL('.dependency-cruiser.mjs').href)) as {
  default: { forbidden: NonNullable<IFlattenedRuleSet['forbidden']>; options: ICruiseOptions };
};
const rooms = await readRooms();

/** For each rule an import that it must refuse: the file that imports, and what. */
const wrong: Record<string, readonly [from: string, to: string]> = {
  'room-index': ['src/index.ts', './publisher/index.js'],
  'room-client': ['src/client.ts', './webhooks/index.js'],
  'room-schemas': ['src/schemas.ts', './http/call.js'],
  'room-cli': ['src/cli/run.ts', '../http/attempt.js'],
  'command-packages': ['src/cli/run.ts', 'hono'],
  'command-uses-entries': ['src/cli/run.ts', '../publisher/engine.js'],
  'room-emulator': ['src/emulator/index.ts', '../http/call.js'],
  'room-tools': ['src/tools/index.ts', '../client.js'],
  'room-publisher': ['src/publisher/index.ts', '../client.js'],
  'room-otel': ['src/otel/index.ts', '../posts/posts.js'],
  'room-query': ['src/query/index.ts', '../client.js'],
  'room-webhooks': ['src/webhooks/index.ts', '../posts/posts.js'],
  'room-stores': ['src/stores/memory.ts', '../webhooks/index.js'],
  'room-http': ['src/http/call.ts', '../posts/posts.js'],
  'room-resources': ['src/resources/comments.ts', '../http/call.js'],
  'room-posts': ['src/posts/posts.ts', '../resources/comments.js'],
  'room-pagination': ['src/pagination/page.ts', '../posts/posts.js'],
  'room-schema': ['src/schema/fields.ts', '../pagination/page.js'],
  'room-model': ['src/model/events.ts', '../schema/fields.js'],
  'room-core': ['src/core/errors.ts', '../model/events.js'],
  'room-emulator/http': ['src/emulator/http/router.ts', '../seed/seed.js'],
  'room-emulator/seed': ['src/emulator/seed/seed.ts', '../http/router.js'],
  'room-emulator/handlers': ['src/emulator/handlers/posts.ts', '../http/router.js'],
  'room-emulator/service': ['src/emulator/service/clock.ts', '../handlers/posts.js'],
  'room-emulator/state': ['src/emulator/state/table.ts', '../service/clock.js'],
  'ky-in-one-file': ['src/http/call.ts', 'ky'],
  'zod-mini-alone': ['src/schema/fields.ts', 'zod'],
  'msw-in-its-adapter-alone': ['src/emulator/index.ts', 'msw'],
  'opentelemetry-in-its-room-alone': ['src/http/call.ts', '@opentelemetry/api'],
  'mcp-in-its-folder-alone': ['src/tools/index.ts', '@modelcontextprotocol/server'],
  'no-other-package': ['src/core/errors.ts', 'hono'],
  'console-packages': ['console/src/main.ts', 'hono'],
  'console-uses-entries': ['console/src/main.ts', '../../src/client.js'],
  'no-node-builtins': ['src/core/errors.ts', 'node:fs'],
  'nothing-reaches-the-emulator': ['src/index.ts', './emulator/index.js'],
  'tools-never-reach-mcp': ['src/tools/index.ts', './mcp/index.js'],
  'main-entry-stays-small': ['src/index.ts', './stores/memory.js'],
  'no-cycle': ['src/client.ts', './index.js'],
  'imports-exist': ['src/client.ts', './missing.js'],
  'every-file-has-a-room': ['src/client.ts', './helpers.js'],
  'src-stands-alone': ['src/client.ts', '../scripts/build.js'],
  'examples-use-entries': ['examples/demo.ts', '../src/client.js'],
  'tests-are-not-imported': ['test/world.ts', './posts.test.js'],
  'processes-have-their-own-tests': ['test/posts.test.ts', 'node:child_process'],
};

/** A project with at least one file in each room, each with only allowed imports. */
const right: Record<string, string> = {
  'src/index.ts': `export * from './client.js'; export * from './webhooks/index.js';`,
  'src/client.ts': `import './http/call.js'; export * from './resources/comments.js';`,
  'src/schemas.ts': `export * from './posts/posts.js';`,
  'src/cli/run.ts': `import 'node:fs'; import 'commander'; import '../index.js'; import '../publisher/index.js'; import '../emulator/index.js';`,
  'console/src/main.ts': `import 'preact'; import '../../src/index.js'; import '../../src/webhooks/index.js';`,
  'src/emulator/index.ts': `import '../posts/posts.js'; import '../webhooks/index.js';`,
  'src/emulator/http/router.ts': `import '../handlers/posts.js';`,
  'src/emulator/seed/seed.ts': `import '../handlers/posts.js';`,
  'src/emulator/handlers/posts.ts': `import '../service/clock.js';`,
  'src/emulator/service/clock.ts': `import '../state/table.js'; export const clock = 1;`,
  'src/emulator/state/table.ts': `export const table = 1;`,
  'src/emulator/adapters/node.ts': `import 'node:http'; import '../index.js';`,
  'src/emulator/adapters/msw.ts': `import 'msw'; import '../index.js';`,
  'src/publisher/engine.ts': `export const engine = 1;`,
  'src/tools/index.ts': `import '../publisher/index.js'; import '../posts/posts.js';`,
  'src/tools/mcp/index.ts': `import '@modelcontextprotocol/server'; import '../index.js';`,
  'src/publisher/index.ts': `import '../posts/posts.js'; import '../stores/memory.js';`,
  'src/otel/index.ts': `import '../core/errors.js';`,
  'src/query/index.ts': `import '../posts/posts.js'; import '../pagination/page.js';`,
  'src/webhooks/index.ts': `import '../schema/fields.js'; export const verify = 1;`,
  'src/stores/memory.ts': `import '../core/errors.js';`,
  'src/http/call.ts': `import './attempt.js'; import '../schema/fields.js';`,
  'src/http/attempt.ts': `import './ky.js';`,
  'src/http/ky.ts': `import 'ky';`,
  'src/resources/comments.ts': `import '../pagination/page.js'; export * from '../posts/posts.js';`,
  'src/posts/posts.ts': `import '../pagination/page.js'; export const posts = 1;`,
  'src/pagination/page.ts': `import '../schema/fields.js';`,
  'src/schema/fields.ts': `import 'zod/mini'; import '../model/events.js';`,
  'src/model/events.ts': `import '../core/errors.js';`,
  'src/core/errors.ts': `export const errors = 1;`,
  'src/helpers.ts': `export const helpers = 1;`,
  'scripts/build.ts': `export const build = 1;`,
  'examples/demo.ts': `import '../src/index.js';`,
  'test/world.ts': `import '../src/index.js';`,
  'test/posts.test.ts': `import './world.js';`,
};

let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'rooms-'));
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'));
  for (const [path, code] of Object.entries(right)) write(path, code);
});

afterAll(() => {
  rmSync(project, { recursive: true });
});

function write(path: string, code: string): void {
  mkdirSync(join(project, dirname(path)), { recursive: true });
  writeFileSync(join(project, path), code);
}

/** The names of the rules that a project breaks, with where. */
async function violations(): Promise<readonly string[]> {
  const { tsConfig: _, ...options } = config.options as ICruiseOptions & { tsConfig?: unknown };
  const result: IReporterOutput = await cruise(['src', 'console', 'test', 'scripts', 'examples'], {
    ...options,
    baseDir: project,
    validate: true,
    ruleSet: { forbidden: config.forbidden },
  });
  if (typeof result.output === 'string') throw new Error(result.output);
  return result.output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
}

describe('the import rules', () => {
  it('each have a wrong import to try them on, and a reason', () => {
    expect(Object.keys(wrong).sort()).toEqual(config.forbidden.map(({ name }) => name).sort());
    for (const { comment } of config.forbidden) expect(comment).toMatch(/\w{3}.*\.$/s);
  });

  it('let right imports pass', async () => {
    expect(await violations()).toEqual([]);
  });

  it.each(Object.entries(wrong))('%s refuses a wrong import', async (name, [from, to]) => {
    try {
      write(from, `${right[from] ?? ''}\nimport '${to}';`);
      const found = (await violations()).filter((violation) => violation.startsWith(`${name}: ${from} -> `));
      expect(found).not.toEqual([]);
    } finally {
      write(from, right[from] ?? '');
    }
  });

  it('detect a cycle of only types', async () => {
    write(
      'src/model/events.ts',
      `${right['src/model/events.ts'] ?? ''} import type { A } from './targets.js'; export type B = A;`,
    );
    write('src/model/targets.ts', `import type { B } from './events.js'; export type A = B | 1;`);
    try {
      expect((await violations()).some((violation) => violation.startsWith('no-cycle: '))).toBe(true);
    } finally {
      write('src/model/events.ts', right['src/model/events.ts'] ?? '');
      rmSync(join(project, 'src/model/targets.ts'));
    }
  });
});

describe('the rooms', () => {
  it('hold every file of src', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const homeless = files.filter((file) => {
      const path = relative('.', join('src', file)).replaceAll('\\', '/');
      return !rooms.rooms.some((room) => new RegExp(room.path).test(path));
    });
    expect(homeless).toEqual([]);
  });

  it('and CONTRIBUTING.md name files that exist', () => {
    const named = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/`((?:src|test|scripts|bench)\/[\w./-]+)`/g)];
    expect(named.length).toBeGreaterThan(10);
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(path))).toEqual([]);
  });

  it('are drawn in CONTRIBUTING.md as the rules have them (npm run documents)', () => {
    const document = readFileSync('CONTRIBUTING.md', 'utf8');
    expect(withRooms(document, rooms)).toBe(document);
  });
});
