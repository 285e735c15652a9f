import {
  SocialPublishing,
  type ClientOptions,
  type CreatePostBody,
  type Post,
  type PublishPostBody,
  type SchedulePostBody,
} from '../../src/index.js';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import type { Intent } from '../../src/publisher/intents/intent-record.js';
import type { PublisherOptions } from '../../src/publisher/options.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import type { WorkerRuntime } from '../../src/publisher/intent-worker.js';
import { skippingTime } from '../policies/client.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import type { DurableStore } from '../../src/stores/store.js';
import { newGate } from '../support/gate.js';
import { CrashPoints, type CrashPoint } from './crash-points.js';

export const start = Date.parse('2026-05-01T09:00:00Z');
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

export const create = 'POST /v1/posts/';
/** The create is executed, and its reply is lost. */
export const lostReply = { route: create, kind: 'reset_after_commit', times: 1 } as const;
/** The connection ends before the service has read the create. */
export const neverArrived = { route: create, kind: 'reset_before', times: 1 } as const;

let skippedMs = 0;
/** Waits end at once, and the clock moves as if they took their time. */
export const noWaits: WorkerRuntime = {
  monotonic: () => performance.now() + skippedMs,
  sleep: (ms) => {
    skippedMs += ms;
    return Promise.resolve();
  },
};

/** A service, a store, and publishers on them; each publisher represents a process. */
export class World {
  readonly service: Emulator;
  readonly accountId: string;
  readonly client: SocialPublishing;
  /** This machine's time. The service's moves with it. */
  time = start;

  readonly store: DurableStore;

  constructor(
    store: DurableStore = new MemoryDurableStore(),
    options: ClientOptions = {},
    emulator: Parameters<typeof createEmulator>[0] = {},
  ) {
    this.store = store;
    this.service = createEmulator({ accessKey: 'key', now: () => start, ...emulator });
    this.accountId = this.service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
    this.client = this.newClient(options);
  }

  newClient(options: ClientOptions = {}): SocialPublishing {
    return new SocialPublishing(
      {
        baseUrl: 'https://emulator.test',
        accessKey: 'key',
        fetch: this.service.fetch,
        maxRetries: 0,
        ...options,
      },
      skippingTime([]),
    );
  }

  /** A client that reads what the function makes of each reply of the service. */
  clientReading(
    change: (reply: Response, init: Parameters<NonNullable<ClientOptions['fetch']>>[1]) => Response | Promise<Response>,
  ): SocialPublishing {
    return this.newClient({ fetch: async (input, init) => change(await this.service.fetch(input, init), init) });
  }

  process(options: Partial<PublisherOptions> = {}): Publisher {
    return createPublisher({ client: this.client, store: this.store, now: () => this.time, ...options }, noWaits);
  }

  /** A process that stops for ever at a point. The promise resolves once it is there. */
  dying(point: CrashPoint | undefined, options: Partial<PublisherOptions> = {}, clientOptions: ClientOptions = {}) {
    const died = newGate();
    const { store, fetch } = new CrashPoints(this.store, this.service.fetch, (name) => {
      if (name !== point) return undefined;
      died.open();
      return new Promise<void>(() => undefined);
    });
    const client = this.newClient({ fetch, ...clientOptions });
    return { publisher: this.process({ client, store, ...options }), died: died.opened };
  }

  /** A process that dies at a point: its current work never ends. Resolves once it is dead. */
  async dieAt(
    point: CrashPoint,
    work: (publisher: Publisher) => Promise<unknown>,
    options: Partial<PublisherOptions> = {},
  ): Promise<void> {
    const { publisher, died } = this.dying(point, options);
    const ended = work(publisher).then(() => {
      throw new Error(`It ended before it came to ${point}.`);
    });
    await Promise.race([died, ended]);
  }

  /** Publishes in a process whose request is on its way until `arrive` is called. */
  async sendLate(key: string, body: CreatePostBody): Promise<{ late: Promise<Intent>; arrive: () => void }> {
    const { client, isAsked, letGo } = this.waiting('POST', 'request');
    const late = this.process({ client }).publish(key, body);
    await isAsked;
    return { late, arrive: letGo };
  }

  /** A client whose requests with a method wait for `letGo`: before they arrive, or before their reply is read. */
  waiting(method: 'GET' | 'POST', where: 'request' | 'reply') {
    const [asked, released] = [newGate(), newGate()];
    const client = this.newClient({
      fetch: async (input, init) => {
        const isHeld = new Request(input, init).method === method;
        const wait = async () => {
          asked.open();
          await released.opened;
        };
        if (isHeld && where === 'request') await wait();
        const response = await this.service.fetch(input, init);
        if (isHeld && where === 'reply') await wait();
        return response;
      },
    });
    return { client, isAsked: asked.opened, letGo: released.open };
  }

  /** Ends the life of the key `k`: an operator abandons and prunes its intent. */
  async endLife(): Promise<void> {
    await this.process().resolve('k', { as: 'abandoned' });
    await this.pass(second);
    const pruned = await this.process().prune({ olderThan: new Date(this.time) });
    if (pruned !== 1) throw new Error(`${String(pruned)} intents were pruned, not 1.`);
  }

  /** Moves both clocks. */
  async pass(ms: number): Promise<void> {
    this.time += ms;
    await this.service.clock.advance({ seconds: ms / 1000 });
  }

  get now(): PublishPostBody {
    return { content: 'Hello', publishNow: true, platforms: [{ platform: 'bluesky', accountId: this.accountId }] };
  }

  later(inMs = 24 * hour, content = 'Later'): SchedulePostBody {
    return {
      content,
      scheduledFor: new Date(start + inMs),
      platforms: [{ platform: 'bluesky', accountId: this.accountId }],
    };
  }

  /** Adds posts of another program, without requests. */
  addPosts(count: number): void {
    const platforms = [{ platform: 'bluesky', accountId: this.accountId }] as const;
    const scheduledFor = new Date(start + 24 * hour).toISOString();
    for (let number = 0; number < count; number += 1)
      this.service.seed.post({ content: `Other ${String(number)}`, scheduledFor, platforms });
  }

  get posts(): readonly Post[] {
    return this.service.posts;
  }

  /** How many creates came in. */
  get creates(): number {
    return this.service.requests.filter(({ method }) => method === 'POST').length;
  }

  /** How often the list was read. */
  get lists(): number {
    return this.service.requests.filter(({ method }) => method === 'GET').length;
  }
}

/** A world whose service has these faults. */
export function worldWith(...faults: Parameters<Emulator['faults']['add']>[0][]): World {
  const world = new World();
  for (const fault of faults) world.service.faults.add(fault);
  return world;
}

/** The reply with other headers. With null, the header is missing. */
export function withHeaders(reply: Response, other: Readonly<Record<string, string | null>>): Response {
  const headers = new Headers(reply.headers);
  for (const [name, value] of Object.entries(other))
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  return new Response(reply.body, { status: reply.status, headers });
}

/** A client whose replies have no `Date`. */
export function undatedClient(world: World): SocialPublishing {
  return world.clientReading((reply) => withHeaders(reply, { date: null }));
}
