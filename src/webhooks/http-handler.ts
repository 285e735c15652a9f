import { WebhookVerificationError } from '../core/errors.js';
import { fromFetch, fromNode, type Delivery, type NodeRequest, type NodeResponse } from './webhook-request.js';
import type { WebhookSecret } from './secrets.js';
import { verifyDelivery, type VerifiedDelivery } from './verify.js';

/** What is answered. The text says nothing of why: that would help a forger. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The answer to a delivery that needs not come again. */
export const received: Answer = { status: 200, body: { received: true } };
/** The answer to a delivery that is not taken, or not yet. */
export const refusal = (status: number, error: string): Answer => ({ status, body: { error } });

/** What a listener is made with. */
export interface ListenerSettings {
  readonly secret: WebhookSecret;
  readonly toleranceSeconds: number | false | undefined;
  readonly ackTimeoutMs: number;
  readonly now: () => number;
  readonly onRejected: (error: WebhookVerificationError, request: Request | NodeRequest) => unknown;
  /** Is told of what went wrong before there was an event. */
  readonly onError: (error: unknown, context: { readonly request: Request | NodeRequest }) => unknown;
}

/** Answers deliveries over HTTP. */
export interface Listener {
  readonly fetch: (request: Request, ...context: unknown[]) => Promise<Response>;
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  readonly idle: () => Promise<void>;
}

/** Does something with a verified delivery and says what to answer. It must not reject. */
export type Take = (delivery: VerifiedDelivery, request: Request | NodeRequest) => Promise<Answer>;

/** Gives a listener that reads and verifies each delivery, and answers in `ackTimeoutMs` at most. */
export function createListener(settings: ListenerSettings, take: Take): Listener {
  const underWay = new Set<Promise<unknown>>();
  const receive = (delivery: Delivery, context: readonly unknown[]) => {
    const deadline = new AbortController();
    const work = answer(settings, take, delivery, deadline.signal);
    underWay.add(work);
    void work.then(() => underWay.delete(work));
    return answerInTime(work, deadline, settings.ackTimeoutMs, context);
  };
  return {
    fetch: async (request, ...context) => {
      const { status, body } = await receive(fromFetch(request), context);
      return Response.json(body, { status, headers: headersOf(status) });
    },
    node: async (request, response) => {
      const { status, body } = await receive(fromNode(request), []);
      if (response.headersSent) return; // A framework's own time-out was faster.
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      for (const [name, value] of Object.entries(headersOf(status))) response.setHeader(name, value);
      // The rest of a body that is too large or too slow is not waited for: the connection can't serve another request.
      if (request.complete === false) response.setHeader('connection', 'close');
      response.end(JSON.stringify(body));
    },
    idle: async () => {
      // What comes meanwhile is waited for, too.
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function headersOf(status: number): Record<string, string> {
  return status === 405 ? { allow: 'POST' } : {};
}

/** Gives what the work answers, or 503 when the time is over. The work goes on then. */
async function answerInTime(
  work: Promise<Answer>,
  deadline: AbortController,
  ackTimeoutMs: number,
  context: readonly unknown[],
): Promise<Answer> {
  const late = new Promise<Answer>((resolve) => {
    deadline.signal.addEventListener('abort', () => {
      // Before the answer: a Worker stops what nobody waits for.
      keepRunning(context, work);
      resolve(refusal(503, 'in progress'));
    });
  });
  const timer = setTimeout(() => {
    deadline.abort();
  }, ackTimeoutMs);
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

/** Reads, verifies and takes a delivery. Never rejects. */
async function answer(
  settings: ListenerSettings,
  take: Take,
  delivery: Delivery,
  deadline: AbortSignal,
): Promise<Answer> {
  const { request } = delivery;
  try {
    if (delivery.method !== 'POST') return refusal(405, 'method not allowed');
    // Without a content type it may be JSON as well.
    if (!/^(application\/json *(;|$)|$)/i.test(delivery.contentType)) return refusal(415, 'unsupported media type');
    const body = await delivery.read(deadline).catch((error: unknown) => {
      if (error instanceof WebhookVerificationError) throw error;
      return undefined;
    });
    // The body broke off or stalled. Anybody can send such a one, so that it is not worth a log line.
    if (body === undefined) return refusal(408, 'request timeout');
    const { secret, toleranceSeconds, now } = settings;
    return await take(
      await verifyDelivery({ body, headers: delivery.headers, secret, toleranceSeconds, now }),
      request,
    );
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) {
      tell(() => settings.onError(error, { request }));
      return refusal(500, 'internal error');
    }
    tell(() => settings.onRejected(error, request));
    return answerTo(error);
  }
}

function answerTo({ code }: WebhookVerificationError): Answer {
  switch (code) {
    case 'body_too_large':
      return refusal(413, 'payload too large');
    case 'body_not_raw':
      // The receiver is mounted wrong. After a 5xx the service retries.
      return refusal(500, 'internal error');
    case 'invalid_payload':
    case 'event_id_mismatch':
    case 'event_type_mismatch':
      return refusal(400, 'bad request');
    default:
      return refusal(401, 'unauthorized');
  }
}

/** Calls a function of the caller's that is for logs: what goes wrong in it changes no answer. */
export function tell(call: () => unknown): void {
  // There is nobody left to tell of what goes wrong here.
  const ignore = () => undefined;
  try {
    Promise.resolve(call()).catch(ignore);
  } catch {
    ignore();
  }
}
