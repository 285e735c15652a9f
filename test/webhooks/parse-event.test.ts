import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkInPlace } from '../../src/schema/check.js';
import { parseEvent } from '../../src/webhooks/verify/events.js';
import { webhookEventSchema } from '../../src/schema/event.js';
import { published } from './verify-suite.js';

type Payload = Record<string, unknown>;

/** Returns the result of the schema for a payload; `undefined` if it is refused. */
function bySchema(payload: Payload): unknown {
  const schema = webhookEventSchema();
  const result = checkInPlace(schema, structuredClone(payload));
  return result.success ? { ...result.data, known: true } : undefined;
}

/** Returns the result of the reader; `undefined` if the event is unknown. */
function byReader(payload: Payload): unknown {
  const event = parseEvent(structuredClone(payload));
  if (event.known) return event;
  expect(event.payload).toEqual(payload);
  return undefined;
}

/** The path of every field in a value, objects and lists included. */
function paths(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([key, inner]) =>
      paths(inner, [...path, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}

function put(value: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  // JSON has no holes: removing an item moves the rest up.
  if (rest.length === 0 && to === undefined && Array.isArray(copy)) copy.splice(Number(key), 1);
  else if (rest.length === 0 && to === undefined) Reflect.deleteProperty(copy, key);
  else copy[key] = put(copy[key], rest, to);
  return copy;
}

const allPaths = paths(published).filter((path) => path.length > 0);

describe('parseEvent', () => {
  it.each(allPaths.map((path) => [path.join('.'), path] as const))(
    'agrees with the schema, for any value in %s',
    (_, path) => {
      for (const value of [
        undefined,
        null,
        '',
        'text',
        0,
        1.5,
        Number.POSITIVE_INFINITY,
        true,
        [],
        {},
        [null],
        ['a'],
        [{}],
        { id: 'x' },
      ]) {
        const payload = put(published, path, value) as Payload;
        expect(byReader(payload), JSON.stringify(value)).toEqual(bySchema(payload));
      }
    },
  );

  it('agrees with the schema, whatever is changed in several places', () => {
    const change = fc.tuple(
      fc.constantFrom(...allPaths),
      fc.oneof(fc.constant(undefined), fc.constant(null), fc.string(), fc.jsonValue({ maxDepth: 1 })),
    );
    let known = 0;
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        let payload: unknown = published;
        for (const [path, value] of changes) {
          // An earlier change may have taken the place away.
          if (
            path.slice(0, -1).reduce<unknown>((at, key) => (at as Payload | undefined)?.[key], payload) instanceof
            Object
          ) {
            payload = put(payload, path, value);
          }
        }
        const expected = bySchema(payload as Payload);
        if (expected !== undefined) known += 1;
        expect(byReader(payload as Payload)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
    expect(known).toBeGreaterThan(100);
  });
});
