import {
  checkConfiguration,
  isBoolean,
  isMilliseconds,
  isNumber,
  isWhole,
  optional,
  optionsOf,
} from '../core/call/options.js';
import { longestTimerMs } from '../core/runtime.js';
import { isInstant } from '../model/instant.js';
import type { EmulatorSnapshot, EmulatorState } from './emulator.js';
import { stateOf } from './snapshots.js';

/** The options of `createEmulator`. */
export interface EmulatorOptions {
  /** The access keys that it accepts; `null`: no check. Default `test-key`. */
  readonly accessKey?: string | readonly string[] | null | undefined;
  /** Returns the time at which the clock starts, in milliseconds since 1970. Called once. Default: the real time. */
  readonly now?: (() => number) | undefined;
  /**
   * Moves the clock away from `now`, in milliseconds; below 0, it is behind. This moves all times of the service: `createdAt`,
   * due times, signatures and the `Date` header. Default 0.
   */
  readonly clockSkewMs?: number | undefined;
  /**
   * The state to continue from: a snapshot, or the result of its `toJSON`, of this process or another one. The state contains
   * the clock and the random numbers, so `now` and `seed` have no effect. Default: empty.
   */
  readonly state?: EmulatorSnapshot | EmulatorState | undefined;
  /** Receives webhook deliveries in place of the network. Called once per attempt. */
  readonly deliver?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** The seed of all random choices. The same number creates the same run. Default 1. */
  readonly seed?: number | undefined;
  /** The time-out of a delivery, in real milliseconds. Default 10,000, as documented. */
  readonly deliveryTimeoutMs?: number | undefined;
  /** The wait before the second attempt of a delivery, in milliseconds of the clock. The next wait is twice as long. Default 30,000. */
  readonly retryDelayMs?: number | undefined;
  /** The most deliveries of one subscription at the same time. Default 1: one after the other. */
  readonly deliveryConcurrency?: number | undefined;
  /** How many of the latest requests and deliveries are kept. Default 10,000 of each. */
  readonly keep?:
    | {
        /** The number of requests, 1 or more. Default 10,000. */
        readonly requests?: number | undefined;
        /** The number of delivery attempts, 1 or more. Default 10,000. */
        readonly deliveries?: number | undefined;
      }
    | undefined;
  /** The credits that a target costs when a post is scheduled or published. Prices are not documented. Default 0. */
  readonly creditsPerTarget?: number | undefined;
  /** Whether the two selection operations require the access key. This is not documented. Default true. */
  readonly selectionNeedsKey?: boolean | undefined;
}

const isKey = (value: unknown) => typeof value === 'string' && value !== '';
const areKeys = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isKey);

const keepCheck = optionsOf<NonNullable<EmulatorOptions['keep']>>("a field of createEmulator's keep", {
  requests: isWhole({ least: 1 }),
  deliveries: isWhole({ least: 1 }),
});

const emulatorOptions = optionsOf<EmulatorOptions>('an option of createEmulator', {
  accessKey: optional(
    'a key that is not empty, an array of keys, or null for no check',
    (value) => value === null || isKey(value) || areKeys(value),
  ),
  now: optional(
    "a function that returns milliseconds since 1970, such as () => Date.parse('2026-03-01T09:00:00Z')",
    (value) => typeof value === 'function',
  ),
  deliver: optional('a function that takes a Request and returns a Response', (value) => typeof value === 'function'),
  state: optional('a snapshot, or the result of its toJSON', (value) => typeof value === 'object' && value !== null),
  seed: isNumber(),
  clockSkewMs: isMilliseconds({}),
  deliveryTimeoutMs: isMilliseconds({ least: 0 }),
  retryDelayMs: isMilliseconds({ least: 0 }),
  deliveryConcurrency: isWhole({ least: 1 }),
  keep: keepCheck,
  creditsPerTarget: isNumber({ least: 0 }),
  selectionNeedsKey: isBoolean,
});

const defaultKept = 10_000;

export type EmulatorSettings = ReturnType<typeof settingsOf>;

export function settingsOf(options: EmulatorOptions) {
  checkConfiguration(emulatorOptions, options);
  const { accessKey = 'test-key', now = Date.now, clockSkewMs = 0 } = options;
  const start = now() + clockSkewMs;
  if (!isInstant(start)) throw new RangeError('now must return milliseconds since 1970.');
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
