import type { DurableStore } from '../../src/stores/store.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import {
  createWebhookInbox,
  signWebhook,
  type InboxErrorContext,
  type InboxEvent,
  type InboxStartOptions,
  type WebhookInbox,
  type WebhookInboxOptions,
  type WebhookVerificationError,
} from '../../src/webhooks/index.js';
import { published, secret } from './verify-suite.js';

/** The effect of a fault on a call of a store: where the call ends, and whether it was executed. */
export type StoreFault = 'lost before' | 'lost after' | 'crash before' | 'crash after';

type Method = 'get' | 'insert' | 'swap' | 'due' | 'scan';

/**
 * A store as one process sees it. A call can fail before or after its execution, and the process can crash there. Then
 * this call and all later ones never return, as in a dead process.
 */
export class ProcessStore implements DurableStore {
  readonly #store: DurableStore;
  readonly #plan: {
    readonly method: Method;
    readonly key: RegExp;
    readonly fault: StoreFault;
    readonly error: Error | undefined;
  }[] = [];
  readonly #late: { readonly method: Method; readonly key: RegExp; readonly meanwhile: () => Promise<void> }[] = [];
  /** The calls, without the calls that search for due items. */
  readonly calls: string[] = [];
  isCrashed = false;
  #crash: () => void = () => undefined;
  /** Resolves when the process crashes. */
  readonly crashed = new Promise<void>((resolve) => (this.#crash = resolve));

  constructor(store: DurableStore) {
    this.#store = store;
  }

  /** The process is dead: none of its calls returns. */
  crash(): Promise<never> {
    this.isCrashed = true;
    this.#crash();
    return new Promise<never>(() => undefined);
  }

  /** The next call of a method with a matching key or data has the fault. */
  fail(method: Method, fault: StoreFault, key = /(?:)/, error?: Error): void {
    this.#plan.push({ method, key, fault, error });
  }

  /** The reply to the next call of a method with a matching key or data arrives after the other work. */
  delay(method: Method, key: RegExp, meanwhile: () => Promise<void>): void {
    this.#late.push({ method, key, meanwhile });
  }

  get = (key: string) => this.#call('get', [key], () => this.#store.get(key));
  insert = (key: string, data: string, wakeAt: number | null) =>
    this.#call('insert', [key, data], () => this.#store.insert(key, data, wakeAt));
  swap = (key: string, version: number, data: string | null, wakeAt: number | null) =>
    this.#call('swap', [key, data], () => this.#store.swap(key, version, data, wakeAt));
  due = (prefix: string, now: number, limit: number) =>
    this.#call('due', [prefix], () => this.#store.due(prefix, now, limit));
  scan = (prefix: string, after: string | undefined, limit: number) =>
    this.#call('scan', [prefix], () => this.#store.scan(prefix, after, limit));

  async #call<T>(method: Method, about: readonly (string | null)[], call: () => Promise<T>): Promise<T> {
    const text = about.join(' ');
    if (method !== 'due') this.calls.push(`${method} ${about[0] ?? ''}`);
    const at = this.#plan.findIndex((plan) => plan.method === method && plan.key.test(text));
    const [plan] = at === -1 ? [] : this.#plan.splice(at, 1);
    if (this.isCrashed || plan?.fault === 'crash before') return this.crash();
    if (plan?.fault === 'lost before') throw new Error('The store is gone');
    const result = await call();
    const lateAt = this.#late.findIndex((late) => late.method === method && late.key.test(text));
    const [late] = lateAt === -1 ? [] : this.#late.splice(lateAt, 1);
    await late?.meanwhile();
    // Another call may have crashed it meanwhile.
    if ((this.isCrashed as boolean) || plan?.fault === 'crash after') return this.crash();
    if (plan?.fault === 'lost after') throw plan.error ?? new Error('The connection was lost');
    return result;
  }
}

/** A store and its clock, which processes share. */
export class InboxWorld {
  readonly memory = new MemoryDurableStore();
  time = 1_735_787_045_000;
  /** The clock. Tests with an emulator take the emulator's. */
  now = () => this.time;

  /** A process with an inbox that records its reports. */
  process(options: Partial<WebhookInboxOptions> = {}): InboxProcess {
    return new InboxProcess(this, options);
  }

  isDue = async () => (await this.memory.due('inbox/event/', this.now(), 1)).length > 0;
}

/** A process that has taken the delivery of an event, and has not handled it. */
export async function delivered(options: Partial<WebhookInboxOptions> = {}) {
  const world = new InboxWorld();
  const process = world.process(options);
  await process.deliver(published);
  return { world, process };
}

export class InboxProcess {
  readonly world: InboxWorld;
  readonly store: ProcessStore;
  readonly handled: InboxEvent[] = [];
  readonly errors: { error: unknown; context: InboxErrorContext }[] = [];
  readonly rejected: WebhookVerificationError[] = [];
  readonly deadEvents: { event: InboxEvent; error: unknown }[] = [];
  readonly inbox: WebhookInbox;

  constructor(world: InboxWorld, options: Partial<WebhookInboxOptions>) {
    this.world = world;
    this.store = new ProcessStore(world.memory);
    this.inbox = createWebhookInbox({
      secret,
      store: this.store,
      on: { default: (event) => this.handled.push(event) },
      onError: (error, context) => this.errors.push({ error, context }),
      onRejected: (error) => this.rejected.push(error),
      onDead: (event, error) => this.deadEvents.push({ event, error }),
      now: () => world.now(),
      ...options,
    });
  }

  /** One attempt at a delivery, as the service makes it: the status of the answer. */
  async deliver(event: object | string, change: Record<string, string> = {}): Promise<number> {
    const body = typeof event === 'string' ? event : JSON.stringify(event);
    const headers = { ...(await signWebhook({ body, secret, timestamp: this.world.now() / 1000 })), ...change };
    return (await this.inbox.fetch(new Request('https://inbox.test/', { method: 'POST', body, headers }))).status;
  }

  /** Works until nothing is due any more. */
  async work(options: InboxStartOptions = {}): Promise<void> {
    const worker = this.inbox.start({ pollMs: 1, ...options });
    while ((await this.world.isDue()) && !this.store.isCrashed) await new Promise((resolve) => setTimeout(resolve, 1));
    await Promise.race([worker.stop(), this.store.crashed]);
  }

  get ids(): string[] {
    return this.handled.map(({ id }) => id);
  }

  async dead(): Promise<InboxEvent[]> {
    const events: InboxEvent[] = [];
    for await (const event of this.inbox.dead()) events.push(event);
    return events;
  }
}
