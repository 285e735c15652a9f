/**
 * The only place where the directions of imports stand: `npm run lint` holds them, and `npm run rooms` draws them into
 * CONTRIBUTING.md. Each rule says why it is there; imports of types count as imports.
 */

/** The rooms of src from the roof to the ground, each with the rooms that it may import. A room may import itself. */
export const rooms = [
  {
    name: 'index',
    path: '^src/index\\.ts$',
    uses: ['client', 'webhooks', 'resources', 'http', 'pagination', 'schema', 'model', 'core'],
    holds: 'the main entry: what callers import',
    why: 'The main entry carries what every caller needs. The rest has entries of its own, or it would end in every bundle.',
  },
  {
    name: 'client',
    path: '^src/client\\.ts$',
    uses: ['resources', 'http', 'core'],
    holds: 'the eight resources over one transport',
    why: 'The client joins resources to HTTP and knows nothing else, so that nothing else can start to depend on it.',
  },
  {
    name: 'schemas',
    path: '^src/schemas\\.ts$',
    uses: ['resources', 'schema'],
    holds: 'the entry for callers who compose schemas with their own zod',
    why: "Schemas are published with the caller's zod: what they import is built a second time, so it must be small.",
  },
  {
    name: 'console',
    path: '^src/console/',
    uses: ['index', 'webhooks'],
    holds: "the emulator's page, a program of its own in the browser",
    why: 'The console is a caller like any other: what it needs of the package it takes from the published entries.',
  },
  {
    name: 'emulator',
    path: '^src/emulator/',
    uses: ['resources', 'webhooks', 'schema', 'model', 'core'],
    holds: 'the service in memory: adapters, HTTP, handlers, service, seed',
    why: "The emulator serves the endpoint values. If it shared the client's HTTP, it would share its faults and hide them.",
  },
  {
    name: 'publisher',
    path: '^src/publisher/',
    uses: ['resources', 'stores', 'schema', 'model', 'core'],
    holds: 'intents, their states, and the worker that carries them out',
    why: 'The publisher works through the client that a caller hands over, and keeps its state in stores alone.',
  },
  {
    name: 'otel',
    path: '^src/otel/',
    uses: ['core'],
    holds: 'hooks for OpenTelemetry',
    why: "Telemetry listens to the hooks' types and must never be what a call depends on.",
  },
  {
    name: 'query',
    path: '^src/query/',
    uses: ['resources', 'pagination', 'schema', 'model', 'core'],
    holds: 'options for TanStack Query',
    why: 'Queries call the client that a caller passes. They need its types, and what says how a query is written.',
  },
  {
    name: 'webhooks',
    path: '^src/webhooks/',
    uses: ['stores', 'schema', 'model', 'core'],
    holds: 'verify, sign, receive',
    why: 'A receiver makes no calls: it deploys without the client, its resources and ky.',
  },
  {
    name: 'stores',
    path: '^src/stores/',
    uses: ['core'],
    holds: 'one contract, a driver each for memory, SQLite, Postgres and Redis',
    why: 'A store keeps records and knows nothing of what they mean, so that each driver stays small and alike.',
  },
  {
    name: 'http',
    path: '^src/http/',
    uses: ['schema', 'model', 'core'],
    holds: 'calls, attempts and exchanges: the only room that knows ky',
    why: 'HTTP is told by the endpoint value what to send. It names no resource, so that a new one changes nothing here.',
  },
  {
    name: 'resources',
    path: '^src/resources/',
    uses: ['pagination', 'schema', 'model', 'core'],
    holds: 'one file a resource: methods, interfaces, schemas, endpoints',
    why: "Resources see only the narrow Transport of core, so that they run over anything that carries a call, and don't import the client that imports them.",
  },
  {
    name: 'pagination',
    path: '^src/pagination/',
    uses: ['schema', 'model', 'core'],
    holds: 'Paginator, Page, the four list styles, reading ahead',
    why: 'A walk over pages works with any list: it knows no resource and no HTTP.',
  },
  {
    name: 'schema',
    path: '^src/schema/',
    uses: ['model', 'core'],
    holds: 'shared fields, checks, dates out and nulls in',
    why: 'Schemas describe the model; what is described must not need its description.',
  },
  {
    name: 'model',
    path: '^src/model/',
    uses: ['core'],
    holds: "the document's things that client and webhooks share",
    why: 'The model names what the service has. It stays free of zod, HTTP and whoever uses it.',
  },
  {
    name: 'core',
    path: '^src/core/',
    uses: [],
    holds: 'errors, endpoint values, the narrow Transport, JSON, time and chance',
    why: 'Everything stands on the core, so the core stands on nothing.',
  },
];

