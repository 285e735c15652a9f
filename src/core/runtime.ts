import { abortReason, onAbort, throwIfAborted } from './flow/abort.js';

/** Time and randomness. Tests and simulators replace them. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never run backwards, from any start. */
  monotonic(): number;
  /** 0 up to 1. */
  random(): number;
  newId(): string;
  /** A whole number of 48 random bits. */
  random48(): number;
  /** Waits; rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Removes the oldest entries, because a process can run for years: maps and sets iterate in the order of insertion. */
export function keepNewest<Key>(entries: Map<Key, unknown> | Set<Key>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}

/** The longest delay of timers. A longer one would end immediately. */
export const longestTimerMs = 2 ** 31 - 1;

/**
 * The time and randomness of the machine. Code without its own runtime reads a member of this object for each random
 * number or ID, so a simulator can replace the members.
 */
export const defaultRuntime: Runtime = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  newId,
  random48,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      throwIfAborted(signal);
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, ms);
      const forget = onAbort(signal, () => {
        clearTimeout(timer);
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason can be anything
        reject(signal && abortReason(signal));
      });
    }),
};

/** Returns a UUID if the runtime can create one: React Native and pages of plain http cannot. */
function newId(): string {
  const { crypto } = globalThis as { crypto?: { randomUUID?: () => string } };
  return crypto?.randomUUID?.() ?? `${Date.now().toString(36)}${Math.random().toString(36)}`;
}

/** Two processes must not draw equal numbers, and an application can replace `Math.random`. */
function random48(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 0x1_0000) * 0x1_0000_0000 + low;
}

/** The used part of Node's `process`. Some runtimes have only a part of it. */
interface PartialProcess {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly versions?: { readonly undici?: string };
  readonly stdout?: { readonly isTTY?: boolean };
  readonly stderr?: { readonly isTTY?: boolean };
  readonly emitWarning?: (message: string, options: { type: string; code: string }) => void;
}

/** Returns `process`, which not every runtime has. */
export function currentProcess(): PartialProcess | undefined {
  return (globalThis as { process?: PartialProcess }).process;
}
