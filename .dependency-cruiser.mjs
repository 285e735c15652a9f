/**
 * The only definition of the import directions. `npm run lint` checks them, and `npm run documents` draws them into
 * CONTRIBUTING.md. Each rule states its reason; type imports count as imports.
 */

/** The rooms of src from top to bottom, each with the rooms that it may import. A room may import itself. */
export const rooms = [
  {
    name: 'index',
    path: '^src/index\\.ts$',
    uses: ['client', 'webhooks', 'resources', 'posts', 'http', 'pagination', 'schema', 'model', 'core'],
    holds: 'the main entry: what callers import',
    why: 'The main entry contains the parts that every caller needs. Other parts have separate entries, so they stay out of most bundles.',
  },
  {
    name: 'client',
    path: '^src/client\\.ts$',
    uses: ['resources', 'posts', 'http', 'core'],
    holds: 'the eight resources over one transport',
    why: 'The client connects resources to HTTP and knows nothing else, so nothing else can depend on it.',
  },
  {
    name: 'schemas',
    path: '^src/schemas\\.ts$',
    uses: ['resources', 'posts', 'schema'],
    holds: 'the entry for callers who compose schemas with their own zod',
    why: "Schemas are published with the caller's zod: their imports are built a second time, so they must be small.",
  },
  {
    name: 'cli',
    path: '^src/cli/',
    uses: ['index', 'tools', 'publisher', 'webhooks', 'stores', 'resources', 'emulator', 'posts', 'model', 'core'],
    holds: 'the command: its arguments, its output, its exit codes',
    why: 'The command is a caller like any other. What it decides about posts belongs in the rooms below it.',
  },
  {
    name: 'emulator',
    path: '^src/emulator/',
    uses: ['resources', 'posts', 'webhooks', 'schema', 'model', 'core'],
    holds: 'the service in memory',
    why: "The emulator serves the endpoint values. If it shared the client's HTTP, it would share its bugs and hide them.",
  },
  {
    name: 'tools',
    path: '^src/tools/',
    uses: ['publisher', 'resources', 'posts', 'stores', 'schema', 'model', 'core'],
    holds: 'tools for agents, their adapters, and the MCP server',
    why: 'Tools work through the client and the publisher that a caller passes, so that every program keeps its own settings.',
  },
  {
    name: 'publisher',
    path: '^src/publisher/',
    uses: ['posts', 'stores', 'schema', 'model', 'core'],
    holds: 'intents, their states, and the worker that executes them',
    why: 'The publisher works through the client that a caller passes, and keeps its state only in stores.',
  },
  {
    name: 'otel',
    path: '^src/otel/',
    uses: ['core'],
    holds: 'hooks for OpenTelemetry',
    why: 'Telemetry only implements hooks: no call may depend on it.',
  },
  {
    name: 'query',
    path: '^src/query/',
    uses: ['resources', 'posts', 'pagination', 'schema', 'model', 'core'],
    holds: 'options for TanStack Query',
    why: 'Queries call the client that a caller passes. They need its types, and what says how a query is written.',
  },
  {
    name: 'webhooks',
    path: '^src/webhooks/',
    uses: ['stores', 'schema', 'model', 'core'],
    holds: 'verify, sign, receive',
    why: 'A receiver makes no calls: it is deployed without the client, its resources and ky.',
  },
  {
    name: 'stores',
    path: '^src/stores/',
    uses: ['core'],
    holds: 'one contract, and a driver each for memory, SQLite, Postgres and Redis',
    why: 'A store keeps records without knowing their meaning, so drivers stay small and similar.',
  },
  {
    name: 'http',
    path: '^src/http/',
    uses: ['schema', 'model', 'core'],
    holds: 'calls, attempts and exchanges: the only room that imports ky',
    why: 'The endpoint value describes the request. HTTP names no resource, so a new resource changes nothing here.',
  },
  {
    name: 'resources',
    path: '^src/resources/',
    uses: ['posts', 'pagination', 'schema', 'model', 'core'],
    holds: 'one file per resource: methods, interfaces, schemas, endpoints',
    why: "Resources use only core's narrow Transport, so they work with any transport and do not import the client, which imports them.",
  },
  {
    name: 'posts',
    path: '^src/posts/',
    uses: ['pagination', 'schema', 'model', 'core'],
    holds: 'the resource posts, and the search for the post of a create',
    why: 'Client, publisher and emulator read a post in the same way. A search for a post needs no other resource.',
  },
  {
    name: 'pagination',
    path: '^src/pagination/',
    uses: ['schema', 'model', 'core'],
    holds: 'Paginator, Page, the four list styles, reading ahead',
    why: 'Pagination works with any list: it knows no resource and no HTTP.',
  },
  {
    name: 'schema',
    path: '^src/schema/',
    uses: ['model', 'core'],
    holds: 'shared fields, checks, conversion of dates and nulls',
    why: 'Schemas describe the model, so the model must not need schemas.',
  },
  {
    name: 'model',
    path: '^src/model/',
    uses: ['core'],
    holds: 'terms of the API document that client and webhooks share',
    why: 'The model names the terms of the service. It does not depend on zod, HTTP or its users.',
  },
  {
    name: 'core',
    path: '^src/core/',
    uses: [],
    holds: 'errors, endpoint values, the narrow Transport, JSON, time and randomness',
    why: 'Everything depends on the core, so the core depends on nothing.',
  },
];

