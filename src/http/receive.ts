import { setResponse } from '../core/response.js';
import type { ReadBody } from './response-body.js';
import type { ClientContext } from './context.js';
import { unreadable, type AttemptResult, type FailedAttempt } from './connection-errors.js';
import { hidingSecretsOf, type Redact } from './redact.js';
import { apiError } from './reply-errors.js';
import type { PreparedCall } from './prepared-call.js';
import { ReplyInfo } from './reply-info.js';
import { readRetryAfter } from './retry.js';
import type { Drift, Teller } from './call-events.js';

/** A reply with its body read. */
interface Received {
  readonly response: Response;
  readonly body: ReadBody;
  readonly attempt: number;
  readonly teller: Teller | undefined;
  readonly redact: Redact;
}

/** Tells what a reply is: a refusal, or a 2xx, which is checked and read. */
export function receive<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  from: Received,
): AttemptResult<Reply> | Promise<AttemptResult<Reply>> {
  const { response, body } = from;
  const redact = hidingSecretsOf(body.text, from.redact);
  const received = { ...from, redact };
  const { maxResponseBytes } = client.settings;
  if (!response.ok) return refused(client, call, received);
  if (body.tooLarge) {
    const problem = `it is larger than maxResponseBytes (${String(maxResponseBytes)})`;
    return unreadable(call, response, body.text, redact, { problem });
  }
  return readReply(client, call, received);
}

function refused(
  { runtime }: ClientContext,
  { method, path: route }: PreparedCall<unknown>,
  { response, body: { text }, redact }: Received,
): FailedAttempt {
  const { status } = response;
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), runtime.now());
  return {
    ok: false,
    failure: { kind: 'status', status },
    retryAfterMs,
    toError: (outcome, attempts) =>
      apiError({ method, route, response, redact, outcome, attempts, text, retryAfterMs }),
  };
}

async function readReply<Reply>(
  { settings }: ClientContext,
  call: PreparedCall<Reply>,
  { response, body: { text }, attempt, teller, redact }: Received,
): Promise<AttemptResult<Reply>> {
  const { method, path: route } = call;
  const { strictResponses } = settings;
  const byPath = strictResponses || teller?.hears('onDrift') === true ? new Map<string, Drift>() : undefined;
  const onDrift =
    byPath !== undefined
      ? (drift: Omit<Drift, 'route'>) => {
          const { path, expected, received } = drift;
          byPath.set(path, { route: `${method} ${route}`, path: redact(path), expected, received: redact(received) });
        }
      : undefined;
  const result = await call.reader(text, response, onDrift);
  if (result.kind === 'refused') {
    return {
      ok: false,
      // Answered with 2xx, but refused: nothing that another attempt would change.
      failure: call.carriedOut?.(result.body) === true ? { kind: 'unreadable' } : { kind: 'status', status: 400 },
      toError: (outcome, attempts) => apiError({ method, route, response, redact, outcome, attempts, text }),
    };
  }
  if (result.kind === 'unreadable') return unreadable(call, response, text, redact, result);
  if (byPath !== undefined) {
    const drifts = [...byPath.values()];
    if (strictResponses && drifts.length > 0) return differs(call, response, text, redact, drifts);
    teller?.drifts(drifts);
  }
  setResponse(result.value, new ReplyInfo(response, call.url, attempt, result.body, teller?.requestId));
  return { ok: true, reply: result.value };
}

/** With `strictResponses`, a drift is an error. */
function differs(
  call: PreparedCall<unknown>,
  response: Response,
  text: string,
  redact: Redact,
  drifts: readonly Drift[],
): FailedAttempt {
  const issues = drifts.map(({ path, expected, received }) => ({
    path: path.split('.'),
    message: `is documented as ${expected}, but came as ${received}`,
  }));
  const problem = 'it differs from the API document (strictResponses)';
  return unreadable(call, response, text, redact, { problem, issues });
}
