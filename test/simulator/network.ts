/** The network between a process and the service. */
import type { Exchange } from '../../src/emulator/http/request-record.js';
import type { SimulatedStream } from './globals.js';
import type { Fault, FaultName } from './steps.js';
import type { Process, Sent, Surroundings } from './parts.js';
import { never } from './store.js';

const requestFaults: readonly FaultName[] = [
  'connection refused',
  'reset before the service',
  'reset after the service',
  'silence before the service',
  'silence after the service',
  'body cut',
  'gateway error before the service',
  'gateway error after the service',
  'sent twice by a proxy',
  'reused connection fails',
  'requests are late',
  'replies are late',
];

const before: readonly (FaultName | undefined)[] = [
  'connection refused',
  'reset before the service',
  'silence before the service',
  'gateway error before the service',
];

const cachedDates: readonly FaultName[] = ['Date from a cache', 'old Date', 'old Date with Age'];

export function simulatedFetch(world: Surroundings, machine: Process): typeof globalThis.fetch {
  return (input, init = {}) => {
    // The client passes a text.
    const url = new URL(input as string);
    const method = init.method ?? 'GET';
    const name = `${machine.name} ${method} ${url.pathname}`;
    if (machine.crashesAt(`before ${name}`)) return never();
    const { signal } = init;
    const sent = world.laws.sends(machine, { method, path: url.pathname, body: textOf(init) });
    world.choices?.happened('everything', `${name} ${sent.body ?? url.search} is sent`);
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => {
        sent.isLeft = true;
        world.laws.ended(sent);
        reject(signal.reason as Error);
      });
      const caller: Caller = {
        resolve: (response) => {
          world.laws.ended(sent);
          resolve(response);
        },
        reject: (error) => {
          world.laws.ended(sent);
          reject(error);
        },
      };
      new Passage(world, machine, { name, url, init, sent }, caller).begin();
    });
  };
}

/** The client passes a text, or a stream of it. */
function textOf({ body }: RequestInit): string | undefined {
  // See `globals.ts`.
  return body instanceof ReadableStream ? (body as unknown as SimulatedStream).text() : (body as string | undefined);
}

interface Request {
  readonly name: string;
  readonly url: URL;
  readonly init: RequestInit;
  readonly sent: Sent;
}

interface Caller {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

/** One request on its way to the service and back. */
class Passage {
  readonly #world: Surroundings;
  readonly #machine: Process;
  readonly #request: Request;
  readonly #to: Caller;
  readonly #fault: Fault | undefined;
  readonly #kind: FaultName | undefined;

  constructor(world: Surroundings, machine: Process, request: Request, to: Caller) {
    this.#world = world;
    this.#machine = machine;
    this.#request = request;
    this.#to = to;
    this.#fault = world.faults.strikes(requestFaults, request.name, machine.index);
    this.#kind = this.#fault?.kind;
  }

