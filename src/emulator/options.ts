import { ConfigurationError } from '../core/errors.js';
import { checkNames } from '../core/names.js';
import { longestTimerMs } from '../core/runtime.js';
import { isInstant } from '../model/instant.js';
import type { EmulatorSnapshot, EmulatorState } from './emulator.js';
import type { State } from './service/state.js';
import { stateOf } from './snapshots.js';

/** How an emulator is set up. */
export interface EmulatorOptions {
  /** The access keys that it takes; `null`: it asks for none. Default `test-key`. */
  readonly accessKey?: string | readonly string[] | null | undefined;
  /** Where its clock starts, in milliseconds since 1970. It is asked once. Default: the real time. */
  readonly now?: (() => number) | undefined;
  /**
   * How far its clock is from where `now` puts it, in milliseconds; below 0 it is behind. All of the service's times are off
   * by it: `createdAt`, due times, signatures and the `Date` header. Default 0.
   */
  readonly clockSkewMs?: number | undefined;
  /**
   * A whole state to go on with: a snapshot, or what its `toJSON` gave, of this process or another one. Its clock and its
   * chances go on too, so that `now` and `seed` are not asked. Default: empty.
   */
  readonly state?: EmulatorSnapshot | EmulatorState | undefined;
  /** Takes webhook deliveries in place of the network. */
  readonly deliver?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** Where all its chances come from: the same seed, the same run. Default 1. */
  readonly seed?: number | undefined;
  /** How long a delivery may take, in real milliseconds. Default 10,000, as documented. */
  readonly deliveryTimeoutMs?: number | undefined;
  /** The wait before a delivery's second attempt, in milliseconds of its clock; it doubles. Default 30,000. */
  readonly retryDelayMs?: number | undefined;
  /** How many deliveries of one subscription may be under way at the same time. Default 1: one after the other. */
  readonly deliveryConcurrency?: number | undefined;
  /** How many of the latest requests and deliveries `requests` and `deliveries` hold. Default 10,000 of each. */
  readonly keep?:
    | {
        /** How many requests. Default 10,000. */
        readonly requests?: number | undefined;
        /** How many attempts at deliveries. Default 10,000. */
        readonly deliveries?: number | undefined;
      }
    | undefined;
  /** What a target costs when a post is scheduled or published. Prices are not documented. Default 0. */
  readonly creditsPerTarget?: number | undefined;
  /** Whether the two selection operations ask for the access key, which is not documented. Default true. */
  readonly selectionNeedsKey?: boolean | undefined;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const isFunction = (value: unknown) => typeof value === 'function';
const isLength = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 1;
const isKeep = (value: unknown) => {
  if (typeof value !== 'object' || value === null) return false;
  checkNames("part of createEmulator's keep", value, keepNames);
  return Object.values(value).every((count) => count === undefined || isCount(count));
};

/** What each option must be. */
const rules: Readonly<Record<string, readonly [test: (value: unknown) => boolean, must: string]>> = {
  accessKey: [
    (value) => value === null || isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
    'a key, several keys, or null for no check; a key is not empty',
  ],
  now: [isFunction, "a function that gives milliseconds, such as now: () => Date.parse('2026-03-01T09:00:00Z')"],
  deliver: [isFunction, 'a function that takes a Request and gives a Response'],
  state: [isObject, 'a snapshot, or what its toJSON gave'],
  seed: [Number.isFinite, 'a number'],
  clockSkewMs: [Number.isFinite, 'a number of milliseconds; below 0, the service is behind'],
  deliveryTimeoutMs: [isLength, 'a number of 0 or more'],
  retryDelayMs: [isLength, 'a number of 0 or more'],
  deliveryConcurrency: [isCount, 'an integer of 1 or more'],
  keep: [isKeep, 'an object { requests, deliveries } of integers of 1 or more'],
  creditsPerTarget: [isLength, 'a number of 0 or more'],
  selectionNeedsKey: [(value) => typeof value === 'boolean', 'true or false'],
};

const optionNames: ReadonlySet<string> = new Set(Object.keys(rules));
const keepNames: ReadonlySet<string> = new Set<keyof NonNullable<EmulatorOptions['keep']>>(['requests', 'deliveries']);

/** Refuses options of `createEmulator` that can't work. */
function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError('createEmulator takes an object of options.');
  checkNames('option of createEmulator', options, optionNames);
  for (const [name, [test, must]] of Object.entries(rules)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && !test(value)) throw new ConfigurationError(`createEmulator: ${name} must be ${must}.`);
  }
}

const defaultKept = 10_000;

/** The options with their defaults. */
export interface EmulatorSettings {
  /** Where the clock starts, in milliseconds since 1970. */
  readonly start: number;
  /** The state to go on with. */
  readonly state: State | undefined;
  readonly accessKeys: readonly string[] | null;
  readonly deliver: EmulatorOptions['deliver'];
  readonly seed: number;
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
  readonly deliveryConcurrency: number;
  readonly keptRequests: number;
  readonly keptDeliveries: number;
  readonly creditsPerTarget: number;
  readonly selectionNeedsKey: boolean;
}

/** Checks the options of `createEmulator`, and fills them in. */
export function settingsOf(options: EmulatorOptions): EmulatorSettings {
  checkOptions(options);
  const { accessKey = 'test-key', now = Date.now, clockSkewMs = 0 } = options;
  const start = now() + clockSkewMs;
  if (!isInstant(start)) throw new RangeError('createEmulator: now must give milliseconds since 1970.');
  return {
    start,
    state: options.state === undefined ? undefined : stateOf(options.state),
    accessKeys: typeof accessKey === 'string' ? [accessKey] : accessKey,
    deliver: options.deliver,
    seed: options.seed ?? 1,
    timeoutMs: Math.min(options.deliveryTimeoutMs ?? 10_000, longestTimerMs),
    retryDelayMs: options.retryDelayMs ?? 30_000,
    deliveryConcurrency: options.deliveryConcurrency ?? 1,
    keptRequests: options.keep?.requests ?? defaultKept,
    keptDeliveries: options.keep?.deliveries ?? defaultKept,
    creditsPerTarget: options.creditsPerTarget ?? 0,
    selectionNeedsKey: options.selectionNeedsKey ?? true,
  };
}
