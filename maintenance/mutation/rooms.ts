import { isBuiltin } from 'node:module';

/** The rooms whose mutants can be sampled, each with the tests that must notice them. */
export interface MutationRoom {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

/** `npm run test:stores` tests the drivers of servers. The SQLite tests need SQLite in Node: Node 22.13 or later. */
const untested = ['postgres/**', 'redis/**', ...(isBuiltin('node:sqlite') ? [] : ['sqlite/**'])];
const drivers = untested.map((path) => `!src/stores/${path}`);

export const mutationRooms: Readonly<Record<string, MutationRoom>> = {
  // Only tests that start processes run main.ts, and only one that changes the current folder runs new.ts.
  cli: {
    mutate: ['src/cli/**/*.ts', '!src/cli/main.ts', '!src/cli/commands/new.ts'],
    tests: ['test/cli/**/*.test.ts'],
  },
  core: {
    mutate: ['src/core/**/*.ts'],
    tests: [
      'test/core/**/*.test.ts',
      'test/http/**/*.test.ts',
      'test/policies/!(reconcile*|refused-but-there).test.ts',
    ],
  },
  // The tests of reconcile search for posts. They run long and are tests of resources.
  http: {
    mutate: ['src/http/**/*.ts'],
    tests: ['test/http/**/*.test.ts', 'test/policies/!(reconcile*|refused-but-there).test.ts'],
  },
  model: {
    mutate: ['src/model/**/*.ts'],
    tests: ['test/model/**/*.test.ts', 'test/{posts,resources}/**/*.test.ts'],
  },
  posts: {
    mutate: ['src/posts/**/*.ts'],
    tests: ['test/posts/**/*.test.ts', 'test/policies/**/*.test.ts', 'test/http/input.test.ts', 'test/schemas.test.ts'],
  },
  otel: { mutate: ['src/otel/**/*.ts'], tests: ['test/otel/**/*.test.ts'] },
  pagination: { mutate: ['src/pagination/**/*.ts'], tests: ['test/pagination/**/*.test.ts'] },
  publisher: { mutate: ['src/publisher/**/*.ts'], tests: ['test/publisher/**/*.test.ts'] },
  query: { mutate: ['src/query/**/*.ts'], tests: ['test/query/**/*.test.ts'] },
  resources: {
    mutate: ['src/resources/**/*.ts'],
    // openapi.json shows the texts and the enumerations of the endpoints.
    tests: [
      'test/{posts,resources}/**/*.test.ts',
      'test/policies/**/*.test.ts',
      'test/http/input.test.ts',
      'test/schemas.test.ts',
      'test/openapi.long.test.ts',
    ],
  },
  schema: {
    mutate: ['src/schema/**/*.ts'],
    tests: [
      'test/schema/**/*.test.ts',
      'test/{posts,resources}/**/*.test.ts',
      'test/http/arguments*.test.ts',
      'test/http/input*.test.ts',
      'test/policies/drift*.test.ts',
    ],
  },
  stores: { mutate: ['src/stores/**/*.ts', '!src/stores/testing/**', ...drivers], tests: ['test/stores/**/*.test.ts'] },
  tools: { mutate: ['src/tools/**/*.ts'], tests: ['test/tools/**/*.test.ts'] },
  // The tests of web frameworks load examples by a path that is missing in Stryker's copy of the project.
  webhooks: { mutate: ['src/webhooks/**/*.ts'], tests: ['test/webhooks/**/!(frameworks).test.ts'] },
};