  begin(): void {
    const { name, sent } = this.#request;
    if (before.includes(this.#kind)) {
      sent.isUnderWay = false;
      this.#later(`${name} fails (${String(this.#kind)})`, () => {
        this.#failBefore();
      });
      return;
    }
    this.#world.scheduler.plan(this.#world, this.#thereMs(), name, () => {
      void this.#arrive();
    });
  }

  #thereMs(): number {
    const usual = this.#world.faults.of(`there ${this.#request.name}`).between(1, 60);
    return usual + this.#lateMs('requests are late');
  }

  #lateMs(kind: FaultName): number {
    if (this.#kind !== kind) return 0;
    return [2_000, 40_000, 8 * 60_000, 14 * 60_000][(this.#fault?.detail ?? 0) % 4] ?? 0;
  }

  #failBefore(): void {
    switch (this.#kind) {
      case 'connection refused':
        this.#request.sent.isRefused = true;
        this.#to.reject(networkError('ECONNREFUSED', 'connect'));
        return;
      case 'reset before the service':
        this.#to.reject(networkError('ECONNRESET', 'read'));
        return;
      case 'gateway error before the service':
        this.#to.resolve(gatewayReply(this.#fault));
        return;
      default: // Silence: only a time-out ends it.
    }
  }

  /** @param first the reply that a proxy, or the process, did not get before it sent the request again */
  async #arrive(first?: Exchange): Promise<void> {
    const { name, sent } = this.#request;
    const isProxy = this.#kind === 'sent twice by a proxy';
    sent.isUnderWay = first === undefined && (isProxy || this.#isRepeated);
    const exchange = await this.#exchange(first !== undefined);
    this.#world.choices?.happened('everything', `${name} ${JSON.stringify(exchange)}`);
    this.#world.choices?.tell(`the service executes ${name} (${'status' in exchange ? String(exchange.status) : ''})`);
    if (sent.isUnderWay) {
      if (!isProxy) this.#world.laws.repeated(sent);
      this.#world.scheduler.plan(isProxy ? this.#world : this.#machine, 900, `${name}, sent again`, () => {
        void this.#arrive(exchange);
      });
      return;
    }
    // If a proxy reported the refusal of its second attempt, it would misreport the first one.
    const answer = isProxy && first !== undefined && isRefusal(exchange) ? first : exchange;
    this.#later(`${name} is answered`, () => {
      this.#reply(answer);
    });
  }

  /** Whether the runtime sends the request again after its connection failed. */
  get #isRepeated(): boolean {
    return this.#kind === 'reused connection fails' && this.#machine.runtime.repeats(this.#request.init);
  }

  #exchange(isAgain: boolean): Exchange | Promise<Exchange> {
    const { url, init, sent } = this.#request;
    const isRefused = this.#kind === 'reused connection fails' && this.#machine.runtime.failure === 'refused';
    if (isRefused && !isAgain) return misdirected;
    return this.#world.service.handle(url, { ...init, body: sent.body ?? null }, sent);
  }

  /** A reply or an error arrives at the process, unless the process crashes at that moment. */
  #later(name: string, run: () => void): void {
    const machine = this.#machine;
    const backMs =
      this.#world.faults.of(`back ${this.#request.name}`).between(1, 40) + this.#lateMs('replies are late');
    if (machine.life !== this.#request.sent.life) return;
    this.#world.scheduler.plan(machine, backMs, name, () => {
      if (machine.crashesAt(`after ${this.#request.name}`)) return;
      this.#world.choices?.tell(`${machine.name} gets the reply of ${this.#request.name.replace(/^\S+ /, '')}`);
      run();
    });
  }

  /** A cache replies with an old `Date`, and not every cache says so. The clock of a cache can also be ahead. */
  #headersOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const { name } = this.#request;
    const fault = this.#world.faults.strikes(cachedDates, name, this.#machine.index);
    const date = Date.parse(headers['date'] ?? '');
    if (fault === undefined || Number.isNaN(date)) return headers;
    const { kind, detail } = fault;
    const seconds = [20, 20 * 60, 60 * 60, 26 * 60 * 60][(detail >> 4) % 4] ?? 0;
    const nearMs = this.#world.faults.of(`cache ${name}`).below(7_001) * (detail % 3 === 0 ? -1 : 1);
    const ageMs = kind === 'Date from a cache' ? nearMs : seconds * 1_000;
    const age = kind === 'old Date with Age' ? { age: String(seconds) } : {};
    return { ...headers, ...age, date: new Date(date - ageMs).toUTCString() };
  }

  #reply(exchange: Exchange): void {
    switch (this.#kind) {
      case 'reset after the service':
        this.#to.reject(networkError('ECONNRESET', 'read'));
        return;
      case 'silence after the service':
        return;
      case 'reused connection fails':
        if (this.#machine.runtime.failure === 'refused' || this.#isRepeated) break;
        this.#to.reject(networkError('ECONNRESET', 'read'));
        return;
      case 'gateway error after the service':
        this.#to.resolve(gatewayReply(this.#fault));
        return;
      default:
    }
    if (exchange.kind === 'reset') this.#to.reject(networkError('ECONNRESET', 'read'));
    if (!('status' in exchange)) return;
    const { status, body } = exchange;
    const headers = this.#headersOf(exchange.headers);
    if (isRefusal(exchange) && this.#request.sent.executed === 0 && !this.#request.sent.isLeft)
      this.#request.sent.isRefused = true;
    this.#world.laws.answered(this.#request.sent, status, headers);
    const isCut = this.#kind === 'body cut';
    if (!isCut && status < 300) this.#world.laws.showedTime(this.#request.sent, headers);
    this.#to.resolve(
      isCut
        ? replyOf(status, headers, [body.slice(0, body.length / 2), networkError('ECONNRESET', 'read')])
        : replyOf(status, headers, [body]),
    );
  }
}

/** A server of another host refuses a request. */
const misdirected: Exchange = { kind: 'reply', status: 421, headers: {}, body: '' };

function isRefusal(exchange: Exchange): boolean {
  return 'status' in exchange && [400, 401, 403, 421, 429].includes(exchange.status);
}

function networkError(code: string, syscall: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });
}

function gatewayReply(fault: Fault | undefined): Response {
  const status = [502, 503, 504, 500][(fault?.detail ?? 0) % 4] ?? 502;
  return replyOf(status, { 'content-type': 'text/html' }, ['<h1>Bad gateway</h1>']);
}

/** A reply without a real stream: real streams take turns of the event loop that differ between versions of Node. */
export function replyOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  parts: readonly (string | Error)[],
): Response {
  const reply = {
    status,
    ok: status >= 200 && status < 300,
    type: 'basic',
    headers: new Headers(headers),
    body: bodyOf(parts),
    [Symbol.toStringTag]: 'Response',
  };
  return reply as unknown as Response; // The part of it that a client reads.
}

/** A body that is read part by part, and can break off. */
export function bodyOf(parts: readonly (string | Error)[]) {
  let next = 0;
  return {
    cancel: () => Promise.resolve(),
    getReader: () => ({
      cancel: () => Promise.resolve(),
      read: (): Promise<{ done: boolean; value?: Uint8Array }> => {
        const part = parts[next];
        next += 1;
        if (part instanceof Error) return Promise.reject(part);
        return Promise.resolve(
          part === undefined ? { done: true } : { done: false, value: new TextEncoder().encode(part) },
        );
      },
    }),
  };
}
