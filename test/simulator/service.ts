/** The service: the real emulator, whose clock follows the true time, and the post office that delivers its webhooks. */
import { createEmulator } from '../../src/emulator/create.js';
import type { Emulator } from '../../src/emulator/emulator.js';
import type { Exchange } from '../../src/emulator/http/request-record.js';
import { keyHeader } from '../../src/http/headers.js';
import { signWebhook } from '../../src/webhooks/verify/signatures.js';
import { bodyOf } from './network.js';
import type { Process, Sent, Service, Surroundings } from './parts.js';
import { start } from './steps.js';
import { oldWebhookSecret } from './secrets.js';

const retryDelayMs = 30_000;
const mostAttempts = 3;

interface Letter {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

export class SimulatedService implements Service {
  readonly emulator: Emulator;
  readonly accountIds: readonly string[];
  readonly #world: Surroundings;
  #wakesAt = Infinity;
  /** The post that the request under way has created. */
  #created: string | undefined;

  constructor(world: Surroundings) {
    this.#world = world;
    const { plan } = world;
    this.#ownKey = world.secrets.accessKey;
    this.emulator = createEmulator({
      accessKey: world.secrets.accessKey,
      now: () => start,
      clockSkewMs: plan.serviceSkewMs,
      seed: plan.seed,
      keep: { requests: 1, deliveries: 1 },
      deliver: async (request) => {
        await this.#post(request);
        return new Response();
      },
    });
    this.accountIds = [
      this.emulator.seed.integration({ platform: 'bluesky', username: 'first' }).id,
      this.emulator.seed.integration({ platform: 'linkedin', username: 'other' }).id,
    ];
    if (plan.explored?.hasEvents !== false)
      this.emulator.seed.subscription({ webhook: { url: 'https://inbox.test/', secret: world.secrets.signingSecret } });
    this.emulator.publishing.duration({ milliseconds: plan.publishingMs });
    this.#watch();
  }

  get epoch(): number {
    return start + this.#world.plan.serviceSkewMs;
  }

  now(): number {
    return this.#world.scheduler.time + this.#world.plan.serviceSkewMs;
  }

  async handle(url: URL, init: RequestInit, sent: Sent): Promise<Exchange> {
    await this.emulator.clock.set(this.now());
    const key = new Headers(init.headers).get(keyHeader);
    if (!this.#world.secrets.accepts(key)) return this.#refuseKey(key);
    this.#setFaults(sent, key);
    const exchange = await this.emulator.exchange(requestOf(url, init, this.#ownKey));
    const created = this.#takeCreated();
    if (created !== undefined) {
      sent.executed += 1;
      this.#world.laws.executed(sent, created);
    }
    this.plan();
    return exchange;
  }

  /** The emulator has one key. Keys that are valid at the moment count as this one. */
  readonly #ownKey: string;

  #refuseKey(key: string | null): Exchange {
    const headers = { 'content-type': 'application/json', date: new Date(this.now()).toUTCString() };
    const body = JSON.stringify({ success: false, message: `Refused: key ${String(key)}` });
    return { kind: 'reply', status: 401, headers, body };
  }

  /** A change by a user at the service itself. */
  async aside(method: string, path: string, body: unknown): Promise<void> {
    await this.emulator.clock.set(this.now());
    await this.emulator.exchangeAside(
      requestOf(
        new URL(path, 'https://service.test'),
        { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
        this.#ownKey,
      ),
    );
    this.plan();
  }

  /** Wakes the service for the next due job. */
  plan(): void {
    const { scheduler } = this.#world;
    const due = this.emulator.clock.nextDue;
    if (due === undefined || due >= this.#wakesAt) return;
    this.#wakesAt = due;
    scheduler.plan(this.#world, due - this.now(), 'the service does what is due', () => {
      this.#wakesAt = Infinity;
      void this.emulator.clock.set(this.now()).then(() => {
        this.plan();
      });
    });
  }

  #setFaults(sent: Sent, key: string | null): void {
    const { faults } = this.#world;
    this.emulator.faults.clear();
    this.emulator.publishing.reset();
    this.emulator.publishing.duration({ milliseconds: this.#world.plan.publishingMs });
    if (faults.strikes(['publications fail'], 'publication') !== undefined) {
      this.emulator.publishing.outcome({ platform: 'bluesky', error: 'The platform refused.' });
    }
    const lag = faults.strikes(['listing lag'], 'create');
    if (lag !== undefined) {
      const lagMs = [1_000, 30_000, 5 * 60_000][lag.detail % 3] ?? 0;
      this.emulator.faults.add({ kind: 'listing_lag', lagMs });
    }
    const storm = faults.strikes(['status storm'], `${sent.machine.name} ${sent.method}`);
    if (storm === undefined) return;
    const status = [401, 403, 429, 429, 500, 503, 400][storm.detail % 7] ?? 500;
    const waits = ['1', '2', '30', '90', '3600'];
    const headers = status === 429 ? { 'retry-after': waits[(storm.detail >> 4) % waits.length] ?? '1' } : {};
    // A service can quote the key that it refuses.
    const body = { success: false, message: `Refused: key ${String(key)}` };
    this.emulator.faults.add({ kind: 'status', status, headers, body });
  }

  async #post(request: Request): Promise<void> {
    const letter = {
      id: request.headers.get('x-service-event-id') ?? '',
      type: request.headers.get('x-service-event-type') ?? '',
      body: await request.text(),
    };
    this.#world.laws.emitted(letter.body);
    if (this.#world.faults.strikes(['webhooks lost'], letter.id) !== undefined) return;
    this.#deliver(letter, 1);
    if (this.#world.faults.strikes(['webhooks doubled'], letter.id) !== undefined) this.#deliver(letter, 1, 1);
  }

  /** @param copy of a receiver and an inbox, each gets one */
  #deliver(letter: Letter, attempt: number, copy = 0): void {
    const { faults, scheduler, machines, plan } = this.#world;
    const name = `delivery of ${letter.type} ${letter.id}`;
    const random = faults.of(name);
    const late = faults.strikes(['webhooks late'], letter.id);
    const delayMs = random.between(1, 200) + (late === undefined ? 0 : random.below(20 * 60_000));
    const isOld = faults.strikes(['webhooks signed with an old secret'], letter.id) !== undefined;
    const machine = (plan.explored?.receiver === undefined ? undefined : machines[copy]) ?? random.pick(machines);
    scheduler.plan(this.#world, delayMs, `${name}, attempt ${String(attempt)}, to ${machine.name}`, () => {
      if (!machine.isUp) {
        this.#retry(letter, attempt);
        return;
      }
      void this.#sign(letter, isOld).then((headers) => {
        this.#receive(machine, letter, headers, attempt);
      });
    });
  }

  async #sign({ body }: Letter, isOld: boolean): Promise<Record<string, string>> {
    const secret = isOld ? oldWebhookSecret : this.#world.secrets.signingSecret;
    return signWebhook({ body, secret, timestamp: Math.floor(this.now() / 1_000) });
  }

