import type * as z from 'zod/mini';
import type { Endpoint } from '../core/endpoint.js';
import { isFields, parseJson } from '../core/json.js';
import { ReplyInfo, setResponse } from '../core/response.js';
import { checkInPlace, type Drift } from '../schema/check.js';
import { describeIssues } from '../schema/issues.js';
import type { CallEvents, ReplyDrift } from './call-events.js';
import type { ClientContext } from './context.js';
import type { DriftListener, PreparedCall, ReplyReader, ReplyResult } from './prepared-call.js';
import type { Redact } from '../core/redactor.js';
import { hidingSecretsOf } from './redact.js';
import { differs, refused, refusedWithSuccess, unreadable } from './reply-errors.js';
import type { AttemptResult } from './retry.js';

export interface ReceivedReply {
  readonly response: Response;
  readonly text: string;
  readonly tooLarge: boolean;
  readonly attempt: number;
  readonly events: CallEvents | undefined;
  readonly redact: Redact;
}

/** Uses the status, because replies of a custom `fetch` may lack `ok`. */
export const isSuccess = ({ status }: Response): boolean => status >= 200 && status <= 299;

/** Turns a reply into the result of its attempt: a refusal, an unreadable reply, or the checked value. */
export async function interpretReply<Reply>(
  { settings: { maxResponseBytes, strictResponses }, runtime }: ClientContext,
  call: PreparedCall<Reply>,
  received: ReceivedReply,
): Promise<AttemptResult<Reply>> {
  const { response, text, tooLarge, attempt, events } = received;
  // Secrets of the reply itself are collected only if an error or a drift is reported.
  const hiding = () => ({ response, text, redact: hidingSecretsOf(text, received.redact) });
  if (!isSuccess(response)) return refused(call, hiding(), runtime.now());
  if (tooLarge) {
    const problem = `it is larger than maxResponseBytes (${String(maxResponseBytes)})`;
    return unreadable(call, hiding(), { problem });
  }
  const drifts = strictResponses || events?.has('onDrift') === true ? new Map<string, ReplyDrift>() : undefined;
  const result = await call.read(text, response, drifts && driftCollector(call, hiding().redact, drifts));
  if (result.kind === 'refused') return refusedWithSuccess(call, hiding(), result.body);
  if (result.kind === 'unreadable') return unreadable(call, hiding(), result);
  if (drifts !== undefined) {
    if (strictResponses && drifts.size > 0) return differs(call, hiding(), [...drifts.values()]);
    events?.drifts([...drifts.values()]);
  }
  setResponse(
    result.value,
    new ReplyInfo(response, { url: call.url, attempts: attempt, requestId: events?.requestId }, result.body),
  );
  return { ok: true, reply: result.value };
}

/** Keeps the newest drift of each path. */
function driftCollector({ at }: PreparedCall<unknown>, redact: Redact, drifts: Map<string, ReplyDrift>): DriftListener {
  const route = `${at.method} ${at.route}`;
  return ({ path, expected, received }) => {
    drifts.set(path, { route, path: redact(path), expected, received: redact(received) });
  };
}

/** Reads the reply of a documented operation. */
export function readReply<Query, Body, Reply>(endpoint: Endpoint<Query, Body, Reply>): ReplyReader<Reply> {
  return (text, response, onDrift) => {
    const parsed = parseReply(text, response, JSON.parse);
    if (parsed.kind !== 'parsed') return parsed;
    const missing = endpoint.confirmedBy;
    if (missing !== undefined && !isConfirmed(parsed.body, missing))
      return { kind: 'unreadable', problem: `it has neither success: true nor ${missing}` };
    const schema = endpoint.response();
    const { body } = parsed;
    if (endpoint.list?.undocumentedShape === true) nameTheList(body, endpoint.list.items);
    const drifts: Drift[] | undefined = onDrift && [];
    if (drifts !== undefined && lacksSuccess(schema, body)) {
      drifts.push({ path: ['success'], expected: 'true', received: 'undefined' });
    }
    let checked;
    try {
      checked = checkInPlace(schema, body, drifts);
    } catch {
      return noJson(response);
    }
    if (!checked.success) {
      const issues = describeIssues(checked.error.issues, undefined, 'the reply');
      return { kind: 'unreadable', problem: 'it differs from the API document', issues };
    }
    for (const { path, ...drift } of drifts ?? []) onDrift?.({ path: path.join('.'), ...drift });
    // The check changed the parsed value, and the caller may. Few callers ask for the JSON as it arrived: it is parsed again.
    return { kind: 'read', value: checked.data, body: () => parseJson(text) };
  };
}

function isConfirmed(body: unknown, field: string): boolean {
  return !isFields(body) || body.success === true || (typeof body[field] === 'string' && body[field] !== '');
}

type Unreadable = Extract<ReplyResult<never>, { readonly kind: 'unreadable' }>;

export function parseReply(
  text: string,
  response: Response,
  parseText: (text: string) => unknown,
):
  | { readonly kind: 'parsed'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly body: Readonly<Record<string, unknown>> }
  | Unreadable {
  let body: unknown;
  try {
    body = parseText(text);
  } catch {
    return text.trim() === '' ? { kind: 'unreadable', problem: 'its body is empty' } : noJson(response);
  }
  if (isRefusal(body)) return { kind: 'refused', body };
  const problem = failureIn(body);
  return problem === undefined ? { kind: 'parsed', body } : { kind: 'unreadable', problem };
}

/** Returns why a 2xx reply cannot count as a success, although it has no `success: false`. */
function failureIn(body: unknown): string | undefined {
  if (!isFields(body) || body.success === true) return undefined;
  const { success, error, ...others } = body;
  if (success !== undefined && success !== null) return 'its success is neither true nor false';
  if (!isBlank(error)) return 'it has an error';
  const hasOnlyMessage = 'message' in others && Object.keys(others).length === 1;
  return hasOnlyMessage ? 'it has nothing but a message' : undefined;
}

/** An empty error says nothing. */
function isBlank(error: unknown): boolean {
  if (error === undefined || error === null || error === false || error === '') return true;
  return typeof error === 'object' && Object.keys(error).length === 0;
}

function isRefusal(body: unknown): body is Readonly<Record<string, unknown>> {
  return isFields(body) && body.success === false;
}

function noJson(response: Response): Unreadable {
  const [type] = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(response.headers.get('content-type') ?? '') ?? [];
  return {
    kind: 'unreadable',
    problem: `its body is not JSON (${type === undefined ? 'no content type' : `content type ${type}`})`,
  };
}

function lacksSuccess(schema: z.core.$ZodType, body: unknown): boolean {
  // Only the schema of an object has a shape.
  const { shape } = schema as { shape?: Record<string, unknown> };
  return shape !== undefined && 'success' in shape && typeof body === 'object' && body !== null && !('success' in body);
}

/**
 * The reply of the post analytics list has no documented shape. Its list is the field of this name, otherwise the only field
 * with an array of objects.
 */
function nameTheList(body: unknown, name: string): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const fields = body as Record<string, unknown>;
  if (Array.isArray(fields[name])) return;
  const lists = Object.entries(fields).filter(
    ([key, value]) =>
      key !== '__proto__' && Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null),
  );
  if (lists.length === 1) fields[name] = lists[0]?.[1];
}