/** The floors of the emulator, the same way. Its adapters and what lies flat in it stand on all of them. */
export const emulatorRooms = [
  {
    name: 'emulator/http',
    path: '^src/emulator/http/',
    uses: ['emulator/handlers', 'emulator/service'],
    holds: 'routes, checks of requests and replies, faults',
    why: 'Requests reach the service through handlers, so that nothing of HTTP decides what becomes of a post.',
  },
  {
    name: 'emulator/seed',
    path: '^src/emulator/seed/',
    uses: ['emulator/handlers', 'emulator/service'],
    holds: 'what tests put into the service, one file a thing',
    why: 'Seeds fill the same store that handlers read; they know nothing of requests.',
  },
  {
    name: 'emulator/handlers',
    path: '^src/emulator/handlers/',
    uses: ['emulator/service'],
    holds: 'what each operation does, one file a resource',
    why: 'A handler gets a checked request and gives back a reply. Routes and faults are not its business.',
  },
  {
    name: 'emulator/service',
    path: '^src/emulator/service/',
    uses: [],
    holds: 'store, clock, publishing, deliveries',
    why: 'The service goes on by its clock whether anybody asks or not, so it must not need those who ask.',
  },
];

const pathOf = (name) => [...rooms, ...emulatorRooms].find((room) => room.name === name).path;

/** Each room imports itself and the rooms that it names, nothing else of the house that it stands in. */
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

/** Files that may run on Node alone. */
const nodeFiles = [
  '^src/emulator/adapters/(node|cli)\\.ts$',
  '^src/emulator/adapters/(node-|cli/)',
  '^src/stores/sqlite\\.ts$',
];

/** The files that package.json publishes as entries. */
const entries = [
  '^src/(index|schemas)\\.ts$',
  '^src/(webhooks|emulator|publisher|otel|query)/index\\.ts$',
  '^src/webhooks/redis\\.ts$',
  '^src/stores/(sqlite|postgres|redis|testing/index)\\.ts$',
  '^src/emulator/adapters/(node|msw)\\.ts$',
];

/** Rules about packages and builtins, whatever the room. */
const packageRules = [
  {
    name: 'only-send-imports-ky',
    comment: 'Only http/send.ts knows ky, so that another way to fetch would change that file and nothing else.',
    from: { path: '^src/', pathNot: '^src/http/send\\.ts$' },
    to: { path: 'node_modules/ky/' },
  },
  {
    name: 'zod-mini-alone',
    comment: "Import * as z from 'zod/mini': the rest of zod would end in every bundle.",
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
    name: 'no-other-package',
    comment:
      'Callers install zod and nothing else; every other package is a risk and a weight that they did not choose.',
    from: { path: '^src/', pathNot: '^src/console/' },
    to: { path: 'node_modules/', pathNot: 'node_modules/(ky|zod|msw|@opentelemetry/api)/' },
  },
  {
    name: 'console-packages',
    comment: 'The console is packed whole, and its weight is counted: it draws with preact and signals alone.',
    from: { path: '^src/console/' },
    to: { path: 'node_modules/', pathNot: 'node_modules/(preact|@preact/signals)/' },
  },
  {
    name: 'console-uses-entries',
    comment: 'The page is an example of the package: what callers cannot import, it must not import.',
    from: { path: '^src/console/' },
    to: { path: '^src/', pathNot: ['^src/console/', '^src/index\\.ts$', '^src/webhooks/index\\.ts$'] },
  },
  {
    name: 'no-node-builtins',
    comment:
      'The package runs in browsers and on edge runtimes. Builtins of Node belong in the files made for Node alone.',
    from: { path: '^src/', pathNot: nodeFiles },
    to: { dependencyTypes: ['core'] },
  },
];

