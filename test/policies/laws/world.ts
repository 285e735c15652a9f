import { AsyncLocalStorage } from 'node:async_hooks';
import { SocialPublishing } from '../../../src/client.js';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { testKey } from '../client.js';
import { SteppedTime } from './time.js';
import { answers, brokenConnections, neverSent, type End, type Fault, type Made } from './faults.js';

/** One call of the client, and what befell it. */
export interface Call {
  readonly left: Fault[];
  readonly abort: () => void;
  readonly abortsInKey: boolean;
  /** The posts that the service made of it, with the moments when. */
  readonly posts: { readonly postId: string; readonly at: number }[];
  /** Milliseconds that it waited, for the service or between attempts. */
  waitedMs: number;
}

/** Waits for the event loop to go round. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export const totalTimeoutMs = 60_000;
const fine: Fault = { end: 'fine', commit: true, there: 0, back: 0 };
const startedAt = Date.parse('2026-03-01T12:00:00Z');

/** A service, faults on the way to it, and two derived clients. */
export class World {
  readonly service: Emulator;
  readonly clients: readonly [SocialPublishing, SocialPublishing];
  /** All payloads of hooks. */
  readonly told: unknown[] = [];
  /** Bodies that are neither read to the end nor released. */
  readonly openBodies = new Set<object>();
  readonly time = new SteppedTime();
  readonly #calls: Call[] = [];
  readonly #current = new AsyncLocalStorage<Call>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #skewMs: number;
  #moment = 0;

  constructor(skewMs: number) {
    this.#skewMs = skewMs;
    this.service = createEmulator({ accessKey: testKey, now: () => this.#serviceTime() });
    const tell = (info: unknown) => {
      this.told.push(info);
    };
    const client = new SocialPublishing(
      {
        baseUrl: 'https://emulator.test',
        accessKey: () => {
          const call = this.#current.getStore();
          if (call?.abortsInKey === true) call.abort();
          return testKey;
        },
        totalTimeoutMs,
        fetch: (input, init) => this.#fetch(new Request(input, init)),
        hooks: { onRequest: tell, onResponse: tell, onRetry: tell, onError: tell, onDrift: tell },
      },
      {
        now: () => startedAt + this.time.now,
        monotonic: () => this.time.now,
        random: () => 0.5,
        sleep: (ms, signal) => this.#sleep(ms, signal),
      },
    );
    this.clients = [client, client.withOptions({ maxRetries: 3 })];
  }

  /** A number that grows with each thing that happens. */
  moment(): number {
    return (this.#moment += 1);
  }

  /** Makes a call that these faults befall. */
  async run<T>(
    at: Pick<Call, 'abort' | 'abortsInKey'> & { readonly faults: readonly Fault[] },
    make: (headers: Record<string, string>) => PromiseLike<T>,
  ): Promise<{ readonly call: Call; readonly value?: T; readonly error?: unknown; readonly tookMs: number }> {
    const { faults, abort, abortsInKey } = at;
    const call: Call = { left: [...faults], abort, abortsInKey, posts: [], waitedMs: 0 };
    const headers = { 'x-call': String(this.#calls.push(call) - 1) };
    try {
      const value = await this.#current.run(call, async () => make(headers));
      return { call, value, tookMs: call.waitedMs };
    } catch (error) {
      return { call, error, tookMs: call.waitedMs };
    }
  }

  /** Ends the tracking of calls, which would slow down every later promise of this process. */
  close(): void {
    this.#current.disable();
  }

  /** Resolves when the service has nothing more to do. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await turns(3);
  }

  /** The service's clock may be wrong, but it runs as the clients' clocks do. */
  #serviceTime(): number {
    return startedAt + this.#skewMs + this.time.now;
  }

  #date(): string {
    return new Date(this.#serviceTime()).toUTCString();
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.time.now += ms;
    const call = this.#current.getStore();
    if (call !== undefined) call.waitedMs += ms;
    return turns(1);
  }

  #fetch(request: Request): Promise<Response> {
    const answer = this.#answer(request);
    this.#underWay.add(answer);
    return answer;
  }

  async #answer(request: Request): Promise<Response> {
    const call = this.#calls[Number(request.headers.get('x-call'))];
    if (call === undefined) throw new Error('A request of no call.');
    const fault = call.left.shift() ?? fine;
    const { end } = fault;
    await turns(fault.there);
    if (fault.abort === 'there' && !neverSent.includes(end)) call.abort();
    // Requests in flight arrive, even if their caller is gone.
    const body = fault.commit ? await this.#carryOut(request, call) : '';
    await turns(fault.back);
    if (fault.abort === 'back') call.abort();
    if (end in brokenConnections) {
      throw new TypeError('fetch failed', { cause: brokenConnections[end as keyof typeof brokenConnections]() });
    }
    if (end === 'silence') return this.#silence(call, request.signal);
    const { status, headers, body: text } = made(end, body);
    return new Response(status === 204 ? null : this.#body(text, fault, call, request.signal), {
      status,
      headers: { 'content-type': 'application/json', date: this.#date(), ...headers },
    });
  }

  async #carryOut(request: Request, call: Call): Promise<string> {
    const { url, method, headers } = request;
    const sent = method === 'GET' ? {} : { body: await request.text() };
    if (this.service.clock.now() < this.#serviceTime()) await this.service.clock.set(new Date(this.#serviceTime()));
    const response = await this.service.fetch(url, { method, headers, ...sent });
    const text = await response.text();
    if (method === 'POST' && response.ok) {
      const { postId } = JSON.parse(text) as { postId: string };
      call.posts.push({ postId, at: this.moment() });
    }
    return text;
  }

  /** No reply, until the caller is gone. */
  async #silence(call: Call, signal: AbortSignal): Promise<never> {
    while (!signal.aborted) {
      // All that can still happen at this time happens first.
      await turns(30);
      const before = this.time.now;
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- it may have aborted meanwhile
      if (!signal.aborted) this.time.ringNext();
      call.waitedMs += this.time.now - before;
    }
    throw signal.reason;
  }

  /** A body in two parts, of which the second may never come. */
  #body(text: string, { end, abort }: Fault, call: Call, signal: AbortSignal): ReadableStream<Uint8Array> {
    const bytes = new TextEncoder().encode(text);
    const half = Math.ceil(bytes.length / 2);
    const key = {};
    let part = 0;
    this.openBodies.add(key);
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        part += 1;
        if (part === 1 && half > 0) {
          controller.enqueue(bytes.subarray(0, half));
          return;
        }
        if (abort === 'body') call.abort();
        if (end === 'stalled body') await this.#silence(call, signal).catch(() => undefined);
        this.openBodies.delete(key);
        if (end === 'cut body' || end === 'stalled body') {
          controller.error(new TypeError('terminated', { cause: brokenConnections['closed by the other side']() }));
          return;
        }
        if (bytes.length > half) controller.enqueue(bytes.subarray(half));
        controller.close();
      },
      cancel: () => {
        this.openBodies.delete(key);
      },
    });
  }
}

/** The reply in this end: another's, or the service's own. */
function made(end: End, body: string): Made {
  if (end in answers) return answers[end as keyof typeof answers](testKey);
  const says =
    end === 'success: false beside the post' ? { ...(JSON.parse(body) as object), success: false } : undefined;
  return { status: 200, body: says === undefined ? body : JSON.stringify(says) };
}