/** The emulator's rooms, in the same form. Its adapters and top-level files may import all of them. */
export const emulatorRooms = [
  {
    name: 'emulator/http',
    path: '^src/emulator/http/',
    uses: ['emulator/handlers', 'emulator/service', 'emulator/state'],
    holds: 'routes, checks of requests and replies, faults',
    why: 'Requests reach the service through handlers, so HTTP code never decides the state of a post.',
  },
  {
    name: 'emulator/seed',
    path: '^src/emulator/seed/',
    uses: ['emulator/handlers', 'emulator/service', 'emulator/state'],
    holds: 'seed data for tests',
    why: 'Seeds fill the same store that handlers read; they know nothing of requests.',
  },
  {
    name: 'emulator/handlers',
    path: '^src/emulator/handlers/',
    uses: ['emulator/service', 'emulator/state'],
    holds: 'the behaviour of each operation',
    why: 'A handler takes a checked request and returns a reply. It does not handle routes and faults.',
  },
  {
    name: 'emulator/service',
    path: '^src/emulator/service/',
    uses: ['emulator/state'],
    holds: 'clock, publishing, events, deliveries',
    why: 'The service advances with its clock, with or without requests, so it must not depend on callers.',
  },
  {
    name: 'emulator/state',
    path: '^src/emulator/state/',
    uses: [],
    holds: 'records, and their text in a file',
    why: 'A state is data: it can be saved, loaded and compared without a service that runs.',
  },
];

const pathOf = (name) => [...rooms, ...emulatorRooms].find((room) => room.name === name).path;

/** Each room may import itself and the rooms that it names, and nothing else under `house`. */
const roomRule = (house, { name, path, uses, why }) => ({
  name: `room-${name}`,
  comment: `${why} It may import ${uses.length === 0 ? 'no other room' : uses.join(', ')}.`,
  from: { path },
  to: { path: house, pathNot: [path, ...uses.map(pathOf)] },
});
const roomRules = [
  ...rooms.map((room) => roomRule('^src/', room)),
  ...emulatorRooms.map((room) => roomRule('^src/emulator/', room)),
];

/** Files that run only on Node. */
const nodeFiles = [
  '^src/emulator/adapters/node\\.ts$',
  '^src/emulator/adapters/(node-|cli/)',
  '^src/cli/',
  '^src/tools/mcp/serve\\.ts$',
];

