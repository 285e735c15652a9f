import { createEmulator } from '../../../src/emulator/index.js';
import { SocialPublishing } from '../../../src/index.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import type { Publisher } from '../../../src/publisher/publisher.js';
import type { Intent } from '../../../src/publisher/intents/intent-record.js';
import type { DurableStore } from '../../../src/stores/store.js';
import { createWebhookInbox, type InboxEvent, type WebhookInbox } from '../../../src/webhooks/index.js';
import { Mortal, seeded } from './mortal.js';

const start = Date.parse('2026-05-01T09:00:00Z');
const leaseMs = 60_000;
const processes = 4;
const batch = 12;

/** Events that a handler has completed. */
export interface Handled {
  readonly id: string;
  /** The post and its final state. */
  readonly state: string;
  readonly by: Mortal;
}

/** The final state. */
export interface Outcome {
  readonly intents: readonly Intent[];
  /** The posts, by the keys of their intents. */
  readonly posts: ReadonlyMap<string, readonly string[]>;
  /** The post and its state, for each post. */
  readonly states: readonly string[];
  readonly handled: readonly Handled[];
  /** How many publishing processes died, and how many inboxes. */
  readonly deaths: { readonly publishers: number; readonly inboxes: number };
}

export const keyOf = (number: number): string => `chaos/${String(number).padStart(4, '0')}`;

/** The service, a store, and processes that die after some calls: publishers and inboxes. */
export class Chaos {
  readonly #store: DurableStore;
  readonly #random: () => number;
  readonly #service;
  readonly #accountIds: readonly string[];
  readonly #handled: Handled[] = [];
  readonly #deaths = { publishers: 0, inboxes: 0 };
  #secret = '';
  #inboxes: { mortal: Mortal; inbox: WebhookInbox; stop: () => Promise<void> }[] = [];
  #areMortal = true;

  constructor(store: DurableStore, seed: number) {
    this.#store = store;
    this.#random = seeded(seed);
    this.#service = createEmulator({ seed, now: () => start, deliver: (request) => this.#deliver(request) });
    this.#accountIds = ['acme', 'acme-closed'].map(
      (username) => this.#service.seed.integration({ platform: 'bluesky', username }).id,
    );
    const { publishing, faults, deliveryFaults } = this.#service;
    publishing.outcome({ accountId: this.#accountIds[1], error: 'media rejected' });
    faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', probability: 0.2 });
    faults.add({ kind: 'reset_before', route: 'POST /v1/posts/', probability: 0.05 });
    for (const kind of ['lost', 'duplicate', 'concurrent', 'reorder'] as const) {
      deliveryFaults.add({ kind, probability: 0.05 });
    }
    // So late that it was recovered before.
    deliveryFaults.add({ kind: 'delay', delayMs: 3 * 3_600_000, probability: 0.1 });
  }

  async run(count: number): Promise<Outcome> {
    const { webhook } = await this.#client(this.#service.fetch).notifications.create({
      channel: 'webhook',
      eventTypes: ['post.published', 'post.partial', 'post.failed'],
      webhook: { url: 'https://inbox.test/' },
    });
    this.#secret = webhook?.secret ?? '';
    const left = new Set(Array.from({ length: count }, (_, i) => i));
    while (left.size > 0) {
      this.#replaceInboxes();
      const wanted = [...left];
      await Promise.all(
        Array.from({ length: processes }, (_, i) => this.#publish(wanted.slice(i * batch, (i + 1) * batch), left)),
      );
      // Leases of dead processes expire.
      await this.#service.clock.advance({ seconds: 20 });
    }
    await this.#settle();
    return this.#outcome();
  }