  #receive(machine: Process, letter: Letter, headers: Record<string, string>, attempt: number): void {
    const { scheduler, laws } = this.#world;
    const { life } = machine;
    // The service stops waiting after 10 s.
    let isAnswered = false;
    scheduler.plan(this.#world, 10_000, `the service waits no longer for ${machine.name}`, () => {
      if (!isAnswered) this.#retry(letter, attempt);
      isAnswered = true;
    });
    scheduler.plan(machine, 0, `${machine.name} receives ${letter.id}`, () => {
      const request = {
        method: 'POST',
        headers: new Headers(headers),
        bodyUsed: false,
        body: bodyOf([letter.body]),
      } as unknown as Request; // The part of it that an inbox reads.
      const { receiver, inbox } = machine.memory;
      void (receiver ?? inbox).fetch(request).then(({ status }) => {
        if (machine.life !== life) return;
        scheduler.log.push(`${machine.name} answers ${String(status)} to ${letter.id}`);
        if (receiver === undefined) laws.acknowledged(letter.id, status);
        if (isAnswered) return;
        isAnswered = true;
        if (status >= 300) this.#retry(letter, attempt);
      });
    });
  }

  #retry(letter: Letter, attempt: number): void {
    if (attempt >= mostAttempts) return;
    const waitMs = retryDelayMs * 2 ** (attempt - 1);
    this.#world.scheduler.plan(this.#world, waitMs, `the service sends ${letter.id} again`, () => {
      this.#deliver(letter, attempt + 1);
    });
  }

  #takeCreated(): string | undefined {
    const created = this.#created;
    this.#created = undefined;
    return created;
  }

  #watch(): void {
    const known = new Set<string>();
    this.emulator.observe((change) => {
      if (change.type !== 'post' || known.has(change.post.postId)) return;
      known.add(change.post.postId);
      this.#created = change.post.postId;
    });
  }
}

function requestOf(url: URL, init: RequestInit, key: string): Request {
  const { method = 'GET', body = '' } = init;
  const headers = new Headers(init.headers);
  headers.set(keyHeader, key);
  const text = typeof body === 'string' ? body : '';
  const request = {
    method,
    url: url.href,
    headers,
    // The caller may leave: the service continues.
    signal: new AbortController().signal,
    text: () => Promise.resolve(text),
  };
  return request as unknown as Request; // The part of it that the emulator reads.
}
