import type { ChildProcess } from 'node:child_process';
import { builtWorker } from './build.js';
import type { Processes } from './processes.js';
import type { WorkerNews, WorkerOrder, WorkerTask } from './worker.js';

/** A process that executes one order after the other. */
export class Worker {
  readonly #child: ChildProcess;
  readonly ready: Promise<void>;
  #ended = (): void => {};
  #published: (number: number) => void = () => {};
  killed = false;
  /** The number of published intents. */
  published = 0;

  constructor(processes: Processes, task: WorkerTask) {
    this.#child = processes.start(builtWorker, task);
    let isReady = (): void => {};
    this.ready = new Promise((resolve) => (isReady = resolve));
    this.#child.on('message', (news: WorkerNews) => {
      if (news === 'ready') isReady();
      else if (news === 'ended') this.#ended();
      else {
        this.published += 1;
        this.#published(news.published);
      }
    });
    this.#child.on('exit', () => {
      this.killed = true;
      isReady();
      this.#ended();
    });
  }

  /** Resolves once the order is executed, or the process is dead. */
  order(order: WorkerOrder, published: (number: number) => void = () => {}): Promise<void> {
    if (this.killed) return Promise.resolve();
    this.#published = published;
    return new Promise((resolve) => {
      this.#ended = resolve;
      this.#child.send(order, () => undefined);
    });
  }

  kill(): void {
    this.killed = true;
    this.#child.kill('SIGKILL');
  }
}
