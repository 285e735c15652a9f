import { SocialPublishing, type ClientOptions, type SchedulePostBody } from '../../src/index.js';
import { createEmulator, type Emulator, type OutageFault } from '../../src/emulator/index.js';
import { onAbort } from '../../src/core/flow/abort.js';
import type { Runtime } from '../../src/core/runtime.js';
import { createPublisher, type CommandMethods } from '../../src/publisher/create-publisher.js';
import type { PublisherOptions } from '../../src/publisher/options.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { hour, minute, start } from './world.js';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

const replyMs = 200;
/** A piece of work that waits for nothing but the time is still for this many turns of the event loop. */
const quietTurns = 6;

/** A service that can be down, a store, and time that passes only when everything waits for it. */
export class OutageWorld {
  readonly service: Emulator;
  readonly accountId: string;
  readonly store = new MemoryDurableStore();
  /** Milliseconds since the start. */
  time = 0;
  #sleepers: Sleeper[] = [];

  constructor() {
    this.service = createEmulator({ accessKey: 'key', now: () => start });
    this.accountId = this.service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
  }

  readonly runtime: Pick<Runtime, 'now' | 'monotonic' | 'random' | 'sleep'> = {
    now: () => start + this.time,
    monotonic: () => this.time,
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const forget = onAbort(signal, () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason as Error);
        });
        const wake = () => {
          forget();
          resolve();
        };
        const sleeper: Sleeper = { at: this.time + ms, wake };
        this.#sleepers.push(sleeper);
      }),
  };

  /** How many waits have not ended. */
  get sleepers(): number {
    return this.#sleepers.length;
  }

  client(options: ClientOptions = {}): SocialPublishing {
    return new SocialPublishing(
      {
        baseUrl: 'https://emulator.test',
        accessKey: 'key',
        fetch: async (input, init) => {
          // The reply takes its time, whatever happens to the request.
          await this.runtime.sleep(replyMs, undefined);
          return this.service.fetch(input, init);
        },
        ...options,
      },
      this.runtime,
    );
  }

  publisher(options: Partial<PublisherOptions> = {}): Publisher & CommandMethods {
    return createPublisher(
      { client: this.client(), store: this.store, now: this.runtime.now, ...options },
      this.runtime,
    );
  }

  /** @param forMs from now on */
  outage(effect: OutageFault['effect'], { inMs = 0, forMs }: { inMs?: number; forMs: number }, route?: string): void {
    const from = start + this.time + inMs;
    this.service.faults.add({ kind: 'outage', effect, from, until: from + forMs, route });
  }

  body(index: number): SchedulePostBody {
    return {
      content: `Post ${String(index)}`,
      scheduledFor: new Date(start + 24 * hour),
      platforms: [{ platform: 'bluesky', accountId: this.accountId }],
    };
  }

  /** Lets time pass until the work has ended. Without anything that waits for the time, the test's own limit ends it. */
  async run<T>(work: Promise<T>, { untilMs = 5 * hour, until = () => false }: RunOptions = {}): Promise<T | undefined> {
    const progress = { ended: false };
    const settled = work.finally(() => (progress.ended = true));
    settled.catch(() => undefined);
    for (;;) {
      await this.#quiet();
      if (progress.ended) return settled;
      if (until()) return undefined;
      const next = this.#sleepers.reduce<Sleeper | undefined>(
        (a, b) => (a === undefined || b.at < a.at ? b : a),
        undefined,
      );
      if (next === undefined) continue;
      if (next.at > untilMs) throw new Error('The work takes too long.');
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      const passed = next.at - this.time;
      this.time = next.at;
      if (passed > 0) await this.service.clock.advance({ milliseconds: passed });
      next.wake();
    }
  }

  async pass(ms: number): Promise<void> {
    await this.run(this.runtime.sleep(ms, undefined), { untilMs: Infinity });
  }

  async #quiet(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The creates that met the outage. */
  get metByOutage(): number {
    return this.service.requests.filter(({ method, faults }) => method === 'POST' && faults?.includes('outage')).length;
  }

  /** How many posts there are of each text. */
  get postsByText(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { content = '' } of this.service.posts) counts.set(content, (counts.get(content) ?? 0) + 1);
    return counts;
  }

  get doubled(): number {
    return [...this.postsByText.values()].filter((count) => count > 1).length;
  }

  /** Sweeps once a minute until nothing is due any more within an hour. */
  async sweepFor(publisher: Publisher, ms: number): Promise<void> {
    const end = this.time + ms;
    while (this.time < end) {
      await this.run(publisher.sweep());
      await this.pass(minute);
    }
  }
}

interface RunOptions {
  /** The time that the work may take. */
  readonly untilMs?: number;
  /** Ends the run before the work. */
  readonly until?: () => boolean;
}
