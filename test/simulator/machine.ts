/** A simulated process: the real client, publisher and inbox, with their own clock, chance, store and network. */
import { SocialPublishing } from '../../src/client.js';
import type { PublisherClient } from '../../src/publisher/options.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { createOnce } from '../../src/publisher/once.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import { createWebhookInbox, type RunningInbox, type WebhookInbox } from '../../src/webhooks/inbox/inbox.js';
import type { WebhookReceiver } from '../../src/webhooks/receive/http-handler.js';
import { createWebhookReceiver } from '../../src/webhooks/receive/receiver.js';
import type { InboxEvent } from '../../src/webhooks/inbox/inbox-record.js';
import { scopeOf, type Plan, type ProcessPlan } from './plan.js';
import { hour, minute, start } from './steps.js';
import { hashText, Random } from './random.js';
import { runtimes, type JsRuntime } from './runtimes.js';
import { SimulatedStore } from './store.js';
import { simulatedFetch } from './network.js';
import type { Memory, Process, Surroundings } from './parts.js';

export function startWorker(inbox: WebhookInbox, { pollMs }: Plan): RunningInbox {
  return inbox.start({ concurrency: 2, pollMs });
}

/** Of a process that receives no events. */
const idleWorker: RunningInbox = { stop: () => Promise.resolve() };

/** A client whose requests a caller can abort at any time. */
function abortable(client: SocialPublishing, { services }: Plan, signal: () => AbortSignal): PublisherClient {
  return {
    baseUrl: services === undefined ? undefined : client.baseUrl,
    posts: {
      create: (body, options) => client.posts.create(body, { ...options, signal: signal() }),
      list: (query) => client.posts.list(query, { signal: signal() }),
    },
  };
}

const names = ['A', 'B', 'C', 'D'];

export class Machine implements Process {
  readonly name: string;
  readonly index: number;
  readonly scope: string | undefined;
  readonly runtime: JsRuntime;
  readonly fetch: typeof globalThis.fetch;
  life = 1;
  isUp = true;
  pausedUntil = -Infinity;
  /** How far its clock was stepped. */
  steppedMs = 0;
  /** Running timers. */
  readonly timers = new Set<object>();
  readonly #world: Surroundings;
  readonly #plan: ProcessPlan;
  readonly #store: SimulatedStore;
  readonly #inboxStore: SimulatedStore;
  #random: Random;
  #bornAt = start;
  #timers = 0;
  #memory: Memory | undefined;

  constructor(world: Surroundings, index: number, plan: ProcessPlan) {
    this.#world = world;
    this.#plan = plan;
    this.index = index;
    this.scope = scopeOf(world.plan, index);
    this.runtime = runtimes[plan.runtime ?? 'node'];
    this.fetch = simulatedFetch(world, this);
    const name = names[index] ?? String(index);
    this.name = world.baseUrl.includes('other') ? `other ${name}` : name;
    this.#store = new SimulatedStore(world, this);
    this.#inboxStore =
      world.inboxStore === world.store ? this.#store : new SimulatedStore(world, this, world.inboxStore);
    this.#random = this.#newRandom();
  }

  get runtimeGlobals(): JsRuntime['globals'] {
    return this.runtime.globals;
  }

