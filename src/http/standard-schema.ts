import { parseJson } from '../core/json.js';
import type { ReplyReader } from './prepared-call.js';
import { parseReply } from './reply.js';

/** Any schema that follows the Standard Schema convention, for example of zod, valibot or arktype. */
export interface StandardSchema<Output = unknown> {
  /** The properties that the convention requires of a schema. */
  readonly '~standard': {
    /** The version of the convention. */
    readonly version: 1;
    /** The library that the schema is of. */
    readonly vendor: string;
    /** Checks a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** The types, only for the compiler. */
    readonly types?:
      | {
          /** The input type. */
          readonly input: unknown;
          /** The type of the result. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** The result of a Standard Schema. */
export type StandardResult<Output> =
  | {
      /** The checked value. */
      readonly value: Output;
      /** Always missing. */
      readonly issues?: undefined;
    }
  | {
      /** The issues of the value. */
      readonly issues: readonly StandardIssue[];
    };

/** An issue of a Standard Schema. */
export interface StandardIssue {
  /** The description of the issue. */
  readonly message: string;
  /** The path of the issue. */
  readonly path?: readonly (PropertyKey | StandardPathSegment)[] | undefined;
}

/** A part of an issue's path. */
export interface StandardPathSegment {
  /** The field's name, or an index. */
  readonly key: PropertyKey;
}

/** Reads the reply of a route that a caller wrote, with the caller's schema if there is one. */
export function readAnyReply<Output>(schema: StandardSchema<Output> | undefined): ReplyReader<Output> {
  return async (text, response) => {
    // Undocumented operations often reply without a body.
    const parsed = text === '' ? ({ kind: 'parsed', body: undefined } as const) : parseReply(text, response, parseJson);
    if (parsed.kind !== 'parsed') return parsed;
    const { body } = parsed;
    // Without a schema the output type is `unknown` (see SocialPublishing.request).
    if (schema === undefined) return { kind: 'read', value: body as Output, body: () => body };
    let result: StandardResult<Output>;
    try {
      result = await schema['~standard'].validate(body);
    } catch (cause) {
      // The service replied, so this is not a network failure, after which the call might be retried.
      return { kind: 'unreadable', problem: 'the passed schema failed', cause };
    }
    if (result.issues === undefined) return { kind: 'read', value: result.value, body: () => body };
    const issues = result.issues.map(({ message, path = [] }) => ({
      path: path.map((part) => {
        const key = typeof part === 'object' ? part.key : part;
        return typeof key === 'symbol' ? String(key) : key;
      }),
      message,
    }));
    return { kind: 'unreadable', problem: 'it does not match the passed schema', issues };
  };
}