/** The files that package.json publishes as entries. */
const entries = [
  '^src/(index|schemas)\\.ts$',
  '^src/(webhooks|emulator|publisher|otel|query|tools|tools/mcp)/index\\.ts$',
  '^src/stores/(sqlite|postgres|redis|testing)/index\\.ts$',
  '^src/emulator/adapters/(node|msw)\\.ts$',
];

/** Rules about packages and builtins, for all rooms. */
const packageRules = [
  {
    name: 'ky-in-one-file',
    comment:
      'Only http/ky.ts imports ky. The rooms keep it out of all entries except the client: only index and client may import http.',
    from: { path: '^src/', pathNot: '^src/http/ky\\.ts$' },
    to: { path: 'node_modules/ky/' },
  },
  {
    name: 'zod-mini-alone',
    comment: "Import * as z from 'zod/mini': otherwise every bundle would contain all of zod.",
    from: { path: '^src/' },
    to: { path: 'node_modules/zod/', pathNot: 'node_modules/zod/mini/' },
  },
  {
    name: 'msw-in-its-adapter-alone',
    comment: 'msw is optional: only emulator/adapters/msw.ts may need it.',
    from: { path: '^src/', pathNot: '^src/emulator/adapters/msw\\.ts$' },
    to: { path: 'node_modules/msw/' },
  },
  {
    name: 'opentelemetry-in-its-room-alone',
    comment: '@opentelemetry/api is optional: only the entry otel may need it.',
    from: { path: '^src/', pathNot: '^src/otel/' },
    to: { path: 'node_modules/@opentelemetry/' },
  },
  {
    name: 'mcp-in-its-folder-alone',
    comment: '@modelcontextprotocol/server is optional: only the entry mcp may need it.',
    from: { path: '^src/', pathNot: '^src/tools/mcp/' },
    to: { path: 'node_modules/@modelcontextprotocol/' },
  },
  {
    name: 'no-other-package',
    comment: 'Callers install only zod; every other package adds risk and size.',
    from: { path: '^src/', pathNot: '^src/cli/' },
    to: {
      path: 'node_modules/',
      pathNot: 'node_modules/(ky|zod|msw|@opentelemetry/api|@modelcontextprotocol/server)/',
    },
  },
  {
    name: 'console-packages',
    comment: 'The console is bundled whole, and its size is limited: it uses only preact and signals.',
    from: { path: '^console/src/' },
    to: { path: 'node_modules/', pathNot: 'node_modules/(preact|@preact/signals)/' },
  },
  {
    name: 'command-packages',
    comment: 'The command is packed whole: each package in it is a risk and a weight for everybody who installs it.',
    from: { path: '^src/cli/' },
    to: { path: 'node_modules/', pathNot: 'node_modules/(commander|csv-parse|zod)/' },
  },
  {
    name: 'command-uses-entries',
    comment:
      'The build loads entries from dist, and copies everything else into the command: a class would exist twice. ' +
      'Only what has no identity may be copied, and endpoint values and preflight have entries that are not published.',
    from: { path: '^src/cli/' },
    to: {
      path: '^src/',
      pathNot: [
        '^src/cli/',
        ...entries,
        '^src/resources/(endpoints|preflight/preflight)\\.ts$',
        '^src/emulator/adapters/cli/command\\.ts$',
        '^src/tools/mcp/serve\\.ts$',
        '^src/publisher/(intents/intent|search-again)\\.ts$',
        '^src/posts/read-create\\.ts$',
        '^src/model/instant\\.ts$',
        '^src/core/(call/endpoint|error-code|json|package|parse-url|redactor|service-clock)\\.ts$',
      ],
    },
  },
  {
    name: 'console-uses-entries',
    comment: 'The page is an example for callers: it must not import files that they cannot import.',
    from: { path: '^console/src/' },
    to: { path: '^src/', pathNot: ['^src/index\\.ts$', '^src/(webhooks|publisher)/index\\.ts$'] },
  },
  {
    name: 'no-node-builtins',
    comment: 'The package runs in browsers and on edge runtimes. Use Node builtins only in the files for Node.',
    from: { path: '^src/', pathNot: nodeFiles },
    to: { dependencyTypes: ['core'] },
  },
];

