import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery, Emulator } from '../../src/emulator/index.js';
import type { DurableStore } from '../../src/stores/store.js';
import { builtInbox } from './build.js';
import type { InboxNews, InboxOrder, InboxTask } from './inbox-process.js';
import type { Processes } from './processes.js';

/** How long an event belongs to the process that handles it: longer than a restart of the store's server. */
const leaseMs = 10_000;
/** The wait of the service before its second attempt. */
export const retryDelayMs = 500;

/** The results of the events. */
export interface HandledEvents {
  /** Final states of posts: each has one event. */
  readonly events: number;
  /** Final states that no handler completed. */
  readonly lost: number;
  /** Final states that were completed under two IDs, or twice under one without a crash in between. */
  readonly twice: number;
  /** Events handled again because their process was killed, or its lease expired, before it recorded them. */
  readonly repeated: number;
  /** Events completed from `catchUp`, because no delivery arrived. */
  readonly recovered: number;
  /** Of these, events that an inbox had acknowledged: its store lost them. */
  readonly forgotten: number;
  /** Received events that no handler has completed. */
  readonly waiting: number;
  readonly inboxKills: number;
}

interface Given {
  readonly task: Omit<InboxTask, 'log' | 'port' | 'secret' | 'leaseMs'>;
  readonly secret: string;
  readonly port: number;
  readonly service: Emulator;
  readonly processes: Processes;
  readonly logs: string;
  /** The average lifetime of a process, in milliseconds. Missing: none is killed before the end. */
  readonly lifeMs?: number | undefined;
}

/** Two processes with one inbox: one receives and handles, the other only handles. A process that ends is replaced. */
export class Inboxes {
  readonly #given: Given;
  readonly #since = Date.now();
  readonly #slots: Slot[];
  readonly #killed = new Set<string>();
  #started = 0;
  readonly #over = new AbortController();
  #settlesAt = Infinity;
  #killing: Promise<unknown> | undefined;

  constructor(given: Given) {
    this.#given = given;
    this.#slots = [new Slot(() => this.#start(given.port)), new Slot(() => this.#start(undefined))];
  }