  /** One process publishes, and sweeps, until it is done or dead. */
  async #publish(numbers: readonly number[], left: Set<number>): Promise<void> {
    const mortal = this.#mortal(5, 80);
    const publisher = this.#publisher(mortal);
    const queue = [...numbers];
    const work = async () => {
      for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
        await publisher.publish(keyOf(number), this.#bodyOf(number));
        left.delete(number);
      }
    };
    const all = Promise.all([work(), work(), work()]).then(() => publisher.sweep({ limit: 10 }));
    await Promise.race([all, mortal.death]);
    if (mortal.isDead) this.#deaths.publishers += 1;
  }

  /** No process dies any more; the service replies; time passes. Undelivered events are caught up on. */
  async #settle(): Promise<void> {
    this.#service.faults.clear();
    const since = new Date(start);
    for (let i = 0; i < 6; i += 1) {
      this.#replaceInboxes();
      for (const { mortal, inbox } of this.#inboxes) {
        const client = this.#client(mortal.fetch);
        await Promise.race([inbox.catchUp({ client, since }), mortal.death]);
      }
    }
    // Processes that would still die end now: otherwise no process would catch up.
    for (const { mortal } of this.#inboxes) mortal.kill();
    this.#areMortal = false;
    this.#replaceInboxes();
    const publisher = this.#publisher(this.#mortal(Infinity, Infinity));
    for (let i = 0; i < 6; i += 1) {
      await this.#service.clock.advance({ minutes: 65 });
      await publisher.sweep({ limit: 1000 });
    }
    const [last] = this.#inboxes;
    await last?.inbox.catchUp({ client: this.#client(this.#service.fetch), since });
    for (;;) {
      const waiting = await this.#store.due('inbox/event/', this.#service.clock.now() + 3_600_000, 1);
      if (waiting.length === 0) break;
      await this.#service.clock.advance({ minutes: 1 });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await Promise.all(this.#inboxes.map(({ stop }) => stop()));
  }

  async #outcome(): Promise<Outcome> {
    const intents: Intent[] = [];
    const publisher = this.#publisher(this.#mortal(Infinity, Infinity));
    for await (const intent of publisher.list()) intents.push(intent);
    const posts = new Map<string, string[]>();
    for (const { content = '', postId } of this.#service.posts) {
      posts.set(content, [...(posts.get(content) ?? []), postId]);
    }
    const states = this.#service.posts.map(({ postId, status = '' }) => `${postId} post.${status}`);
    return { intents, posts, states, handled: this.#handled, deaths: this.#deaths };
  }

  #replaceInboxes(): void {
    this.#inboxes = this.#inboxes.filter(({ mortal }) => !mortal.isDead);
    while (this.#inboxes.length < 2) {
      const mortal = this.#areMortal ? this.#mortal(10, 120) : this.#mortal(Infinity, Infinity);
      void mortal.death.then(() => (this.#deaths.inboxes += 1));
      const handle = async (event: InboxEvent) => {
        await mortal.alive();
        if (!event.known) return;
        this.#handled.push({ id: event.id, state: `${event.data.post.id} ${event.type}`, by: mortal });
      };
      const inbox = createWebhookInbox({
        secret: this.#secret,
        store: mortal.store,
        leaseMs,
        on: { default: handle },
        now: () => this.#service.clock.now(),
      });
      const { stop } = inbox.start({ pollMs: 1 });
      this.#inboxes.push({ mortal, inbox, stop });
    }
  }

  async #deliver(request: Request): Promise<Response> {
    const alive = this.#inboxes.filter(({ mortal }) => !mortal.isDead);
    const chosen = alive[Math.floor(this.#random() * alive.length)];
    if (chosen === undefined) throw new Error('connection refused');
    const reset = chosen.mortal.death.then(() => Promise.reject(new Error('connection reset')));
    return Promise.race([chosen.inbox.fetch(request), reset]);
  }

  #mortal(fewest: number, most: number): Mortal {
    const calls = fewest === Infinity ? Infinity : fewest + Math.floor(this.#random() * (most - fewest));
    return new Mortal(this.#store, this.#service.fetch, calls, this.#random);
  }

  #publisher({ store, fetch }: Mortal): Publisher {
    return createPublisher(
      { client: this.#client(fetch), store, leaseMs, now: () => this.#service.clock.now() },
      { monotonic: () => performance.now(), sleep: () => Promise.resolve() },
    );
  }

  #client(fetch: typeof globalThis.fetch): SocialPublishing {
    return new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'test-key', fetch, maxRetries: 0 });
  }

  /** Of ten, eight are published, one fails, and one does in part. */
  #bodyOf(number: number) {
    return {
      content: keyOf(number),
      publishNow: true as const,
      platforms: this.#accountIds
        .filter((_, i) => number % 10 === 2 || (number % 10 === 1) === (i === 1))
        .map((accountId) => ({ platform: 'bluesky' as const, accountId })),
    };
  }
}
