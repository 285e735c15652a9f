import type * as z from 'zod/mini';
import type { Endpoint } from '../core/endpoint.js';
import type { Issue } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { checkInPlace, type Drift } from '../schema/check.js';
import { describeIssues } from '../schema/issues.js';

/** What a 2xx reply turned out to be. */
export type ReplyResult<Reply> =
  /** `body` gives the parsed JSON as it arrived. */
  | { readonly kind: 'read'; readonly value: Reply; readonly body: () => unknown }
  /** `success: false`. */
  | { readonly kind: 'refused'; readonly body: Readonly<Record<string, unknown>> }
  | {
      readonly kind: 'unreadable';
      readonly problem: string;
      readonly issues?: readonly Issue[];
      readonly cause?: unknown;
    };

/** A drift with its path written out, `*` for any index. */
export type DriftListener = (drift: {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}) => void;

/** Reads the text of a 2xx reply. */
export type ReplyReader<Reply> = (
  text: string,
  response: Response,
  onDrift: DriftListener | undefined,
) => ReplyResult<Reply> | Promise<ReplyResult<Reply>>;

/** Any schema that follows the Standard Schema convention, for example of zod, valibot or arktype. */
export interface StandardSchema<Output = unknown> {
  /** What the convention asks of a schema. */
  readonly '~standard': {
    /** The version of the convention. */
    readonly version: 1;
    /** The library that the schema is of. */
    readonly vendor: string;
    /** Checks a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** The types, for the compiler alone. */
    readonly types?:
      | {
          /** What it takes. */
          readonly input: unknown;
          /** What it gives. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** What a Standard Schema gives back. */
export type StandardResult<Output> =
  | {
      /** The checked value. */
      readonly value: Output;
      /** None. */
      readonly issues?: undefined;
    }
  | {
      /** What is wrong. */
      readonly issues: readonly StandardIssue[];
    };

/** What a Standard Schema says of one thing that is wrong. */
export interface StandardIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where it is. */
  readonly path?: readonly (PropertyKey | StandardPathSegment)[] | undefined;
}

/** A part of an issue's path. */
export interface StandardPathSegment {
  /** The field's name, or an index. */
  readonly key: PropertyKey;
}

/** Reads the reply of a documented operation. */
export function readReply<Query, Body, Reply>(endpoint: Endpoint<Query, Body, Reply>): ReplyReader<Reply> {
  return (text, response, onDrift) => {
    const parsed = parse(text, response, JSON.parse);
    if (parsed.kind !== 'parsed') return parsed;
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
      return { kind: 'unreadable', problem: 'it is not what is documented', issues };
    }
    for (const { path, ...drift } of drifts ?? []) onDrift?.({ path: path.join('.'), ...drift });
    // The check has changed what was parsed, and the caller may. Few ask for the JSON as it came: it is parsed again then.
    return { kind: 'read', value: checked.data, body: () => parseJson(text) };
  };
}

/** Reads the reply of any other operation, with the caller's own schema if there is one. */
export function readAnyReply<Output>(schema: StandardSchema<Output> | undefined): ReplyReader<Output> {
  return async (text, response) => {
    // A reply without a body is common among operations that the document doesn't show.
    const parsed = text === '' ? ({ kind: 'parsed', body: undefined } as const) : parse(text, response, parseJson);
    if (parsed.kind !== 'parsed') return parsed;
    const { body } = parsed;
    // Without a schema the output type is `unknown` (see SocialPublishing.request).
    if (schema === undefined) return { kind: 'read', value: body as Output, body: () => body };
    let result: StandardResult<Output>;
    try {
      result = await schema['~standard'].validate(body);
    } catch (cause) {
      // It was answered: no failure of the network, which might have the call made again.
      return { kind: 'unreadable', problem: 'the given schema failed', cause };
    }
    if (result.issues === undefined) return { kind: 'read', value: result.value, body: () => body };
    const issues = result.issues.map(({ message, path = [] }) => ({
      path: path.map((part) => {
        const key = typeof part === 'object' ? part.key : part;
        return typeof key === 'symbol' ? String(key) : key;
      }),
      message,
    }));
    return { kind: 'unreadable', problem: 'it does not match the given schema', issues };
  };
}

type Unreadable = Extract<ReplyResult<never>, { readonly kind: 'unreadable' }>;

function parse(
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
  return isRefusal(body) ? { kind: 'refused', body } : { kind: 'parsed', body };
}

function isRefusal(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && (body as { success?: unknown }).success === false;
}

function noJson(response: Response): Unreadable {
  const [type] = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(response.headers.get('content-type') ?? '') ?? [];
  return {
    kind: 'unreadable',
    problem: `its body is no JSON (${type === undefined ? 'no content type' : `content type ${type}`})`,
  };
}

function lacksSuccess(schema: z.core.$ZodType, body: unknown): boolean {
  const { shape } = schema as { shape?: Record<string, unknown> };
  return shape !== undefined && 'success' in shape && typeof body === 'object' && body !== null && !('success' in body);
}

/**
 * The reply of the post analytics list has no documented shape: its list is taken under its likely name, else from the only
 * field that holds an array of objects.
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
