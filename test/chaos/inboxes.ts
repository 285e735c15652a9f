import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from '../../src/emulator/index.js';
import type { DurableStore } from '../../src/stores/store.js';
import { builtInbox } from './build.js';
import type { InboxNews, InboxOrder, InboxTask } from './inbox-process.js';

/** How long an event belongs to the process that handles it: longer than a restart of the store's server. */
const leaseMs = 10_000;
/** The average lifetime of a process. */
const lifeMs = 2_000;
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
  /** Received events that no handler has completed. */
  readonly waiting: number;
  readonly inboxKills: number;
}

interface Given {
  readonly task: Omit<InboxTask, 'log' | 'port' | 'secret' | 'leaseMs'>;
  readonly secret: string;
  readonly port: number;
  readonly service: Emulator;
  readonly store: DurableStore;
  readonly logs: string;
}

/** Two processes with one inbox: one receives and handles, the other only handles. Both are killed repeatedly. */
export class Inboxes {
  readonly #given: Given;
  readonly #since = Date.now();
  readonly #slots: Slot[];
  readonly #killed = new Set<string>();
  #started = 0;
  #isOver = false;
  #killing: Promise<unknown> | undefined;

  constructor(given: Given) {
    this.#given = given;
    this.#slots = [new Slot(() => this.#start(given.port)), new Slot(() => this.#start(undefined))];
  }

  async start(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.start()));
    this.#killing = Promise.all(
      this.#slots.map(async (slot) => {
        while (!this.#isOver) {
          await sleep(lifeMs * (0.5 + Math.random()));
          await this.#restart(slot);
        }
      }),
    );
  }

  /** Catches up: first in processes that are killed meanwhile, then in processes that live on, until no event waits. */
  async settle(): Promise<void> {
    this.#isOver = true;
    await this.#killing;
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
    while ((await this.#waiting()) > 0 && performance.now() < giveUpAt) await sleep(200);
  }

  async #untilCaughtUp(slot: Slot): Promise<void> {
    const giveUpAt = performance.now() + 120_000;
    while (!(await slot.catchUp(this.#since)))
      if (performance.now() > giveUpAt) throw new Error('The inbox did not catch up within 120 s.');
  }

  stop(): void {
    this.#isOver = true;
    for (const slot of this.#slots) slot.kill();
  }

  async count(): Promise<HandledEvents> {
    const { service } = this.#given;
    const states = service.posts
      .filter(({ status = '' }) => ['published', 'partial', 'failed'].includes(status))
      .map(({ postId, status = '' }) => `${postId} post.${status}`);
    const handled = this.#readLogs();
    let [lost, twice, repeated, recovered] = [0, 0, 0, 0];
    for (const state of states) {
      const times = handled.get(state) ?? [];
      const ids = new Set(times.map(({ id }) => id));
      if (ids.size === 0) lost += 1;
      // A repetition without a reason is a failure too.
      if (ids.size > 1 || times.some((time, i) => i > 0 && !this.#mayRepeat(times[i - 1], time))) twice += 1;
      else repeated += Math.max(0, times.length - 1);
      if ([...ids].every((id) => id.startsWith('recovered_'))) recovered += ids.size;
    }
    const waiting = await this.#waiting();
    return { events: states.length, lost, twice, repeated, recovered, waiting, inboxKills: this.#killed.size };
  }

  #mayRepeat(before: Handled | undefined, after: Handled): boolean {
    return before === undefined || this.#killed.has(before.log) || after.at - before.at >= leaseMs;
  }

  async #restart(slot: Slot): Promise<void> {
    if (slot.log !== undefined) this.#killed.add(slot.log);
    slot.kill();
    await slot.start();
  }

  #start(port: number | undefined): { child: ChildProcess; log: string } {
    const log = `inbox-${(this.#started += 1)}.log`;
    const { task, secret, logs } = this.#given;
    const full: InboxTask = { ...task, secret, port, leaseMs, log: join(logs, log) };
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    return { log, child: fork(builtInbox, [JSON.stringify(full)], { execArgv }) };
  }

  /** Returns the number of unhandled events: those due within an hour. Handled events are due later, to be removed. */
  async #waiting(): Promise<number> {
    return (await this.#given.store.due('inbox/event/', Date.now() + 3_600_000, 100)).length;
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

  constructor(start: () => { child: ChildProcess; log: string }) {
    this.#fork = start;
  }

  async start(): Promise<void> {
    // A process that cannot start, because the store's server is down, is replaced.
    for (;;) {
      const { child, log } = this.#fork();
      this.#child = child;
      const news = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])]);
      if (news.length === 0) continue;
      this.log = log;
      return;
    }
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
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