/** Modules that an entry must never load, directly or indirectly. */
const reachRules = [
  {
    name: 'nothing-reaches-the-emulator',
    comment: 'The emulator is for tests: production bundles must not contain any part of it.',
    from: { path: '^src/', pathNot: '^src/(emulator|cli)/' },
    to: { path: '^src/emulator/', reachable: true },
  },
  {
    name: 'tools-never-reach-mcp',
    comment: 'Tools also run without the MCP server, whose package is optional.',
    from: { path: '^src/tools/', pathNot: '^src/tools/mcp/' },
    to: { path: '^src/tools/mcp/', reachable: true },
  },
  {
    name: 'main-entry-stays-small',
    comment:
      'Publisher, drivers of stores and telemetry have separate entries, because few callers need them. The receiver writes ' +
      'to a store that the caller passes, so it needs the interface, its records, and the writes that survive a lost reply.',
    from: { path: '^src/(index|client|schemas)\\.ts$' },
    to: {
      path: '^src/(publisher|stores|otel|query|tools)/',
      pathNot: '^src/stores/(store|records|lost-replies|item-store|versions|failure|checks)\\.ts$',
      reachable: true,
    },
  },
];

/** Rules for everything outside src. */
const projectRules = [
  {
    name: 'no-cycle',
    comment:
      'Files that import each other, types included, cannot be read or moved separately. Move the shared part into a third file.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'imports-exist',
    comment: 'A missing path breaks the build, or only its users.',
    // `npm run test:examples` installs the packages of these examples elsewhere.
    from: { pathNot: '^examples/(dbos|temporal|react-query)/' },
    to: { couldNotResolve: true },
  },
  {
    name: 'every-file-has-a-room',
    comment: 'A file outside the rooms escapes their rules. Move it into a room, or add a room with its directions.',
    from: {},
    to: { path: '^src/', pathNot: rooms.map(({ path }) => path) },
  },
  {
    name: 'src-stands-alone',
    comment: 'Tests, scripts, benchmarks and examples are not published; src must build without them.',
    from: { path: '^src/' },
    to: { path: '^(test|scripts|bench|examples|console|maintenance)/' },
  },
  {
    name: 'examples-use-entries',
    comment: 'Users cannot import internal files, so examples must not either.',
    from: { path: '^examples/', pathNot: '^examples/test/' },
    to: { path: '^src/', pathNot: entries },
  },
  {
    name: 'tests-are-not-imported',
    comment: 'An imported test runs twice. Put shared code into a separate file.',
    from: {},
    to: { path: '\\.(test|spec)\\.ts$' },
  },
  {
    name: 'processes-have-their-own-tests',
    comment: '`npm test` starts no programs. Name a test that starts programs *.process.test.ts.',
    // This test asks the shell how it splits a line, which takes milliseconds.
    from: {
      path: '\\.test\\.ts$',
      pathNot: ['\\.process\\.test\\.ts$', '^console/test/same-call\\.test\\.ts$', '^(examples|maintenance)/test/'],
    },
    to: {
      path: ['^(node:)?child_process$', '^test/support/run-program\\.ts$', '^test/emulator/adapters/command\\.ts$'],
    },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [...roomRules, ...packageRules, ...reachRules, ...projectRules].map((rule) => ({
    severity: 'error',
    ...rule,
  })),
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Node 20 has none, and tests skip what needs it.
    builtInModules: { add: ['node:sqlite'] },
    exclude: { path: '^(dist|site|((examples|maintenance)/)?\\.tmp)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