  async start(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.start()));
    this.#killing = Promise.all(
      this.#slots.map(async (slot) => {
        while (!this.#over.signal.aborted) {
          await this.#endOf(slot);
          await this.#restart(slot);
        }
      }),
    );
  }

  /** Resolves when the time of a process is over, or it has ended. */
  async #endOf(slot: Slot): Promise<void> {
    const { lifeMs } = this.#given;
    const { signal } = this.#over;
    const life = lifeMs === undefined ? undefined : sleep(lifeMs * (0.5 + Math.random()));
    const over = new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
    });
    await Promise.race([slot.ended, life ?? over]);
  }

  /** Catches up: first in processes that are killed meanwhile, then in processes that live on, until no event waits. */
  async settle(store: DurableStore): Promise<void> {
    this.#over.abort();
    await this.#killing;
    this.#settlesAt = Date.now();
    const [first] = this.#slots as [Slot];
    for (let i = 0; i < 4; i += 1) {
      await Promise.race([first.catchUp(this.#since), sleep(20 + Math.random() * 200)]);
      await this.#restart(first);
    }
    await this.#untilCaughtUp(first);
    // The service retries after the recovery; those events must not be handled again.
    await sleep(retryDelayMs * 4);
    await this.#given.service.settled();
    await this.#untilCaughtUp(first);
    const giveUpAt = performance.now() + 120_000;
    while ((await waitingIn(store)) > 0 && performance.now() < giveUpAt) await sleep(200);
  }

  async #untilCaughtUp(slot: Slot): Promise<void> {
    const giveUpAt = performance.now() + 120_000;
    while (!(await slot.catchUp(this.#since)))
      if (performance.now() > giveUpAt) throw new Error('The inbox did not catch up within 120 s.');
  }

  stop(): void {
    this.#over.abort();
    for (const slot of this.#slots) slot.kill();
  }

  async count(store: DurableStore): Promise<HandledEvents> {
    const { service } = this.#given;
    const states = service.posts
      .filter(({ status = '' }) => ['published', 'partial', 'failed'].includes(status))
      .map(({ postId, status = '' }) => `${postId} post.${status}`);
    const handled = this.#readLogs();
    // An event that arrives after its recovery is acknowledged too.
    const isEarly = ({ ok, at }: Delivery) => ok && Date.parse(at) < this.#settlesAt;
    const acknowledged = new Set(service.deliveries.filter(isEarly).map(stateIn));
    let [lost, twice, repeated, recovered, forgotten] = [0, 0, 0, 0, 0];
    for (const state of states) {
      const times = handled.get(state) ?? [];
      const ids = new Set(times.map(({ id }) => id));
      if (ids.size === 0) lost += 1;
      // A repetition without a reason is a failure too.
      if (ids.size > 1 || times.some((time, i) => i > 0 && !this.#mayRepeat(times[i - 1], time))) twice += 1;
      else repeated += Math.max(0, times.length - 1);
      if (![...ids].every((id) => id.startsWith('recovered_'))) continue;
      recovered += ids.size;
      if (acknowledged.has(state)) forgotten += ids.size;
    }
    const waiting = await waitingIn(store);
    const inboxKills = this.#killed.size;
    return { events: states.length, lost, twice, repeated, recovered, forgotten, waiting, inboxKills };
  }

  #mayRepeat(before: Handled | undefined, after: Handled): boolean {
    return before === undefined || this.#killed.has(before.log) || after.at - before.at >= leaseMs;
  }

  async #restart(slot: Slot): Promise<void> {
    const { log } = slot;
    if (slot.kill() && log !== undefined) this.#killed.add(log);
    await slot.start();
  }

  #start(port: number | undefined): { child: ChildProcess; log: string } {
    const log = `inbox-${(this.#started += 1)}.log`;
    const { task, secret, logs, processes } = this.#given;
    const full: InboxTask = { ...task, secret, port, leaseMs, log: join(logs, log) };
    return { log, child: processes.start(builtInbox, full) };
  }

  /** Returns the handled events for each final state, in order. */
  #readLogs(): Map<string, Handled[]> {
    const all: (Handled & { state: string })[] = [];
    for (const log of readdirSync(this.#given.logs).filter((name) => name.startsWith('inbox-'))) {
      for (const line of readFileSync(join(this.#given.logs, log), 'utf8').split('\n')) {
        const [id = '', postId = '', type = '', at = ''] = line.split(' ');
        if (at !== '' && id !== '#') all.push({ state: `${postId} ${type}`, id, log, at: Number(at) });
      }
    }
    const states = new Map<string, Handled[]>();
    for (const one of all.sort((a, b) => a.at - b.at)) states.set(one.state, [...(states.get(one.state) ?? []), one]);
    return states;
  }
}

/** Returns the number of unhandled events: those due within an hour. Handled events are due later, to be removed. */
async function waitingIn(store: DurableStore): Promise<number> {
  return (await store.due('inbox/event/', Date.now() + 3_600_000, 100)).length;
}

/** Returns the final state of a post that a delivery reported. */
function stateIn({ body, eventType }: Delivery): string {
  const { data } = JSON.parse(body) as { data: { post: { id: string } } };
  return `${data.post.id} ${eventType}`;
}

interface Handled {
  readonly id: string;
  readonly log: string;
  readonly at: number;
}

/** A slot for a process; a killed process is replaced. */
class Slot {
  readonly #fork: () => { child: ChildProcess; log: string };
  #child: ChildProcess | undefined;
  log: string | undefined;
  /** Resolves when the process has ended. */
  ended: Promise<unknown> = Promise.resolve();

  constructor(start: () => { child: ChildProcess; log: string }) {
    this.#fork = start;
  }

  async start(): Promise<void> {
    // A process that cannot start, because the store's server is down, is replaced.
    for (;;) {
      const { child, log } = this.#fork();
      this.#child = child;
      this.ended = once(child, 'exit');
      const news = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])]);
      if (news.length === 0) continue;
      this.log = log;
      return;
    }
  }

  /** Returns whether a signal has ended it, or ends it now. An error ends a process without a signal. */
  kill(): boolean {
    this.#child?.kill('SIGKILL');
    return (this.#child?.exitCode ?? null) === null;
  }

  /** Returns whether it has caught up; `false` if it was killed. */
  async catchUp(since: number): Promise<boolean> {
    const child = this.#child;
    if (child === undefined) return false;
    if (child.exitCode !== null || child.signalCode !== null) {
      // It ended without a signal, which a process of an inbox should not do.
      await this.start();
      return false;
    }
    const answer = Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])]) as Promise<
      [] | [InboxNews]
    >;
    child.send({ catchUp: since } satisfies InboxOrder, () => undefined);
    const [news] = await answer;
    return typeof news === 'object' && news.caughtUp;
  }
}
