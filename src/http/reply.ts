import type * as z from 'zod/mini';
import { onAbort, throwIfAborted } from '../core/flow/abort.js';
import type { Endpoint } from '../core/call/endpoint.js';
import type { Issue } from '../core/errors.js';
import { isFields, parseJson, type Fields } from '../core/json.js';
import { checkInPlace, type Drift } from '../schema/check.js';
import { standardIssues, type StandardResult, type StandardSchema } from '../core/standard-schema.js';
import { describeIssues } from '../schema/issues.js';

/** Reads the text of a 2xx reply. Collects its drifts, if there is a list for them. */
export type ReplyReader<Reply> = (
  text: string,
  response: Response,
  drifts: Drift[] | undefined,
) => ReplyContent<Reply> | Promise<ReplyContent<Reply>>;

export type ReplyContent<Reply> =
  /** `body` returns the parsed JSON as it arrived. */
  | { readonly kind: 'read'; readonly value: Reply; readonly body: () => unknown }
  /** `success: false`. */
  | { readonly kind: 'refused'; readonly body: Fields }
  | UnreadableReply;

interface UnreadableReply {
  readonly kind: 'unreadable';
  readonly problem: string;
  readonly issues?: readonly Issue[];
  readonly cause?: unknown;
}

/** Uses the status, because replies of a custom `fetch` may lack `ok`. */
export const isSuccess = ({ status }: Response): boolean => status >= 200 && status <= 299;

export interface ReplyBody {
  readonly text: string;
  /** `too_large`: the rest was not read. An error: the body broke off. */
  readonly cutBy?: 'too_large' | { readonly error: unknown };
}

/**
 * Reads a body as UTF-8 text and counts its bytes while it streams, so that a compressed bomb does no harm. Drops a
 * byte-order mark. An abort releases the body even if `fetch` ignores its signal.
 * @throws the reason of the signal
 */
export async function readBody(response: Response, maxBytes: number, signal: AbortSignal): Promise<ReplyBody> {
  // By its type, a body is a web stream or null. Some replacements of `fetch` omit it or return a Node stream.
  const body = response.body as Partial<ReadableStream<Uint8Array>> | null | undefined;
  if (body === null) return { text: '' };
  if (typeof body?.getReader !== 'function') return readText(response, maxBytes);
  const reader = body.getReader();
  // Not awaited: a server that continues to send may keep it pending.
  const release = () => {
    reader.cancel().catch(() => undefined);
  };
  const forget = onAbort(signal, release);
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      throwIfAborted(signal);
      if (done) return { text: text + decoder.decode() };
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        release();
        return { text, cutBy: 'too_large' };
      }
      // Keeps back an incomplete letter at the end: a body that is cut does not show it.
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    throwIfAborted(signal);
    return { text, cutBy: { error } };
  } finally {
    forget();
  }
}

/** The text of a body that does not stream is complete or missing. */
async function readText(response: Response, maxBytes: number): Promise<ReplyBody> {
  try {
    const text = await response.text();
    return text.length > maxBytes ? { text, cutBy: 'too_large' } : { text };
  } catch (error) {
    return { text: '', cutBy: { error } };
  }
}

/** Reads the reply of a documented operation. */
export function readReply<Query, Body, Reply>(endpoint: Endpoint<Query, Body, Reply>): ReplyReader<Reply> {
  return (text, response, drifts) => {
    const read = parseReply(text, response, JSON.parse);
    if (read.kind !== 'read') return read;
    const { value: body } = read;
    const missing = endpoint.confirmedBy;
    if (missing !== undefined && !isConfirmed(body, missing))
      return { kind: 'unreadable', problem: `it has neither success: true nor ${missing}` };
    const schema = endpoint.response();
    if (endpoint.list?.undocumentedShape === true) nameTheList(body, endpoint.list.items);
    if (lacksSuccess(schema, body)) drifts?.push({ path: ['success'], expected: 'true', received: 'undefined' });
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
    // The check changed the parsed value, and the caller may. Few callers ask for the JSON as it arrived: it is parsed again.
    return { kind: 'read', value: checked.data, body: () => parseJson(text) };
  };
}

/** Reads the reply of a route that a caller wrote, with the caller's schema if there is one. */
export function readAnyReply<Output>(schema: StandardSchema<Output> | undefined): ReplyReader<Output> {
  return async (text, response) => {
    // Undocumented operations often reply without a body.
    const read = text === '' ? asRead(undefined) : parseReply(text, response, parseJson);
    // Without a schema the output type is `unknown` (see SocialPublishing.request).
    if (read.kind !== 'read' || schema === undefined) return read as ReplyContent<Output>;
    let result: StandardResult<Output>;
    try {
      result = await schema['~standard'].validate(read.value);
    } catch (cause) {
      // The service replied, so this is not a network failure, after which the call might be retried.
      return { kind: 'unreadable', problem: 'the passed schema failed', cause };
    }
    if (result.issues === undefined) return { ...read, value: result.value };
    const issues = standardIssues(result.issues);
    return { kind: 'unreadable', problem: 'it does not match the passed schema', issues };
  };
}

function isConfirmed(body: unknown, field: string): boolean {
  return !isFields(body) || body.success === true || (typeof body[field] === 'string' && body[field] !== '');
}

function parseReply(text: string, response: Response, parseText: (text: string) => unknown): ReplyContent<unknown> {
  let body: unknown;
  try {
    body = parseText(text);
  } catch {
    return text.trim() === '' ? { kind: 'unreadable', problem: 'its body is empty' } : noJson(response);
  }
  if (isFields(body) && body.success === false) return { kind: 'refused', body };
  const problem = failureIn(body);
  return problem === undefined ? asRead(body) : { kind: 'unreadable', problem };
}

function asRead(body: unknown): ReplyContent<unknown> {
  return { kind: 'read', value: body, body: () => body };
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

function noJson(response: Response): UnreadableReply {
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
 * with an array of objects. Empty arrays count only if all arrays are empty.
 */
function nameTheList(body: unknown, name: string): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const fields = body as Record<string, unknown>;
  if (Array.isArray(fields[name])) return;
  const lists = Object.entries(fields).filter(
    ([key, value]) =>
      key !== '__proto__' && Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null),
  );
  // An empty array can be any field.
  const filled = lists.filter(([, value]) => (value as readonly unknown[]).length > 0);
  const found = filled.length > 0 ? filled : lists.slice(0, 1);
  if (found.length === 1) fields[name] = found[0]?.[1];
}
