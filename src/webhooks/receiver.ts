import { ConfigurationError, WebhookVerificationError } from '../core/errors.js';
import { fromFetch, fromNode, type Delivery, type NodeRequest, type NodeResponse } from './incoming.js';
import type { WebhookEvent } from '../model/events.js';
import type { RawBody } from './hmac.js';
import {
  parseOptions,
  type ReceiverSettings,
  type WebhookErrorContext,
  type WebhookReceiverOptions,
} from './receiver-options.js';
import { verifyWebhook } from './verify.js';

/** Receives the deliveries of a webhook subscription. Both functions work unbound, and never throw. */
export interface WebhookReceiver {
  /**
   * Answers a delivery that comes as a `Request`: Next.js, Hono, Bun, Deno, Cloudflare Workers.
   *
   * @param context whatever the runtime hands over beside the request. Where one has `waitUntil`, as the context of a
   * Worker, a handler that takes longer than the answer is kept running with it
   */
  readonly fetch: (request: Request, ...context: unknown[]) => Promise<Response>;
  /** Answers a delivery in Node: for `http.createServer`, and for Express before any body parser. */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
}

/** What is answered. The text says nothing of why: that would help a forger. */
interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const received: Answer = { status: 200, body: { received: true } };
const refusal = (status: number, error: string): Answer => ({ status, body: { error } });

/**
 * Gives a receiver that verifies each delivery, handles each event once, and answers inside the 10 seconds that the
 * service waits.
 *
 * - A handler that throws is answered with 500: the service tries again, up to three attempts in all.
 * - An attempt that comes while the event is being handled is answered with 503; one that comes later, with 200.
 * - A handler that is not done in `ackTimeoutMs` goes on, and the attempt is answered with 503.
 * - After a crash, the event is free again when its lease runs out.
 *
 * So every event is handled at least once if the service still tries then, and once only unless a handler outlasts its
 * lease or a crash comes between the handler's end and the store's note of it.
 *
 * API document: Events, Delivery.
 *
 * ```ts
 * const receiver = createWebhookReceiver({
 *   secret,
 *   on: { 'post.failed': async (event) => { await tellSomebody(event.data.post.id); } },
 * });
 * http.createServer(receiver.node);
 * ```
 *
 * @throws {@link ConfigurationError} an option can't be right, for example an empty or masked secret
 */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const settings = parseOptions(options);
  return {
    fetch: async (request, ...context) => {
      const { status, body } = await receive(settings, fromFetch(request), context);
      return Response.json(body, { status, headers: headersOf(status) });
    },
    node: async (request, response) => {
      const { status, body } = await receive(settings, fromNode(request), []);
      if (response.headersSent) return; // A framework's own time-out was faster.
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      for (const [name, value] of Object.entries(headersOf(status))) response.setHeader(name, value);
      // The rest of a body that is too large or too slow is not waited for: the connection can't serve another request.
      if (request.complete === false) response.setHeader('connection', 'close');
      response.end(JSON.stringify(body));
    },
  };
}

function headersOf(status: number): Record<string, string> {
  return status === 405 ? { allow: 'POST' } : {};
}

/** Gives the answer to a delivery, in `ackTimeoutMs` at most. Never rejects. */
async function receive(settings: ReceiverSettings, delivery: Delivery, context: readonly unknown[]): Promise<Answer> {
  const deadline = new AbortController();
  const { request } = delivery;
  const work = answer(settings, delivery, deadline.signal).catch((error: unknown) =>
    fail(settings, error, { request }),
  );
  const late = new Promise<Answer>((resolve) => {
    deadline.signal.addEventListener('abort', () => {
      // Before the answer: a Worker stops what nobody waits for.
      keepRunning(context, work);
      resolve(refusal(503, 'in progress'));
    });
  });
  const timer = setTimeout(() => {
    deadline.abort();
  }, settings.ackTimeoutMs);
  const first = await Promise.race([work, late]);
  clearTimeout(timer);
  return first;
}

