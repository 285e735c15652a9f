import { isFields, withoutUndefined } from '../json.js';
import { ConfigurationError, InvalidRequestError, type ErrorDetails, type Issue } from '../errors.js';

type Path = Issue['path'];

/** Checks one value and adds an issue for each mistake in it. */
export type OptionCheck = (value: unknown, path: Path, issues: Issue[]) => void;

/** Checks an options object, and knows the names in it. */
export interface OptionsCheck<Options> extends OptionCheck {
  readonly names: ReadonlySet<keyof Options & string>;
}

/**
 * Makes an issue whose message makes sense without its path.
 * @param predicate completes the sentence that starts with the path: `must be …`
 * @param root the subject of the sentence if the path is empty
 */
export function issueAt(path: Path, predicate: string, root = 'the argument'): Issue {
  return { path, message: `${path.length === 0 ? root : path.join('.')} ${predicate}` };
}

/** Returns a function that adds issues about parts of an argument: at most one for each part. */
export function reportTo(issues: Issue[], argument: Path = []): (path: Path, predicate: string) => void {
  const textOf = (path: Path) => JSON.stringify(path);
  const known = new Set(issues.map(({ path }) => textOf(path)));
  return (path, predicate) => {
    const issue = issueAt([...argument, ...path], predicate);
    if (known.has(textOf(issue.path))) return;
    known.add(textOf(issue.path));
    issues.push(issue);
  };
}

/**
 * Makes the error of one invalid argument.
 * @param name the argument, or the path of a field with dots
 * @param predicate completes the sentence that starts with the name: `must be …`
 */
export function invalidArgument(name: string, predicate: string): InvalidRequestError {
  return new InvalidRequestError([issueAt(name.split('.'), predicate)]);
}

/** Accepts `undefined`, and values that pass the test. `allowed` completes the sentence "timeoutMs must be …". */
/* @__NO_SIDE_EFFECTS__ */
export function optional(allowed: string, test: (value: unknown) => boolean): OptionCheck {
  return required(allowed, (value) => value === undefined || test(value));
}

/** Accepts values that pass the test. */
/* @__NO_SIDE_EFFECTS__ */
export function required(allowed: string, test: (value: unknown) => boolean): OptionCheck {
  return (value, path, issues) => {
    if (!test(value)) issues.push(issueAt(path, `must be ${allowed}`));
  };
}

/** Accepts `undefined`, and the same values as the check. */
/* @__NO_SIDE_EFFECTS__ */
export function ifPassed(check: OptionCheck): OptionCheck {
  return (value, path, issues) => {
    if (value !== undefined) check(value, path, issues);
  };
}

/** Accepts the same values as the check, except `undefined`. */
/* @__NO_SIDE_EFFECTS__ */
export function present(check: OptionCheck): OptionCheck {
  return (value, path, issues) => {
    check(value === undefined ? null : value, path, issues);
  };
}

export const unchecked: OptionCheck = () => undefined;

export const isBoolean = optional('true or false', (value) => typeof value === 'boolean');
export const isFunction = optional('a function', (value) => typeof value === 'function');
export const isString = optional('a string', (value) => typeof value === 'string');
export const isObject = optional('an object', isFields);
export const isSignal = optional(
  'an AbortSignal',
  // Signals of jsdom, polyfills and React Native have few other methods.
  (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
);
export const isIterable = required(
  'an array or another (async) iterable',
  (value) => typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value),
);

