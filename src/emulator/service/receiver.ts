import { ConfigurationError } from '../../core/errors.js';
import { keptOfReply, startOfText, type Delivery } from '../state/traffic.js';
import { discardBody } from '../../core/call/response.js';
import { within } from '../../core/flow/abort.js';
import { signWebhook } from '../../webhooks/verify/signatures.js';
import type { StoredEvent } from '../state/stored-records.js';

export type DeliveryResult = Pick<Delivery, 'ok' | 'status' | 'error' | 'reply' | 'latencyMs'>;

export interface ReceiverOptions {
  /** Receives deliveries in place of the network. */
  readonly deliver: ((request: Request) => Response | Promise<Response>) | undefined;
  readonly timeoutMs: number;
}

/** Sends one delivery to its receiver. It never rejects. */
export async function callReceiver(
  { deliver, timeoutMs }: ReceiverOptions,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<DeliveryResult> {
  const abort = new AbortController();
  const begun = performance.now();
  // A `deliver` function has no latency, and its records are the same in every run.
  const latency = () => (deliver === undefined ? { latencyMs: Math.round(performance.now() - begun) } : {});
  const late = () => {
    const reason = new DOMException('timed out', 'TimeoutError');
    abort.abort(reason);
    return reason;
  };
  try {
    const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal: abort.signal });
    const response = await within(timeoutMs, call(deliver, request), late);
    const taken = latency();
    const text = await startOfReply(response);
    const reply = text === '' ? {} : { reply: text };
    // In a browser, a redirect that isn't followed has status 0.
    if (response.ok) return { ok: true, status: response.status, ...reply, ...taken };
    return { ok: false, status: response.status, error: `status ${String(response.status)}`, ...reply, ...taken };
  } catch (error) {
    return { ok: false, error: reasonOf(error), ...latency() };
  }
}

// Async, so an exception of a handler is a failed delivery.
async function call(deliver: ReceiverOptions['deliver'], request: Request): Promise<Response> {
  if (deliver === undefined) return fetch(request);
  const response: unknown = await deliver(request);
  // Accepts the Response of any library.
  const { status } = (response ?? {}) as { status?: unknown };
  if (typeof status !== 'number') throw new ConfigurationError('createEmulator: deliver must return a Response.');
  return response as Response;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? `${error.message}: ${cause.message}` : error.message;
}

/** The longest wait for the body of a reply, in milliseconds. Its status has already decided the attempt. */
const bodyMs = 1000;

/** Returns the first characters of a receiver's reply, and discards the rest. It never rejects. */
async function startOfReply(response: { readonly body?: unknown }): Promise<string> {
  const reader = readerOf(response.body);
  if (reader === undefined) {
    discardBody(response);
    return '';
  }
  const decoder = new TextDecoder();
  let text = '';
  const read = async () => {
    while (text.length < keptOfReply) {
      const { value } = await reader.read();
      if (value === undefined) return;
      text += decoder.decode(value, { stream: true });
    }
  };
  // A reply that breaks off, or is late, keeps the part that arrived.
  await within(bodyMs, read(), () => new Error('late')).catch(() => undefined);
  reader.cancel().catch(() => undefined);
  return startOfText(text);
}

/** Returns a reader of a web stream of any library. Undefined for other bodies, and for a body that is already used. */
function readerOf(body: unknown): ReadableStreamDefaultReader<Uint8Array> | undefined {
  const stream = (body ?? {}) as Partial<ReadableStream<Uint8Array>>;
  return typeof stream.getReader === 'function' && stream.locked !== true ? stream.getReader() : undefined;
}

export const demoReceivers = {
  shop: 'https://shop.demo.invalid/webhooks',
  crm: 'https://crm.demo.invalid/webhooks',
  reports: 'https://reports.demo.invalid/webhooks',
} as const;

export const accepted = { ok: true, status: 200, reply: '{"received":true}', latencyMs: 42 } as const;
export const crashed = failed(500, '{"error":"database is locked"}', 187);
export const unavailable = failed(503, '{"error":"restarting"}', 95);
export const refusedSignature = failed(401, '{"error":"signature mismatch"}', 23);

function failed(status: number, reply: string, latencyMs: number): DeliveryResult {
  return { ok: false, status, error: `status ${String(status)}`, reply, latencyMs };
}

/**
 * Answers in place of a receiver of the demo: names under `.invalid` never resolve. The shop accepts every delivery, the
 * CRM none, and the reports accept each second attempt. Undefined for any other URL.
 */
export function demoReply(url: string, isFirst: boolean): DeliveryResult | undefined {
  switch (url) {
    case demoReceivers.shop:
      return accepted;
    case demoReceivers.crm:
      return crashed;
    case demoReceivers.reports:
      return isFirst ? unavailable : accepted;
    default:
      return undefined;
  }
}

export interface SignedEvent {
  readonly headers: Record<string, string>;
  readonly error?: string;
}

/** Signs an event. It never rejects: a failure to sign is a failed delivery. */
export async function signEvent({ body, id, type }: StoredEvent, secret: string, now: number): Promise<SignedEvent> {
  const event = { 'X-Service-Event-Id': id, 'X-Service-Event-Type': type };
  try {
    const timestamp = Math.floor(now / 1000);
    return { headers: { ...(await signWebhook({ body, secret, timestamp })), ...event } };
  } catch (error) {
    return { headers: event, error: error instanceof Error ? error.message : 'not signed' };
  }
}

/**
 * Signing takes a random time. A batch is therefore signed completely before its deliveries start, so they start in
 * send order, whatever the receivers do afterwards.
 */
export class SigningOrder {
  #batch: Promise<SignedEvent>[] = [];
  #ready: Promise<void> = Promise.resolve();

  /** Resolves when this batch and all earlier ones are signed. */
  readyAfter(signing: Promise<SignedEvent>): Promise<void> {
    if (this.#batch.push(signing) === 1) {
      const before = this.#ready;
      this.#ready = Promise.resolve().then(async () => {
        const batch = this.#batch;
        this.#batch = [];
        await Promise.all([before, ...batch]);
      });
    }
    return this.#ready;
  }
}
