import { describe, expect, it } from 'vitest';
import { ConfigurationError, InvalidRequestError } from '../../src/core/errors.js';
import {
  checkCallOptions,
  checkConfiguration,
  hasMethods,
  isBoolean,
  isFunction,
  isIterable,
  isMilliseconds,
  isNumber,
  isObject,
  isSignal,
  isString,
  isWhole,
  oneOf,
  optionIssues,
  optionsOf,
  unchecked,
  type OptionCheck,
} from '../../src/core/call/options.js';

interface Options {
  readonly strict?: boolean;
  readonly timeoutMs?: number;
  readonly limits?: { readonly perSecond?: number };
}

const limits = optionsOf<NonNullable<Options['limits']>>('a limit', { perSecond: isNumber({ above: 0 }) });
const spec = optionsOf<Options>('an option of the client', {
  strict: isBoolean,
  timeoutMs: isMilliseconds(),
  limits,
});

function messageOf(check: OptionCheck, value: unknown): string | undefined {
  return optionIssues(optionsOf<{ x?: unknown }>('an option', { x: check }), { x: value })[0]?.message;
}

describe('kinds of options', () => {
  it.each<[check: OptionCheck, allowed: string, good: unknown[], bad: unknown[]]>([
    [isBoolean, 'true or false', [undefined, true, false], [null, 0, 'true']],
    [isFunction, 'a function', [undefined, () => 1], [null, {}, 'f']],
    [isString, 'a string', [undefined, '', 'a'], [null, 1]],
    [isObject, 'an object', [undefined, {}], [null, 1, 'a', []]],
    [isSignal, 'an AbortSignal', [undefined, AbortSignal.abort()], [null, {}, 'a', new AbortController()]],
    [isIterable, 'an array or another (async) iterable', [[], new Set()], [undefined, null, 'text', {}]],
    [oneOf('a'), "'a'", [undefined, 'a'], ['b', null]],
    [oneOf('a', 'b', 'c'), "'a', 'b' or 'c'", ['a', 'b', 'c'], ['d', ['a']]],
    [hasMethods('a store', 'get', 'set'), 'a store', [new Map()], [undefined, null, {}, { get: () => 1 }]],
    [isWhole({ least: 1 }), 'a whole number, 1 or more', [undefined, 1, 9], [0, 1.5, NaN, '1', Infinity, null]],
    [isWhole({ least: 0, most: 9 }), 'a whole number from 0 to 9', [0, 9], [-1, 10]],
    [
      isWhole({ least: 0, orInfinity: true }),
      'a whole number, 0 or more, or Infinity',
      [0, Infinity],
      [-Infinity, 0.5],
    ],
    [isNumber(), 'a number', [-1, 0.5], [NaN, Infinity, '1']],
    [isNumber({ above: 0 }), 'a number above 0', [0.5], [0, -1]],
    [isNumber({ above: 0, most: 1 }), 'a number above 0, at most 1', [1], [0, 2]],
    [isNumber({ most: 1 }), 'a number, at most 1', [1, -5], [2]],
    [isMilliseconds(), 'a number of milliseconds above 0', [0.5, 1], [0, Infinity, new Date(5)]],
    [isMilliseconds({ least: 0 }), 'a number of milliseconds, 0 or more', [0], [-1]],
  ])('kind %#: must be %s', (check, allowed, good, bad) => {
    for (const value of good) expect(messageOf(check, value)).toBeUndefined();
    for (const value of bad) expect(messageOf(check, value)).toBe(`x must be ${allowed}`);
  });

  it('accept anything that another function checks', () => {
    expect(messageOf(unchecked, Symbol('any'))).toBeUndefined();
  });
});

describe('an options object', () => {
  it('passes when it is omitted, empty, or has undefined values', () => {
    expect(optionIssues(spec, undefined)).toEqual([]);
    expect(optionIssues(spec, {})).toEqual([]);
    expect(optionIssues(spec, { strict: undefined, limits: undefined })).toEqual([]);
  });

  it.each([null, 7, 'text', [[]], () => 1])('must be an object, not %s', (value) => {
    expect(optionIssues(spec, value)).toEqual([{ path: ['options'], message: 'options must be an object' }]);
    expect(optionIssues(spec, { limits: value })).toEqual([{ path: ['limits'], message: 'limits must be an object' }]);
  });

  it('has an issue for each mistake, with the path of nested options', () => {
    expect(optionIssues(spec, { timeoutMs: -1, strict: 1, limits: { perSecond: 0, perSeconds: 1 } })).toEqual([
      { path: ['strict'], message: 'strict must be true or false' },
      { path: ['timeoutMs'], message: 'timeoutMs must be a number of milliseconds above 0' },
      {
        path: ['limits', 'perSeconds'],
        message: "'limits.perSeconds' is not a limit; did you mean 'perSecond'? Supported: perSecond",
      },
      { path: ['limits', 'perSecond'], message: 'limits.perSecond must be a number above 0' },
    ]);
  });

  it('must not have unknown names, whatever their value', () => {
    expect(optionIssues(spec, { colour: undefined })).toEqual([
      {
        path: ['colour'],
        message: "'colour' is not an option of the client. Supported: strict, timeoutMs, limits",
      },
    ]);
    expect(optionIssues(spec, { toString: 1 })).toHaveLength(1);
  });

  it('has a list of its names', () => {
    expect([...spec.names]).toEqual(['strict', 'timeoutMs', 'limits']);
  });

  it('may hold other fields where the spec allows others, but no misspelling', () => {
    const open = optionsOf<Options>('an option', { strict: isBoolean, timeoutMs: unchecked, limits }, 'allowed');
    expect(optionIssues(open, { colour: 1 })).toEqual([]);
    expect(optionIssues(open, { timeoutMS: 1 })).toHaveLength(1);
  });
});

describe('errors for options', () => {
  const wrong = { strict: 1, timeoutMs: 'x' };
  const both = 'strict must be true or false; timeoutMs must be a number of milliseconds above 0';

  it('of a constructor name every mistake', () => {
    const check = () => {
      checkConfiguration(spec, wrong);
    };
    expect(check).toThrow(new ConfigurationError(`${both}.`));
    expect(check).toThrow(ConfigurationError);
    expect(() => {
      checkConfiguration(spec, { strict: true });
    }).not.toThrow();
  });

  it('of a call have every mistake in issues', () => {
    let thrown: unknown;
    try {
      checkCallOptions(spec, wrong, { method: 'GET', route: '/v1/posts/' });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvalidRequestError);
    expect(thrown).toMatchObject({
      message: `GET /v1/posts/ was not sent: ${both}`,
      issues: [{ path: ['strict'] }, { path: ['timeoutMs'] }],
    });
    expect(() => {
      checkCallOptions(spec, {});
    }).not.toThrow();
  });
});
