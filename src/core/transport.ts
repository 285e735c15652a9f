import type { Endpoint } from './endpoint.js';
import type { Outcome } from './errors.js';
import type { Runtime } from './runtime.js';
import type { ServiceClock } from './service-clock.js';

/** Headers as callers give them: an object, `Headers`, or entries of name and value (a `Map` for example). */
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
  /** Headers for this call, over the client's. `x-access-key` can't be set here. */
  readonly headers?: HeadersInput | undefined;
  /**
   * Query parameters that the API document doesn't show. Sent as they are, unchecked; an array repeats the key,
   * `undefined` is left out. They win over a typed parameter of the same name.
   */
  readonly extraQuery?: Readonly<Record<string, unknown>> | undefined;
  /** Body fields that the API document mentions without showing, such as media. Merged over the typed body, unchecked. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** What a call fills an endpoint with. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
}

/** Credits that are set aside for calls to come. */
export interface CreditHold {
  /** Gives one back, for the call that follows at once. */
  giveBackOne(): void;
  /** Gives back what is left. */
  end(): void;
}

/** What follows a call. An error does not say it all: an abort rejects with the signal's own reason. */
export interface CallWatcher {
  /** An attempt goes out, with this body. */
  onSend(body: string | undefined): void;
  /** The call failed, and this is what became of the operation. */
  onFailure(outcome: Outcome): void;
}

/** All that a resource knows of the client: something that calls endpoints. */
export interface Transport {
  readonly runtime: Runtime;
  readonly clock: ServiceClock;

  /** What a resource remembers of its calls: the one instance of a class that clients made by `withOptions` share. */
  shared<T extends object>(kind: new () => T): T;

  /**
   * Sets credits aside for several calls, so that all of them can be paid for before the first is made.
   * @throws CreditLimitError
   */
  holdCredits(credits: number, at: { readonly method: string; readonly route: string }): CreditHold;

  /**
   * Checks the input, calls, and checks the reply. `responseOf` knows what it resolves to.
   * @throws InvalidRequestError before anything is sent
   */
  call<Query, Body, Reply>(
    endpoint: Endpoint<Query, Body, Reply>,
    input: CallInput,
    options?: RequestOptions,
    watcher?: CallWatcher,
  ): Promise<Reply>;
}
