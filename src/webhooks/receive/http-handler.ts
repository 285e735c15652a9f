import { callSafely } from '../../core/call/hooks.js';
import { SocialPublishingError, WebhookVerificationError, type WebhookVerificationCode } from '../../core/errors.js';
import { within } from '../../core/flow/abort.js';
import { verifyDelivery, type VerifiedDelivery, type VerifyWebhookOptions } from '../verify/verify.js';
import {
  requestOfFetch,
  requestOfNode,
  type NodeRequest,
  type NodeResponse,
  type WebhookRequest,
} from './webhook-request.js';

/** A response. Its body never says why a delivery was refused, because this would help an attacker. */
export interface WebhookResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The response to a delivery that the service must not repeat. */
export const accepted: WebhookResponse = { status: 200, body: { received: true } };

/** A response that refuses a delivery. After a 5xx, the service delivers the event again. */
export function refuse(status: number, error: string): WebhookResponse {
  return { status, body: { error } };
}

/** The responses to deliveries that are refused for another reason than their signature and its time. */
const refusals: Partial<Record<WebhookVerificationCode, readonly [status: number, error: string]>> = {
  body_too_large: [413, 'payload too large'],
  // The receiver is mounted in the wrong place. After a 5xx, the service retries.
  body_not_raw: [500, 'internal error'],
  invalid_payload: [400, 'bad request'],
  event_id_mismatch: [400, 'bad request'],
  event_type_mismatch: [400, 'bad request'],
};

/** Settings of {@link createHttpHandler}. */
export interface HttpHandlerSettings extends Omit<VerifyWebhookOptions, 'body' | 'headers'> {
  readonly ackTimeoutMs: number;
  readonly onRejected: (error: WebhookVerificationError, request: Request | NodeRequest) => unknown;
  readonly onError: (error: unknown, context: { readonly request: Request | NodeRequest }) => unknown;
}

/** Receives the deliveries of a webhook subscription. All functions work unbound; `fetch` and `node` never throw. */
export interface WebhookReceiver {
  /**
   * Answers a delivery that arrives as a `Request`: Next.js, Hono, Bun, Deno, Cloudflare Workers.
   *
   * @param context the other arguments of the runtime. If one of them has `waitUntil`, such as the context of a Worker,
   *   a slow handler continues after the response.
   */
  readonly fetch: (request: Request, ...context: unknown[]) => Promise<Response>;
  /** Answers a delivery in Node: for `http.createServer`, and for Express before any body parser. */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /**
   * Resolves when no handler is running, including handlers that continue after their response. To shut down, stop the
   * server first, then call this.
   */
  readonly idle: () => Promise<void>;
}

/** Processes a verified delivery and returns the response. Never rejects. */
export type OnDelivery = (delivery: VerifiedDelivery, request: Request | NodeRequest) => Promise<WebhookResponse>;

/** Creates a handler that reads and verifies each delivery, and answers within `ackTimeoutMs`. */
export function createHttpHandler(settings: HttpHandlerSettings, onDelivery: OnDelivery): WebhookReceiver {
  const running = new Set<Promise<unknown>>();
  const respond = (request: WebhookRequest, context: readonly unknown[]) => {
    const deadline = new AbortController();
    const work = processRequest(settings, onDelivery, request, deadline.signal);
    running.add(work);
    void work.then(() => running.delete(work));
    const onLate = () => {
      deadline.abort();
      // Before the response: a Worker stops work that nothing waits for.
      keepRunning(context, work);
      return new Error('The work takes too long.');
    };
    return within(settings.ackTimeoutMs, work, onLate).catch(() => refuse(503, 'in progress'));
  };
  return {
    fetch: async (request, ...context) => {
      const { status, body } = await respond(requestOfFetch(request), context);
      return Response.json(body, { status, headers: status === 405 ? { allow: 'POST' } : {} });
    },
    node: async (request, response) => {
      const { status, body } = await respond(requestOfNode(request), []);
      if (response.headersSent) return; // The framework's own time-out was faster.
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      if (status === 405) response.setHeader('allow', 'POST');
      // The rest of a large or slow body is not read, so the connection cannot serve another request.
      if (request.complete === false) response.setHeader('connection', 'close');
      response.end(JSON.stringify(body));
    },
    idle: async () => {
      // Includes deliveries that arrive in the meantime.
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function keepRunning(context: readonly unknown[], work: Promise<unknown>): void {
  for (const candidate of context) {
    try {
      // Most values have no such method. If it is not a function, the `catch` below ignores it.
      (candidate as { waitUntil?: (work: Promise<unknown>) => void } | null | undefined)?.waitUntil?.(work);
    } catch {
      // This method has the same name but another purpose: the runtime keeps the work running, or nothing can.
    }
  }
}

async function processRequest(
  settings: HttpHandlerSettings,
  onDelivery: OnDelivery,
  { method, headers, request, readBody }: WebhookRequest,
  deadline: AbortSignal,
): Promise<WebhookResponse> {
  try {
    if (method !== 'POST') return refuse(405, 'method not allowed');
    const body = await readBody(deadline).catch((error: unknown) => {
      if (error instanceof SocialPublishingError) throw error;
      return undefined;
    });
    // A body that ends early or stalls is not logged: anyone can send one.
    if (body === undefined) return refuse(408, 'request timeout');
    return await onDelivery(await verifyDelivery({ ...settings, body, headers }), request);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) {
      void callSafely(() => settings.onError(error, { request }));
      return refuse(500, 'internal error');
    }
    void callSafely(() => settings.onRejected(error, request));
    return refuse(...(refusals[error.code] ?? [401, 'unauthorized']));
  }
}
