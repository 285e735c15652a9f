/**
 * The globals of a simulated bundle: time, randomness and cryptography depend only on the current actor. Real globals
 * do not change.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { countCollections } from './collections.js';
import type { Actor, Host } from './host.js';

/** The actor while a bundle is loaded. */
const nobody: Actor = {
  now: () => 0,
  monotonic: () => 0,
  random: () => 0.5,
  setTimer: () => {
    throw new Error('A timer was started outside of any simulated process.');
  },
  fetch: () => Promise.reject(new Error('A request was sent outside of any simulated process.')),
  runtimeGlobals: {},
};

/** The stream of a request. A real one takes turns of the event loop. */
export class SimulatedStream {
  readonly #chunks: Uint8Array[] = [];

  constructor({ start }: { start: (controller: { enqueue(chunk: Uint8Array): void; close(): void }) => void }) {
    start({ enqueue: (chunk) => this.#chunks.push(chunk), close: () => undefined });
  }

  text(): string {
    return this.#chunks.map((chunk) => new TextDecoder().decode(chunk)).join('');
  }
}

/** The names that a bundle sees in place of the real globals. */
export interface SimulatedGlobals {
  readonly host: Host;
  readonly names: Readonly<Record<string, unknown>>;
}

/** @param isCounting counts the entries of maps and sets that processes keep */
export function simulatedGlobals({ isCounting = false } = {}): SimulatedGlobals {
  const host: Host = { actor: nobody };
  const names: Record<string, unknown> = {
    setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      host.actor.setTimer(() => {
        run(...args);
      }, ms),
    clearTimeout: (timer?: { cancel?: () => void }) => timer?.cancel?.(),
    setInterval: () => {
      throw new Error('The simulator has no intervals.');
    },
    fetch: (...args: Parameters<typeof globalThis.fetch>) => host.actor.fetch(...args),
    performance: { now: () => host.actor.monotonic() },
    Math: simulatedMath(host),
    Date: simulatedDate(host),
    crypto: simulatedCrypto(host),
    ...(isCounting ? countCollections(host) : {}),
  };
  const shadow: Record<string, unknown> = {};
  // Code that asks `globalThis` gets the same.
  for (const name of [
    'Request',
    'Response',
    'Headers',
    'AbortController',
    'AbortSignal',
    'ReadableStream',
    'FormData',
  ]) {
    shadow[name] = (globalThis as Record<string, unknown>)[name];
  }
  for (const name of ['process', 'Deno', 'Bun']) {
    Object.defineProperty(shadow, name, { get: () => host.actor.runtimeGlobals[name] });
  }
  return {
    host,
    names: { ...names, globalThis: Object.assign(shadow, names), ReadableStream: SimulatedStream, simulatorHost: host },
  };
}

function simulatedMath(host: Host): Math {
  const math = Object.create(Math) as Math;
  math.random = () => host.actor.random();
  return math;
}

function simulatedDate(host: Host): DateConstructor {
  const Simulated = function (...args: ConstructorParameters<typeof Date> | []) {
    return args.length === 0 ? new Date(host.actor.now()) : new Date(...args);
  };
  // It creates real dates, so that `instanceof` and copies work.
  return Object.assign(Simulated, {
    prototype: Date.prototype,
    now: () => host.actor.now(),
    parse: (text: string) => Date.parse(text),
    UTC: (...args: Parameters<typeof Date.UTC>) => Date.UTC(...args),
  }) as unknown as DateConstructor; // Nothing calls it without `new`.
}

/** WebCrypto with promises that are already resolved: real ones resolve after a random time. */
function simulatedCrypto(host: Host) {
  const bits = () => Math.floor(host.actor.random() * 2 ** 32);
  const hex = (digits: number) => bits().toString(16).padStart(8, '0').slice(0, digits);
  const hmac = (key: { secret: Uint8Array }, data: Uint8Array) =>
    createHmac('sha256', key.secret).update(data).digest();
  return {
    randomUUID: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(8)}${hex(4)}`,
    getRandomValues: (array: Uint32Array) => {
      for (let at = 0; at < array.length; at += 1) array[at] = bits();
      return array;
    },
    subtle: {
      importKey: (_format: string, secret: Uint8Array) => Promise.resolve({ secret }),
      sign: (_name: string, key: { secret: Uint8Array }, data: Uint8Array) =>
        Promise.resolve(bufferOf(hmac(key, data))),
      verify: (_name: string, key: { secret: Uint8Array }, digest: Uint8Array, data: Uint8Array) => {
        const expected = hmac(key, data);
        return Promise.resolve(digest.length === expected.length && timingSafeEqual(digest, expected));
      },
      digest: (_name: string, data: Uint8Array) =>
        Promise.resolve(bufferOf(createHash('sha256').update(data).digest())),
    },
  };
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer; // A copy has a buffer of its own.
}
