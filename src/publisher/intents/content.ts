import { IntentConflictError, InvalidRequestError } from '../../core/errors.js';
import { invalidArgument, issueAt, reportTo } from '../../core/call/options.js';
import { canonicalJson, differingFields, isFields, jsonCopy } from '../../core/json.js';
import type { CreatePostBody } from '../../posts/post-shapes.js';
import { modeOf, readCreate, requestOf, scheduledTime } from '../../posts/read-create.js';
import type { IntentRecord } from './intent-record.js';

type AnyContent = Parameters<typeof requestOf>[0];

/** The content of an intent, as passed by the caller. */
export type Content = Pick<IntentRecord, 'body' | 'extraBody' | 'sendAheadMs'>;

/**
 * Checks a body, and copies it in its wire form: later changes to the caller's objects have no effect.
 * @throws InvalidRequestError it cannot be sent
 */
export function readContent(body: CreatePostBody, extraBody: unknown): Content {
  const { wire, issues: found } = readCreate(body, extraBody);
  const issues = [...found];
  const content: { body: unknown; extraBody?: unknown } = { body: jsonCopy(wire, reportTo(issues)) };
  if (extraBody !== undefined) content.extraBody = jsonCopy(extraBody, reportTo(issues, ['extraBody']));
  if (extraBody !== undefined && !isFields(content.extraBody) && issues.length === 0)
    issues.push(issueAt(['extraBody'], 'must be an object'));
  if (issues.length > 0) throw new InvalidRequestError(issues, { method: 'POST', route: '/v1/posts/' });
  return content as Content; // The schema and the check above leave only objects.
}

/**
 * Adds the time ahead of its schedule at which an intent is sent. `Infinity` means: at once.
 * @throws InvalidRequestError the instant of its time is not known
 */
export function withAhead(content: Content, sendAheadMs: number | undefined): Content {
  if (sendAheadMs === undefined || sendAheadMs === Infinity) return content;
  const request = requestOf(content);
  if (modeOf(request) === 'scheduledFor' && scheduledTime(request) === undefined) {
    const message = 'must have its offset, because sendAheadMs counts from it. Pass the result of zonedTime()';
    throw invalidArgument('scheduledFor', message);
  }
  return { ...content, sendAheadMs };
}

/** Whether two contents make the same request, in any order of keys. */
export function isSameContent(one: AnyContent, other: AnyContent): boolean {
  return canonicalOf(one) === canonicalOf(other);
}

/** The error of a key whose intent has another content. */
export function conflictOf(key: string, stored: Content, content: Content): IntentConflictError {
  return new IntentConflictError(key, { post: differingFields(requestOf(stored), requestOf(content)) });
}

/** Returns the request as a text that does not depend on the order of keys: intents with the same text are equal. */
export function canonicalOf(content: AnyContent): string {
  return canonicalJson(requestOf(content));
}

/** Returns the arguments of `posts.create`: the request, with the unique time that release 0.2.0 chose for it, if any. */
export function sentContent(record: IntentRecord): Content {
  const slot = record.slots?.at(-1);
  const { body, extraBody } = record;
  if (slot !== undefined) return withSlot(record, slot);
  return extraBody === undefined ? { body } : { body, extraBody };
}

/** Returns the request as release 0.2.0 sent it with one of the intent's unique times. */
export function withSlot({ body, extraBody }: Content, slot: number): Content {
  const scheduledFor = new Date(slot).toISOString();
  const { publishNow: _publishNow, ...typed } = body;
  const { publishNow: _extraNow, scheduledFor: _extraTime, ...extra } = extraBody ?? {};
  return { body: { ...typed, scheduledFor }, ...(extraBody === undefined ? {} : { extraBody: extra }) };
}

/** Returns 53 bits of a text: among a million texts, two agree with a probability of one in 18,000. */
export function hashOf(text: string): number {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995) ^ (high >>> 13);
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