  get memory(): Memory {
    if (this.#memory !== undefined) return this.#memory;
    const { life } = this;
    const memory = this.#start();
    // It can crash at its first call.
    if (this.life === life) this.#memory = memory;
    return memory;
  }

  now(): number {
    const { offsetMs, drift } = this.#plan;
    const passed = this.#world.scheduler.time - start;
    return Math.floor(start + offsetMs + this.steppedMs + passed * (1 + drift));
  }

  monotonic(): number {
    return (this.#world.scheduler.time - this.#bornAt) * (1 + this.#plan.drift);
  }

  random(): number {
    return this.#random.next();
  }

  setTimer(run: () => void, ms: number): { cancel(): void } {
    // The rest of the tick in which it crashed: this timer would run in its next life.
    if (!this.isUp) return { cancel: () => {} };
    this.#timers += 1;
    const token = {};
    this.timers.add(token);
    const planned = this.#world.scheduler.plan(
      this,
      Math.max(1, ms) / (1 + this.#plan.drift),
      `${this.name} timer ${String(this.#timers)}`,
      () => {
        this.timers.delete(token);
        run();
      },
    );
    return {
      cancel: () => {
        this.timers.delete(token);
        planned.cancel();
      },
    };
  }

  /** Whether the process crashes at this call, or has crashed: the rest of its tick calls nothing. */
  crashesAt(name: string): boolean {
    if (!this.isUp) return true;
    const fault = this.#world.faults.strikes(['crash at a call'], name, this.index);
    // Most calls survive, because a fault lasts for a while.
    if (fault === undefined || !this.#world.faults.of(`crash ${name}`).chance(0.15)) return false;
    this.crash(`at: ${name}`);
    return true;
  }

  /** Ends all work of the process. It starts again after a moment. */
  crash(where: string): void {
    const { scheduler, faults, laws, choices } = this.#world;
    if (!this.isUp) return;
    this.isUp = false;
    this.life += 1;
    this.#memory = undefined;
    this.timers.clear();
    scheduler.log.push(`${this.name} crashes ${where}`);
    choices?.happened(this.name, 'crash');
    laws.crashed(this);
    const downMs = faults.of(`${this.name} down`).pick([1, 100, 5_000, 2 * minute]);
    scheduler.plan(this.#world, downMs, `${this.name} starts again`, () => {
      this.restart();
    });
  }

  /** A caller aborts its requests. */
  abort(): void {
    const memory = this.#memory;
    if (memory === undefined) return;
    const { abort } = memory;
    memory.abort = new AbortController();
    abort.abort();
  }

  /** An operator sets a clock right that is wrong by more than a day. */
  setClockRight(): void {
    const { offsetMs } = this.#plan;
    if (Math.abs(offsetMs + this.steppedMs) > 24 * hour) this.steppedMs = -offsetMs;
  }

  restart(): void {
    if (this.isUp) return;
    this.isUp = true;
    this.#bornAt = this.#world.scheduler.time;
    this.#random = this.#newRandom();
    this.#world.scheduler.plan(this, 0, `${this.name} is up`, () => this.memory);
  }

  #newRandom(): Random {
    return new Random(hashText(`${this.name} ${String(this.life)}`, this.#world.plan.seed));
  }

  #start(): Memory {
    const { plan, laws, secrets } = this.#world;
    const abort = new AbortController();
    const signal = () => this.#memory?.abort.signal ?? abort.signal;
    const now = () => this.now();
    const client = new SocialPublishing({
      baseUrl: this.#world.baseUrl,
      accessKey: secrets.accessKey,
      limits: plan.limits,
      now,
    });
    const { onMissing, settleMs, leaseMs, sendAheadMs, maxLateMs, outageMs } = plan;
    const publisher = createPublisher({
      client: abortable(client, plan, signal),
      store: this.#store,
      scope: this.scope,
      onMissing,
      settleMs,
      leaseMs,
      sendAheadMs,
      maxLateMs,
      outageMs,
      now,
      onInDoubt: (intent) => {
        laws.movedToDoubt(intent);
      },
    });
    const inbox = createWebhookInbox({
      secret: secrets.inboxSecrets,
      store: this.#inboxStore,
      on: { default: (event) => this.#handle(publisher, event) },
      maxAttempts: 4,
      keepMs: plan.keepMs,
      leaseMs,
      toleranceSeconds: this.#world.hasGoodClocks ? 300 : false,
      backoff: (attempt) => 1_000 * 4 ** attempt,
      onError: (error) => {
        laws.reported(error);
      },
      onRejected: (error) => {
        laws.reported(error);
      },
      now,
    });
    const isIdle = plan.explored?.hasEvents === false || plan.explored?.receiver === this.index;
    const worker = isIdle ? idleWorker : startWorker(inbox, plan);
    const once = createOnce({ store: this.#store, scope: this.scope, now });
    return { client, publisher, inbox, receiver: this.#newReceiver(publisher), once, abort, worker };
  }

  #newReceiver(publisher: Publisher): WebhookReceiver | undefined {
    const { plan, laws, secrets } = this.#world;
    if (plan.explored?.receiver !== this.index) return undefined;
    return createWebhookReceiver({
      secret: secrets.inboxSecrets,
      store: this.#inboxStore,
      // Its events have IDs, as those of an inbox.
      on: { default: (event) => this.#handle(publisher, event as InboxEvent) },
      onError: (error) => {
        laws.reported(error);
      },
      now: () => this.now(),
    });
  }

  async #handle(publisher: Publisher, event: InboxEvent): Promise<void> {
    const { faults, laws } = this.#world;
    const run = laws.handlerStarts(this, event);
    const slow = faults.strikes(['handlers are slow'], event.id);
    if (slow !== undefined) await this.sleep((slow.detail % 2 === 0 ? 0.5 : 1.5) * this.#world.plan.leaseMs);
    if (faults.strikes(['handlers fail'], event.id) !== undefined) {
      run.state = 'failed';
      throw new Error('The handler failed.');
    }
    try {
      await publisher.observe(event);
    } catch (error) {
      run.state = 'failed';
      throw error;
    }
    run.state = 'completed';
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.setTimer(resolve, ms);
    });
  }
}