/* @__NO_SIDE_EFFECTS__ */
export function oneOf(...values: readonly string[]): OptionCheck {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  return optional(quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`, (value) =>
    // The types of `includes` accept only strings.
    (values as readonly unknown[]).includes(value),
  );
}

/** Accepts objects with these methods. */
/* @__NO_SIDE_EFFECTS__ */
export function hasMethods(allowed: string, ...methods: readonly string[]): OptionCheck {
  return required(allowed, (value) => isObjectWith(value, methods));
}

/** Whether a value is an object with these methods. */
export function isObjectWith<Name extends string>(
  value: unknown,
  methods: readonly Name[],
): value is Record<Name, (...args: never[]) => unknown> {
  // Each field is checked here.
  const object = value as Partial<Record<Name, unknown>> | null;
  return typeof object === 'object' && object !== null && methods.every((name) => typeof object[name] === 'function');
}

/** Which numbers are allowed. Without `orInfinity`, a number must be finite. */
export interface Bounds {
  readonly least?: number;
  readonly above?: number;
  readonly most?: number;
  readonly orInfinity?: true;
}

/* @__NO_SIDE_EFFECTS__ */
export function isWhole(bounds: Bounds): OptionCheck {
  return numberCheck('a whole number', bounds, Number.isInteger);
}

/* @__NO_SIDE_EFFECTS__ */
export function isNumber(bounds: Bounds = {}): OptionCheck {
  return numberCheck('a number', bounds, Number.isFinite);
}

/** Accepts durations; by default above 0. */
/* @__NO_SIDE_EFFECTS__ */
export function isMilliseconds(bounds: Bounds = { above: 0 }): OptionCheck {
  return numberCheck('a number of milliseconds', bounds, Number.isFinite);
}

/* @__NO_SIDE_EFFECTS__ */
function numberCheck(kind: string, bounds: Bounds, isKind: (value: number) => boolean): OptionCheck {
  const { least = -Infinity, above = -Infinity, most = Infinity, orInfinity } = bounds;
  return optional(
    kind + describeBounds(bounds) + (orInfinity ? ', or Infinity' : ''),
    (value) =>
      typeof value === 'number' &&
      ((orInfinity && value === Infinity) || (isKind(value) && value >= least && value > above && value <= most)),
  );
}

function describeBounds({ least, above, most }: Bounds): string {
  if (least !== undefined && most !== undefined) return ` from ${String(least)} to ${String(most)}`;
  if (least !== undefined) return `, ${String(least)} or more`;
  const lower = above === undefined ? '' : ` above ${String(above)}`;
  return most === undefined ? lower : `${lower}, at most ${String(most)}`;
}

/**
 * Describes an options type: a check for each of its names. A misspelt option would have no effect, so other names are
 * refused with the nearest known name.
 * @param noun with its article, for messages: `an option of the client`
 * @param others `unlike`: names that are neither a likely misspelling nor the beginning of a known name pass. `allowed`: names
 * that are not a likely misspelling pass, for rows of a caller
 */
/* @__NO_SIDE_EFFECTS__ */
export function optionsOf<Options extends object>(
  noun: string,
  checks: { readonly [Name in keyof Options & string]-?: OptionCheck },
  others: 'refused' | 'unlike' | 'allowed' = 'refused',
): OptionsCheck<Options> {
  const known: Readonly<Record<string, OptionCheck>> = checks;
  const names: ReadonlySet<string> = new Set(Object.keys(known));
  const nearest = others === 'allowed' ? nearestName : likelyName;
  const check: OptionCheck = (value, path, issues) => {
    if (value === undefined) return;
    if (!isFields(value)) {
      issues.push(issueAt(path.length === 0 ? ['options'] : path, 'must be an object'));
      return;
    }
    for (const name of Object.keys(value)) {
      if (names.has(name)) continue;
      const near = nearest(name, names);
      if (near === undefined && others !== 'refused') continue;
      const hint = near === undefined ? '.' : `; did you mean '${near}'?`;
      const message = `'${[...path, name].join('.')}' is not ${noun}${hint} Supported: ${[...names].join(', ')}`;
      issues.push({ path: [...path, name], message });
    }
    for (const [name, check] of Object.entries(known)) {
      check(value[name], [...path, name], issues);
    }
  };
  // The type of `checks` has exactly these names.
  return Object.assign(check, { names: names as ReadonlySet<keyof Options & string> });
}

/**
 * Returns the options that are set, in an object that can be copied: an instance may have some on its prototype. Unknown
 * fields stay, so that a check can refuse them.
 */
export function ownOptions<Options extends object>({ names }: OptionsCheck<Options>, options: Options): Options {
  const given = Object(options) as Options; // A caller without types may pass null.
  const known = Object.fromEntries([...names].map((name) => [name, given[name]]));
  return withoutUndefined({ ...given, ...known });
}

/** Returns every mistake in an options object, each with a self-contained message. */
export function optionIssues(check: OptionCheck, options: unknown): Issue[] {
  const issues: Issue[] = [];
  check(options, [], issues);
  return issues;
}

/**
 * Checks the options of a constructor or a factory.
 * @throws ConfigurationError with every mistake
 */
export function checkConfiguration(check: OptionCheck, options: unknown): void {
  const issues = optionIssues(check, options);
  if (issues.length > 0) throw new ConfigurationError(`${issues.map(({ message }) => message).join('; ')}.`);
}

/** The same for options that a caller without types can omit. */
export function checkPassed(check: OptionCheck, options: unknown): void {
  checkConfiguration(check, options ?? null);
}

/**
 * Checks the options or the argument of a call.
 * @throws InvalidRequestError with every mistake in `issues`
 */
export function checkCallOptions(check: OptionCheck, options: unknown, details?: ErrorDetails): void {
  const issues = optionIssues(check, options);
  if (issues.length > 0) throw new InvalidRequestError(issues, details);
}

/** Longer names are unlikely to be misspelt, and comparing them is slow. */
const longestName = 40;

/** Returns the known name that is nearest to a misspelt one. Two letters of five may differ, at most three in all. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  let nearest: string | undefined;
  let least = Math.min(3, Math.floor(name.length / 2.5)) + 1;
  for (const candidate of known) {
    if (Math.abs(name.length - candidate.length) >= least) continue;
    const differs = distance(name.toLowerCase(), candidate.toLowerCase());
    if (differs < least) [nearest, least] = [candidate, differs];
  }
  return nearest;
}

/** The same; without a near name, the first one that begins with 3 or more passed letters: `status` for `stat`. */
export function likelyName(name: string, known: ReadonlySet<string> | readonly string[]): string | undefined {
  const beginning = name.toLowerCase();
  const begins = (candidate: string) => name.length >= 3 && candidate.toLowerCase().startsWith(beginning);
  return nearestName(name, known) ?? [...known].find(begins);
}

/** Counts the letters that must be added, removed, replaced or swapped with their neighbour. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          replaced,
          swapped ? at(row - 2, column - 2) + 1 : replaced,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
