import type * as Ky from 'ky';
import { throwIfAborted } from '../core/abort.js';
import { discardBody } from '../core/discard-body.js';
import type { ClientContext } from './context.js';
import { keyHeader } from './headers.js';
import type { CallProgress, PreparedCall } from './prepared-call.js';

let ky: typeof Ky | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads ky before the first request. ky makes Node load all of `fetch` (40 ms), which a program that only verifies webhooks
 * never needs.
 */
export function loadKy(): Promise<void> {
  loading ??= import(/* webpackMode: "eager" */ 'ky').then(
    (loaded) => {
      ky = loaded;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/**
 * Starts to load ky, unless it is loaded. Calls wait for it before they pass the rate limit: otherwise they would pass it one by
 * one and then go out together. If loading fails, `loadKy` reports the error.
 */
export function preloadKy(): Promise<void> | undefined {
  return ky === undefined ? loadKy().catch(() => undefined) : undefined;
}

/** The client retries (retry.ts) and sets deadlines that cover the body too (attempt.ts). */
const kyOptions = { retry: 0, timeout: false, throwHttpErrors: false } as const;

export interface SendOptions {
  readonly key: string | null;
  readonly signal: AbortSignal;
  /** Called immediately before `fetch`. */
  readonly onFetch: () => void;
}

/** Sends one request. Resolves with the headers of its reply. Requires `loadKy`. */
export async function send(
  { settings }: ClientContext,
  { at, operation, url, headers, body }: PreparedCall<unknown>,
  progress: CallProgress,
  { key, signal, onFetch }: SendOptions,
): Promise<Response> {
  const init: RequestInit = {
    method: at.method,
    // The call's headers take precedence over headers from hooks.
    headers: { ...progress.added, ...headers, ...(key === null ? undefined : { [keyHeader]: key }) },
    signal,
    // A redirect would take the key to another host.
    redirect: 'manual',
  };
  if (body !== undefined) init.body = body;
  const isOnce = operation.retry !== 'repeatable';
  const { default: request } = ky as typeof Ky; // See above.
  // ky gets only the URL (docs/decisions/0010). The client's fetch gets the URL and an init, which every replacement accepts.
  const response = await request(url, {
    ...kyOptions,
    fetch: () => {
      // ky awaits before it calls this.
      throwIfAborted(signal);
      onFetch();
      return isOnce ? settings.fetchOnce(url, init) : settings.fetch(url, init);
    },
  });
  // A `fetch` that ignores its signal may reply after the abort.
  if (signal.aborted) discardBody(response);
  throwIfAborted(signal);
  // Some replacements of fetch return Response.error() where they should reject.
  if (response.type === 'error') throw new TypeError('the connection failed');
  // Node's own fetch repeats a misdirected request automatically (Fetch standard, HTTP-network-or-cache fetch).
  const isRepeated = settings.fetchRepeats421 && (!isOnce || at.method === 'GET');
  if (response.status === 421 && isRepeated) progress.attempts += 1;
  return response;
}

/** Returns the error of `fetch`. ky's wrapper adds nothing to it, and quotes the URL. */
export function fetchError(error: unknown): unknown {
  return ky?.isNetworkError(error) === true ? error.cause : error;
}

export interface BodyText {
  readonly text: string;
  /** The body is larger than allowed. The rest was not read. */
  readonly tooLarge: boolean;
}

/**
 * Reads a body as UTF-8 text and counts its bytes while it streams, so that a compressed bomb does no harm. Drops a
 * byte-order mark. An abort releases the body even if `fetch` ignores its signal. If the body breaks off, `onBroken` gets
 * the part that arrived.
 */
export async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
  onBroken: (partial: string) => void,
): Promise<BodyText> {
  // By its type, a body is a web stream or null. Some replacements of `fetch` omit it or return a Node stream.
  const body = response.body as Partial<ReadableStream<Uint8Array>> | null | undefined;
  if (body === null) return { text: '', tooLarge: false };
  if (typeof body?.getReader !== 'function') {
    const text = await response.text();
    return { text, tooLarge: text.length > maxBytes };
  }
  const reader = body.getReader();
  // Not awaited: a server that continues to send may keep it pending.
  const release = () => {
    reader.cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', release, { once: true });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      throwIfAborted(signal);
      if (done) return { text: decodeWhole(chunks, bytes), tooLarge: false };
      if (bytes + value.byteLength > maxBytes) {
        release();
        return { text: decodeStart(chunks, bytes), tooLarge: true };
      }
      bytes += value.byteLength;
      chunks.push(value);
    }
  } catch (error) {
    onBroken(decodeStart(chunks, bytes));
    throw error;
  }
}

/** It keeps no state between whole texts. */
let decoder: TextDecoder | undefined;

function decodeWhole(chunks: readonly Uint8Array[], bytes: number): string {
  decoder ??= new TextDecoder();
  return decoder.decode(joined(chunks, bytes));
}

/** Decodes a body that was cut. An incomplete letter at its end is dropped. */
function decodeStart(chunks: readonly Uint8Array[], bytes: number): string {
  return new TextDecoder().decode(joined(chunks, bytes), { stream: true });
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array | undefined {
  const [first, second] = chunks;
  if (second === undefined) return first;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
