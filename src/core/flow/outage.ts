/** Keeps many creates from running into a service that is down. */
import { linkedController, throwIfAborted, untilAborted } from './abort.js';
import { isInPlaceOfRequest } from '../error-code.js';
import { isPackageError } from '../errors.js';
import { Semaphore } from './pool.js';
import { growingWaits, Retries } from './retrying.js';
import type { Runtime } from '../runtime.js';

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** How long many creates wait for a service that is down, unless the caller says otherwise. */
export const defaultOutageMs = 600_000;

/** Shows that a call waits for a service that is down. Both fields are missing while it does not wait. */
export interface OutageProgress {
  /** The pause before the service is asked again, in milliseconds: 1,000 at first, at most 60,000. */
  readonly waitingMs?: number | undefined;
  /** When the first create failed, in ISO 8601. */
  readonly waitingSince?: string | undefined;
}

/** The state of the service that a create shows. `undefined`: nothing, because no request was sent. */
export type ServiceEvidence = 'down' | 'answers' | undefined;

export type ReportEvidence = (evidence: ServiceEvidence) => void;

/** Returns what the error of a call shows about the service. An error of another package shows no reply. */
export function evidenceOf(error: unknown): ServiceEvidence {
  if (!isPackageError(error)) return isInPlaceOfRequest(error) ? undefined : 'down';
  const { status, attempts } = error as { readonly status?: number; readonly attempts?: number };
  if (status === undefined) return ['ConnectionError', 'TimeoutError'].includes(error.name) ? 'down' : undefined;
  // The client held the call back after a 429.
  if (attempts === 0) return undefined;
  return status >= 500 || status === 408 ? 'down' : 'answers';
}

/** Lets creates through. */
export interface Gate {
  readonly isDown: boolean;
  /**
   * Runs a create. `held`: it did not run it.
   * @param create reports what its request showed, as soon as it is known
   */
  run<T>(create: (report: ReportEvidence) => Promise<T>): Promise<T | 'held'>;
}

/** Lets every create through. */
export const openGate: Gate = { isDown: false, run: (create) => create(() => undefined) };

/** Whether the service is down, as several calls know it. */
export interface ServiceHealth {
  isDown: boolean;
  /** Learns it from other processes. Called before each create. */
  read?(): Promise<void>;
  /** Shows it to other processes. Called after each create. */
  note?(): Promise<void>;
}

export interface OutageOptions {
  /** The number of failures in a row after which the service counts as down: the number of creates in flight. */
  readonly limit: number;
  /** How long after the first failure a create may wait. */
  readonly outageMs: number;
  /** Reads one post of the list, without retries. */
  readonly probe: (signal: AbortSignal) => Promise<void>;
  readonly runtime: Pick<Runtime, 'monotonic' | 'sleep'>;
  readonly now: () => number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called at the start of each pause. */
  readonly onWait?: (() => void) | undefined;
  /** Default: only this gate knows it. */
  readonly health?: ServiceHealth | undefined;
}

/** Failures without a reply between them that shows a recovery. */
interface FailedRow {
  readonly since: number;
  readonly startedAt: number;
  inRow: number;
  /** With the failures before a reply to a create that began before the first failure. */
  all: number;
}

/**
 * Lets the creates of one call through until too many have failed in a row. Then it reads the list after growing pauses,
 * and lets one create through as a trial each time that the list answers. A trial that is answered ends the outage.
 */
export class OutageGate implements Gate {
  /** The same, but holds creates back while the service is down, instead of waiting. */
  readonly unlessDown: Gate = { isDown: false, run: (create) => this.run(create, { waits: false }) };
  readonly #options: OutageOptions;
  readonly #health: ServiceHealth;
  readonly #link: ReturnType<typeof linkedController>;
  /** One create at a time waits for the service. The others wait for that one. */
  readonly #turn = new Semaphore(1);
  #row: FailedRow | undefined;
  #retries: Retries | undefined;
  #waitingMs: number | undefined;
  #isOver = false;

  constructor(options: OutageOptions) {
    this.#options = options;
    const { health = { isDown: false }, signal } = options;
    this.#health = health;
    this.#link = linkedController(signal);
  }

