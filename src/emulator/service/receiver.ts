import { ConfigurationError } from '../../core/errors.js';
import { startOfReply } from './receiver-reply.js';
import type { Delivery } from './traffic.js';

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
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begun = performance.now();
  // A `deliver` function has no latency, and its records are the same in every run.
  const latency = () => (deliver === undefined ? { latencyMs: Math.round(performance.now() - begun) } : {});
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const reason = new DOMException('timed out', 'TimeoutError');
      abort.abort(reason);
      reject(reason);
    }, timeoutMs);
  });
  try {
    const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal: abort.signal });
    const response = await Promise.race([call(deliver, request), timeout]);
    const taken = latency();
    const text = await startOfReply(response);
    const reply = text === '' ? {} : { reply: text };
    // In a browser, a redirect that isn't followed has status 0.
    if (response.ok) return { ok: true, status: response.status, ...reply, ...taken };
    return { ok: false, status: response.status, error: `status ${String(response.status)}`, ...reply, ...taken };
  } catch (error) {
    return { ok: false, error: reasonOf(error), ...latency() };
  } finally {
    clearTimeout(timer);
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