function keepRunning(context: readonly unknown[], work: Promise<unknown>): void {
  for (const one of context) {
    try {
      (one as { waitUntil?: (work: Promise<unknown>) => void } | null | undefined)?.waitUntil?.(work);
    } catch {
      // It means something else here: the runtime keeps the work running, or nothing can.
    }
  }
}

async function answer(settings: ReceiverSettings, delivery: Delivery, deadline: AbortSignal): Promise<Answer> {
  if (delivery.method !== 'POST') return refusal(405, 'method not allowed');
  // Without a content type it may be JSON as well.
  if (!/^(application\/json *(;|$)|$)/i.test(delivery.contentType)) return refusal(415, 'unsupported media type');
  let body: RawBody;
  try {
    body = await delivery.read(deadline);
  } catch (error) {
    // Anything else is a body that broke off or stalled. Anybody can send one, so that it is not worth a log line.
    return error instanceof WebhookVerificationError
      ? reject(settings, delivery, error)
      : refusal(408, 'request timeout');
  }
  let event: WebhookEvent;
  try {
    const { secret, toleranceSeconds, now } = settings;
    event = await verifyWebhook({ body, headers: delivery.headers, secret, toleranceSeconds, now });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return reject(settings, delivery, error);
    return fail(settings, error, { request: delivery.request });
  }
  return handle(settings, delivery, event);
}

function reject({ onRejected }: ReceiverSettings, { request }: Delivery, error: WebhookVerificationError): Answer {
  tell(() => onRejected?.(error, request));
  switch (error.code) {
    case 'body_too_large':
      return refusal(413, 'payload too large');
    case 'body_not_raw':
      // The receiver is mounted wrong. After a 5xx the service tries again.
      return refusal(500, 'internal error');
    case 'invalid_payload':
    case 'event_id_mismatch':
    case 'event_type_mismatch':
      return refusal(400, 'bad request');
    default:
      return refusal(401, 'unauthorized');
  }
}

function fail({ onError }: ReceiverSettings, error: unknown, context: WebhookErrorContext): Answer {
  tell(() => onError(error, context));
  return refusal(500, 'internal error');
}

/** Handles an event that nobody has handled yet. */
async function handle(settings: ReceiverSettings, { request }: Delivery, event: WebhookEvent): Promise<Answer> {
  const { store, leaseMs, keepMs, now } = settings;
  const failed = (error: unknown) => fail(settings, error, { event, request });
  const handler = settings.handlerOf(event);
  if (handler === undefined) return received;
  const { id } = event;
  // Without an ID there is nothing to know it again by: each delivery is handled.
  const isTracked = id !== undefined && id !== '';
  const claimedAt = now();
  if (isTracked) {
    try {
      const claim = await store.claim(id, leaseMs);
      if (claim === 'done') return received;
      if (claim === 'in_progress') return refusal(503, 'in progress');
      // Taken for new, every repeat would be handled again and nobody would notice.
      if ((claim as string) !== 'new')
        throw new ConfigurationError("The store's claim() must give 'new', 'in_progress' or 'done'.");
    } catch (error) {
      return failed(error);
    }
  }
  try {
    await handler(event);
  } catch (error) {
    const answer = failed(error);
    try {
      // A claim that has run out may be another's by now.
      if (isTracked && now() - claimedAt < leaseMs) await store.release(id);
    } catch (releaseError) {
      failed(releaseError);
    }
    return answer;
  }
  try {
    if (isTracked) await store.complete(id, keepMs);
    return received;
  } catch (error) {
    // It is not noted as handled, so that it must not be acknowledged either.
    return failed(error);
  }
}

/** Calls a function of the caller's that is for logs: what goes wrong in it changes no answer. */
function tell(call: () => unknown): void {
  // There is nobody left to tell of what goes wrong here.
  const ignore = () => undefined;
  try {
    Promise.resolve(call()).catch(ignore);
  } catch {
    ignore();
  }
}