  get isDown(): boolean {
    return this.#health.isDown;
  }

  /** Whether the service was down for too long: every create is held. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get progress(): OutageProgress {
    if (this.#waitingMs === undefined || this.#row === undefined) return {};
    return { waitingMs: this.#waitingMs, waitingSince: new Date(this.#row.since).toISOString() };
  }

  /**
   * @param options `waits: false`: holds the create while the service is down
   * @throws the signal's reason: an abort ends the wait too
   */
  async run<T>(create: (report: ReportEvidence) => Promise<T>, { waits = true } = {}): Promise<T | 'held'> {
    await this.#health.read?.();
    try {
      return await this.#run(create, waits);
    } finally {
      await this.#health.note?.();
    }
  }

  async #run<T>(create: (report: ReportEvidence) => Promise<T>, waits: boolean): Promise<T | 'held'> {
    throwIfAborted(this.#options.signal);
    if (this.isDown) {
      if (!waits) return 'held';
      await this.#turn.acquire();
      try {
        // Another create may have ended the outage meanwhile.
        const { isDown } = this.#health;
        if (isDown) return (await this.#untilAnswered()) ? await this.#begin(create, { isTrial: true }) : 'held';
      } finally {
        this.#turn.release();
      }
      throwIfAborted(this.#link.stop.signal);
    }
    return this.#begin(create);
  }

  /** Ends the wait: the creates that wait reject. */
  close(): void {
    this.#link.forget();
    this.#link.stop.abort();
  }

  #begin<T>(create: (report: ReportEvidence) => Promise<T>, { isTrial = false } = {}): Promise<T> {
    const row = this.#row;
    return create((evidence) => {
      if (evidence === 'down') this.#failed();
      else if (evidence === 'answers' && (isTrial || !this.isDown)) this.#answered(isTrial || row === this.#row);
    });
  }

  #failed(): void {
    const { limit } = this.#options;
    const row = (this.#row ??= this.#newRow());
    row.inRow += 1;
    row.all += 1;
    if (row.inRow >= limit || row.all > limit) this.#health.isDown = true;
  }

  /** A create that began before the first failure can be answered after it: that shows no recovery. */
  #answered(isRecent: boolean): void {
    if (!isRecent) {
      if (this.#row !== undefined) this.#row.inRow = 0;
      return;
    }
    this.#health.isDown = false;
    this.#row = undefined;
    this.#retries = undefined;
  }

  #newRow(): FailedRow {
    const { now, runtime } = this.#options;
    return { since: now(), startedAt: runtime.monotonic(), inRow: 0, all: 0 };
  }

  /** `false`: the service was down for too long. */
  async #untilAnswered(): Promise<boolean> {
    throwIfAborted(this.#link.stop.signal);
    if (this.#isOver) return false;
    try {
      if (this.#row === undefined) {
        // Another call found it down, perhaps long ago.
        this.#row = this.#newRow();
        if (await this.#answers()) return true;
      }
      this.#retries ??= this.#newRetries(this.#row);
      while (await this.#retries.wait()) if (await this.#answers()) return true;
    } finally {
      this.#waitingMs = undefined;
    }
    this.#isOver = true;
    return false;
  }

  #newRetries({ startedAt }: FailedRow): Retries {
    const { outageMs, runtime, onWait } = this.#options;
    return new Retries({
      schedule: growingWaits(firstPauseMs, longestPauseMs),
      limitMs: outageMs - (runtime.monotonic() - startedAt),
      signal: this.#link.stop.signal,
      runtime,
      onWait: (waitMs) => {
        this.#waitingMs = Math.ceil(waitMs);
        onWait?.();
      },
    });
  }

  /** Whether the list answers. Any reply counts, also a refusal. */
  async #answers(): Promise<boolean> {
    const { signal } = this.#link.stop;
    try {
      await untilAborted(signal, this.#options.probe(signal));
      return true;
    } catch (error) {
      throwIfAborted(signal);
      return evidenceOf(error) !== 'down';
    }
  }
}
