import { describe, expect, it } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import type { Endpoint } from '../../src/core/call/endpoint.js';
import { InvalidRequestError, type Issue } from '../../src/core/errors.js';
import type { RequestOptions } from '../../src/core/call/transport.js';
import { resolveSettings } from '../../src/http/client-options.js';
import { prepareRequest } from '../../src/http/request.js';
import { allEndpoints } from '../../src/resources/endpoints.js';
import { fieldNamesAt } from '../../src/schema/wire.js';

const settings = resolveSettings({ baseUrl: 'https://api.test', accessKey: 'test-key' });
const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

const badParameters = [undefined, null, 5, '', '.', '..', '\ud800', 'a\u0000b', 'a'.repeat(600)];
const badValues = [
  null,
  5,
  -1,
  NaN,
  '',
  'x',
  '\ud800',
  '2026-02-30',
  true,
  [],
  [5],
  [{}],
  {},
  { a: { b: 1 } },
  new Map(),
];
const badHeaders: unknown[] = [
  5,
  [5],
  { 'a b': 'x' },
  { a: 'b\nc' },
  { a: {} },
  { 'x-access-key': 'k' },
  { upgrade: 'x' },
];
const badBodies = [new Map([['a', 1]]), { a: () => 1 }, { a: 1n }, { a: new Set() }, cyclic, [1], 'text', 5];

const badOptions: RequestOptions[] = [
  ...['signal', 'timeoutMs', 'totalTimeoutMs', 'maxRetries', 'extraQuery', 'extraBody'].flatMap((name) =>
    badValues.map((value) => ({ [name]: value })),
  ),
  ...badHeaders.map((headers) => ({ headers }) as RequestOptions),
  ...badBodies.map((extraBody) => ({ extraBody }) as RequestOptions),
  ...badValues.map((value) => ({ extraQuery: { filter: value } })),
  { timeout: 5 } as RequestOptions,
];

/** The issues of a call that is refused; none if it would be sent. */
function issuesOf(endpoint: Endpoint, input: object, options: unknown): readonly Issue[] {
  try {
    prepareRequest(settings, { operation: endpoint, input }, options as RequestOptions);
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.issues;
    throw error;
  }
  return [];
}

/** Inputs of an operation, each with one mistake at least. */
function* mistakes(endpoint: Endpoint): Generator<[input: object, options?: unknown]> {
  const names = [...endpoint.route.matchAll(/\{(.+?)\}/g)].map(([, name = '']) => name);
  const params = Object.fromEntries(names.map((name) => [name, 'id_1']));
  for (const name of names) for (const value of badParameters) yield [{ params: { ...params, [name]: value } }];
  yield [{ params: { ...params, other: 'id_1' } }];
  for (const part of ['query', 'body'] as const) {
    const schema = endpoint[part]?.();
    if (schema === undefined) continue;
    for (const value of badValues) yield [{ params, [part]: value }];
    for (const field of [...fieldNamesAt(schema, []), 'unknownField']) {
      for (const value of badValues) yield [{ params, [part]: { [field]: value } }];
      for (const inner of fieldNamesAt(schema, [field])) {
        for (const value of badValues) {
          yield [{ params, [part]: { [field]: { [inner]: value } } }];
          yield [{ params, [part]: { [field]: [{ [inner]: value }] } }];
        }
      }
    }
  }
  for (const options of badOptions) yield [{ params }, options];
}

/** The last name in an issue's path; a position in an array is not a name. */
function subjectOf({ path }: Issue): string {
  return path.findLast((part): part is string => typeof part === 'string') ?? 'the argument';
}

function expectAlone(issues: readonly Issue[]): void {
  for (const issue of issues) {
    expect(issue.message).toContain(subjectOf(issue));
    // A verb follows the subject, so that it is a sentence.
    expect(issue.message).toMatch(
      / (?:must|is|are|cannot|can|has|have|needs|does|did|hold|holds|names|accepts|occurs)\b/,
    );
  }
}

describe('the message of each issue names its field', () => {
  it.each(allEndpoints().map((endpoint) => [endpoint.route, endpoint] as const))('%s', (_, endpoint) => {
    let refused = 0;
    for (const [input, options] of mistakes(endpoint)) {
      const issues = issuesOf(endpoint, input, options);
      if (issues.length > 0) refused += 1;
      expectAlone(issues);
    }
    expect(refused).toBeGreaterThan(50);
  });

  it('client.request', async () => {
    const client = new SocialPublishing({
      baseUrl: 'https://api.test',
      accessKey: 'test-key',
      fetch: () => Promise.reject(new Error('It must not be sent.')),
    });
    const calls: [route: unknown, input?: unknown, options?: unknown][] = [
      ...[5, '', 'posts', 'GET posts', 'GET /v1/../posts', 'GET //host/', 'GET /v1/%2{name}'].map(
        (route): [unknown, unknown] => [route, { params: { name: 'e' } }],
      ),
      ...badParameters.map((id): [unknown, unknown] => ['GET /v9/{id}', { params: { id } }]),
      ...[{ map: new Map() }, { lone: '\ud800' }, { deep: { a: 1 } }].map((query): [unknown, unknown] => [
        'GET /v9/',
        { query },
      ]),
      ...[
        () => 1,
        Symbol('a'),
        new Map(),
        new Set(),
        new Blob(),
        new FormData(),
        cyclic,
        { a: 1n },
        { a: new Map() },
      ].map((body): [unknown, unknown] => ['POST /v9/', { body }]),
      ['GET /v9/', { body: {} }],
      ['POST /v9/', { body: 'text' }, { extraBody: { a: 1 } }],
      ['GET /v9/', { quary: {} }],
      ...badOptions.slice(0, 60).map((options): [unknown, unknown, unknown] => ['POST /v9/', {}, options]),
    ];
    let refused = 0;
    for (const [route, input, options] of calls) {
      try {
        await client.request(route as never, input as never, options as never);
      } catch (error) {
        if (!(error instanceof InvalidRequestError)) continue;
        refused += 1;
        expectAlone(error.issues);
      }
    }
    expect(refused).toBeGreaterThan(60);
  });
});
