import type * as Ky from 'ky';
import { discardBody } from '../core/discard-body.js';
import type { CallState } from './call-state.js';
import { readBody } from './response-body.js';
import type { ClientContext } from './context.js';
import { networkFailure, unreadable, type AttemptResult, type FailedAttempt } from './connection-errors.js';
import { classifyNetworkError } from './network-error.js';
import { keyHeader } from './headers.js';
import { receive } from './receive.js';
import type { Redact } from './redact.js';
import { redirectError } from './reply-errors.js';
import type { PreparedCall } from './prepared-call.js';
import type { Failure } from './retry.js';

let ky: typeof Ky | undefined;

/**
 * Loads ky before the first request. ky makes Node load all of `fetch` (40 ms), which a program that only verifies webhooks
 * never needs.
 */
export async function loadKy(): Promise<void> {
  ky ??= await import(/* webpackMode: "eager" */ 'ky');
}

/** Sends one request and reads its reply to the end. */
export async function exchange<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  state: CallState,
  key: string | null,
  signal: AbortSignal,
): Promise<AttemptResult<Reply>> {
  const { settings, runtime, shared } = client;
  const { attempts: attempt, teller } = state;
  state.added = teller?.request(attempt);
  const redact = call.redactWith(shared.keys, state.added);
  const startedAt = teller === undefined ? 0 : runtime.monotonic();
  const response = await send(client, call, state, key, signal);
  shared.clock.learn(response.headers.get('date'), runtime.now());
  const tellResponse = () => {
    teller?.response(attempt, response.status, runtime.monotonic() - startedAt);
  };

  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    discardBody(response);
    tellResponse();
    return redirected(call, response, redact);
  }

  let partial = '';
  let body;
  try {
    body = await readBody(response, settings.maxResponseBytes, signal, (text) => {
      partial = text;
    });
  } catch (error) {
    signal.throwIfAborted();
    // The status alone tells that the service refused; for a 2xx the reply is lost with its body.
    if (response.ok) return lostBody(error, call, response, partial, redact);
    body = { text: partial, tooLarge: false };
  }
  tellResponse();
  return receive(client, call, { response, body, attempt, teller, redact });
}

/** Hands the request to `fetch`, and looks at what comes back no further than its type. */
async function send(
  { settings }: ClientContext,
  { url, method, headers, body }: PreparedCall<unknown>,
  state: CallState,
  key: string | null,
  signal: AbortSignal,
): Promise<Response> {
  const init: RequestInit = {
    method,
    // What the call says itself holds against what a hook adds.
    headers: { ...state.added, ...headers, ...(key === null ? undefined : { [keyHeader]: key }) },
    signal,
    // A redirect would take the key to another host.
    redirect: 'manual',
  };
  if (body !== undefined) init.body = body;
  // ky gets no more than the URL, since each option that it merges, and each signal, costs (see docs/decisions). `fetch` gets
  // the URL and an init, which all replacements of it understand; ky's own `Request` only its own kind does.
  const { default: request } = ky as typeof Ky; // Loaded before the attempt began.
  const response = await request(url, { ...kyOptions, fetch: () => settings.fetch(url, init) });
  // A `fetch` that doesn't listen to its signal may come back when nobody waits any more.
  if (signal.aborted) discardBody(response);
  signal.throwIfAborted();
  // Response.error(): what some replacements of fetch give instead of rejecting.
  if (response.type === 'error') throw new TypeError('the connection failed');
  // Node's own fetch sends a request that was misdirected once more by itself (Fetch standard, HTTP-network-or-cache fetch).
  if (response.status === 421 && settings.fetchRepeats421) state.attempts += 1;
  return response;
}

/** The policy is ours (see retry.ts), and so are the deadlines, which cover the body too. */
const kyOptions = { retry: 0, timeout: false, throwHttpErrors: false } as const;

/** The failure of an attempt that `send` rejected. */
export function sendFailure(error: unknown, call: PreparedCall<unknown>, redact: Redact): FailedAttempt {
  // What ky puts around it says no more, and quotes the URL.
  return networkFailure(error, ky?.isNetworkError(error) === true ? error.cause : error, call, redact);
}

function redirected(call: PreparedCall<unknown>, response: Response, redact: Redact): FailedAttempt {
  const { method, path: route } = call;
  // A browser hides the status of a redirect (0), and with it whether a write was carried out.
  const failure: Failure = { kind: 'status', status: response.status === 0 ? 303 : response.status };
  return {
    ok: false,
    failure,
    toError: (outcome, attempts) => redirectError({ method, route, response, redact, outcome, attempts }),
  };
}

function lostBody(
  error: unknown,
  call: PreparedCall<unknown>,
  response: Response,
  partial: string,
  redact: Redact,
): FailedAttempt {
  if (classifyNetworkError(error).kind === 'unreadable')
    return unreadable(call, response, partial, redact, { problem: 'its compressed body is broken' });
  return networkFailure(error, error, call, redact, { kind: 'lost' });
}