/** What an entry must never load, however long the way to it. */
const reachRules = [
  {
    name: 'webhooks-never-reach-ky',
    comment: 'A receiver is deployed where nobody calls the service: ky would be dead weight in it.',
    from: { path: '^src/webhooks/' },
    to: { path: 'node_modules/ky/', reachable: true },
  },
  {
    name: 'schemas-never-reach-ky',
    comment: 'Schemas check data that is there already; nothing of them sends a request.',
    from: { path: '^src/schemas\\.ts$' },
    to: { path: 'node_modules/ky/', reachable: true },
  },
  {
    name: 'query-never-reaches-ky',
    comment:
      'Queries call the client that a caller passes: a second copy of the client would be dead weight in a page.',
    from: { path: '^src/query/' },
    to: { path: 'node_modules/ky/', reachable: true },
  },
  {
    name: 'emulator-never-reaches-ky',
    comment: 'Tests of callers load the emulator beside their own client, of whatever version.',
    from: { path: '^src/emulator/' },
    to: { path: 'node_modules/ky/', reachable: true },
  },
  {
    name: 'nothing-reaches-the-emulator',
    comment: 'The emulator is for tests: no bundle that goes to production may hold a part of it.',
    from: { path: '^src/', pathNot: '^src/emulator/' },
    to: { path: '^src/emulator/', reachable: true },
  },
  {
    name: 'main-entry-stays-small',
    comment:
      'Publisher, drivers of stores and telemetry have entries of their own; few callers need them. The receiver writes ' +
      'to a store that the caller passes, so it needs the interface and the writes that survive a lost reply.',
    from: { path: '^src/(index|client|schemas)\\.ts$' },
    to: {
      path: '^src/(publisher|stores|otel|query)/',
      pathNot: '^src/stores/(store|lost-replies|item-store|failure|checks)\\.ts$',
      reachable: true,
    },
  },
];

/** Rules for everything beside src. */
const projectRules = [
  {
    name: 'no-cycle',
    comment: 'Files that import each other, types too, can be neither read nor moved alone. Cut out what both need.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'imports-exist',
    comment: 'A path that leads nowhere breaks the build, or only its users.',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'every-file-has-a-room',
    comment:
      'A file outside of the rooms would escape their rules. Put it into a room, or add one with its directions.',
    from: {},
    to: { path: '^src/', pathNot: rooms.map(({ path }) => path) },
  },
  {
    name: 'src-stands-alone',
    comment: 'Tests, scripts, benchmarks and examples are not published; src must build without them.',
    from: { path: '^src/' },
    to: { path: '^(test|scripts|bench|examples)/' },
  },
  {
    name: 'examples-use-entries',
    comment: 'An example that reaches inside shows users what they cannot do.',
    from: { path: '^examples/' },
    to: { path: '^src/', pathNot: entries },
  },
  {
    name: 'tests-are-not-imported',
    comment: 'A test that is imported runs twice. What tests share lies in a file of its own.',
    from: {},
    to: { path: '\\.(test|spec)\\.ts$' },
  },
  {
    name: 'processes-have-their-own-tests',
    comment: '`npm test` starts no programs. A test that does is named *.process.test.ts.',
    // It asks the shell how it splits one line, which takes milliseconds.
    from: { path: '\\.test\\.ts$', pathNot: ['\\.process\\.test\\.ts$', '^test/console/same-call\\.test\\.ts$'] },
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
    exclude: { path: '^(dist|site|\\.tmp)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
