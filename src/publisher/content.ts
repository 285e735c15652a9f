import { InvalidRequestError, type Issue } from '../core/errors.js';
import { modeIssues } from '../resources/create-mode.js';
import { createPostBodySchema, type CreatePostBody } from '../resources/post-shapes.js';
import { describeIssues, nearestFieldHint } from '../schema/issues.js';
import { safeParse } from '../schema/parse.js';
import { toWire } from '../schema/wire.js';
import type { IntentRecord, JsonObject } from './record.js';

/** What is to be sent, as it was when it was given. */
export type Content = Pick<IntentRecord, 'body' | 'extraBody'>;

const optionNames: ReadonlySet<string> = new Set(['extraBody']);

/**
 * Takes a copy of what is to be sent, in its wire form: what the caller changes afterwards changes nothing.
 * @throws InvalidRequestError it could not be sent
 */
export function readContent(body: CreatePostBody, extraBody: unknown): Content {
  const schema = createPostBodySchema();
  const wire = toWire(schema, body);
  const parsed = safeParse(schema, wire);
  const issues: Issue[] = parsed.success
    ? []
    : describeIssues(parsed.error.issues, nearestFieldHint(schema, 'extraBody', optionNames));
  for (const issue of modeIssues(body, extraBody)) issues.push(issue);
  if (extraBody !== undefined && !isObject(extraBody))
    issues.push({ path: ['extraBody'], message: 'must be an object' });
  const copies = { body: copyOf('body', wire, issues), extraBody: copyOf('extraBody', extraBody, issues) };
  if (issues.length > 0) throw new InvalidRequestError(issues, { method: 'POST', route: '/v1/posts/' });
  return {
    // The schema and the check above leave nothing but objects.
    body: copies.body as JsonObject,
    ...(copies.extraBody === undefined ? {} : { extraBody: copies.extraBody as JsonObject }),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function copyOf(name: string, value: unknown, issues: Issue[]): unknown {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(value)) as unknown;
  } catch {
    issues.push({ path: [name], message: 'must be what JSON can hold: no cycles and no bigints' });
    return undefined;
  }
}

/** The whole request, as the service gets it without any `correlate`. */
export function wireOf({ body, extraBody }: Content): JsonObject {
  return { ...body, ...extraBody };
}

/** Whether two contents make the same request, the order of keys aside. */
export function isSameContent(one: Content, other: Content): boolean {
  return canonicalOf(one) === canonicalOf(other);
}

/** The request as a text that does not depend on the order of keys: two intents with the same one are equal. */
export function canonicalOf(content: Content): string {
  return JSON.stringify(wireOf(content), (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** What goes to `posts.create`: the request, with the time that is the intent's own where it has one. */
export function sentContent(record: IntentRecord): Content {
  const slot = record.slots?.at(-1);
  const { body, extraBody } = record;
  if (slot !== undefined) return withSlot(record, slot);
  return extraBody === undefined ? { body } : { body, extraBody };
}

/** The request as it was sent with one of the intent's own times. */
export function withSlot({ body, extraBody }: Content, slot: number): Content {
  const scheduledFor = new Date(slot).toISOString();
  const { publishNow: _publishNow, ...typed } = body;
  const { publishNow: _extraNow, scheduledFor: _extraTime, ...extra } = extraBody ?? {};
  return { body: { ...typed, scheduledFor }, ...(extraBody === undefined ? {} : { extraBody: extra }) };
}
