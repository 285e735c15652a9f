/** Time that advances only on command. While it is installed, timers use it. */
export class SteppedTime {
  /** Milliseconds since the start. */
  now = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly task: () => void; readonly set: Error }>();
  readonly #set = globalThis.setTimeout;
  readonly #clear = globalThis.clearTimeout;
  #last = 0;

  install(): void {
    Object.assign(globalThis, {
      setTimeout: (task: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
        // The service's own, which waits for nothing but its turn.
        if (ms === 0) return this.#set(task, 0, ...args);
        this.#last += 1;
        this.#timers.set(this.#last, { at: this.now + ms, task: task.bind(undefined, ...args), set: new Error('set') });
        return this.#last;
      },
      clearTimeout: (timer: unknown) => {
        if (typeof timer === 'number') this.#timers.delete(timer);
        else this.#clear(timer as NodeJS.Timeout | undefined);
      },
    });
  }

  restore(): void {
    Object.assign(globalThis, { setTimeout: this.#set, clearTimeout: this.#clear });
  }

  /** How many timers are running. */
  get running(): number {
    return this.#timers.size;
  }

  /** Where the running timers were set. */
  get setAt(): string {
    return [...this.#timers.values()].map(({ set }) => set.stack).join('\n');
  }

  /** Waits in real time. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#set(resolve, ms));
  }

  ringNext(): void {
    const [next] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
    if (next === undefined) throw new Error('Somebody waits, and no timer runs.');
    const [id, { at, task }] = next;
    this.#timers.delete(id);
    this.now = Math.max(this.now, at);
    task();
  }
}
