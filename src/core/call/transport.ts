import type { Endpoint } from './endpoint.js';
import type { Outcome } from '../errors.js';
import { isMilliseconds, isObject, isSignal, isWhole, optionsOf, unchecked } from './options.js';
import type { Runtime } from '../runtime.js';
import { sharedByCopies } from '../package.js';
import type { LocalTime, ServiceClock } from '../service-clock.js';

/** Headers as callers pass them: an object, `Headers`, or entries of name and value (a `Map` for example). */
export type HeadersInput =
  Readonly<Record<string, string | undefined>> | Headers | Iterable<readonly [name: string, value: string]>;

/** Options of a single call. */
export interface RequestOptions {
  /** Aborts the call: before sending, while waiting, in mid-body and between pages. Rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, body included. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for all attempts and the waits between them. Default: the client's. */
  readonly totalTimeoutMs?: number | undefined;
  /** How many times a failed call may be retried, where that is safe. Default: the client's. */
  readonly maxRetries?: number | undefined;
  /** Headers for this call, merged over the client's. You cannot set `x-access-key` here. */
  readonly headers?: HeadersInput | undefined;
  /**
   * Query parameters that the API document doesn't show. The client sends them unchecked. An array repeats the key;
   * `undefined` is omitted. They win over a typed parameter of the same name.
   */
  readonly extraQuery?: Readonly<Record<string, unknown>> | undefined;
  /** Body fields that the API document mentions without showing, such as media. Merged over the typed body, unchecked. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** The checks of the options of a call. */
export const requestChecks = {
  signal: isSignal,
  timeoutMs: isMilliseconds({ above: 0, orInfinity: true }),
  totalTimeoutMs: isMilliseconds({ above: 0, orInfinity: true }),
  maxRetries: isWhole({ least: 0, orInfinity: true }),
  headers: unchecked, // The call reads them.
  extraQuery: isObject,
  extraBody: isObject,
};

export const requestOptions = optionsOf<RequestOptions>('an option of a call', requestChecks);

/** Returns the options with at most this time for the whole call. */
export function limitedTo(ms: number, options: RequestOptions): RequestOptions {
  return ms === Infinity ? options : { ...options, totalTimeoutMs: Math.min(options.totalTimeoutMs ?? ms, ms) };
}

/** The values for an endpoint's parameters. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** Releases reserved credits, of which calls spent a number (default 0). */
export type ReleaseCredits = (released: number, spent?: number) => void;

/** Observes a call. An error does not contain everything: an abort rejects with the signal's reason. */
export interface CallWatcher {
  /** An attempt goes out, with this body. */
  onSend(body: string | undefined): void;
  onFailure(error: unknown, outcome: Outcome): void;
}

/** The part of the client that resources use. */
export interface Transport {
  readonly runtime: Runtime;
  readonly clock: ServiceClock;

  /** Returns the only instance of a class, shared by clients from `withOptions`. */
  shared<T extends object>(kind: new () => T): T;

  /**
   * Reserves credits for several calls before the first one.
   * @throws CreditLimitError
   */
  holdCredits(credits: number, at: { readonly method: string; readonly route: string }): ReleaseCredits;

  /**
   * Checks the input, calls, and checks the reply. `responseOf` accepts the result.
   * @throws InvalidRequestError before anything is sent
   */
  call<Query, Body, Reply>(
    endpoint: Endpoint<Query, Body, Reply>,
    input: CallInput,
    options?: RequestOptions,
    watcher?: CallWatcher,
  ): Promise<Reply>;
}

/** A part of the client's methods. */
export abstract class Resource {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Not a field: a console would show it. @internal */
  protected get transport(): Transport {
    return this.#transport;
  }
}

/** The parts of a client that code must know which gets a client and agrees with it. */
export interface ClientParts {
  readonly runtime: LocalTime;
  readonly settings: { readonly accessKey: unknown };
  readonly shared: {
    readonly keys: Iterable<string>;
    readonly clock: Pick<ServiceClock, 'offsetMs'>;
  };
}

/** Facts about a client. */
export interface ClientFacts {
  /** The time by the client's option `now`, in milliseconds since 1970. */
  readonly now: () => number;
  /** The service's time, by the `Date` headers of its replies. Before the first reply, the same as `now`. */
  readonly serviceNow: () => number;
  /** The access keys that the client sends or has sent. */
  readonly accessKeys: () => readonly string[];
}

const parts = () => sharedByCopies('clients', () => new WeakMap<object, ClientParts>());

export function setParts(client: object, known: ClientParts): void {
  parts().set(client, known);
}

/** Returns the facts of a client. Another object has the clock of this machine and no key. */
export function factsOf(client: object): ClientFacts {
  const known = parts().get(client);
  if (known === undefined) return { now: () => Date.now(), serviceNow: () => Date.now(), accessKeys: () => [] };
  const { runtime, settings, shared } = known;
  const own = typeof settings.accessKey === 'string' ? [settings.accessKey] : [];
  return {
    now: () => runtime.now(),
    serviceNow: () => runtime.now() + (shared.clock.offsetMs(runtime) ?? 0),
    accessKeys: () => [...own, ...shared.keys],
  };
}
